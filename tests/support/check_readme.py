#!/usr/bin/env python3
"""Holds what README.md and the headers show to what is built and tested.

    check_readme.py [ROOT]

1. A code block of README.md behind a line `<!-- FILE -->` or `<!-- FILE#REGION -->` is identical to that file, or to the lines of it between
   `region: REGION` and `end region`, each in a comment of their own. The opening example must be such a block.
2. The opening comment of every public header has an example: lines indented by four spaces behind an empty one.

Prints one line per fault and exits with 1 if there is one.
"""
import difflib
import pathlib
import re
import sys

MARK = re.compile(r"^<!-- (\S+?)(?:#(\S+))? -->$")
OPENING = ("tests/examples/readme_example.cpp", "pipeline")


def quoted_blocks(lines):
    """(line number, file, region or None, lines of the block) for each marked block; the block is None where there is none."""
    for number, line in enumerate(lines):
        if not (mark := MARK.match(line)):
            continue
        if number + 1 == len(lines) or not lines[number + 1].startswith("```"):
            yield number + 1, mark[1], mark[2], None
            continue
        end = next((i for i in range(number + 2, len(lines)) if lines[i] == "```"), len(lines))
        yield number + 1, mark[1], mark[2], lines[number + 2:end]


def region_of(lines, name):
    """The lines of a region; None where it is missing, open, or there twice."""
    begins = [i for i, line in enumerate(lines) if re.fullmatch(r"\s*(//|#) region: " + re.escape(name), line)]
    if len(begins) != 1:
        return None
    end = next((i for i in range(begins[0], len(lines)) if re.fullmatch(r"\s*(//|#) end region", lines[i])), None)
    return None if end is None else lines[begins[0] + 1:end]


def readme_faults(root):
    blocks = list(quoted_blocks((root / "README.md").read_text().splitlines()))
    if OPENING not in [(file, region) for _, file, region, _ in blocks]:
        yield f"README.md: no block is marked <!-- {OPENING[0]}#{OPENING[1]} -->"
    for number, name, region, block in blocks:
        place = f"README.md:{number}"
        if block is None:
            yield f"{place}: no code block follows the mark"
            continue
        if not (root / name).is_file():
            yield f"{place}: {name} does not exist"
            continue
        source = (root / name).read_text().splitlines()
        if region is not None and (source := region_of(source, region)) is None:
            yield f"{place}: {name} has no region '{region}' of its own"
        elif source != block:
            yield f"{place}: the block differs from {name}{'#' + region if region else ''}:"
            yield from difflib.unified_diff(source, block, name, "README.md", lineterm="", n=0)


def has_example(header):
    opening = []
    for line in header.read_text().splitlines():
        if not line.startswith("//"):
            break
        opening.append(line)
    return any(before == "//" and line.startswith("//     ") for before, line in zip(opening, opening[1:]))


def header_faults(root):
    for header in sorted((root / "include").rglob("*.hpp")):
        if not has_example(header):
            yield f"{header.relative_to(root)}:1: the opening comment has no example"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent.parent).resolve()
    faults = [*readme_faults(root), *header_faults(root)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

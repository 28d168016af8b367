#!/usr/bin/env python3
"""Makes a program of the examples in the opening comments of the public headers.

    extract.py --into FOLDER --parts N [ROOT]    writes part_0.cpp ... and main.cpp; files that would not change are left alone
    extract.py --list-missing [ROOT]             prints the headers without an example; exits with 1 if there is one

The example of a header is the last block of its opening comment, lines indented by four spaces behind an empty one. It is the body of a function.
Blocks right before it that begin with `struct`, `template`, `inline` or `#include` belong to it and stand at namespace scope. `#include` lines go to the top.
"""
import argparse
import pathlib
import re
import sys

INDENT = "//     "
DECLARATIONS = re.compile(r"(struct|template|inline)\b|#include")

PART = """\
// Made by extract.py from the opening comments of headers.
{includes}
#include "spillway/spillway.hpp"
#include "tests/header_examples/preamble.hpp"

namespace header_examples {{
using namespace spillway;
{examples}
}}  // namespace header_examples
"""

EXAMPLE = """
namespace {name} {{
{declarations}
void example();
void example() {{
{body}
}}
}}  // namespace {name}"""

MAIN = """\
// Made by extract.py: calls the example of each header.
#include "tests/header_examples/run.hpp"

namespace header_examples {{
{declarations}
}}  // namespace header_examples

int main() {{
  return header_examples::run_all({{
{entries}
  }});
}}
"""


def opening_blocks(header):
    """The indented blocks of the opening comment, each a list of (line number, code), in order; text between two blocks is an empty list."""
    blocks = [[]]
    before = None
    for number, line in enumerate(header.read_text().splitlines(), 1):
        if not line.startswith("//"):
            break
        if line.startswith(INDENT) and (before == "//" or blocks[-1]):
            blocks[-1].append((number, line[len(INDENT):]))
        elif line == "//":
            blocks.append([])
        else:
            blocks += [[], []]
        before = line
    return blocks


def example_of(header):
    """(declarations, body) as lists of (line number, code); the body is empty where there is no example."""
    blocks = opening_blocks(header)
    body = blocks.pop()
    declarations = []
    while body and blocks and blocks[-1] and DECLARATIONS.match(blocks[-1][0][1]):
        declarations = blocks.pop() + declarations
    return declarations, body


def code_of(lines, header):
    if not lines:
        return ""
    code = ["" if text.startswith("#include") else "  " + text for _, text in lines]
    return "\n".join([f'#line {lines[0][0]} "{header}"', *code])


def part_of(headers, include):
    """The text of one file with the examples of some headers."""
    names = [header.relative_to(include).as_posix() for header in headers]
    includes = [f'#include "{name}"' for name in names]
    examples = []
    for header, name in zip(headers, names):
        declarations, body = example_of(header)
        includes += [text for _, text in declarations + body if text.startswith("#include")]
        examples.append(EXAMPLE.format(name=identifier(name), declarations=code_of(declarations, header), body=code_of(body, header)))
    return PART.format(includes="\n".join(includes), examples="\n".join(examples))


def identifier(name):
    return re.sub(r"\W", "_", name.removeprefix("spillway/").removesuffix(".hpp")) + "_hpp"


def write(path, text):
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def write_program(root, folder, parts):
    include = root / "include"
    headers = [h for h in sorted(include.rglob("*.hpp")) if example_of(h)[1]]
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(parts):
        write(folder / f"part_{i}.cpp", part_of(headers[len(headers) * i // parts:len(headers) * (i + 1) // parts], include))
    names = [h.relative_to(include).as_posix() for h in headers]
    write(folder / "main.cpp", MAIN.format(
        declarations="\n".join(f"namespace {identifier(n)} {{ void example(); }}" for n in names),
        entries="\n".join(f'      {{"{n}", &header_examples::{identifier(n)}::example}},' for n in names)))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--list-missing", action="store_true")
    parser.add_argument("--into", type=pathlib.Path)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent.parent)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if arguments.into is not None:
        write_program(root, arguments.into, arguments.parts)
    missing = [h for h in sorted((root / "include").rglob("*.hpp")) if not example_of(h)[1]] if arguments.list_missing else []
    for header in missing:
        print(f"{header.relative_to(root)}:1: the opening comment has no example")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

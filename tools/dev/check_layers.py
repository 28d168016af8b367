#!/usr/bin/env python3
"""Holds the tree to its layout: which folder may include which, how long a file may be, and what no file may say.

    check_layers.py [ROOT]

Prints one line per fault and exits with 1 if there is one. Warnings (a file above 300 lines) change nothing.
"""
import pathlib
import re
import subprocess
import sys

FLOORS = {"core": 0, "time": 1, "state": 1, "operators": 2, "windows": 2, "graph": 3, "runtime": 4, "connectors": 5, "observe": 5}
SIBLINGS = {("windows", "operators"), ("state", "time")}  # (who includes, whom) on one floor

WARN_LINES, MOST_LINES, MOST_TEST_LINES = 300, 500, 600
SOURCES = {".hpp", ".cpp", ".py", ".sh", ".cmake", ".md", ".txt", ".in", ""}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX)\b"), "work left undone belongs in the tracker"),
    (re.compile(r"(?<![\w.])/(work|home|root|tmp/bash)\b"), "a path of one machine"),
    (re.compile(r"\bissues?[ _#]+\d+", re.IGNORECASE), "an issue number means nothing to a reader of the file"),
]


def tree_files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        paths = [root / name.decode() for name in listed.stdout.split(b"\0") if name]
    else:
        paths = [p for p in root.rglob("*") if not {".git", "build", "__pycache__"} & set(p.relative_to(root).parts)]
    return sorted({p for p in paths if p.is_file()})


def folder_of(name):
    """The floor's folder of a path such as spillway/core/x.hpp; None for the umbrella header."""
    parts = pathlib.PurePosixPath(name).parts
    return parts[1] if len(parts) > 2 else None


def include_fault(root, own_folder, name):
    """Why a file of the library in own_folder may not include "name"; None when it may."""
    if not name.startswith("spillway/"):
        return f'"{name}" is not spelled from "spillway/"'
    if not (root / "include" / name).is_file():
        return f'"{name}" does not exist'
    other = folder_of(name)
    if own_folder is None:
        return None
    if other is None:
        return f'"{name}" is the umbrella, for users only'
    if other not in FLOORS:
        return f'"{name}" lies in a folder without a floor'
    if "/detail/" in name and other != own_folder:
        return f'"{name}" is private to {other}/'
    if other == own_folder or FLOORS[other] < FLOORS[own_folder] or (own_folder, other) in SIBLINGS:
        return None
    return f"{own_folder}/ (floor {FLOORS[own_folder]}) may not include {other}/ (floor {FLOORS[other]})"


def library_faults(root, file, lines):
    relative = file.relative_to(root)
    own_folder = folder_of("/".join(relative.parts[1:])) if relative.parts[0] == "include" else relative.parts[1]
    if own_folder is not None and own_folder not in FLOORS:
        yield 1, f"folder {own_folder}/ has no floor"
        return
    if file.suffix == ".hpp":
        if not lines or not lines[0].startswith("//"):
            yield 1, "a header opens with a paragraph on what it is for"
        if "#pragma once" not in lines:
            yield 1, "#pragma once is missing"
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match and match[1] == '"' and relative.parts[0] == "src" and (file.parent / match[2]).is_file():
            continue  # a header private to one folder of src/
        if match and match[1] == '"' and (fault := include_fault(root, own_folder, match[2])):
            yield number, fault
        elif match and match[1] == "<" and match[2].startswith("spillway/"):
            yield number, 'own headers are included with quotes'


def text_faults(file, lines, is_test):
    most = MOST_TEST_LINES if is_test else MOST_LINES
    if len(lines) > most:
        yield most, f"{len(lines)} lines; split it ({most} at most)"
    for number, line in enumerate(lines, 1):
        if not line.isascii():
            yield number, "not ASCII"
        for pattern, reason in FORBIDDEN:
            if pattern.search(line):
                yield number, f"'{pattern.search(line)[0]}': {reason}"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent.parent).resolve()
    faults = 0
    for file in tree_files(root):
        relative = file.relative_to(root)
        if file.suffix not in SOURCES or file == pathlib.Path(__file__).resolve() or "corpus" in relative.parts:
            continue
        lines = file.read_text(errors="surrogateescape").splitlines()
        found = list(text_faults(file, lines, relative.parts[0] == "tests"))
        if relative.parts[0] in ("include", "src") and file.suffix in (".hpp", ".cpp"):
            found += library_faults(root, file, lines)
        for number, fault in sorted(found):
            print(f"{relative}:{number}: {fault}")
        faults += len(found)
        if WARN_LINES < len(lines) and not found and file.suffix != ".md":
            print(f"{relative}: warning: {len(lines)} lines; is it one thing?")
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs an example and compares its standard output with the file beside it.

    check.py PROGRAM EXPECTED
"""
import difflib
import pathlib
import subprocess
import sys


def main() -> int:
    program, expected_file = sys.argv[1], pathlib.Path(sys.argv[2])
    run = subprocess.run([program], stdout=subprocess.PIPE, timeout=300)
    expected = expected_file.read_text().splitlines()
    printed = run.stdout.decode(errors="replace").splitlines()
    for line in difflib.unified_diff(expected, printed, expected_file.name, "printed", lineterm=""):
        print(line)
    if run.returncode != 0:
        print(f"{program} ended with status {run.returncode}")
    return 0 if run.returncode == 0 and printed == expected else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares how many instructions two programs execute inside one function, counted by callgrind.

    instruction_ratio.py --function SYMBOL --bar RATIO MEASURED REFERENCE [ARGUMENT...]

Both programs get the arguments. Fails when MEASURED / REFERENCE is above RATIO. Exits with 77 (skipped) without valgrind.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def instructions(valgrind, function, program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={out}", "--collect-atstart=no", f"--toggle-collect={function}",
                   program, *arguments]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if run.returncode != 0:
            raise SystemExit(f"{program} failed under callgrind:\n{run.stdout}")
        counts = re.findall(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE)
    count = max(map(int, counts), default=0)
    if count == 0:
        raise SystemExit(f"{program} never entered '{function}'; is it extern \"C\" and not inlined?")
    return count


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--function", required=True)
    parser.add_argument("--bar", type=float, required=True)
    parser.add_argument("measured")
    parser.add_argument("reference")
    parser.add_argument("arguments", nargs="*")
    args = parser.parse_args()
    if args.valgrind.endswith("NOTFOUND"):
        print("skipped: valgrind is not installed")
        return SKIPPED

    measured = instructions(args.valgrind, args.function, args.measured, args.arguments)
    reference = instructions(args.valgrind, args.function, args.reference, args.arguments)
    ratio = measured / reference
    print(f"{measured} instructions against {reference}: ratio {ratio:.4f}, at most {args.bar}")
    return 0 if ratio <= args.bar else 1


if __name__ == "__main__":
    sys.exit(main())

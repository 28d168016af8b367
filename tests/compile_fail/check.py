#!/usr/bin/env python3
"""Holds a compile error to its text.

    check.py gcc|clang COMPILER FILE --include DIR --stamps DIR

FILE starts with a line `// error: <sentence>`. It is compiled twice:
  with -DSPILLWAY_MUST_FAIL it must fail, say the sentence, and on GCC print at most 25 lines;
  without, its twin must compile, so that the file fails for the reason it states and no other.
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.passed import files_key, passed_before, remember  # noqa: E402

MOST_LINES_ON_GCC = 25


def compile_file(args, *definitions):
    command = [args.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-fdiagnostics-color=never", f"-I{args.include}"]
    run = subprocess.run([*command, *definitions, args.file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.returncode, run.stdout


def complaint(args, sentence):
    status, output = compile_file(args)
    if status != 0:
        return f"the twin without SPILLWAY_MUST_FAIL must compile, but:\n{output}"
    status, output = compile_file(args, "-DSPILLWAY_MUST_FAIL")
    if status == 0:
        return "compiles with SPILLWAY_MUST_FAIL; it must not"
    if sentence not in output:
        return f"fails without saying '{sentence}':\n{output}"
    lines = len(output.splitlines())
    if args.kind == "gcc" and lines > MOST_LINES_ON_GCC:
        return f"says it in {lines} lines; {MOST_LINES_ON_GCC} are allowed:\n{output}"
    print(f"{lines} lines:\n{output}")
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["gcc", "clang"])
    parser.add_argument("compiler")
    parser.add_argument("file")
    parser.add_argument("--include", required=True)
    parser.add_argument("--stamps", required=True, type=pathlib.Path)
    args = parser.parse_args()

    first, _, _ = pathlib.Path(args.file).read_text().partition("\n")
    if not first.startswith("// error: "):
        print(f"{args.file}: the first line must be '// error: <sentence>'")
        return 1

    version = subprocess.run([args.compiler, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    key = files_key([args.file, args.include, __file__], args.kind, version)
    stamp = args.stamps / f"{pathlib.Path(args.file).stem}.{args.kind}.passed"
    if passed_before(stamp, key):
        print("passed before on the same files")
        return 0

    problem = complaint(args, first.removeprefix("// error: ").strip())
    if problem:
        print(f"{args.file}: {problem}")
        return 1
    remember(stamp, key)
    return 0


if __name__ == "__main__":
    sys.exit(main())

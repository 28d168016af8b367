#!/usr/bin/env python3
"""Builds project/ against spillway and runs what it built.

    check.py find_package|add_subdirectory|fetch_content|pkg_config --source DIR --build DIR --scratch DIR
             --cmake FILE --generator NAME --compiler FILE

An installed spillway is moved to another folder first, so that a path burnt into it shows.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.passed import files_key, passed_before, remember  # noqa: E402

PROJECT = pathlib.Path(__file__).resolve().parent / "project"
SKIPPED = 77


def run(*command, **more):
    print("$", *command, flush=True)
    return subprocess.run(list(map(str, command)), check=True, **more)


def install(args):
    """The prefix of an installed and then moved spillway."""
    run(args.cmake, "--install", args.build, "--prefix", args.scratch / "first", stdout=subprocess.DEVNULL)
    prefix = (args.scratch / "first").rename(args.scratch / "moved")
    for file in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
        for folder in (args.source, args.build, args.scratch):
            if str(folder) in file.read_text():
                raise SystemExit(f"{file} names {folder}: the installed tree cannot be moved")
    return prefix


def build_with_cmake(args, *definitions):
    build = args.scratch / "build"
    run(args.cmake, "-S", PROJECT, "-B", build, "-G", args.generator, f"-DCMAKE_CXX_COMPILER={args.compiler}", f"-DWAY={args.way}",
        *definitions)
    run(args.cmake, "--build", build)
    return build / "consumer"


def build_with_pkg_config(args):
    prefix = install(args)
    places = ":".join(str(file.parent) for file in prefix.rglob("spillway.pc"))
    asked = run("pkg-config", "--cflags", "--libs", "spillway", env={"PKG_CONFIG_PATH": places, "PATH": "/usr/local/bin:/usr/bin:/bin"},
                stdout=subprocess.PIPE, text=True)
    program = args.scratch / "consumer"
    run(args.compiler, "-std=c++20", "-O1", PROJECT / "main.cpp", *asked.stdout.split(), "-o", program)
    return program


def build_program(args):
    if args.way == "pkg_config":
        return build_with_pkg_config(args)
    if args.way == "find_package":
        return build_with_cmake(args, f"-DCMAKE_PREFIX_PATH={install(args)}")
    if args.way == "fetch_content":
        return build_with_cmake(args, f"-DFETCHCONTENT_SOURCE_DIR_SPILLWAY={args.source}", "-DFETCHCONTENT_FULLY_DISCONNECTED=ON",
                                f"-DSPILLWAY_SOURCE={args.source}")
    return build_with_cmake(args, f"-DSPILLWAY_SOURCE={args.source}")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=["find_package", "add_subdirectory", "fetch_content", "pkg_config"])
    for folder in ("source", "build", "scratch"):
        parser.add_argument(f"--{folder}", required=True, type=pathlib.Path)
    for text in ("cmake", "generator", "compiler"):
        parser.add_argument(f"--{text}", required=True)
    args = parser.parse_args()
    if args.way == "pkg_config" and not shutil.which("pkg-config"):
        print("skipped: pkg-config is not installed")
        return SKIPPED

    source = args.source
    key = files_key([source / "include", source / "src", source / "tools/cmake", source / "CMakeLists.txt", source / "tests/consumer"],
                    args.compiler, args.way)
    stamp = args.scratch.parent / f"{args.way}.passed"
    if passed_before(stamp, key):
        print("passed before on the same files")
        return 0
    shutil.rmtree(args.scratch, ignore_errors=True)
    args.scratch.mkdir(parents=True)
    run(build_program(args))
    remember(stamp, key)
    shutil.rmtree(args.scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fails when the hot part of a function contains a call.

    no_call.py --function SYMBOL [--loops] [--allow REGEX] PROGRAM

The hot part is what the compiler left under the symbol itself: blocks it judged cold lie under SYMBOL.cold and may call. With
--loops only instructions inside a loop of the function count (between a backward jump and its target), so that set-up before the loop may
call too. A jump that leaves the function for another one is a call. Exits with 77 (skipped) without objdump.
"""
import argparse
import re
import subprocess
import sys

SKIPPED = 77
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S.*)$")
TARGET = re.compile(r"\b([0-9a-f]+) <([^>]+)>")


def disassemble(objdump, function, program):
    """(address, text) of each instruction of the function."""
    run = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True, check=True)
    body, inside = [], False
    for line in run.stdout.splitlines():
        if line.endswith(">:"):
            inside = line.endswith(f"<{function}>:")
        elif inside and (match := INSTRUCTION.match(line)):
            body.append((int(match[1], 16), match[2]))
    return body


def loops(body):
    """(first, last) address of each loop."""
    found = []
    for address, text in body:
        target = TARGET.search(text)
        if text.startswith("j") and target and body[0][0] <= int(target[1], 16) <= address:
            found.append((int(target[1], 16), address))
    return found


def leaves(text, function):
    """What a call, or a jump out of the function, goes to; None for any other instruction."""
    mnemonic = text.removeprefix("notrack ").removeprefix("bnd ").split()[0]
    target = TARGET.search(text)
    name = re.sub(r"[+]0x[0-9a-f]+$", "", target[2]) if target else text
    if mnemonic.startswith("call"):
        return name
    if mnemonic.startswith("j") and target and name not in (function, f"{function}.cold"):
        return name
    return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--function", required=True)
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--allow")
    parser.add_argument("program")
    args = parser.parse_args()
    if args.objdump.endswith("NOTFOUND"):
        print("skipped: objdump is not installed")
        return SKIPPED

    body = disassemble(args.objdump, args.function, args.program)
    if not body:
        print(f"{args.program} has no function '{args.function}'; is it extern \"C\" and not inlined?")
        return 1
    spans = loops(body) if args.loops else [(body[0][0], body[-1][0])]
    if not spans:
        print(f"'{args.function}' has no loop")
        return 1
    failed = False
    for address, text in body:
        to = leaves(text, args.function)
        if to is None or not any(first <= address <= last for first, last in spans):
            continue
        if args.allow and re.search(args.allow, to):
            continue
        print(f"{address:x}: {text}")
        failed = True
    print(f"'{args.function}': {len(body)} instructions, {'calls found' if failed else 'no call'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

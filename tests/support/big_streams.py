#!/usr/bin/env python3
"""Writes a long input to standard output, made as it goes, so that a test need not have it on disk.

    big_streams.py KIND BYTES        about BYTES of
      ticks        the tick file over and over, each copy 345 s later than the one before; made up where shared data is not there
      keys         records 1 ms apart, in groups of four with a key that never comes again
      late         every other record an hour behind
      malformed    every other record without a value
      line         a record, a line of BYTES, a record; `json-line` the same as JSON
      quote        a record, then a quoted field that never ends
      noise        bytes of every value
      zeros        zero bytes
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from support.tool_runs import SHARED, unpacked  # noqa: E402

TICKS = SHARED / "data/binance_usdm_20240808_ticks.csv.gz"
COPY_SECONDS = 345
BEGIN_SECONDS = 1_723_161_256


def made_up_ticks():
    header = b"recv_ns,event_ms,symbol,kind,price,qty\n"
    second = [b"%d,%d%03d,%s,bid,%d.%02d,1.5\n" % (i, BEGIN_SECONDS + i // 450, (i * 37 // 16) % 1000,
                                                   (b"BTCUSDT", b"ETHUSDT")[i % 2], 2681 + i % 7, i % 100)
              for i in range(COPY_SECONDS * 450)]
    return header + b"".join(second)


def ticks():
    data = unpacked(TICKS) if TICKS.is_file() else made_up_ticks()
    header, body = data.split(b"\n", 1)
    # Every second piece is the seconds of an event time; the milliseconds stay.
    pieces = re.split(rb"(?<=,)(\d{10})(?=\d{3},)", body)
    seconds = list(map(int, pieces[1::2]))
    yield header + b"\n"  # not before the work is done, so that a reader may start with the first byte
    shift = 0
    while True:
        text_of = {second: b"%d" % (second + shift) for second in set(seconds)}
        pieces[1::2] = [text_of[second] for second in seconds]
        yield b"".join(pieces)
        shift += COPY_SECONDS


def keys():
    yield b"t,k,v\n"
    i = 0
    while True:
        yield b"".join(b"%d,instrument-number-%d,%d\n" % (n, n // 4, n % 1000) for n in range(i, i + 20000))
        i += 20000


def every_other(other):
    yield b"t,k,v\n"
    i = 0
    while True:
        yield b"".join(b"%d,a,1\n%s\n" % (n, other(n)) for n in range(i, i + 20000))
        i += 20000


def filled(before, piece, size, after):
    yield before
    for _ in range(size // len(piece)):
        yield piece
    yield after


def stream(kind, size):
    mebi = 1 << 20
    if kind in ("line", "quote", "json-line", "zeros", "noise"):
        before, piece, after = {"line": (b"t,k,v\n1,a,1\n", b"x" * mebi, b"\n2,a,1\n"),
            "quote": (b't,k,v\n1,a,1\n2,"', b"x" * (mebi - 4) + b"\n,\n,", b""),
            "json-line": (b'{"t":1,"k":"a","v":1}\n{"x":"', b"x" * mebi, b'"}\n{"t":2,"k":"a","v":1}\n'),
            "zeros": (b"t,k,v\n1,a,1\n", bytes(mebi), b"\n2,a,1\n"),
            "noise": (b"t,k,v\n1,a,1\n", bytes(range(256)) * 4096, b"\n2,a,1\n"),
        }[kind]
        return filled(before, piece, size, after)
    endless = {"ticks": ticks, "keys": keys, "late": lambda: every_other(lambda n: b"%d,a,1" % (n - 3_600_000)),
               "malformed": lambda: every_other(lambda n: b"%d,a,none" % n)}[kind]()
    return up_to(endless, size)


def up_to(pieces, size):
    """Whole pieces, the last one cut behind a line end."""
    for piece in pieces:
        if len(piece) >= size:
            yield piece[:piece.find(b"\n", size - 1) + 1]
            return
        size -= len(piece)
        yield piece


def main():
    try:
        for piece in stream(sys.argv[1], int(sys.argv[2])):
            view = memoryview(piece)
            while view:
                view = view[os.write(1, view):]
    except BrokenPipeError:
        pass


if __name__ == "__main__":
    main()

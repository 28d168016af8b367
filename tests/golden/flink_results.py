#!/usr/bin/env python3
"""Every configuration that a real Flink ran over the shared captures gives the same rows and the same late records here."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, SHARED, ToolTest, main, need_shared, table, unpacked  # noqa: E402

RELATIVE = 1e-9
NAME = re.compile(r"(ticks|nab)-(tumbling|sliding|session)-([0-9ms-]+)-b(\d+)-l(\d+)$")
INPUTS = {"ticks": ("binance_usdm_20240808_ticks.csv.gz", "ms", ("--key", "symbol", "--time", "event_ms", "--value", "price",
                                                           "--weight", "qty",
                                                            "--aggregate", "count,avg,min,max,vwap")),
    "nab": ("nab_telemetry.csv.gz", "s", ("--key", "sensor", "--time", "timestamp", "--time-unit", "iso", "--value", "value",
                                          "--aggregate", "count,avg,min,max")),
}


def configurations():
    for path in sorted((SHARED / "golden").glob("*.csv.gz")):
        name = path.name.removesuffix(".csv.gz")
        if name.endswith(".late"):
            continue
        yield name, NAME.match(name)


def options_of(match):
    source, kind, sizes, bound, lateness = match.groups()
    unit = INPUTS[source][1]
    return (*INPUTS[source][2], "--window", f"{kind}:{sizes.replace('-', ',')}", "--out-of-orderness", bound + unit,
            "--allowed-lateness", lateness + unit)


def ordered(rows):
    """Consecutive rows of one window end in an order of their own; those of one window and key keep theirs."""
    begin = 0
    for i in range(1, len(rows) + 1):
        if i == len(rows) or rows[i][1] != rows[begin][1]:
            yield from sorted(rows[begin:i], key=lambda row: (row[0], row[2]))
            begin = i


def is_equal(text, expected):
    if text == expected:
        return True
    got, wanted = float(text), float(expected)
    return abs(got - wanted) <= RELATIVE * max(abs(got), abs(wanted))


class FlinkResults(ToolTest):
    def check_rows(self, output, golden):
        got, wanted = table(output), table(golden)
        self.assertEqual(got[0], wanted[0])
        self.assertEqual(len(got), len(wanted))
        for row, expected in zip(ordered(got[1:]), ordered(wanted[1:])):
            self.assertEqual(row[:4], expected[:4])  # times, key and count: exact
            self.assertTrue(all(map(is_equal, row[4:], expected[4:])), f"{row} is not {expected}")

    def check(self, name, match):
        packed = SHARED / "data" / INPUTS[match[1]][0]
        plain = unpacked(packed)
        plain_file = self.file("plain.csv", plain)
        options = options_of(match)
        first = None
        for layout in LAYOUTS:
            for how, inputs, data in (("gz file", [packed], None), ("plain file", [plain_file], None), ("pipe", [], plain),
                                      ("gz pipe", ["-"], packed.read_bytes())):
                with self.subTest(name, layout=layout, how=how):
                    run = self.run_tool(*inputs, *options, *layout, data=data)
                    if first is None:
                        self.check_rows(run.output, unpacked(SHARED / "golden" / f"{name}.csv.gz"))
                        self.assertEqual(run.late, unpacked(SHARED / "golden" / f"{name}.late.csv.gz"))
                        first = run
                    self.assertEqual(run.output == first.output, True, "results differ")
                    self.assertEqual(run.late == first.late, True, "late records differ")
                    self.assertEqual((run["lines"], run["malformed"], run["filtered"]), (plain.count(b"\n") - 1, 0, 0))
                    self.assertEqual(run["late"], run.late.count(b"\n") - 1)


def add_tests():
    for name, match in configurations():
        setattr(FlinkResults, f"test_{name}_gives_the_rows_of_flink", lambda self, n=name, m=match: self.check(n, m))


if __name__ == "__main__":
    need_shared("golden", "data")
    add_tests()
    main()

#!/usr/bin/env python3
"""The same records in another form give the same results: JSON or CSV, any time unit, one file or several, columns in any order."""
import datetime
import gzip
import json
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, SHARED, ToolTest, main, unpacked  # noqa: E402

JOB = ("--window", "tumbling:20ms", "--out-of-orderness", "1ms", "--allowed-lateness", "5ms",
       "--aggregate", "count,sum,avg,min,max,first,last,open,close,vwap,stddev,p50")


def without_header(data):
    return data.split(b"\n", 1)[1]


class NdjsonAndCsv(ToolTest):
    def setUp(self):
        super().setUp()
        if not (SHARED / "data").is_dir():
            self.skipTest(f"{SHARED / 'data'} is not there")
        self.stream = SHARED / "data/binance_usdm_20240808.ndjson.gz"
        self.trades = ("--key", "/data/s", "--time", "/data/T", "--value", "/data/p", "--weight", "/data/q", "--where",
                       "/data/e=trade", *JOB)

    def check(self, table, where, json_options):
        """The records of one kind in the stream give what a CSV of them gives."""
        expected = self.run_tool(SHARED / "data" / table, "--key", "symbol", "--time", "event_ms", "--value", "price", "--weight",
                                 "qty", *where, *JOB)
        stream = unpacked(self.stream)
        lines = stream.splitlines(keepends=True)
        for layout in LAYOUTS:
            for inputs, data, form in (([self.stream], None, ()), ([], stream, ("--format", "ndjson"))):
                run = self.run_tool(*inputs, *json_options, *form, *layout, data=data)
                self.assertEqual(without_header(run.output) == without_header(expected.output), True, "results differ")
                self.assertEqual(run["lines"], len(lines))
                self.assertEqual(run["filtered"], len(lines) - expected["lines"] + expected["filtered"])
                self.assertEqual((run["late"], run["malformed"]), (expected["late"], 0))
                # Late lines come as they were, and are the records that are late in the CSV.
                late_times = [json.loads(line)["recv_ns"] for line in run.late.splitlines()]
                self.assertEqual(late_times, [int(line.split(b",")[0]) for line in expected.late.splitlines()[1:]])
                self.assertTrue(set(run.late.splitlines(keepends=True)) <= set(lines))
        return expected

    def test_the_trades_of_the_json_stream_give_what_the_csv_of_them_gives(self):
        self.check("binance_usdm_20240808_trades.csv.gz", (), self.trades)

    def test_the_bids_of_the_json_stream_give_what_the_csv_of_them_gives(self):
        bids = ("--key", "/data/s", "--time", "/data/T", "--value", "/data/b", "--weight", "/data/B", "--where",
                "/data/e=bookTicker", *JOB)
        run = self.check("binance_usdm_20240808_ticks.csv.gz", ("--where", "kind=bid"), bids)
        self.assertGreater(run["late"], 10)

    def test_json_numbers_and_strings_that_hold_numbers_are_equal(self):
        stream = unpacked(self.stream)
        some = b"".join(line for line in stream.splitlines(keepends=True)[:40000] if b'"e":"trade"' in line)
        unquoted = re.sub(rb'"([pq])":"([0-9.]+)"', rb'"\1":\2', some)
        self.assertNotEqual(some, unquoted)
        runs = [self.run_tool("--format", "ndjson", *self.trades, data=data) for data in (some, unquoted)]
        self.assertEqual(runs[0].output, runs[1].output)
        self.assertGreater(len(runs[0].rows), 10)

    def test_snapshots_without_the_field_are_malformed_when_nothing_filters_them(self):
        run = self.run_tool(self.stream, "--key", "/data/s", "--time", "/data/E", "--window", "tumbling:1s", "--out-of-orderness",
                            "1s")
        self.assertEqual(run["malformed_reasons"], {"missing column": 2})
        for _, line, reason, text in run.malformed:
            self.assertEqual((reason, "lastUpdateId" in json.loads(text)), ("missing column", True))
            self.assertGreater(int(line), 1)


class TimeUnits(ToolTest):
    BASE_NS = 1_700_000_000_000_000_000

    @staticmethod
    def iso(ns, separator=" ", zone="", east_minutes=0):
        whole = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=ns // 10**9, minutes=east_minutes)
        return f"{whole:%Y-%m-%d}{separator}{whole:%H:%M:%S}.{ns % 10**9:09d}{zone}"

    @staticmethod
    def decimal(ns, digits):
        return f"{ns // 10**digits}.{ns % 10**digits:0{digits}d}" if digits else str(ns)

    @staticmethod
    def back_to_ns(text, unit):
        if unit != "iso":
            sign, (whole, _, fraction) = -1 if text.startswith("-") else 1, text.lstrip("-").partition(".")
            digits = {"s": 9, "ms": 6, "us": 3, "ns": 0}[unit]
            return sign * (int(whole) * 10**digits + int(fraction.ljust(digits, "0") or 0))
        match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", text)
        moment = datetime.datetime.fromisoformat(f"{match[1]} {match[2]}") - datetime.datetime(1970, 1, 1)
        zone = match[4] if match[4] not in (None, "Z") else "+00:00"
        east = (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 60 + int(zone[4:6]))
        return (moment.days * 86400 + moment.seconds - east * 60) * 10**9 + int((match[3] or "").ljust(9, "0"))

    def test_every_unit_gives_the_same_windows_in_its_own_form(self):
        dice = random.Random(7)
        times = [self.BASE_NS + i * 1_000_001 - dice.randrange(30_000_000) for i in range(2000)]
        forms = {"s": ("s", lambda ns: self.decimal(ns, 9)), "ms": ("ms", lambda ns: self.decimal(ns, 6)),
            "us": ("us", lambda ns: self.decimal(ns, 3)), "ns": ("ns", str), "iso": ("iso", self.iso),
            "iso with T and Z": ("iso", lambda ns: self.iso(ns, "T", "Z")),
            "iso east": ("iso", lambda ns: self.iso(ns, "T", "+05:30", 330)),
            "iso west": ("iso", lambda ns: self.iso(ns, " ", "-08:00", -480)),
        }
        expected = None
        for name, (unit, form) in forms.items():
            data = "".join(["at,value\n", *(f"{form(ns)},{i % 17}\n" for i, ns in enumerate(times))]).encode()
            with self.subTest(name):
                run = self.run_tool("--time", "at", "--time-unit", unit, "--value", "value", "--window", "sliding:30ms,10ms",
                                    "--offset", "250us",
                                    "--out-of-orderness", "2ms", "--aggregate", "count,sum,open,close", data=data)
                rows = [[*(self.back_to_ns(text, unit) for text in row[:2]), *row[2:]] for row in run.rows]
                late = [int(line.split(b",")[1]) for line in run.late.splitlines()[1:]]
                if expected is None:
                    expected = rows, late
                    self.assertGreater(len(rows), 100)
                    self.assertGreater(len(late), 10)
                self.assertEqual((rows, late) == expected, True, f"{rows[:3]} is not {expected[0][:3]}")
                if unit == "iso":
                    end = form(0)[29:]
                    self.assertTrue(all(text.endswith(end) and text[10] == form(0)[10] for row in run.rows for text in row[:2]))

    def test_an_iso_input_without_fractions_prints_none(self):
        run = self.run_tool("--time", "at", "--time-unit", "iso", "--window", "tumbling:1h",
                            data=b"at\n2013-12-02 21:15:00\n2013-12-02 22:00:00\n")
        self.assertEqual(run.output, b"window_start,window_end,count\n2013-12-02 21:00:00,2013-12-02 22:00:00,1\n"
                                     b"2013-12-02 22:00:00,2013-12-02 23:00:00,1\n")


class SeveralInputs(ToolTest):
    LINES = [f"{1000 + 3 * i - (i % 5) * 4},{'ab'[i % 2]},{i}" for i in range(600)]

    def test_parts_of_a_file_give_what_the_whole_gives(self):
        job = ("--key", "k", "--time", "t", "--value", "v", "--window", "tumbling:100ms", "--aggregate", "count,sum,first,last")
        text = [line.encode() + b"\n" for line in self.LINES]
        whole = self.run_tool(*job, data=b"t,k,v\n" + b"".join(text))
        first = self.file("1.csv", b"t,k,v\n" + b"".join(text[:200]))
        second = self.file("2.csv.gz", gzip.compress(b"t,k,v\n" + b"".join(text[200:201]).rstrip(b"\n")))
        for layout in LAYOUTS:
            run = self.run_tool(first, second, "-", *job, *layout, data=b"t,k,v\n" + b"".join(text[201:]))
            self.assertEqual((run.output, run.late), (whole.output, whole.late))
        self.assertGreater(whole["late"], 0)

    def test_columns_are_found_in_the_header_of_each_file(self):
        job = ("--key", "k", "--time", "t", "--value", "v", "--window", "tumbling:100ms", "--aggregate", "count,sum,first,last")
        turned = [",".join(["x", *reversed(line.split(","))]) for line in self.LINES]
        whole = self.run_tool(*job, data="\n".join(["t,k,v", *self.LINES]).encode())
        first = self.file("1.csv", "\n".join(["t,k,v", *self.LINES[:300]]).encode())
        second = self.file("2.csv", "\n".join(['"more, and",v,"k",t', *turned[300:]]).encode())
        run = self.run_tool(first, second, *job, rejects=False)
        self.assertEqual(run.output, whole.output)
        self.assertEqual(run["late"], whole["late"])

    def test_the_demo_is_the_same_on_every_layout(self):
        runs = [self.run_tool("--demo", *layout) for layout in LAYOUTS for _ in range(2)]
        for run in runs:
            self.assertEqual((run.output, run.files), (runs[0].output, runs[0].files))
        self.assertTrue(runs[0]["late"] and runs[0]["malformed"] and runs[0].rows)


if __name__ == "__main__":
    main()

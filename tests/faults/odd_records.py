#!/usr/bin/env python3
"""Records with odd numbers, times, keys and lengths: each is in a window, late or malformed with its reason, and none is lost."""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, ToolTest, main  # noqa: E402

HEADER = b"t,k,v\n"
JOB = ("--key", "k", "--time", "t", "--value", "v", "--window", "tumbling:1s", "--aggregate", "count,sum,min,max")
JSON = ("--format", "ndjson", "--key", "/k", "--time", "/t", "--value", "/v", "--window", "tumbling:1s", "--aggregate",
        "count,sum")
LARGEST = 2**63 - 1


class OddRecords(ToolTest):
    def reasons(self, texts, *options, header=HEADER, job=JOB):
        """The reason for each line of a run, None for those that are good."""
        run = self.run_tool(*job, *options, data=header + b"".join(text + b"\n" for text in texts))
        found = [None] * len(texts)
        for _, line, reason, text in run.malformed:
            place = int(line) - header.count(b"\n") - 1
            found[place] = reason
            self.assertEqual(text.encode("utf-8", "surrogateescape"), texts[place])
        self.assertEqual(run["windowed"] + run["late"] + run["no_window"], found.count(None))
        return found

    def check_values(self, texts, reason):
        for form, column in (("%s,a,1", "time"), ("1,a,%s", "value")):
            if (column == "time") == (reason != "bad number"):
                got = self.reasons([(form % text).encode() for text in texts])
                self.assertEqual(dict(zip(texts, got)), dict.fromkeys(texts, reason))

    def test_numbers_that_are_none(self):
        self.check_values(["nan", "NaN", "-nan", "inf", "-inf", "+Infinity", "1e309", "-1e400", "1e99999999999999999999", "", " ",
                           "-", "+", ".", "e5", "1e", "1e+",
                           "0x10", "1.2.3", "1 2", "--1", "+-1", "1'5", "1_000", "\u0661", "12a", "a12", "1d", "9" * 400],
                           "bad number")

    def test_numbers_that_are_some(self):
        texts = ["0", "-0", "+1", " 2 ", "\t3", "1e308", "-1.7976931348623157e308",
            "5e-324", "1e-400", "0" * 500 + "7", "1." + "0" * 500, "00.5", ".5", "5."]
        got = dict(zip(texts, self.reasons([f"1,a,{text}".encode() for text in texts])))
        self.assertEqual({text: got[text] for text in texts if text not in (".5", "5.")}, dict.fromkeys(texts[:-2]))

    def test_sums_beyond_the_largest_number_are_no_numbers_but_no_loss(self):
        run = self.run_tool(*JOB[:-1], "count,sum,avg,max", data=HEADER + b"1,a,1e308\n2,a,1e308\n")
        self.assertEqual((run["windowed"], run["rows"]), (2, 1))
        self.assertEqual((run.rows[0][3], float(run.rows[0][6])), ("2", 1e308))

    def test_times_that_are_none(self):
        self.check_values(["", " ", "x", "nan", "inf", "1e3", "1.2.3", "--1", "0x1",
                          "1 2", "2013-12-02 21:15:00", "1.0000001", "12:30"], "bad time")
        iso = ["2013-12-02", "2013-13-02 00:00:00", "2013-02-29 00:00:00", "2013-12-02 24:00:00", "2013-12-02 21:60:00",
               "2013-12-02 21:15:61", "2013-12-02x21:15:00",
               "1385986500000", "2013-12-02 21:15:00+25:00", "2013-12-02 21:15:00.", "2013-12-02 21:15:00 Z",
               "2013-12-02 21:15:00.1234567891", "+013-12-02 21:15:00"]
        self.assertEqual(dict(zip(iso, self.reasons([f"{t},a,1".encode()
                         for t in iso], "--time-unit", "iso"))), dict.fromkeys(iso, "bad time"))

    def test_times_out_of_range(self):
        out = "time out of range"
        for unit, digits in (("s", 9), ("ms", 6), ("us", 3), ("ns", 0)):
            largest = LARGEST // 10**digits
            far = [largest + 1, -largest - 2, 10**19, 10**30, -10**30, 2**64, 2**64 + 1]
            near = [largest - 1, -largest + 1, 0, -1]
            got = self.reasons([b"%d,a,1" % t for t in near + far], "--time-unit", unit)
            self.assertEqual(got, [None] * len(near) + [out] * len(far), unit)
        self.assertEqual(self.reasons([b"%d,a,1" % t for t in (LARGEST, -LARGEST - 1,
                         LARGEST - 1, -LARGEST)], "--time-unit", "ns"), [out, out, None, None])
        iso = [b"2262-04-12 00:00:00,a,1", b"1677-09-21 00:00:00,a,1", b"9999-12-31 23:59:59,a,1", b"0001-01-01 00:00:00,a,1",
               b"2262-04-11 23:47:16,a,1"]
        self.assertEqual(self.reasons(iso, "--time-unit", "iso"), [out] * 4 + [None])

    def test_windows_at_the_ends_of_time_lose_nothing(self):
        ends = [LARGEST - 1, -LARGEST, LARGEST - 5, 0, -LARGEST + 3, 7, LARGEST - 1]
        for window in ("tumbling:1ns", "tumbling:7ns", "tumbling:100000d", "tumbling:106751d", "sliding:3ns,2ns",
                       "sliding:2ns,5ns", "sliding:100000d,40000d",
                       "sliding:1ns,100000d", "sliding:40000d,100000d", "session:1ns", "session:106751d", "count:1", "count:2"):
            for bound in ("0", "1ns", "106751d"):
                for lateness in ("0", "1ns", "106751d"):
                    with self.subTest(window, bound=bound, lateness=lateness):
                        run = self.run_tool("--key", "k", "--time", "t", "--time-unit", "ns", "--window", window,
                                            "--out-of-orderness", bound,
                                            "--allowed-lateness", lateness, data=b"t,k\n" + b"".join(b"%d,a\n" % t for t in ends))
                        self.assertEqual((run["lines"], run["malformed"]), (len(ends), 0))
                        if window.startswith("tumbling") and lateness == "0":
                            self.assertEqual(sum(int(row[3]) for row in run.rows), run["windowed"])

    def test_tiny_windows_and_many_at_a_time(self):
        times = [n * 86_400 for n in range(300)]
        data = HEADER + b"".join(b"%d,a,1\n" % t for t in times)
        self.assertEqual(self.run_tool(*JOB[:6], "--window", "tumbling:1ns", data=data)["rows"], len(times))
        run = self.run_tool(*JOB[:6], "--window", "sliding:10s,1ms", data=data)
        self.assertEqual((run["rows"], run["windowed"]), (10_000 * len(times), len(times)))

    def test_gaps_between_windows(self):
        run = self.run_tool(*JOB[:6], "--window", "sliding:20ms,50ms",
                            data=HEADER + b"".join(b"%d,a,1\n" % n for n in range(1000)))
        self.assertEqual((run["windowed"], run["no_window"], run["late"]), (400, 600, 0))
        run = self.run_tool(*JOB[:6], "--window", "sliding:20ms,50ms", data=HEADER + \
                            b"1000,a,1\n" + b"".join(b"%d,a,1\n" % n for n in range(900)))
        self.assertEqual((run["windowed"], run["no_window"], run["late"]), (1, 0, 900))

    def test_count_windows_say_what_they_still_hold(self):
        for n, rows, held in ((1, 10, 0), (3, 2, 4), (4, 2, 2), (1000, 0, 10)):
            run = self.run_tool(*JOB[:6], "--window", f"count:{n}", data=HEADER + \
                                b"".join(b"%d,%s,1\n" % (t, b"ab"[t % 2:][:1]) for t in range(10)))
            self.assertEqual((run["windowed"], run["rows"], run["in_unfinished_windows"]), (10, rows, held))

    def test_keys_of_any_text_come_back_as_they_went(self):
        dice = random.Random(2)
        keys = ["", " ", ",", '"', '""', "a,b", 'say "x"', "two\nlines", "cr\rlf\r\n",
            "'", "\t", "\u043a\u043b", "k" * 5000, "a;b", "\\", "0", "=1+1", "nul\0"]
        keys += ["".join(dice.choice('ab,"\n\r ') for _ in range(dice.randrange(12))) for _ in range(300)]
        rows = [(str(i), a, b) for i, (a, b) in enumerate(zip(keys, reversed(keys)))]
        quoted = [",".join([t, *('"' + k.replace('"', '""') + '"' for k in pair), "1"]) for t, *pair in rows]
        expected = {(a, b): sum((a, b) == row[1:] for row in rows) for _, a, b in rows}
        for layout in LAYOUTS:
            run = self.run_tool("--key", "a,b", "--time", "t", "--window", "tumbling:1h",
                                *layout, data="\r\n".join(["t,a,b,v", *quoted]).encode())
            self.assertEqual({(row[2], row[3]): int(row[4]) for row in run.rows}, expected)
            run = self.run_tool("--key", "/a,/b", "--time", "/t", "--window", "tumbling:1h", "--format", "ndjson", *layout,
                                data="\n".join(json.dumps({"t": t, "a": a, "b": b}) for t, a, b in rows).encode())
            self.assertEqual({(row[2], row[3]): int(row[4]) for row in run.rows}, expected)

    def test_lines_longer_than_allowed(self):
        for most in (1, 8, 64):
            lengths = [most - 1, most, most + 1, 10 * most, 100_000]
            texts = [b"5,a," + b"1" * (length - 4) if length >= 5 else b"x" * length for length in lengths]
            with self.subTest(most=most):
                header = HEADER if most > 4 else b"t\n"
                job = JOB if most > 4 else ("--time", "t", "--window", "tumbling:1s")
                run = self.run_tool(*job, "--max-line", most, data=header + b"\n".join(texts) + b"\n")
                long = [row for row in run.malformed if row[2] == "line too long"]
                self.assertEqual([(row[1], row[3].encode()) for row in long],
                                 [(str(i + 2), text[:most]) for i, text in enumerate(texts) if len(text) > most])
                self.assertEqual(run["lines"], len(texts))
        run = self.run_tool(*JSON, "--max-line", "21", data=b'{"t":1,"k":"a","v":1}\n{"t":1,"k":"a","v":12}\n')
        self.assertEqual((run["windowed"], run["malformed_reasons"]), (1, {"line too long": 1}))

    def test_conditions_come_before_all_that_may_be_wrong(self):
        lines = [b"1,a,1", b"x,b,1", b"1", b"", b"1,b", b"1,b,1,1", b"1,a", b"x,a,1", b"1,a,x", b"1,a,1,1", b'1,"a"x,1',
                 b'1,"b"x,1', b'x,"a",1']
        run = self.run_tool(*JOB, "--where", "k=a", data=HEADER + b"\n".join(lines))
        self.assertEqual([row[1] for row in run.malformed], ["8", "9", "10", "11", "14"])
        self.assertEqual((run["windowed"], run["filtered"]), (1, len(lines) - 6))
        lines = [b'{"t":1,"k":"a","v":1}', b"{}", b"[]", b'{"k":"b"}', b'{"k":["a"],"t":1}', b'{"k":"a"}', b'{"k":"a",', b"",
                 b'{"k":null}', b'{"k":"A","t":1}']
        run = self.run_tool(*JSON, "--where", "/k=a", data=b"\n".join(lines) + b"\n")
        self.assertEqual([row[1:3] for row in run.malformed], [["6", "missing column"], ["7", "bad json"], ["8", "empty line"]])
        self.assertEqual((run["windowed"], run["filtered"]), (1, 6))
        run = self.run_tool(*JSON, "--where", "/v=1", "--where", "/x=true", "--where", "/y=",
                            data=b'{"t":1,"k":"a","v":1,"x":true,"y":""}\n{"t":1,"v":1,"x":true}\n')
        self.assertEqual((run["windowed"], run["filtered"]), (1, 1))

    def test_json_that_is_none_and_fields_that_are_not_there(self):
        good = [b'{"t":1,"k":"a","v":1}', b'{"t":"1","k":5,"v":" 1.5 "}', b' {"v":1e0,"k":true,"t":1} ',
                b'{"t":1,"k":null,"v":0,"x":[{"t":[]}]}', b'{"t":1,"k":"a","v":1,"v":"x"}']
        bad = {b"": "empty line", b"{": "bad json", b"x": "bad json", b'{"t":1,"k":"a","v":1': "bad json",
               b'{"t":1,"k":"a","v":1}}': "bad json",
               b'{"t":1,"k":"a","v":1} x': "bad json", b'{"t":1,"k":"a","v":01}': "bad json",
               b'{"t":1,"k":"a","v":NaN}': "bad json", b'{"t":1 "k":"a","v":1}': "bad json",
               b"{'t':1}": "bad json", b'{"t":1,"k":"a\xff","v":1}': "bad json", b"[" * 2000: "bad json",
               b'{"t":1,"k":"a","v":tru}': "bad json",
               b"[]": "missing column", b"7": "missing column", b"null": "missing column", b'"t"': "missing column",
               b'{"t":1,"k":"a"}': "missing column",
               b'{"k":"a","v":1}': "missing column", b'{"t":1,"v":1}': "missing column",
               b'{"t":1,"k":"a","v":null}': "bad number", b'{"t":1,"k":"a","v":true}': "bad number",
               b'{"t":1,"k":"a","v":"x"}': "bad number", b'{"t":1,"k":"a","v":1e999}': "bad number",
               b'{"t":1,"k":"a","v":[1]}': "bad number", b'{"t":null,"k":"a","v":1}': "bad time",
               b'{"t":1e3,"k":"a","v":1}': "bad time", b'{"t":{},"k":"a","v":1}': "bad time",
               b'{"t":99999999999999999999,"k":"a","v":1}': "time out of range",
               b'{"t":1,"k":[],"v":1}': "bad key", b'{"t":1,"k":{"k":"a"},"v":1}': "bad key"}
        texts = good + list(bad)
        got = self.reasons(texts, job=JSON, header=b"")
        self.assertEqual(dict(zip(texts, got)), dict.fromkeys(good) | bad)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Made-up records through every kind of window and all aggregates, against a slow independent model: rows in order, late lines."""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, ToolTest, main  # noqa: E402
from support.window_model import Record, Session, Sliding, Tumbling, aggregate, fire, fire_counts  # noqa: E402

RELATIVE = 1e-9
SKETCH = 1 / 256 + RELATIVE  # the stated error of a quantile
NAMES = ("count", "sum", "avg", "min", "max", "first", "last", "open", "close", "vwap", "stddev",
         "p0", "p25", "p50", "p99.5", "p100")
HEADER = "note,place,at,line,value,weight"
VENUES = ("north", "south, east", 'the "pit"', "")
LINES = ("1", "2", " two")


def quoted(text):
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\n\r') else text


def made_up(count, seed, unit_ms=1):
    """Records as the model sees them, and their lines; half of the time below zero, disorder, jumps, gaps and ties."""
    dice = random.Random(seed)
    records, lines = [], []
    now = -4000
    for i in range(count):
        now += dice.choice((0, 0, 1, 1, 2, 5, 60 if i % 97 == 0 else 3))
        behind = dice.choice((0, 0, 0, 1, 3, 8, 20, 45, dice.randrange(400) if i % 11 == 0 else 0))
        key = (dice.choice(VENUES), dice.choice(LINES))
        value = round(dice.choice((dice.gauss(100, 30), dice.expovariate(1e-4), -dice.random(), 0.0)), dice.randrange(6))
        record = Record((now - behind) * unit_ms, key, value, round(dice.uniform(0.01, 9), 3))
        records.append(record)
        lines.append(f'"n,{i}",{quoted(key[0])},{record.at},{quoted(key[1])},{record.value!r},{record.weight!r}')
    return records, lines


class ModelResults(ToolTest):
    def check_number(self, name, text, rows):
        expected = aggregate(name, rows)
        if expected is None:
            self.assertEqual(text, "")
            return
        if name in ("count", "min", "max", "first", "last", "open", "close", "p0", "p100"):
            self.assertEqual(float(text), expected, name)
        elif name.startswith("p"):
            self.assertLessEqual(abs(float(text) - expected), SKETCH * abs(expected), name)
        else:
            # Sums may cancel, so what counts is their size before that.
            self.assertLessEqual(abs(float(text) - expected), RELATIVE * max(abs(r.value) for r in rows) * len(rows), name)

    def check_rows(self, run, fired):
        self.assertEqual(len(run.rows), len(fired))
        for row, (start, end, key, rows) in zip(run.rows, fired):
            self.assertEqual(row[:4], [str(start), str(end), *key])
            for name, text in zip(NAMES, row[4:], strict=True):
                self.check_number(name, text, rows)

    def run_all(self, lines, *options):
        data = "\n".join([HEADER, *lines, ""]).encode()
        path = self.file("records.csv", data)
        runs = [self.run_tool(*inputs, "--key", "place,line", "--time", "at", "--value", "value", "--weight", "weight",
                              "--aggregate", ",".join(NAMES), *options, *layout, data=data if not inputs else None)
                for layout in LAYOUTS for inputs in ((path,), ())]
        for run in runs:
            self.assertEqual(run.output == runs[0].output, True, "layouts differ")
            self.assertEqual(run.late == runs[0].late, True, "late records differ between layouts")
            self.assertEqual(run["lines"], len(lines))
        return runs[0]

    def check(self, window, assigner, bound=0, lateness=0, offset=0, count=3000):
        records, lines = made_up(count, f"{window} {bound} {lateness}")
        fired, late, in_no_window = fire(records, assigner, bound, lateness)
        self.assertTrue(fired)
        run = self.run_all(lines, "--window", window, "--out-of-orderness", f"{bound}ms", "--allowed-lateness", f"{lateness}ms",
                           "--offset", f"{offset}ms")
        self.check_rows(run, fired)
        self.assertEqual(run.late.decode().splitlines(), [HEADER, *(lines[r.arrival] for r in late)])
        self.assertEqual((run["late"], run["no_window"]), (len(late), len(in_no_window)))
        return late, in_no_window

    def test_tumbling_windows(self):
        late, _ = self.check("tumbling:250ms", Tumbling(250), bound=10)
        self.assertTrue(late)

    def test_tumbling_windows_with_lateness_fire_again(self):
        self.check("tumbling:100ms", Tumbling(100), bound=3, lateness=40)

    def test_tumbling_windows_with_offsets(self):
        self.check("tumbling:1s", Tumbling(1000, 300), bound=5, lateness=7, offset=300)
        self.check("tumbling:0.04s", Tumbling(40, -15), offset=-15)

    def test_sliding_windows(self):
        self.check("sliding:1s,250ms", Sliding(1000, 250), bound=20)

    def test_sliding_windows_whose_size_is_no_multiple_of_the_slide(self):
        self.check("sliding:70ms,30ms", Sliding(70, 30), bound=1)
        self.check("sliding:70ms,30ms", Sliding(70, 30, -11), bound=1, lateness=25, offset=-11)

    def test_sliding_windows_with_gaps(self):
        late, in_no_window = self.check("sliding:20ms,50ms", Sliding(20, 50, 7), bound=0, lateness=9, offset=7)
        self.assertTrue(late)
        self.assertTrue(in_no_window)

    def test_session_windows(self):
        late, _ = self.check("session:4ms", Session(4), bound=2)
        self.assertTrue(late)

    def test_session_windows_with_lateness(self):
        self.check("session:3ms", Session(3), bound=0, lateness=15)
        self.check("session:50ms", Session(50), bound=0, lateness=100, count=1500)

    def test_count_windows(self):
        records, lines = made_up(3000, "count")
        for n in (1, 3, 7, 5000):
            with self.subTest(n=n):
                fired, left = fire_counts(records, n)
                run = self.run_all(lines, "--window", f"count:{n}", "--out-of-orderness", "5ms")
                self.check_rows(run, fired)
                self.assertEqual((run["late"], run["in_unfinished_windows"]), (0, left))

    def test_windows_without_a_key_are_one_group(self):
        records, lines = made_up(500, "no key")
        for record in records:
            record.key = ()
        fired, late, _ = fire(records, Tumbling(100), 5)
        run = self.run_tool("--time", "at", "--window", "tumbling:100ms", "--out-of-orderness", "5ms",
                            data="\n".join([HEADER, *lines]).encode())
        self.assertEqual(run.rows, [[str(start), str(end), str(len(rows))] for start, end, _, rows in fired])
        self.assertEqual(run["late"], len(late))

    def test_filtered_records_do_not_move_the_watermark(self):
        records, lines = made_up(2000, "where")
        kept = [r for r in records if r.key == ("south, east", " two")]
        places = [i for i, r in enumerate(records) if r.key == ("south, east", " two")]
        fired, late, _ = fire(kept, Tumbling(50), 2)
        run = self.run_all(lines, "--window", "tumbling:50ms", "--out-of-orderness", "2ms", "--where", "place=south, east",
                           "--where", "line= two")
        self.check_rows(run, fired)
        self.assertEqual(run.late.decode().splitlines(), [HEADER, *(lines[places[r.arrival]] for r in late)])
        self.assertEqual(run["filtered"], len(records) - len(kept))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Long inputs run in flat memory, whatever is in them, and cost no more per record than short ones.

Inputs come through a pipe from a process of their own; peaks are what the system says of the ended tool.
"""
import json
import pathlib
import select
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, ONE_CPU, ROOT, SANITIZED, TIMEOUT, Run, ToolTest, main  # noqa: E402

GIGABYTE = 10**9
MOST_BYTES = 200 * 10**6
MOST_RATIO = 1.3
ATTEMPTS = 3
MEASURED = str(ROOT / "tests/support/measured.py")
STREAMS = str(ROOT / "tests/support/big_streams.py")
TICKS = ("--key", "symbol", "--time", "event_ms", "--value", "price", "--out-of-orderness", "5ms", "--window", "tumbling:1s",
         "--aggregate", "count,avg")
KEYED = ("--key", "k", "--time", "t", "--value", "v")


class FlatMemory(ToolTest):
    def stream_run(self, kind, size, *options, rejects=True):
        """One run over a made-up stream; the run has `peak` in bytes and `cpu` in seconds."""
        generator = subprocess.Popen([sys.executable, STREAMS, kind, str(size)], stdout=subprocess.PIPE)
        self.addCleanup(self.end, generator)
        select.select([generator.stdout], [], [], TIMEOUT)  # the time to start Python is not the tool's
        out, err, report = (self.folder / name for name in ("out", "err", "report"))
        with open(out, "wb") as output, open(err, "wb") as errors:
            process = self.start(*options, rejects=rejects, before=(sys.executable, MEASURED, report), stdin=generator.stdout,
                                 stdout=output, stderr=errors)
        generator.stdout.close()
        process.wait(timeout=4 * TIMEOUT)
        used = json.loads(report.read_text())
        self.assertEqual(used["status"], 0, err.read_text(errors="replace"))
        run = Run(0, b"", err.read_bytes(), process.folder)
        self.check_balance(run)
        self.assertEqual(out.read_bytes().count(b"\n"), run["rows"] + 1)
        run.peak, run.cpu = used["peak"], used["cpu"]
        print(f"\n  {kind} {size / 1e6:.0f} MB: {run['lines']} lines, peak {run.peak / 1e6:.0f} MB, {run.cpu:.2f} s of CPU ",
              end="", flush=True)
        if not SANITIZED:
            self.assertLess(run.peak, MOST_BYTES)
        return run

    def test_a_gigabyte_of_ticks(self):
        run = self.stream_run("ticks", GIGABYTE, *TICKS, *LAYOUTS[-1])
        self.assertGreater(run["lines"], 10**7)
        self.assertEqual(run["malformed"], 0)
        self.assertGreater(run["windowed"], 0.999 * run["lines"])

    def test_a_long_run_costs_no_more_per_record_than_a_short_one(self):
        if SANITIZED:
            self.skipTest("times say nothing under a sanitizer")
        sizes = (GIGABYTE // 20, GIGABYTE)
        best = dict.fromkeys(sizes, float("inf"))  # seconds a record
        for _ in range(ATTEMPTS):
            for size in sizes:
                run = self.stream_run("ticks", size, *TICKS, *ONE_CPU, "--idle", "sleep")
                best[size] = min(best[size], run.cpu / run["lines"])
            short, long = best.values()
            print(f"\n  {short * 1e9:.0f} ns a record, then {long * 1e9:.0f} ns: ratio {long / short:.2f} ", end="", flush=True)
            if long / short <= MOST_RATIO:
                return
        self.fail(f"the long run costs {long / short:.2f} times as much per record")

    def test_a_line_of_a_gigabyte_is_one_malformed_record(self):
        for layout in LAYOUTS:
            run = self.stream_run("line", GIGABYTE, *KEYED, "--window", "tumbling:1s", *layout)
            self.assertEqual((run["lines"], run["windowed"], run["malformed_reasons"]), (3, 2, {"line too long": 1}))
            self.assertEqual([row[1:3] for row in run.malformed], [["3", "line too long"]])
            self.assertEqual(run.malformed[0][3], "x" * 2**20)

    def test_a_json_line_of_a_gigabyte_is_one_malformed_record(self):
        run = self.stream_run("json-line", GIGABYTE, "--format", "ndjson", "--key", "/k", "--time", "/t", "--window",
                              "tumbling:1s")
        self.assertEqual((run["lines"], run["windowed"], run["malformed_reasons"]), (3, 2, {"line too long": 1}))
        self.assertEqual(len(run.malformed[0][3]), 2**20)

    def test_a_quote_that_never_ends(self):
        run = self.stream_run("quote", GIGABYTE // 5, *KEYED, "--window", "tumbling:1s", rejects=False)
        self.assertEqual(run["windowed"], 1)
        self.assertEqual(run["malformed"], run["lines"] - 1)
        self.assertGreater(run["malformed"], 0)

    def test_bytes_of_every_value_and_zeros(self):
        for kind, size in (("zeros", GIGABYTE // 4), ("noise", GIGABYTE // 10)):
            for form in (KEYED, ("--format", "ndjson", "--key", "/k", "--time", "/t")):
                run = self.stream_run(kind, size, *form, "--window", "tumbling:1s", rejects=False)
                self.assertGreater(run["malformed"], 0)

    def test_keys_that_never_come_again_do_not_stay(self):
        for window in ("tumbling:1s", "sliding:1s,500ms", "session:50ms"):
            options = (*KEYED, "--window", window, "--allowed-lateness", "1s", "--aggregate", "count,p50")
            short, long = (self.stream_run("keys", size, *options, rejects=False) for size in (GIGABYTE // 50, GIGABYTE // 9))
            self.assertGreater(long["rows"], 500_000)
            self.assertLess(long.peak, short.peak + 8 * 10**6)

    def test_many_late_and_malformed_records_are_written_in_flat_memory(self):
        for kind in ("late", "malformed"):
            for policy in ("block", "spill"):
                run = self.stream_run(kind, GIGABYTE // 20, *KEYED, "--window", "tumbling:1s", f"--{kind}-policy", policy)
                self.assertEqual(run[kind], run["lines"] // 2)
                self.assertLess(run.edge(kind)["dropped"], run[kind] * (policy == "spill") + 1)


if __name__ == "__main__":
    main()

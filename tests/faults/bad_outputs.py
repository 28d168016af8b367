#!/usr/bin/env python3
"""An output that cannot be written ends the run with a message and status 1, never with a silent success, a crash or a hang."""
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, ROOT, TIMEOUT, TOOL, ToolTest, main  # noqa: E402

JOB = ("--key", "k", "--time", "t", "--window", "tumbling:1s")
FAILED = 1


def many(count):
    """A row of output, a late and a malformed record for every three lines."""
    return b"t,k,v\n" + b"".join(b"%d,a%d,1\n0,a,1\nnever,a,%d\n" % (n * 1000 + 10**7, n, n) for n in range(count))


class BadOutputs(ToolTest):
    def fails(self, *options, says, data, **more):
        run = self.run_tool(*options, data=data, expect=FAILED, **more)
        self.assertEqual(run.errors.count("\n"), 1, run.errors)
        for text in ("spillway: cannot write", says):
            self.assertIn(text, run.errors)
        return run

    def test_a_full_disk_is_reported_by_every_output(self):
        for layout in LAYOUTS:
            for count in (1, 50_000):  # found at the last flush, and in the middle
                for option in ("--output", "--late", "--malformed", "--stats"):
                    with self.subTest(option, layout=layout, count=count):
                        self.fails(*JOB, option, "/dev/full", *layout, says="'/dev/full': No space left on device",
                                   data=many(count))
        with open("/dev/full", "wb") as full:
            self.fails(*JOB, says="standard output: No space left", data=many(10), stdout=full)

    def test_a_full_disk_with_every_policy(self):
        for option in ("--late", "--malformed"):
            for policy in ("block", "spill", "drop"):
                with self.subTest(option, policy=policy):
                    self.fails(*JOB, option, "/dev/full", f"{option}-policy", policy, says="No space left", data=many(20_000))

    def test_an_output_that_cannot_be_made(self):
        for option in ("--output", "--late", "--malformed", "--stats"):
            for path, why in ((self.folder / "no/such/folder", "No such file"), (self.folder, "directory")):
                with self.subTest(option, path=path):
                    run = self.run_tool(*JOB, option, path, data=many(1), expect=FAILED)
                    self.assertIn(f"'{path}'", run.errors)
                    self.assertIn(why, run.errors)

    def test_a_reader_of_the_output_that_goes_away(self):
        for layout in LAYOUTS:
            for kind, window in (("ticks", "tumbling:1ms"), ("ticks", "count:1")):
                with self.subTest(layout=layout, window=window):
                    generator = subprocess.Popen([sys.executable, ROOT / "tests/support/big_streams.py", kind, str(10**12)],
                                                 stdout=subprocess.PIPE)
                    self.addCleanup(self.end, generator)
                    process = self.start("--key", "symbol", "--time", "event_ms", "--window", window, *layout,
                                         stdin=generator.stdout)
                    generator.stdout.close()
                    self.assertTrue(process.stdout.readline().startswith(b"window_start"))
                    process.stdout.close()
                    self.assertEqual(process.wait(TIMEOUT), FAILED)
                    self.assertIn(b"cannot write standard output: Broken pipe", process.stderr.read())
                    generator.wait(TIMEOUT)  # nobody reads on

    def test_a_reader_that_is_gone_before_the_first_row(self):
        process = self.start(*JOB, stdin=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(many(2000))
        process.stdin.close()
        self.assertEqual(process.wait(TIMEOUT), FAILED)
        self.assertIn(b"Broken pipe", process.stderr.read())

    def test_a_slow_reader_gets_everything(self):
        process = self.start(self.file("in.csv", many(30_000)), *JOB)
        got = b""
        while piece := process.stdout.read1(1 << 16):
            got += piece
            time.sleep(0.005)
        run = self.finish(process)
        self.assertEqual(got.count(b"\n"), run["rows"] + 1)
        self.assertEqual((run["rows"], run["late"], run["malformed"]), (30_000, 30_000, 30_000))

    def test_standard_error_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            for options, status in ((("--demo", "--progress", "always"), 0), (("missing.csv", *JOB), 1),
                                    (("--wrong",), 2), (("--demo", "--stats", "-"), 1)):
                with self.subTest(options=options):
                    self.run_tool(*options, stderr=full, expect=status)

    def test_standard_descriptors_that_came_closed(self):
        # What is opened later must not take the place of a closed one: results would land in the late file.
        late = self.folder / "late.csv"
        for closed, status in ((">&-", FAILED), ("2>&-", 0), ("<&-", 0)):
            with self.subTest(closed):
                run = subprocess.run(["sh", "-c", f'exec "$0" run --demo --late "$1" {closed}', TOOL, late],
                                     stdin=subprocess.DEVNULL, capture_output=True,
                                     timeout=TIMEOUT)
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertNotIn(b"window_start", late.read_bytes())
        run = subprocess.run(["sh", "-c", 'exec "$0" run --time t --window tumbling:1s --output "$1" <&-', TOOL,
                              self.folder / "out"], capture_output=True,
                             timeout=TIMEOUT)
        self.assertEqual(run.returncode, FAILED)
        self.assertIn(b"standard input", run.stderr)

    def test_where_statistics_go(self):
        run = self.run_tool("--demo", "--stats", "-")
        self.assertIn('"balanced": true', run.errors)
        self.assertNotIn(b"balanced", run.output)
        run = self.run_tool("--demo", "--stats", "-", "--output", self.folder / "out")
        self.assertIn(b'"balanced": true', run.output)


if __name__ == "__main__":
    main()

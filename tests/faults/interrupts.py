#!/usr/bin/env python3
"""SIGINT once: reading stops, what is open fires, everything is written, status 130. Twice: the end at once, status 130."""
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, ROOT, TIMEOUT, ToolTest, main, table  # noqa: E402

JOB = ("--key", "k", "--time", "t", "--window", "tumbling:1s")
INTERRUPTED = 130
LINES = [b"%d,a,1\n" % (1000 + 10 * n) for n in range(250)] + [b"0,late,1\n", b"bad,a,1\n"]


class Interrupts(ToolTest):
    def started(self, *options, **more):
        process = self.start(*JOB, *options, stdin=subprocess.PIPE, **more)
        process.stdin.write(b"t,k,v\n" + b"".join(LINES))
        process.stdin.flush()
        return process

    def test_once_on_a_pipe_that_goes_quiet_fires_and_writes_everything(self):
        for layout in LAYOUTS:
            for options in ((), ("--idle", "sleep"), ("--late-policy", "spill", "--malformed-policy", "drop")):
                with self.subTest(layout=layout, options=options):
                    process = self.started(*layout, *options)
                    first = [process.stdout.readline() for _ in range(3)]  # what fired before the pipe went quiet is there
                    self.assertEqual(first, [b"window_start,window_end,k,count\n", b"1000,2000,a,100\n", b"2000,3000,a,100\n"])
                    process.send_signal(signal.SIGINT)
                    rest, errors = process.stdout.read(), process.stderr.read()
                    self.assertEqual(process.wait(TIMEOUT), INTERRUPTED, errors)
                    self.assertEqual((rest, errors), (b"3000,4000,a,50\n", b""))
                    run = self.finish(process, expect=INTERRUPTED)
                    self.assertEqual((run["lines"], run["windowed"], run["late"], run["malformed"]), (252, 250, 1, 1))
                    self.assertTrue(run["interrupted"])
                    self.assertEqual(run.late, b"t,k,v\n0,late,1\n")
                    self.assertEqual(run.malformed, [["-", "253", "bad time", "bad,a,1"]])

    def test_once_in_the_middle_of_a_long_run(self):
        for number, layout in enumerate(LAYOUTS):
            with self.subTest(layout=layout):
                generator = subprocess.Popen([sys.executable, ROOT / "tests/support/big_streams.py",
                                             "ticks", str(10**12)], stdout=subprocess.PIPE)
                self.addCleanup(self.end, generator)
                output = self.folder / f"out{number}.csv"
                process = self.start("--key", "symbol", "--time", "event_ms", "--window", "tumbling:1s", "--output", output,
                                     *layout, stdin=generator.stdout)
                generator.stdout.close()
                while process.poll() is None and not (output.exists() and output.stat().st_size):
                    time.sleep(0.02)
                process.send_signal(signal.SIGINT)
                run = self.finish(process, expect=INTERRUPTED)
                self.assertTrue(run["interrupted"])
                self.assertGreater(run["windowed"], 1000)
                rows = table(output.read_bytes())[1:]
                self.assertEqual(len(rows), run["rows"])
                self.assertEqual(sum(int(row[3]) for row in rows), run["windowed"])

    def test_once_while_a_file_without_a_writer_is_read(self):

        fifo = self.folder / "fifo.csv"
        os.mkfifo(fifo)
        process = self.start(fifo, *JOB)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.finish(process, expect=None)
        self.assertIn(process.returncode, (0, INTERRUPTED))

    def test_once_before_any_input(self):
        process = self.start(*JOB, stdin=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(TIMEOUT), INTERRUPTED)
        run = self.finish(process, expect=INTERRUPTED)
        self.assertEqual(run["lines"], 0)
        self.assertEqual(run.output, b"window_start,window_end,k,count\n")

    def test_twice_ends_a_run_that_cannot_finish(self):
        # Nobody reads the results, so the first interrupt alone waits for ever.
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                path = self.file("in.csv", b"t,k,v\n" + b"".join(b"%d,a,1\n" % (n * 1000) for n in range(50_000)))
                process = self.start(path, *JOB, *layout)
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
                time.sleep(0.3)
                self.assertIsNone(process.poll())
                began = time.monotonic()
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(TIMEOUT), INTERRUPTED)
                self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    main()

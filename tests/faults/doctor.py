#!/usr/bin/env python3
"""`spillway doctor` says something about every point of a host, whatever the host hides, and ends with status 0 in a few seconds."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import CPUS, TIMEOUT, TOOL, ToolTest, main  # noqa: E402

READ = ["isolated CPUs", "nohz_full", "governor", "turbo", "SMT siblings", "transparent huge pages", "IRQ affinity", "cpuset", "quota", "clock source",
        "perf permissions", "steal"]
MEASURED = ["timer jitter, sleep", "timer jitter, spin", "core to core"]
LINE = re.compile(r"(ok|change|unknown) +([^:]+): (.+); (.+)")


class Doctor(ToolTest):
    def doctor(self, *options):
        return subprocess.run([TOOL, "doctor", *options], capture_output=True, timeout=TIMEOUT, text=True, stdin=subprocess.DEVNULL)

    def checks(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [match.groups() for match in map(LINE.fullmatch, done.stdout.split("\n\n")[0].splitlines()) if match]

    def test_checks_and_measures_this_host(self):
        done = self.doctor()
        self.assertEqual([check[1] for check in self.checks(done)], READ + MEASURED)
        if len(CPUS) > 1:
            table = done.stdout.split("\n\n")[1].splitlines()
            self.assertEqual([int(cpu) for cpu in table[1].split()], sorted(CPUS))
            self.assertEqual(len(table), 2 + len(CPUS))

    def test_a_host_that_shows_nothing_is_unknown(self):
        with tempfile.TemporaryDirectory() as empty:
            checks = self.checks(self.doctor("--proc", empty, "--sys", empty, "--only-read"))
        self.assertEqual([check[:2] for check in checks], [("unknown", what) for what in READ])

    def test_one_cpu_has_no_neighbour(self):
        done = subprocess.run([TOOL, "doctor"], capture_output=True, timeout=TIMEOUT, text=True, preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.assertEqual(self.checks(done)[-1][:2], ("unknown", "core to core"))

    def test_a_folder_that_is_not_there_is_refused(self):
        done = self.doctor("--proc", "/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("spillway doctor --help", done.stderr)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TOOL, "doctor", "--only-read"], stdout=full, stderr=subprocess.PIPE, timeout=TIMEOUT, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "spillway: cannot write standard output\n"))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`spillway explain` shows the job that `run` would do with the same options, and touches no file."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import CPUS, TIMEOUT, TOOL, ToolTest, main  # noqa: E402

JOB = ("--time", "t", "--window", "tumbling:1s")


class Explain(ToolTest):
    def explain(self, *options):
        return subprocess.run([TOOL, "explain", *options], capture_output=True, timeout=TIMEOUT, text=True, stdin=subprocess.DEVNULL)

    def test_lists_threads_edges_policies_and_bytes(self):
        shown = self.explain(*JOB, "--late-policy", "overwrite", "--malformed-policy", "spill", "--malformed-limit", "64KiB")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        lines = [line.split() for line in shown.stdout.splitlines()]
        self.assertIn(["read", "->", "window", "block", "capacity", "4096"], [line[:6] for line in lines])
        self.assertIn(["window.late", "->", "late", "overwrite_oldest"], [line[:4] for line in lines])
        self.assertIn(["read.malformed", "->", "malformed", "spill", "up", "to", "64.0", "KiB"], [line[:8] for line in lines])
        self.assertTrue(any(line[:2] == ["rings", "take"] for line in lines))

    def test_a_count_window_has_no_late_edge(self):
        self.assertNotIn("late", self.explain("--time", "t", "--window", "count:5").stdout)

    def test_one_cpu_is_one_thread_on_it(self):
        lines = self.explain(*JOB, "--cpus", str(CPUS[0])).stdout.splitlines()
        self.assertEqual(lines[1].split(), ["read+window+late+malformed", "CPU", str(CPUS[0]), "read,", "window,", "late,", "malformed"])

    def test_makes_and_empties_no_file(self):
        kept = self.file("kept.csv", b"keep me")
        new = kept + ".new"
        self.assertEqual(self.explain(*JOB, "--output", kept, "--late", new, "--malformed", new + "2", "--stats", new + "3").returncode, 0)
        self.assertEqual(pathlib.Path(kept).read_bytes(), b"keep me")
        self.assertFalse(any(pathlib.Path(name).exists() for name in (new, new + "2", new + "3")))

    def test_bad_options_are_refused_as_run_refuses_them(self):
        shown = self.explain("--time", "t", "--window", "tumbling")
        self.assertEqual((shown.returncode, shown.stdout), (2, ""))
        self.assertIn("--window", shown.stderr)
        shown = self.explain("--nonsense")
        self.assertEqual(shown.returncode, 2)
        self.assertIn("spillway explain --help", shown.stderr)


if __name__ == "__main__":
    main()

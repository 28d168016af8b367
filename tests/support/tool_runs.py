"""Runs `spillway run` for the golden, memory and fault tests, and holds every run to what is true of all of them.

A test script derives from ToolTest and ends with `main()`; the environment names the tool (SPILLWAY_TOOL), the folder with shared
data (SPILLWAY_SHARED) and the sanitizer, if any (SPILLWAY_SANITIZE).

1. No run may crash, hang, or be reported by a sanitizer.
2. Where a run wrote statistics they balance, and they agree with the files it wrote.
"""
import csv
import gzip
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = os.environ.get("SPILLWAY_TOOL", str(ROOT / "build/bin/spillway"))
SHARED = pathlib.Path(os.environ.get("SPILLWAY_SHARED", ROOT.parent / "shared"))
SANITIZED = bool(os.environ.get("SPILLWAY_SANITIZE"))
TIMEOUT = 240 if SANITIZED else 60
SKIPPED = 77
CPUS = sorted(os.sched_getaffinity(0))
ONE_CPU = ("--cpus", str(CPUS[0]))
TWO_CPUS = ("--cpus", ",".join(map(str, CPUS[:2])))
LAYOUTS = (ONE_CPU, TWO_CPUS) if len(CPUS) > 1 else (ONE_CPU,)
REJECTED = ("late", "malformed")
csv.field_size_limit(1 << 30)


def need_shared(*folders):
    """Ends the script as skipped where the shared folders are not there."""
    for folder in folders:
        if not (SHARED / folder).is_dir():
            print(f"skipped: {SHARED / folder} is not there; set SPILLWAY_SHARED")
            sys.exit(SKIPPED)


def unpacked(path):
    return gzip.decompress(pathlib.Path(path).read_bytes())


def rows_of(data):
    return csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""), strict=True)


def table(data):
    """CSV as a list of rows, each a list of texts; the header first."""
    return list(rows_of(data))


class Run:
    """What came of one run: status, output, errors (text), and, where it wrote them, statistics, late and malformed."""

    def __init__(self, status, output, errors, folder):
        self.status, self.output, self.errors = status, output, errors.decode(errors="replace")
        self.files = {name: (folder / name).read_bytes() for name in REJECTED if (folder / name).is_file()}
        stats = folder / "stats"
        self.statistics = json.loads(stats.read_bytes()) if stats.is_file() and stats.stat().st_size else None

    def __getitem__(self, name):
        return self.statistics[name]

    @property
    def late(self):
        return self.files["late"]

    @property
    def malformed(self):
        """Rows of [file, line, reason, text]."""
        return table(self.files["malformed"])[1:]

    @property
    def rows(self):
        return table(self.output)[1:]

    def edge(self, tag):
        return next((e for e in self["edges"] if e["tag"] == tag), None)


class ToolTest(unittest.TestCase):
    maxDiff = 2000
    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="spillway_test_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.runs = 0

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def start(self, *options, rejects=True, before=(), **popen):
        """Starts a run whose statistics and rejects go to a folder of its own, unless the options name files for them.

        `before` stands before the command: a program that runs it.
        """
        self.runs += 1
        folder = self.folder / f"run{self.runs}"
        folder.mkdir()
        command = [*before, TOOL, "run", *map(str, options)]
        for name in ("stats", *(REJECTED if rejects else ())):
            if f"--{name}" not in command:
                command += [f"--{name}", str(folder / name)]
        popen = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
        process = subprocess.Popen(command, **popen)
        self.addCleanup(self.end, process)
        process.folder = folder
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                try:
                    stream.close()
                except BrokenPipeError:
                    pass

    def finish(self, process, data=None, expect=0):
        """Waits for the end of a run and checks it. `expect` is its status, None for any that is not a crash."""
        try:
            output, errors = process.communicate(data, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"hangs: {process.args}")
        run = Run(process.returncode, output or b"", errors or b"", process.folder)
        self.assertGreaterEqual(run.status, 0, f"died of signal {-run.status}: {process.args}\n{run.errors}")
        self.assertNotIn(run.status, (128 + signal.SIGABRT, 128 + signal.SIGSEGV), run.errors)
        if "Sanitizer" in run.errors or "runtime error" in run.errors:
            self.fail(f"{process.args}\n{run.errors[:4000]}")
        if expect is not None:
            self.assertEqual(run.status, expect, f"{process.args}\n{run.errors}")
        if run.statistics:
            self.check_balance(run)
        return run

    def run_tool(self, *options, data=None, expect=0, **more):
        """One run from start to end; `data` is its standard input, through a pipe."""
        stdin = subprocess.DEVNULL if data is None else subprocess.PIPE
        return self.finish(self.start(*options, **{"stdin": stdin, **more}), data, expect)

    def refused(self, *options, status, says=(), data=None, **more):
        """A run that ends before any output: `status`, and one line on standard error that has every text of `says`."""
        run = self.run_tool(*options, data=data, expect=status, **more)
        self.assertEqual(run.output, b"")
        self.assertEqual(run.files, {})
        self.assertIsNone(run.statistics)
        self.assertEqual(run.errors.count("\n"), 1, run.errors)
        self.assertRegex(run.errors, r"^spillway: \S.*\S\n$")
        self.assertNotIn("spillway: ", run.errors[len("spillway: "):])
        for text in says:
            self.assertIn(text, run.errors)
        return run

    def check_balance(self, run):
        s = run.statistics
        self.assertTrue(s["balanced"], s)
        self.assertEqual(s["lines"], s["windowed"] + s["late"] + s["malformed"] + s["filtered"] + s["no_window"], s)
        self.assertEqual(sum(s["malformed_reasons"].values()), s["malformed"], s)
        for edge in s["edges"]:
            self.assertEqual(edge["pushed"], edge["consumed"] + edge["dropped"] + edge["left"], edge)
            self.assertEqual(edge["left"], 0, edge)
            self.assertEqual(edge["dropped"], edge["dropped_full"] + edge["dropped_limit"] + edge["dropped_oversize"] + edge["overwritten"], edge)
            if edge["policy"] == "block":
                self.assertEqual(edge["dropped"], edge["dropped_oversize"], edge)
        self.assertEqual(run.edge("main")["pushed"], s["lines"] - s["malformed"] - s["filtered"])
        self.assertEqual(run.edge("main")["dropped"], 0)
        self.assertEqual(run.edge("malformed")["pushed"], s["malformed"])
        if late := run.edge("late"):
            self.assertEqual(late["pushed"], s["late"])
            self.assertEqual(s["late_by_ns"]["records"], late["consumed"])
        if run.output:
            self.assertEqual(sum(1 for _ in rows_of(run.output)), s["rows"] + 1)
        if "malformed" in run.files:
            self.assertEqual(sum(1 for _ in rows_of(run.files["malformed"])), run.edge("malformed")["consumed"] + 1)


def main():
    if not os.access(TOOL, os.X_OK):
        print(f"skipped: {TOOL} is not there; build it or set SPILLWAY_TOOL")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)

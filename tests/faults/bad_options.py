#!/usr/bin/env python3
"""What cannot be done is refused in one sentence before anything is written: status 2 for the command line, 1 for the files."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import CPUS, TIMEOUT, TOOL, ToolTest, main  # noqa: E402

USAGE, FILES = 2, 1
NOBODY = 65534
NEEDED = {"--time": "t", "--window": "tumbling:1s"}
DATA = b"t,k,v\n1,a,1\n"

BAD_VALUES = {"--format": ["xml", "CSV", "json"],
    "--time-unit": ["sec", "m", "MS", "iso8601"],
    "--where": ["k", "=a", ""],
    "--window": ["tumbling", "tumbling:", "tumbling:1", "tumbling:1s,1s", "tumbling:x", "tumbling:0", "tumbling:0s",
                 "tumbling:-1s", "tumbling:1.5ns",
                 "tumbling:106752d", "sliding:1s", "sliding:1s,", "sliding:1s,0", "sliding:0,1s", "sliding:1s,1s,1s",
                 "sliding:1s,-1s", "session", "session:0",
                 "session:-5ms", "session:1s,1s", "count", "count:0", "count:-1", "count:1.5", "count:x",
                 "count:99999999999999999999", "count:5,2", "hopping:1s",
                 ":1s", "tumbling 1s", "Tumbling:1s", "tumbling: 1s s"],
    "--offset": ["x", "1", "2s", "-1s", "1s"],
    "--out-of-orderness": ["-1ms", "x", "5", "200000d"],
    "--allowed-lateness": ["-1ns", "1 second", "5"],
    "--aggregate": ["mean", "count,", ",count", "p", "p101", "p-1", "pxx", "p50%", "sum", "count,avg", "p99", "vwap", "median"],
    "--late-policy": ["wait", "BLOCK", "conflate"],
    "--malformed-policy": ["keep"],
    "--late-limit": ["x", "-1", "64MiB"],  # the last without --late-policy spill
    "--malformed-limit": ["1.5.2", "1000"],
    "--max-line": ["0", "-1", "1k", "x", "99999999999999999999", "2147483648"],
    "--cpus": ["x", "-1", "1-0", "0,", "0-", "0;1", "100000", "0-100000"],
    "--idle": ["spinning", "0"],
    "--progress": ["yes", "1"],
}


class Refusing(ToolTest):
    def refuse(self, options, status=USAGE, says=(), data=DATA):
        """Refused, with all outputs as they were."""
        output = self.file("output.csv", b"keep me")
        run = self.refused("--output", output, *options, status=status, says=says, data=data)
        self.assertEqual(pathlib.Path(output).read_bytes(), b"keep me")
        return run

    def with_needed(self, *given):
        names = {option.split("=")[0] for option in given}
        return [text for option, value in NEEDED.items() if option not in names for text in (option, value)] + list(given)


class BadOptions(Refusing):
    def test_each_bad_value_is_named_with_its_option(self):
        for option, values in BAD_VALUES.items():
            for value in values:
                with self.subTest(option, value=value):
                    self.refuse(self.with_needed(f"{option}={value}"), says=[option])

    def test_what_is_missing_is_named(self):
        self.refuse(["--window", "tumbling:1s"], says=["--time"])
        self.refuse(["--time", "t"], says=["--window"])
        self.refuse(self.with_needed("--aggregate", "sum"), says=["--value"])
        self.refuse(self.with_needed("--aggregate", "vwap", "--value", "v"), says=["--weight"])

    def test_what_does_not_go_together_is_named(self):
        path = self.file("in.csv", DATA)
        self.refuse(["--demo", path], says=["--demo"])
        self.refuse(self.with_needed("--window", "session:1s", "--offset", "1ms"), says=["--offset"])
        self.refuse(self.with_needed("--window", "count:5", "--offset", "1ms"), says=["--offset"])
        self.refuse(self.with_needed("-", "-"), says=["standard input"])
        json = self.file("in.ndjson", b'{"t":1}\n')
        self.refuse(self.with_needed(path, json), says=["--format"])
        self.refuse(self.with_needed(json), says=["JSON pointer", "'t'"])
        self.refuse(self.with_needed(json, "--time", "/t", "--key", "/a~2"), says=["JSON pointer"])

    def test_options_that_are_none(self):
        self.refuse(self.with_needed("--wndow", "x"), says=["--wndow", "--help"])
        self.refuse(self.with_needed("--time", "t", "--time", "u"), says=["--time"])
        for arguments in ([], ["walk"], ["--frobnicate"]):
            run = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual((run.returncode, run.stdout), (USAGE, ""))
            self.assertRegex(run.stderr, r"^spillway: .*--help.*\n$")

    def test_a_cpu_that_may_not_be_used(self):
        self.refuse(self.with_needed("--cpus", str(max(CPUS) + 1)), says=["--cpus", "may not", ",".join(map(str, CPUS))])

    def test_help_and_version(self):
        for arguments, words in ((["--help"], "run"), (["run", "--help"], "--allowed-lateness"), (["--version"], "spillway ")):
            run = subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(words, run.stdout)
            with open("/dev/full", "wb") as full:
                run = subprocess.run([TOOL, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
            self.assertEqual(run.returncode, 1)
            self.assertIn("standard output", run.stderr)


class BadFiles(Refusing):
    """Files that cannot be what the options say."""

    def test_an_output_that_is_an_input(self):
        path = self.file("in.csv", DATA)
        link = self.folder / "link.csv"
        link.symlink_to("in.csv")
        for name in (path, str(link), str(self.folder / "." / ".." / self.folder.name / "in.csv")):
            for option in ("--output", "--late", "--malformed", "--stats"):
                with self.subTest(option, name=name):
                    self.refused(*self.with_needed(path, option, name), status=USAGE, says=[option, "input"])
        with open(path, "rb") as stdin:
            self.finish_refused(self.start(*self.with_needed("-", "--output", path), stdin=stdin))
        with open(path, "ab") as stdout:
            self.finish_refused(self.start(*self.with_needed(path), stdout=stdout))
        self.assertEqual(pathlib.Path(path).read_bytes(), DATA)

    def finish_refused(self, process):
        run = self.finish(process, expect=USAGE)
        self.assertIn("input", run.errors)

    def test_two_outputs_that_are_one_file(self):
        (self.folder / "link.csv").symlink_to("kept.csv")
        for exists in (False, True):
            if exists:
                self.file("kept.csv", b"keep me")
            for a, b in (("kept.csv", "kept.csv"), ("./kept.csv", "kept.csv"), *[("link.csv", "kept.csv")] * exists):
                self.refused(*self.with_needed("--output", f"{self.folder}/{a}", "--late", f"{self.folder}/{b}"), status=USAGE,
                             says=["--output", "--late"], data=DATA)
        self.assertEqual((self.folder / "kept.csv").read_bytes(), b"keep me")
        self.refused(*self.with_needed("--late", "-"), status=USAGE, says=["--output", "--late"], data=DATA)
        self.run_tool(*self.with_needed("--late", "/dev/null", "--malformed", "/dev/null"), data=DATA)

    def test_inputs_that_cannot_be_opened(self):
        missing = str(self.folder / "missing.csv")
        good = self.file("in.csv", DATA)
        self.refuse(self.with_needed(missing), FILES, ["missing.csv", "No such file"])
        self.refuse(self.with_needed(good, missing), FILES, ["missing.csv"])
        self.refuse(self.with_needed(str(self.folder)), FILES, [str(self.folder), "directory"])
        self.refuse(self.with_needed(good, str(self.folder)), FILES, [str(self.folder), "directory"])

    def test_an_input_without_permission(self):
        path = self.file("in.csv", DATA)
        pathlib.Path(path).chmod(0)
        someone = {}
        if os.geteuid() == 0:  # root may read everything, so somebody else tries
            self.folder.chmod(0o755)
            someone = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        try:
            self.refused(*self.with_needed(path), status=FILES, says=["in.csv", "Permission denied"], **someone)
        except PermissionError:
            self.skipTest("another user may not run the tool")

    def test_columns_that_are_not_in_a_header(self):
        good, other = self.file("in.csv", DATA), self.file("other.csv", b"t,price\n1,2\n")
        for option in ("--time", "--key", "--value", "--weight", "--where"):
            value = "nowhere" + ("=1" if option == "--where" else "")
            for inputs, data in (([good], None), ([], DATA)):
                with self.subTest(option, inputs=inputs):
                    run = self.run_tool(*inputs, *self.with_needed(option, value), data=data, expect=FILES, rejects=False)
                    self.assertEqual((run.output, run.errors.count("\n")), (b"", 1))
                    for text in ("'nowhere'", option, "t, k, v"):
                        self.assertIn(text, run.errors)
            self.refuse(self.with_needed(good, option, value), FILES, ["'nowhere'", option, "in.csv"])
        self.refuse(self.with_needed(good, other, "--key", "k"), FILES, ["other.csv", "'k'", "t, price"])

    def test_columns_that_stand_twice(self):
        double = self.file("double.csv", b"t,k,k\n1,a,b\n")
        self.refuse(self.with_needed(double, "--key", "k"), FILES, ["double.csv", "'k'", "twice"])
        self.assertEqual(self.run_tool(double, *self.with_needed())["windowed"], 1)

    def test_headers_that_differ_with_one_late_file(self):
        first, second = self.file("1.csv", DATA), self.file("2.csv", b"k,t,v\na,1,1\n")
        run = self.run_tool(first, second, *self.with_needed(), expect=FILES)
        self.assertIn("--late", run.errors)

    def test_headers_that_are_none(self):
        self.refuse(self.with_needed(self.file("long.csv", b"t," + b"x" * 4000 + b"\n1,2\n"),
                    "--max-line", "1000"), FILES, ["header", "too long"])
        self.refuse(self.with_needed(self.file("open.csv", b't,"k\n1,2\n')), FILES, ["header", "quote"])
        self.refuse(self.with_needed(self.file("binary.csv", bytes(range(256)) * 40)), FILES, ["header"])
        self.refuse(self.with_needed(self.file("odd.csv", b'x\0,"y\nz",\x1b[2J\n1,2,3\n')), FILES, ["x?, y?z, ?[2J"])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What the policies of the late and malformed files promise when these are written slowly: nothing is lost without being counted."""
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.tool_runs import LAYOUTS, TIMEOUT, TWO_CPUS, ToolTest, main, table  # noqa: E402

JOB = ("--key", "k", "--time", "t", "--value", "v", "--window", "tumbling:1s", "--aggregate", "count,sum")
POLICIES = ("block", "spill", "drop", "overwrite")
REASONS = {"spill": "dropped_limit", "drop": "dropped_full", "overwrite": "overwritten"}
COUNT = 250_000  # of each kind: more than ring and spill take together


def mixed(kind):
    """Good records, each followed by a late or a malformed one that tells which it is."""
    padding = "." * 60
    other = {"late": "0,a,{0}", "malformed": "never,a,{0}"}[kind]
    return [f"{10_000_000 + n},{padding},1\n" + other.format(n) + "\n" for n in range(COUNT)]


class Policies(ToolTest):
    def run_slowly(self, kind, lines, layout, *policies, flows):
        """A run whose late or malformed file is not read at first. `flows`: the results come out all the same.

        Answers the run, the edge to the slow file, and what that file got.
        """
        fifo = self.folder / f"fifo{self.runs}"
        os.mkfifo(fifo)
        go, got, rows = threading.Event(), [], []
        process = self.start(*JOB, f"--{kind}", fifo, *policies, *layout, stdin=subprocess.PIPE)

        def read_rejects():
            with open(fifo, "rb") as file:
                go.wait(TIMEOUT)
                got.append(file.read())

        def feed():
            process.stdin.write(("t,k,v\n" + "".join(lines)).encode())
            process.stdin.close()

        threads = [threading.Thread(target=t) for t in (read_rejects, feed, lambda: rows.extend(process.stdout))]
        for thread in threads:
            thread.start()
            self.addCleanup(thread.join)
        self.addCleanup(go.set)
        deadline = time.monotonic() + (TIMEOUT / 4 if flows else 0.3)
        while len(rows) < COUNT // 1000 and time.monotonic() < deadline:
            time.sleep(0.01)
        if flows:
            self.assertGreaterEqual(len(rows), COUNT // 1000, "the main path waits for a side output")
        go.set()
        self.assertEqual(process.wait(TIMEOUT), 0)
        for thread in threads:
            thread.join()
        process.stdout.close()
        process.stdin = process.stdout = None
        run = self.finish(process)
        self.assertEqual(len(rows), run["rows"] + 1)
        self.assertEqual((run["windowed"], run[kind]), (COUNT, COUNT))
        return run.edge(kind), got[0]

    def check(self, kind, policy, layout):
        # The late and the malformed file share a thread, so both get the policy.
        policies = ("--late-policy", policy, "--malformed-policy", policy)
        two_threads = layout is TWO_CPUS
        edge, written = self.run_slowly(kind, mixed(kind), layout, *policies, flows=policy != "block" and two_threads)
        # The last field of the record tells which it is.
        numbers = [int(row[-1].split(",")[-1]) for row in table(written)[1:]]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual((edge["policy"], edge["consumed"]), (policy, len(numbers)))
        if policy == "block":
            self.assertEqual((edge["dropped"], edge["spilled"], len(numbers)), (0, 0, COUNT))
        elif two_threads:
            self.assertGreater(edge["dropped"], 0)
            self.assertEqual(edge["dropped"], edge[REASONS[policy]])
            self.assertEqual(edge["spilled"] > 0, policy == "spill")
            self.assertEqual(edge["blocked_ns"], 0)

    def test_rejects_that_nobody_reads_for_a_while(self):
        for kind in ("late", "malformed"):
            for policy in POLICIES:
                for layout in LAYOUTS:
                    with self.subTest(kind, policy=policy, layout=layout):
                        self.check(kind, policy, layout)

    @unittest.skipUnless(len(LAYOUTS) > 1, "needs two CPUs")
    def test_a_late_file_without_records_holds_nothing_up(self):
        for policy in ("spill", "drop", "overwrite"):
            self.run_slowly("malformed", mixed("malformed"), TWO_CPUS, "--malformed-policy", policy, "--late-policy", "block",
                            flows=True)

    def test_every_policy_loses_nothing_where_the_files_keep_up(self):
        data = "t,k,v\n" + "".join(mixed("late")[:500] + mixed("malformed")[:500])
        for policy in POLICIES:
            for layout in LAYOUTS:
                run = self.run_tool(*JOB, "--late-policy", policy, "--malformed-policy", policy, *layout, data=data.encode())
                self.assertEqual((run["late"], run["malformed"], run["windowed"]), (500, 500, 1000))
                self.assertEqual([run.edge(kind)["dropped"] for kind in ("late", "malformed")], [0, 0])

    def test_rejects_without_a_file_are_counted(self):
        data = ("t,k,v\n" + "".join(mixed("late") + mixed("malformed"))).encode()
        for policy in POLICIES:
            run = self.run_tool(*JOB, "--late-policy", policy, "--malformed-policy", policy, data=data, rejects=False)
            self.assertEqual((run["late"], run["malformed"]), (2 * COUNT - 1000, COUNT))


if __name__ == "__main__":
    main()

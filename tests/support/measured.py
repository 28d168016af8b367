#!/usr/bin/env python3
"""Runs a program and writes what the system says it used: measured.py REPORT PROGRAM [ARGUMENT...]

A process of its own and a small one, since a child's peak begins with the size of the process it was started from.
"""
import json
import os
import sys

pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
used = {"status": os.waitstatus_to_exitcode(status), "peak": usage.ru_maxrss * 1024, "cpu": usage.ru_utime + usage.ru_stime}
with open(sys.argv[1], "w") as report:
    json.dump(used, report)

"""What ctest wrote with --output-junit.

    test_results.py count FILE        "passed failed skipped" and then, one a line, the names of the tests that failed
    test_results.py slowest FILE...   the 20 tests that took longest, with their seconds
"""

import sys
import xml.etree.ElementTree
from pathlib import Path


def cases(file):
    return xml.etree.ElementTree.parse(file).getroot().iter("testcase")


def count(file):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    failed = []
    for case in cases(file):
        status = case.get("status")
        if case.find("failure") is not None or status == "fail":
            outcome = "failed"
            failed.append(case.get("name", "?"))
        elif case.find("skipped") is not None or status in ("notrun", "disabled"):
            outcome = "skipped"
        else:
            outcome = "passed"
        counts[outcome] += 1
    print(counts["passed"], counts["failed"], counts["skipped"])
    print("\n".join(failed))


def slowest(files):
    times = [(float(case.get("time") or 0), f"{Path(file).parent.name}: {case.get('name', '?')}")
             for file in files for case in cases(file)]
    for seconds, name in sorted(times, reverse=True)[:20]:
        print(f"{seconds:7.1f} s  {name}")


if sys.argv[1] == "count":
    count(sys.argv[2])
else:
    slowest(sys.argv[2:])

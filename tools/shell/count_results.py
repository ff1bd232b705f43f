"""Counts the results that ctest wrote with --output-junit: prints "passed failed skipped" and then, one a line,
the names of the tests that failed."""

import sys
import xml.etree.ElementTree

counts = {"passed": 0, "failed": 0, "skipped": 0}
failed = []
for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
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

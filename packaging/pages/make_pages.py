#!/usr/bin/env python3
"""Writes manual pages, completions and schemas, from what the program and the tools say of themselves.

    make_pages.py OUT VERSION PROGRAM [TOOLS]

PROGRAM is the built mpcflow; TOOLS the folder of mpcflow_tools, without which there are the program's pages
alone. The same `--help` that a person reads is read here, so that nothing goes stale.
"""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

from completions import bash, fish, input_keys, zsh
from help_text import Page, read
from manual import manual

SCHEMA_TITLES = {"mpcflow": "input", "mpcflow-submit": "cluster"}


def _date() -> str:
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    day = (
        datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
        if seconds
        else datetime.datetime.now()
    )
    return day.strftime("%Y-%m-%d")


def main() -> None:
    out, version, program = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    tools = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    environment = {"PYTHONPATH": str(tools), "PYTHONDONTWRITEBYTECODE": "1"} if tools else {}
    commands = {"mpcflow": [program]}
    for script in sorted(tools.glob("mpcflow-*")) if tools else []:
        commands[script.name] = [
            sys.executable,
            "-m",
            f"mpcflow_tools.{script.name.removeprefix('mpcflow-')}",
        ]
    roots: list[Page] = [read((name,), command, environment) for name, command in commands.items()]

    shutil.rmtree(out, ignore_errors=True)
    for folder in ("man1", "bash", "zsh", "fish", "schema"):
        (out / folder).mkdir(parents=True)
    schemas = {}
    for root in roots:
        if any(entry.name == "schema" for entry in root.commands):
            done = subprocess.run(
                [*commands[root.name], "schema"],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, **environment},
            )
            schemas[root.name] = done.stdout
            (out / "schema" / f"{SCHEMA_TITLES[root.name]}.schema.json").write_text(done.stdout)

    names = [root.name for root in roots]
    for root in roots:
        for page in root.all() if root.name == "mpcflow" else [root]:
            others = [*(each.name for each in page.pages if root.name == "mpcflow"), *names]
            (out / "man1" / f"{page.name}.1").write_text(manual(page, others, version, _date()))
    keys = input_keys(schemas["mpcflow"])
    (out / "bash" / "mpcflow").write_text(bash(roots, keys))
    for name in names[1:]:
        (out / "bash" / name).write_text('source "${BASH_SOURCE[0]%/*}/mpcflow"\n')
    (out / "zsh" / "_mpcflow").write_text(zsh(roots, keys))
    for root in roots:
        (out / "fish" / f"{root.name}.fish").write_text(fish(root, keys))


if __name__ == "__main__":
    main()

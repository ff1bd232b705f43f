"""The program mpcflow as sweeps call it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpcflow_tools.batch.profile import Profile
from mpcflow_tools.command import BadArgument
from mpcflow_tools.errors import ResultsError

LONGEST_CHECK = 600.0  # seconds

# What `setup` prints is none of what the environment is read from.
_SET_UP = "exec 3>&1 >&2\n{setup}\nexec env -0 >&3"


def _answer(words: Sequence[str], about: str, environment: dict[str, str] | None) -> str:
    """What a command prints. Raises BadArgument with its message where the input is bad, ResultsError where it
    cannot be run."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST_CHECK, env=environment
        )
    except OSError as error:
        raise ResultsError(
            f"{about}: cannot be run ({error.strerror}); submitting checks the input with it"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise ResultsError(f"{about}: has not answered for {LONGEST_CHECK:.0f} s") from error
    if done.returncode != 0:
        said = (
            done.stderr.decode("utf-8", "surrogateescape").strip()
            or f"{about}: ended with status {done.returncode}"
        )
        raise BadArgument(said) if done.returncode == 2 else ResultsError(said)
    return done.stdout.decode("utf-8", "surrogateescape")


def _environment(setup: str) -> dict[str, str]:
    """That which `setup` makes of this one."""
    try:
        told = _answer(["bash", "-c", _SET_UP.format(setup=setup)], "bash", None)
    except ResultsError as error:
        raise ResultsError(f"setup of the profile, which is run here to check the input: {error}") from error
    return dict(entry.split("=", 1) for entry in told.split("\0") if "=" in entry)


@dataclass(frozen=True)
class Program:
    """mpcflow as jobs call it, and the environment for calls of it here."""

    words: list[str]
    environment: dict[str, str] | None = None

    def without_gpus(self) -> Program:
        """The same, to which the GPUs of this machine are not visible."""
        return Program(self.words, (self.environment or dict(os.environ)) | {"CUDA_VISIBLE_DEVICES": ""})

    def _says(self, *arguments: str) -> str:
        return _answer([*self.words, *arguments], f"{self.words[0]} {arguments[0]}", self.environment)

    def resolved_input(self, file: Path, changes: dict[str, str], ranks: int = 1) -> str:
        """The input with these changes and all defaults, as YAML, for a run of so many ranks."""
        sets = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
        of_ranks = ["--ranks", str(ranks)] if ranks > 1 else []
        return self._says("check", str(file), "--resolved", *of_ranks, *sets)

    def check_input(self, file: Path, *options: str) -> dict[str, Any]:
        """What `mpcflow check --json` says of an input."""
        found = json.loads(self._says("check", str(file), "--json", *options))
        if not isinstance(found, dict):
            raise ResultsError(f"{self.words[0]} check: says what is no JSON object")
        return found


def find_program(profile: Profile) -> Program:
    """mpcflow, in its container if there is one, after `setup`, which is run here once. Raises ResultsError where
    it is not found here."""
    words = shlex.split(profile.program)
    environment = _environment(profile.setup) if profile.setup.strip() else None
    if profile.container is not None:
        image = Path(profile.container).expanduser()
        return Program(
            [
                "apptainer",
                "exec",
                *(["--nv"] if profile.gpus_here else []),
                str(image.absolute()) if image.exists() else profile.container,
                *words,
            ],
            environment,
        )
    found = shutil.which(words[0], path=(environment or os.environ).get("PATH"))
    if found is None:
        hint = (
            "let the profile's `setup` bring it, here too"
            if profile.setup.strip()
            else "put mpcflow on the PATH"
        )
        raise ResultsError(
            f"{words[0]}: no such program: {hint}, or name it as `program` in the profile; submitting checks "
            "the input with it"
        )
    if environment is None or "/" in words[0]:  # else `setup` finds it where the job runs
        words[0] = str(Path(found).absolute())
    return Program(words, environment)

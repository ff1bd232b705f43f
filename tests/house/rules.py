"""The rules of the house as functions of a source tree: each returns its violations as text lines.

`all_violations(root)` applies every rule. What the rules are for is said in docs/physics.md (the same
bits on every machine) and README.md (the folders).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

# Which folders' headers a folder may include.
MAY_INCLUDE = {
    "physics": {"physics"},
    "gpu": {"gpu", "physics"},
    "input": {"input", "physics"},
    "ranks": {"ranks", "physics"},
    "app": {"app", "gpu", "input", "physics", "ranks"},
}

# The rooms of app/; each may include those before it. main.cpp stands before the doors.
ROOMS = ["text", "machine", "storage", "hdf5", "run", "output", "start", "verify", "bench", "command"]

# Headers of a library, and the one folder that knows the library.
LIBRARY_OWNERS = [
    (re.compile(r"yaml-cpp/"), "YAML", "input"),
    (re.compile(r"(hdf5|H5)\w*\.h"), "HDF5", "app/hdf5"),
    (re.compile(r"mpi\.h"), "MPI", "ranks"),
    (re.compile(r"CLI/"), "the command line", "app"),
    (re.compile(r"(cuda|cub/|thrust/|cooperative_groups|device_launch|nvtx|nv/|curand|math_constants|nccl)"), "CUDA", "gpu"),
]

# The same by link target, looked for in the CMakeLists.txt of the folders.
TARGET_OWNERS = [
    (re.compile(r"yaml-cpp"), "YAML", "input"),
    (re.compile(r"hdf5::|HDF5_"), "HDF5", "app"),
    (re.compile(r"CUDA::"), "CUDA", "gpu"),
    (re.compile(r"MPI::"), "MPI", "ranks"),
    (re.compile(r"mpcflow_input"), "input", "app"),
    (re.compile(r"mpcflow_gpu"), "gpu", "app"),
    (re.compile(r"mpcflow_ranks"), "ranks", "app"),
]

# Headers made by the build, and the folders that may include them.
GENERATED = {"mpcflow_version.hpp": {"app"}}

MAXIMUM_LINES = 400  # of all but pages
MAXIMUM_LINES_OF_PAGES = 600
MAXIMUM_COLUMNS = 110  # of C++, CUDA and Markdown, but for its tables, addresses and what programs print

# Elementary functions differ between libraries in the last bit, FMA rounds once, <random>'s
# distributions are the library's choice: none of them may touch a particle's bits.
UNSAFE_CALL = re.compile(
    r"\bstd::(?:sin|cos|tan|sincos|asin|acos|atan2?|sinh|cosh|tanh|log(?:2|10|1p|b)?|exp(?:2|m1)?|pow|hypot|"
    r"cbrt|fma|erfc?|[tl]gamma|reduce|transform_reduce)f?\b"
    r"|\b__(?:sin|cos|tan|log|exp|pow|fmul|fadd|fmaf|fdividef|frsqrt)\w*"
    r"|\b(?:fmaf?|rsqrtf?|sincosf?|sincospif?|sinpif?|cospif?)\s*\("
)
UNSAFE_HEADER = re.compile(r"random|cmath_fast|execution")
# Host-only code that is not part of a particle's bits: predictions, printed for people.
UNSAFE_ALLOWED = {"physics/cylinder_flow.cpp", "physics/theory.cpp", "physics/theory_of_mixtures.cpp"}

# Written in halves, so that this file passes its own rule.
FORBIDDEN_WORDS = [
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"), "an unfinished spot"),
    (re.compile(r"-ffast" r"-math|use_fast" r"_math|-Of" r"ast\b|-fmad=t" r"rue|-funsafe" r"-math"), "fast math"),
]

SOURCE_SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".py", ".sh", ".cmake", ".txt", ".md", ".yaml", ".in", ".def"}
TOP_FOLDERS = ["physics", "gpu", "ranks", "input", "app", "tools", "tests", "examples", "docs", "cmake", "packaging", ".ci"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def text_files(root: Path) -> Iterator[tuple[str, str]]:
    """Yields (path relative to the root, text) of every file that is ours to write."""
    paths = [path for folder in TOP_FOLDERS for path in sorted((root / folder).rglob("*"))]
    paths += sorted(path for path in root.glob("*") if path.is_file())
    for path in paths:
        if "__pycache__" in path.parts or not path.is_file():
            continue
        if path.suffix in TEXT_SUFFIXES or path.name == "run":
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace")


def without_comments(text: str) -> str:
    """C++ text with comments blanked; lines keep their numbers."""
    def blank(match: re.Match[str]) -> str:
        kept = match.group(0)
        return kept if kept.startswith(('"', "'")) else re.sub(r"[^\n]", " ", kept)
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def sources(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yields (path, top folder, text without comments) of C++ and CUDA files."""
    for path, text in text_files(root):
        if Path(path).suffix in SOURCE_SUFFIXES:
            yield path, path.split("/", 1)[0], without_comments(text)


def includes(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields (line number, '<' or '"', name) of every include."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def include_violations(root: Path) -> list[str]:
    """Own headers: named from the root, existing, and only from folders that may be seen."""
    found = []
    for path, folder, text in sources(root):
        for line, kind, name in includes(text):
            where = f"{path}:{line}: "
            owner = name.split("/", 1)[0]
            if name in GENERATED:
                if folder in MAY_INCLUDE and folder not in GENERATED[name]:
                    found.append(f"{where}{folder} may not include {name}")
            elif kind == '"':
                if not (root / name).is_file() and not (root / "tests" / name).is_file():
                    found.append(f"{where}no such file from the root: {name}")
                elif folder in MAY_INCLUDE and owner not in MAY_INCLUDE[folder]:
                    found.append(f"{where}{folder} may not include {name}")
            elif owner in MAY_INCLUDE:
                found.append(f"{where}own headers are included with quotes: {name}")
    return found


def room_violations(root: Path) -> list[str]:
    """Arrows between the rooms of app/ go one way, and nothing but main.cpp lies outside of them."""
    found = []
    for path, folder, text in sources(root):
        room = path.split("/")[1] if path.count("/") > 1 else ""
        if folder != "app" or path == "app/main.cpp":
            continue
        if room not in ROOMS:
            found.append(f"{path}: is in no room of app/: {', '.join(ROOMS)}")
            continue
        allowed = ROOMS[:ROOMS.index(room) + 1]
        for line, _, name in includes(text):
            if name.startswith("app/") and name.split("/")[1] not in allowed:
                found.append(f"{path}:{line}: app/{room} may not include {name}")
    return found


def library_violations(root: Path) -> list[str]:
    """YAML is known to input alone, HDF5 to app/hdf5 alone, MPI to ranks alone, CUDA to gpu alone and there not to plain headers."""
    found = []
    for path, folder, text in sources(root):
        if folder not in MAY_INCLUDE:
            continue
        for line, _, name in includes(text):
            for pattern, library, owner in LIBRARY_OWNERS:
                if not pattern.match(name):
                    continue
                if not path.startswith(f"{owner}/"):
                    found.append(f"{path}:{line}: {library} is known to {owner} alone: {name}")
                elif library == "CUDA" and path.endswith(".hpp"):
                    found.append(f"{path}:{line}: a .hpp is safe for every C++ compiler: {name}")
            if path.endswith((".hpp", ".cpp")) and name.endswith(".cuh"):
                found.append(f"{path}:{line}: a .cuh is for the device alone: {name}")
    return found


def target_violations(root: Path) -> list[str]:
    """The same rules, by link target."""
    found = []
    for folder in MAY_INCLUDE:
        for listing in sorted((root / folder).rglob("CMakeLists.txt")):
            path = listing.relative_to(root).as_posix()
            for line, text in enumerate(listing.read_text(encoding="utf-8").splitlines(), start=1):
                text = text.split("#", 1)[0]
                for pattern, library, owner in TARGET_OWNERS:
                    if pattern.search(text) and folder not in (owner, library):
                        found.append(f"{path}:{line}: {library} is linked by {owner} alone")
    return found


def cycle_violations(root: Path) -> list[str]:
    """No header includes itself by way of others."""
    graph = {path: [name for _, kind, name in includes(text) if kind == '"'] for path, _, text in sources(root)}
    found, done = [], set()

    def visit(path: str, trail: list[str]) -> None:
        if path in trail:
            found.append("circular includes: " + " -> ".join(trail[trail.index(path):] + [path]))
        elif path not in done:
            for name in graph.get(path, []):
                visit(name, trail + [path])
            done.add(path)

    for path in graph:
        visit(path, [])
    return found


def form_violations(root: Path) -> list[str]:
    """No file longer than it may be, every header with #pragma once, no forbidden words."""
    found = []
    for path, text in text_files(root):
        lines = text.splitlines()
        most = MAXIMUM_LINES_OF_PAGES if path.endswith(".md") else MAXIMUM_LINES
        if len(lines) > most:
            found.append(f"{path}: {len(lines)} lines, more than {most}")
        if path.endswith((".hpp", ".cuh", ".h")) and "#pragma once" not in lines:
            found.append(f"{path}: no #pragma once")
        for number, line in enumerate(lines, start=1):
            for pattern, what in FORBIDDEN_WORDS:
                if pattern.search(line):
                    found.append(f"{path}:{number}: {what}: {line.strip()}")
            if len(line) > MAXIMUM_COLUMNS and may_not_be_long(path, line):
                found.append(f"{path}:{number}: {len(line)} columns, more than {MAXIMUM_COLUMNS}")
    return found


def may_not_be_long(path: str, line: str) -> bool:
    if path.endswith(".md"):
        return not line.startswith(("|", "    ")) and len(line.split()) > 1
    return Path(path).suffix in SOURCE_SUFFIXES


def format_violations(root: Path, clang_format: str) -> list[str]:
    """What clang-format would write otherwise (.clang-format)."""
    files = [path for path, _, _ in sources(root)]
    done = subprocess.run([clang_format, "--dry-run", *files], cwd=root, capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if "warning:" in line or "error:" in line]


def find_clang_format() -> str | None:
    """The clang-format of version 14: others format otherwise."""
    for name in ("clang-format-14", "clang-format"):
        command = shutil.which(name)
        if command and " 14." in subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout:
            return command
    return None


def bit_violations(root: Path) -> list[str]:
    """Nothing in physics/ and gpu/ whose last bit depends on the library, compiler or machine."""
    found = []
    for path, folder, text in sources(root):
        if folder not in ("physics", "gpu") or path in UNSAFE_ALLOWED:
            continue
        for line, kind, name in includes(text):
            if kind == "<" and UNSAFE_HEADER.fullmatch(name):
                found.append(f"{path}:{line}: <{name}> gives other bits on other machines")
        for number, line in enumerate(text.splitlines(), start=1):
            for match in UNSAFE_CALL.finditer(line):
                found.append(f"{path}:{number}: {match.group(0)} gives other bits on other machines")
    return found


def all_violations(root: Path) -> list[str]:
    rules = [include_violations, room_violations, library_violations, target_violations, cycle_violations,
             form_violations, bit_violations]
    return [violation for rule in rules for violation in rule(root)]


def files_with_word(root: Path, word: str) -> set[str]:
    """Paths of the files in which `word` stands as a word: what `grep -rlw` finds."""
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    return {path for path, text in text_files(root) if pattern.search(text)}

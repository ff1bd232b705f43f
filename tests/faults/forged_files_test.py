"""Checkpoints and growing files that a forger changed, with seals and checksums that are right: a restart says what cannot be, with
status 3 and one line, or ends with the numbers of the run. Never does it crash, hang, or take memory without end."""

import collections
import concurrent.futures
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from forged_rows import forgeries_of_growing_files
from forging import Forgery, forged, renew_rows, replace, reseal, state_hash
from stopped import find_difference, find_part_difference, info, kill_in_the_middle, results, run, small_flow

from program import ProgramTest
from restarting import contents

# A build with sanitizers takes more address space than there is.
MOST_BYTES = None if os.environ.get("MPCFLOW_SANITIZED") else 4 << 30
EVERY = int(os.environ.get("MPCFLOW_FORGERIES_EVERY", "12"))  # 1: all of them


def huge(group: h5py.Group, leaf: str, dtype: np.dtype, ndim: int) -> None:
    kind = "f8" if dtype.kind == "S" else dtype
    group.create_dataset(leaf, (1 << 40,) + (3,) * (max(ndim, 1) - 1), kind, chunks=(1 << 10,) + (3,) * (max(ndim, 1) - 1))


def big_chunks(group: h5py.Group, leaf: str, data: np.ndarray) -> None:
    rows = (1 << 30) // (data.itemsize * int(np.prod(data.shape[1:], dtype=int)))  # of none, too
    made = group.create_dataset(leaf, (2 * rows,) + data.shape[1:], data.dtype, chunks=(rows,) + data.shape[1:], compression="gzip")
    made[:len(data)] = data


def virtual(group: h5py.Group, leaf: str, data: np.ndarray) -> None:
    layout = h5py.VirtualLayout(data.shape, data.dtype)
    layout[...] = h5py.VirtualSource("elsewhere.h5", "data", data.shape)
    group.create_virtual_dataset(leaf, layout)


def external_storage(group: h5py.Group, leaf: str, data: np.ndarray) -> None:
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_external(b"/dev/zero", 0, h5py.h5f.UNLIMITED)
    h5py.h5d.create(group.id, leaf.encode(), h5py.h5t.py_create(data.dtype), h5py.h5s.create_simple(data.shape), plist)


def ways_to_forge(data: np.ndarray) -> dict[str, Callable[[h5py.Group, str], None]]:
    """Datasets in the place of one that holds this."""
    def of(value) -> Callable[[h5py.Group, str], None]:
        return lambda group, leaf: group.create_dataset(leaf, data=value)

    ways = {
        "deleted": lambda group, leaf: None,
        "renamed": lambda group, leaf: group.create_dataset(leaf + "_", data=data),
        "a group": lambda group, leaf: group.create_group(leaf),
        "soft link": lambda group, leaf: group.__setitem__(leaf, h5py.SoftLink("/run/input")),
        "link to itself": lambda group, leaf: group.__setitem__(leaf, h5py.SoftLink(f"{group.name}/{leaf}")),
        "external link": lambda group, leaf: group.__setitem__(leaf, h5py.ExternalLink("elsewhere.h5", "data")),
        "a type": lambda group, leaf: group.__setitem__(leaf, np.dtype("f8")),
        "null": lambda group, leaf: group.create_dataset(leaf, data=h5py.Empty("f8")),
        "other text": of(np.bytes_(b"other")),
        "huge": lambda group, leaf: huge(group, leaf, data.dtype, data.ndim),
    }
    if data.dtype.kind == "S":
        ways["text of variable length"] = lambda group, leaf: group.create_dataset(leaf, data="text", dtype=h5py.string_dtype())
        ways["huge text"] = lambda group, leaf: group.create_dataset(leaf, (), "S2000000000", chunks=None)
        ways["a number"] = of(np.float64(1))
        return ways
    flat = data.reshape(-1)
    first = flat[0] if flat.size else data.dtype.type(0)
    ways |= {
        "scalar": of(data.dtype.type(first)),
        "wrong rank": of(flat if data.ndim > 1 else data[:, None]),
        "empty": of(np.empty((0,) + data.shape[1:], data.dtype)),
        "a row more": of(np.concatenate([data, data[-1:]])),
        "a row fewer": of(data[:-1]),
        "many rows": of(np.concatenate([data] * 50)),
        "texts": of(np.full(data.shape, b"7", "S8")),
        "big-endian": of(data.astype(data.dtype.newbyteorder(">"))),
        "another kind": of(data.astype("i8" if data.dtype.kind == "f" else "f8")),
        "virtual": lambda group, leaf: virtual(group, leaf, data),
        "external storage": lambda group, leaf: external_storage(group, leaf, data),
        "big chunks": lambda group, leaf: big_chunks(group, leaf, data),
    }
    if data.ndim > 1:
        ways["a bin more"] = of(np.concatenate([data, data[:, -1:]], axis=1))
        ways["a bin fewer"] = of(data[:, :-1])
        ways["a component fewer"] = of(data[..., :-1])
    if data.dtype.kind == "i":
        info = np.iinfo(data.dtype)
        for word, value in (("negative", -1), ("largest", info.max), ("smallest", info.min)):
            ways[word] = of(np.full_like(data, value))
    if data.dtype.kind == "u":
        ways["largest"] = of(np.full_like(data, np.iinfo(data.dtype).max))
    if data.dtype.kind == "f":
        for value in (np.nan, np.inf):
            ways[str(value)] = of(np.full_like(data, value))
    return ways


def forgeries_of_datasets(checkpoint: Path) -> list[Forgery]:
    found = []

    def collect(name, item):
        if isinstance(item, h5py.Dataset):
            for word, make in ways_to_forge(item[()] if item.shape else np.asarray(item[()])).items():
                def forge(out: Path, name=name, make=make) -> None:
                    with forged(out / "checkpoint.h5") as f:
                        replace(f, name, make)
                found.append((f"{name}: {word}", forge))
        elif name not in ("observables",):
            def remove(out: Path, name=name) -> None:
                with forged(out / "checkpoint.h5") as f:
                    del f[name]
            found.append((f"{name}/: deleted", remove))

    with h5py.File(checkpoint) as f:
        f.visititems(collect)
    return found


ATTRIBUTE_VALUES = {
    "text": np.bytes_(b"text"), "long text": np.bytes_(b"x" * 40000), "array": np.arange(5), "empty": h5py.Empty("f8"),
    "none at all": np.empty(0), "nan": np.float64("nan"), "negative": np.int64(-1), "largest": np.int64(2**63 - 1),
    "smallest": np.int64(-2**63), "largest unsigned": np.uint64(2**64 - 1), "a fraction": np.float64(3.7), "tiny": np.int8(-3),
    "variable text": "text",
}


def forgeries_of_attributes(checkpoint: Path) -> list[Forgery]:
    found = []

    def collect(name, item):
        for attribute in item.attrs:
            for word in ("deleted", *ATTRIBUTE_VALUES):
                def forge(out: Path, name=name, attribute=attribute, word=word) -> None:
                    with forged(out / "checkpoint.h5") as f:
                        attributes = f[name].attrs
                        del attributes[attribute]
                        if word != "deleted":
                            attributes[attribute] = ATTRIBUTE_VALUES[word]
                found.append((f"{name}@{attribute}: {word}", forge))

    with h5py.File(checkpoint) as f:
        collect("/", f)
        f.visititems(collect)
    return found


def change(edit: Callable[[h5py.File], None]) -> Callable[[Path], None]:
    def forge(out: Path) -> None:
        with forged(out / "checkpoint.h5") as f:
            edit(f)
    return forge


def set_text(name: str, text: bytes) -> Callable[[Path], None]:
    return change(lambda f: replace(f, name, lambda group, leaf: group.create_dataset(leaf, data=np.bytes_(text))))


def set_particles(name: str, value: float) -> Callable[[Path], None]:
    """With the state hash that belongs to it."""
    def edit(f: h5py.File) -> None:
        f[f"particles/{name}"][0, 0] = value
        particles = f["particles"]
        f["run"].attrs["state_hash"] = state_hash(particles["position"][()], particles["velocity"][()], particles["image"][()])
    return change(edit)


def nested(f: h5py.File) -> None:
    group = f["observables"]
    for _ in range(500):
        group = group.create_group("a")


def many(f: h5py.File) -> None:
    f.copy("observables/walls", "observables/more")
    for number in range(300):
        f[f"observables/same-{number}"] = f["observables/more"]


OTHER_FORGERIES: list[Forgery] = [
    ("an unknown observable", change(lambda f: f.copy("observables/walls", "observables/\x1b[31mmore"))),
    ("hundreds of observables", change(many)),
    ("groups in one another", change(nested)),
    ("a group in itself", change(lambda f: f["observables"].__setitem__("self", f["observables"]))),
    ("the root in itself", change(lambda f: f.__setitem__("self", f["/"]))),
    ("observables in a link", change(lambda f: (f.move("observables", "others"), f.__setitem__("observables", h5py.SoftLink("/others"))))),
    ("an observable in a link", change(lambda f: (f.move("observables/walls", "walls"),
                                                  f.__setitem__("observables/walls", h5py.SoftLink("/walls"))))),
    ("an observable in another file", change(lambda f: f.__setitem__("observables/more", h5py.ExternalLink("checkpoint.h5", "/observables/walls")))),
    ("a dataset as observable", change(lambda f: f.__setitem__("observables/more", np.arange(3)))),
    ("aliases in the input", set_text("run/input", b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
        b"%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n" % ((c + 1, c + 1) + (c,) * 9) for c in range(97, 118)))),
    ("escapes in the input", set_text("run/input", b'seed: "\x1b[31m\xc2\x9b4"\n')),
    ("escapes in the version", change(lambda f: f["program"].attrs.__setitem__("version", np.bytes_(b"\x1b[31m")))),
    ("a deep input", set_text("run/input", b"[" * 200_000)),
    ("deep maps", set_text("run/input", b"{a: " * 100_000)),
    ("a binary input", set_text("run/input", bytes(range(1, 256)) * 50)),
    ("many notes", set_text("run/notes", b"\n" * 500_000)),
    ("notes with escapes", set_text("run/notes", b"\x1b]0;title\x07\x9b31m\n")),
    ("NaN position", set_particles("position", float("nan"))),
    ("position outside", set_particles("position", -0.5)),
    ("far position (a possible state)", set_particles("position", 1e300)),
    ("position at the end (a possible state)", set_particles("position", 4.0)),
    ("inf velocity", set_particles("velocity", float("inf"))),
    ("largest velocity (a possible state)", set_particles("velocity", 1.7e308)),
    ("largest image (a possible state)", set_particles("image", 2**31 - 1)),
]


def limit_memory() -> None:
    if MOST_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# What may be given up, if the run says so.
BEGINS_ANEW = re.compile(r"output\.(\w+) (?:begins anew|begins here|is not asked for)")


def judge(base: Path, forgery: Forgery, expected: dict) -> tuple[str, str]:
    words, forge = forgery
    folder = Path(tempfile.mkdtemp(prefix="mpcflow-forged-", dir=base.parent))
    try:
        shutil.copytree(base, folder, dirs_exist_ok=True)
        out = folder / "out"
        try:
            forge(out)
        except (ValueError, TypeError, OSError, RuntimeError) as error:
            return "cannot be forged", "" if "scalar" in str(error) else f"{words}: {error!r}"
        done = run(folder, "flow.yaml", "--threads", "1", preexec_fn=limit_memory, timeout=60)
        last = done.stderr.rstrip("\n").rpartition("\n")[2]
        if "\x1b" in done.stderr:
            return "escapes", f"{words}: {done.stderr!r}"
        if done.returncode == 3:
            is_told = last.startswith("mpcflow: ") and ".h5" in last and len(last) < 3000
            return "refused", "" if is_told else f"{words}: {done.stderr}"
        if done.returncode != 0:
            killed = signal.Signals(-done.returncode).name if done.returncode < 0 else ""
            return "failed", f"{words}: status {done.returncode} {killed}: {done.stderr[-2500:]}"
        found = results(out)
        if "(a possible state)" in words:  # nobody can tell
            return "goes on", ""
        dropped = set(BEGINS_ANEW.findall(done.stderr))
        moved = [name for name in ("trajectory.h5", "fields.h5") if (out / name.replace(".h5", ".damaged.h5")).exists()]
        for name in moved:
            step = int(done.stderr.partition(", step ")[2].split("\n")[0])
            if difference := find_part_difference(out / name, expected, step):
                return "other numbers", f"{words}: {difference}"

        def counts(key: str) -> bool:
            file, name = key.split(":", 1)
            return file not in moved and name.split("/")[0].split("@")[0] not in dropped

        difference = find_difference({k: v for k, v in found.items() if counts(k)}, {k: v for k, v in expected.items() if counts(k)})
        return "goes on", f"{words}: {difference}" if difference else ""
    except subprocess.TimeoutExpired:
        return "hangs", f"{words}: hangs"
    except Exception as error:  # of h5py, which reads what the program has left
        return "unreadable", f"{words}: {error!r}"
    finally:
        shutil.rmtree(folder)


def arrays_of(found: dict) -> dict[str, np.ndarray]:
    return {name: np.asarray(value) for name, value in found.items()}


class ForgedFiles(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.made, _ = cls.run_once(small_flow(), "--quiet", "--threads", "1")
        cls.expected = results(cls.made / "out")
        shutil.rmtree(cls.made / "out")
        kill_in_the_middle(cls.made, small_flow())

    def setUp(self):
        super().setUp()
        self.base = self.folder / "base"
        shutil.copytree(self.made, self.base)

    def check(self, forgeries: list[Forgery], every: int) -> None:
        chosen = forgeries[::every]
        outcomes, faults = collections.Counter(), []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for outcome, fault in pool.map(lambda forgery: judge(self.base, forgery, self.expected), chosen):
                outcomes[outcome] += 1
                if fault:
                    faults.append(f"{outcome}: {fault}")
        print(f"{outcomes.total()} of {len(forgeries)} forgeries: " +
              ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
        self.assertEqual(faults, [], "\n".join(faults))

    def test_the_seal_is_right(self):
        whole = (self.base / "out/checkpoint.h5").read_bytes()
        reseal(self.base / "out/checkpoint.h5")
        self.assertEqual((self.base / "out/checkpoint.h5").read_bytes(), whole)
        for file in ("trajectory.h5", "fields.h5"):
            before, shown = contents(self.base / "out" / file), info(self.base / "out" / file)
            renew_rows(self.base / "out" / file)
            self.assertEqual(find_difference(arrays_of(contents(self.base / "out" / file)), arrays_of(before)), "")
            self.assertEqual(info(self.base / "out" / file), shown)

    def test_datasets(self):
        # A temperature may be not known.
        self.check([forgery for forgery in forgeries_of_datasets(self.base / "out/checkpoint.h5")
                    if forgery[0] != "observables/series/arrays/temperature: nan"], EVERY)

    def test_attributes(self):
        # Counts that could have been are a forger's own run, which nobody can tell from another.
        possible = re.compile(r"@(wall_time|restarts|start_time|title|precision|particles|steps_in_all|commit|format_version|fast_steps"
                              r"|samples|first_step|last_step): (a fraction|largest|tiny)$")
        found = [forgery for forgery in forgeries_of_attributes(self.base / "out/checkpoint.h5") if not possible.search(forgery[0])]
        self.check(found, EVERY)

    def test_the_format_before_is_refused(self):
        with forged(self.base / "out/checkpoint.h5") as f:
            f.attrs["format_version"] = np.int64(4)
        done = run(self.base, "flow.yaml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("out/checkpoint.h5: checkpoint of format 4, but this program reads formats 5 and 6; use the mpcflow that wrote it",
                      done.stderr)

    def test_others(self):
        self.check(OTHER_FORGERIES, 1)

    def test_growing_files(self):
        self.check(forgeries_of_growing_files(), 1)


if __name__ == "__main__":
    unittest.main()

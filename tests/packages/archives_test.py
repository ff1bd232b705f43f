"""What cpack makes: a TGZ that runs where none of its libraries are, and a DEB that names them."""

from __future__ import annotations

import os
import re
import subprocess
import unittest
from pathlib import Path

from installed import BUILD, CPACK, SMALL, TOOLS, check, require, temporary

OF_THE_MACHINE = re.compile(
    r"(linux-vdso|ld-linux[\w-]*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl))\.so"
)  # the C library


def packed(kind: str) -> Path:
    """The archive that cpack makes of the build, in an empty folder."""
    folder = temporary()
    check([CPACK, "-G", kind, "--config", BUILD / "CPackConfig.cmake", "-B", folder], cwd=folder)
    found = [path for path in folder.iterdir() if path.is_file()]
    if len(found) != 1:
        raise AssertionError(f"{kind}: {found}")
    return found[0]


def run_from(case: unittest.TestCase, prefix: Path) -> None:
    folder = temporary()
    example = prefix / "share/mpcflow/examples/poiseuille.yaml"
    check([prefix / "bin/mpcflow", "run", example, "--output", "out", *SMALL], cwd=folder)
    case.assertIn("velocity", check([prefix / "bin/mpcflow-plot", "out"], cwd=folder).stdout)
    # Each of the others is the same script for another module of the package, which is there whole.
    shown = (prefix / "bin/mpcflow-plot").read_text()
    for name in TOOLS:
        script = prefix / "bin" / name
        case.assertTrue(os.access(script, os.X_OK), name)
        case.assertEqual(script.read_text().replace(name.removeprefix("mpcflow-"), "plot"), shown)
    package = next(path for path in prefix.rglob("mpcflow_tools") if path.is_dir())
    source = Path(__file__).resolve().parents[2] / "tools/mpcflow_tools"
    case.assertEqual({path.relative_to(package) for path in package.rglob("*.py")},
                     {path.relative_to(source) for path in source.rglob("*.py")})


def libraries_of(program: Path) -> dict[str, str]:
    """Name and path of each library that the program is started with."""
    told = check(["ldd", program]).stdout
    loader = {Path(path).name: path for path in re.findall(r"^\s*(/\S+) \(0x", told, re.M)}
    return loader | dict(re.findall(r"^\s*(\S+) => (.*?) \(0x", told, re.M))


class Archive(unittest.TestCase):
    def test_a_tgz_runs_with_libraries_of_its_own(self) -> None:
        archive = packed("TGZ")
        self.assertRegex(archive.name, r"^mpcflow-\d+\.\d+\.\d+-linux-\w+(-cuda)?\.tar\.gz$")
        check(["tar", "xzf", archive, "-C", archive.parent])
        prefix = archive.parent / archive.name.removesuffix(".tar.gz")
        run_from(self, prefix)
        self.assertNotIn("MPI", check([prefix / "bin/mpcflow", "--version"], cwd=prefix).stdout)
        libraries = libraries_of(prefix / "bin/mpcflow")
        self.assertTrue(any("hdf5" in name for name in libraries))
        for name, path in libraries.items():
            if not OF_THE_MACHINE.match(name):
                self.assertTrue(Path(path).resolve().is_relative_to(prefix.resolve()), f"{name}: {path}")
            else:
                self.assertFalse(path.startswith(str(prefix)), f"{name} belongs to the machine")


class DebianPackage(unittest.TestCase):
    deb: Path

    @classmethod
    def setUpClass(cls) -> None:
        require("dpkg-deb", "dpkg-shlibdeps", "file")
        cls.deb = packed("DEB")

    def field(self, name: str) -> str:
        return check(["dpkg-deb", "-f", self.deb, name]).stdout.strip()

    def test_what_it_holds_runs(self) -> None:
        root = temporary()
        check(["dpkg-deb", "-x", self.deb, root])
        self.assertEqual([path.name for path in root.iterdir()], ["usr"])
        run_from(self, root / "usr")
        self.assertEqual([], list(root.rglob("*.so*")), "the libraries are the system's")
        self.assertTrue((root / "usr/share/doc/mpcflow/copyright").is_file())

    def test_it_depends_on_the_packages_of_its_libraries(self) -> None:
        """Those that dpkg says the libraries belong to, which the program is linked with."""
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", check(["readelf", "-d", BUILD / "app/mpcflow"]).stdout)
        named = {part.split()[0] for part in self.field("Depends").split(", ")}
        libraries = libraries_of(BUILD / "app/mpcflow")
        for name in needed:
            path = Path(libraries[name])
            places = {str(path), str(path.resolve()), str(path.resolve()).removeprefix("/usr")}
            owners = set()
            for place in places:
                done = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True)
                owners |= {line.split(":")[0] for line in done.stdout.splitlines()}
            self.assertTrue(owners & named, f"{name} is of {owners}, Depends are {named}")

    def test_every_dependency_is_a_package_that_this_system_has(self) -> None:
        """Installed in the version asked for, or, as Python's modules may be, among those that apt can install."""
        apt_has_lists = any(Path("/var/lib/apt/lists").glob("*_Packages*"))
        for part in self.field("Depends").split(", "):
            match = re.fullmatch(r"(\S+)(?: \((\S+) (\S+)\))?", part)
            assert match, part
            name, relation, version = match.groups()
            query = ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name]
            state, _, found = subprocess.run(query, capture_output=True, text=True).stdout.partition(" ")
            if state == "installed" and relation:
                comparison = {">=": "ge", "=": "eq", "<<": "lt"}[relation]
                check(["dpkg", "--compare-versions", found, comparison, version])
            elif state != "installed":
                self.assertFalse(relation, f"{part}: the program is linked with it, so it is installed")
                if apt_has_lists:
                    check(["apt-cache", "show", name])

    def test_what_it_says_of_itself(self) -> None:
        version = check([BUILD / "app/mpcflow", "--version"]).stdout.split()[1]
        self.assertEqual(self.field("Version"), version)
        self.assertEqual(self.field("Section"), "science")
        self.assertEqual(self.field("Maintainer"), "The mpcflow developers")
        self.assertEqual(self.field("Architecture"), check(["dpkg", "--print-architecture"]).stdout.strip())
        for module in ("h5py", "numpy", "yaml"):
            self.assertIn(f"python3-{module}", self.field("Depends"))
        self.assertIn("python3-matplotlib", self.field("Recommends"))

    def test_its_scripts_compile_the_modules_and_clean_up(self) -> None:
        folder = temporary()
        check(["dpkg-deb", "-e", self.deb, folder])
        for name, command in (("postinst", "py3compile"), ("prerm", "py3clean")):
            check(["sh", "-n", folder / name])
            self.assertIn(f"{command} -p mpcflow", (folder / name).read_text())


if __name__ == "__main__":
    unittest.main()

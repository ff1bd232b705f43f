"""Holds the tree to the rules of the house, and shows that each rule can fail."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import rules

ROOT = Path(__file__).resolve().parents[2]


class TheTree(unittest.TestCase):
    def test_keeps_every_rule(self) -> None:
        violations = rules.all_violations(ROOT)
        self.assertEqual(violations, [], "\n" + "\n".join(violations))

    @unittest.skipUnless(rules.find_clang_format(), "no clang-format 14 is here")
    def test_is_formatted(self) -> None:
        clang_format = rules.find_clang_format()
        violations = rules.format_violations(ROOT, clang_format)
        self.assertEqual(violations, [], f"run {clang_format} -i on\n" + "\n".join(violations))

    def test_is_seen_at_all(self) -> None:
        paths = {path for path, _ in rules.text_files(ROOT)}
        for path in ("CMakeLists.txt", "physics/system.hpp", "gpu/device_solver.hpp", "input/scenario.hpp", "README.md"):
            self.assertIn(path, paths)
        self.assertGreater(len(paths), 40)

    def test_a_parameter_is_followed_from_yaml_to_kernel_by_one_grep(self) -> None:
        # One name, spelt the same in an example, in the reader, in the plain struct and in the law.
        for word in ("angle", "time_step", "density", "temperature", "conserve_angular_momentum"):
            files = rules.files_with_word(ROOT, word)
            self.assertTrue(any(f.startswith("examples/") for f in files), f"no example has {word}")
            self.assertTrue(any(f.startswith("input/") and f.endswith(".cpp") for f in files), f"no reader of {word}")
            self.assertIn("physics/system.hpp", files)
            laws = {f for f in files if f.startswith("physics/") and not f.startswith(("physics/theory", "physics/system"))}
            self.assertTrue(laws, f"{word} reaches no law")


class EachRule(unittest.TestCase):
    """A small tree that keeps the rules, and one breach at a time."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("physics/a.hpp", "#pragma once\n#include <cmath>\n")
        self.write("gpu/b.hpp", '#pragma once\n#include "physics/a.hpp"\n')
        self.write("gpu/b.cu", '#include <cuda_runtime.h>\n#include <cub/cub.cuh>\n#include "gpu/b.hpp"\n')
        self.write("input/c.cpp", '#include "physics/a.hpp"\n#include <yaml-cpp/yaml.h>\n')
        self.write("input/c.hpp", "#pragma once\n")
        self.write("app/hdf5/d.hpp", "#pragma once\n#include <hdf5.h>\n")
        self.write("app/command/d.cpp", '#include "app/hdf5/d.hpp"\n#include "gpu/b.hpp"\n#include "input/c.hpp"\n'
                                        '#include "mpcflow_version.hpp"\n')

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def assert_breach(self, path: str, text: str, complaint: str) -> None:
        self.assertEqual(rules.all_violations(self.root), [])
        self.write(path, text)
        violations = rules.all_violations(self.root)
        self.assertEqual(len(violations), 1, violations)
        self.assertIn(complaint, violations[0])
        self.assertIn(path, violations[0])

    def test_physics_includes_only_physics(self) -> None:
        self.assert_breach("physics/x.hpp", '#pragma once\n#include "gpu/b.hpp"\n', "physics may not include")

    def test_gpu_and_input_never_meet(self) -> None:
        self.assert_breach("gpu/x.cpp", '#include "input/c.hpp"\n', "gpu may not include")

    def test_input_and_gpu_never_meet(self) -> None:
        self.assert_breach("input/x.cpp", '#include "gpu/b.hpp"\n', "input may not include")

    def test_nothing_includes_app(self) -> None:
        self.write("app/text/d.hpp", "#pragma once\n")
        self.assert_breach("input/x.cpp", '#include "app/text/d.hpp"\n', "input may not include")

    def test_long_lines(self) -> None:
        self.assert_breach("physics/x.cpp", f"// {'x ' * 60}\n", "columns")

    def test_long_lines_of_documents(self) -> None:
        self.write("docs/x.md", f"| {'x ' * 60}|\n<https://{'x' * 120}>\n")
        self.assert_breach("docs/y.md", f"{'word ' * 30}\n", "columns")

    @unittest.skipUnless(rules.find_clang_format(), "no clang-format 14 is here")
    def test_other_formats(self) -> None:
        self.write(".clang-format", (ROOT / ".clang-format").read_text(encoding="utf-8"))
        self.write("physics/x.cpp", "int  x;\n")
        violations = rules.format_violations(self.root, rules.find_clang_format())
        self.assertIn("physics/x.cpp", violations[0])

    def test_rooms_of_app(self) -> None:
        self.write("app/command/e.hpp", "#pragma once\n")
        self.assert_breach("app/run/x.cpp", '#include "app/command/e.hpp"\n', "app/run may not include")

    def test_no_room_of_app(self) -> None:
        self.assert_breach("app/x.cpp", "int x;\n", "is in no room")

    def test_own_headers_in_angle_brackets(self) -> None:
        self.assert_breach("physics/x.cpp", "#include <gpu/b.hpp>\n", "with quotes")

    def test_relative_includes(self) -> None:
        self.assert_breach("physics/x.cpp", '#include "a.hpp"\n', "no such file")

    def test_version_belongs_to_app(self) -> None:
        self.assert_breach("physics/x.cpp", '#include "mpcflow_version.hpp"\n', "may not include")

    def test_yaml_outside_input(self) -> None:
        self.assert_breach("app/command/x.cpp", "#include <yaml-cpp/yaml.h>\n", "YAML is known to input alone")

    def test_hdf5_outside_app(self) -> None:
        for name in ("hdf5.h", "H5public.h", "hdf5_hl.h"):
            with self.subTest(name):
                self.assert_breach("input/x.cpp", f"#include <{name}>\n", "HDF5 is known to app/hdf5 alone")
                (self.root / "input/x.cpp").unlink()

    def test_cuda_outside_gpu(self) -> None:
        for name in ("cuda_runtime.h", "cub/cub.cuh", "thrust/sort.h", "cooperative_groups.h"):
            with self.subTest(name):
                self.write("physics/x.cpp", f"#include <{name}>\n")
                self.assertTrue(any("CUDA is known to gpu alone" in v for v in rules.all_violations(self.root)))

    def test_cuda_in_a_plain_header(self) -> None:
        self.assert_breach("gpu/x.hpp", "#pragma once\n#include <cuda_runtime.h>\n", "safe for every C++ compiler")

    def test_link_targets(self) -> None:
        self.assert_breach("physics/CMakeLists.txt", "target_link_libraries(p PUBLIC hdf5::hdf5)\n", "linked by app alone")

    def test_circular_includes(self) -> None:
        self.write("physics/y.hpp", "#pragma once\n")
        self.write("physics/x.hpp", '#pragma once\n#include "physics/y.hpp"\n')
        self.assert_breach("physics/y.hpp", '#pragma once\n#include "physics/x.hpp"\n', "circular")

    def test_long_files(self) -> None:
        self.assert_breach("docs/x.md", "text\n" * 601, "601 lines")
        self.write("docs/x.md", "text\n" * 600)
        self.assert_breach("tools/x.py", "pass\n" * 401, "401 lines")
        self.write("tools/x.py", "pass\n" * 400)
        self.assertEqual(rules.all_violations(self.root), [])

    def test_missing_pragma_once(self) -> None:
        self.assert_breach("physics/x.hpp", "// #pragma once\n", "no #pragma once")

    def test_unfinished_spots(self) -> None:
        self.assert_breach("physics/x.cpp", "// TO" + "DO: later\n", "unfinished")

    def test_fast_math(self) -> None:
        self.assert_breach("gpu/CMakeLists.txt", "add_compile_options(--use_fast" + "_math)\n", "fast math")

    def test_functions_that_round_differently_elsewhere(self) -> None:
        for call in ("std::sin(x)", "std::log1p(x)", "std::pow(x, y)", "std::fma(x, y, z)", "__expf(x)", "rsqrt(x)"):
            with self.subTest(call):
                self.assert_breach("physics/x.cpp", f"double f = {call};\n", "other bits")
                (self.root / "physics/x.cpp").unlink()
        self.assert_breach("gpu/x.cuh", "#pragma once\nauto f = std::cos(x);\n", "other bits")

    def test_random_distributions_of_the_library(self) -> None:
        self.assert_breach("physics/x.cpp", "#include <random>\n", "other bits")

    def test_comments_and_the_listed_exception_are_free(self) -> None:
        self.write("physics/x.cpp", "// std::sin(x)\n/* std::cos(x)\n */ double x = std::sqrt(2.0);\n")
        self.write("physics/theory.cpp", "double x = std::exp(1.0);\n")
        self.write("app/command/x.cpp", "double x = std::exp(1.0);\n")
        self.assertEqual(rules.all_violations(self.root), [])


if __name__ == "__main__":
    unittest.main()

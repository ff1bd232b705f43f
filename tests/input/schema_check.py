"""Checks the JSON Schema that a program prints: schema_check.py PRINT_SCHEMA EXAMPLES_FOLDER.

Its structure always; with jsonschema and yaml installed also that it is a valid schema, takes the
examples, and refuses inputs with mistakes.
"""

import copy
import json
import pathlib
import subprocess
import sys

KEYWORDS = {
    "$schema", "title", "description", "default", "type", "enum", "const", "anyOf", "properties", "required",
    "additionalProperties", "items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
}
KIND = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def check(schema: dict, path: str) -> None:
    """A schema of known keywords, in which objects are closed and defaults and ranges make sense."""
    assert not set(schema) - KEYWORDS, f"{path}: {set(schema) - KEYWORDS}"
    if schema.get("type") == "object":
        assert schema["additionalProperties"] is False, path
        assert set(schema.get("required", [])) <= set(schema["properties"]), path
        for name, part in schema["properties"].items():
            # Only the faces in the two forms of an axis have no words of their own.
            assert "description" in part or path.endswith("|"), f"{path}.{name} has no description"
            check(part, f"{path}.{name}")
    if "items" in schema:
        check(schema["items"], path + "[]")
    for part in schema.get("anyOf", []):
        check(part, path + "|")
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    assert (low is None) == (high is None) and (low is None or low < high), path
    if "default" in schema:
        default = schema["default"]
        if "type" in schema:
            assert isinstance(default, KIND[schema["type"]]), f"{path}: {default}"
        if "enum" in schema:
            assert default in schema["enum"], f"{path}: {default}"
        if low is not None:
            assert low <= default <= high, f"{path}: {default}"


MISTAKES = [
    ("collision", "angle", 200), ("collision", "angle", 0), ("collision", "angel", 90), ("box", "size", [8, 8]),
    ("box", "size", [8.5, 8, 8]), ("seed", None, -1), ("seed", None, "1"), ("thermostat", "kind", "mb"),
    ("boundaries", "z", "sticky"), ("boundaries", "z", {"lower": "no_slip", "left": "no_slip"}),
    ("boundaries", "z", "lees_edwards"), ("boundaries", "z", {"kind": "lees_edwards", "shear_rate": 0.1}),
    ("boundaries", "z", {"kind": "lees_edwards", "shear_rate": 0.1, "along": "w"}),
    ("forces", None, [{"uniform": [1, 2]}]), ("forces", None, [{"sine": {"amplitude": [1, 0, 0]}}]), ("execution", "device", "cuda:64"),
    ("execution", "threads", 0), ("output", "trajectory", {"every": 1, "quantities": []}),
    ("output", "trajectory", {"every": 1, "region": {"lower": [0, 0, 0]}}), ("output", "histograms", {"speed_bins": 10}),
    ("output", "trajectory", {"every": 1, "every_nth_id": 0}), ("output", "trajectory", {"every": 1, "precision": "half"}),
    ("output", "stress", {"burst": 0}), ("output", "stress", {"every": 1, "lags": 0}), ("output", "walls", {"every": 0}),
    ("output", "histograms", {"every": 1, "largest_speed": 0}), ("output", "diffusion", {"tracers": 0}),
    ("output", "radial_distribution", {"range": 0}), ("output", "radial_distribution", {"bins": 0.5}), ("output", "fields", {"every": 1}),
    ("output", "modes", {"every": 1, "count": 65}), ("output", "structure_factor", {"count": 0}),
    ("surfaces", None, [{"sphere": {"centre": [1, 1, 1], "radius": 0}, "fluid": "inside"}]),
    ("surfaces", None, [{"cylinder": {"axis": "z", "centre": [1, 1, 1], "radius": 1}, "fluid": "inside"}]),
    ("surfaces", None, [{"sphere": {"centre": [1, 1, 1], "radius": 1}}]), ("surfaces", None, [{"fluid": "inside", "angular_velocity": [1, 0]}]),
    ("start", None, "dense"), ("start", None, {"from": ""}), ("start", None, {"frame": 0.5}), ("start", None, {"lattice": {"spacing": 1}}),
    ("title", None, ""), ("checkpoint", None, {"every": -1}), ("checkpoint", None, {"hours": 1}),
]


def check_with_library(schema: dict, examples: pathlib.Path) -> None:
    import jsonschema
    import yaml

    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted(examples.glob("*.yaml")):
        example = yaml.safe_load(path.read_text(encoding="utf-8"))
        validator.validate(example)
        for section, key, value in MISTAKES:
            mistaken = copy.deepcopy(example)
            if key is None:
                mistaken[section] = value
            else:
                mistaken.setdefault(section, {})[key] = value
            assert not validator.is_valid(mistaken), f"{section}.{key}: {value} is taken"


def main() -> None:
    schema = json.loads(subprocess.run([sys.argv[1]], capture_output=True, check=True, text=True).stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    check(schema, "")
    try:
        check_with_library(schema, pathlib.Path(sys.argv[2]))
    except ModuleNotFoundError as error:
        print(f"only the structure was checked: {error}")


if __name__ == "__main__":
    main()

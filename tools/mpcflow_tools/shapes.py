"""The shapes that the datasets of run.h5 have: those of one group that share an axis have as many entries along it."""

from __future__ import annotations

from mpcflow_tools.results import Part, ResultsError

# By group and dataset: letters are lengths, the same ones in a group, digits are themselves. Errors and expected values have
# the shape of what they belong to; other datasets may have any.
_LAGS = {"lag": "l", "time": "l", "pairs": "l"}
_SHAPES = {
    "modes": _LAGS | {"wave_vector": "k3", "transverse": "kl", "longitudinal": "kl", "viscosity": "k", "decay_rate": "k"},
    "diffusion": _LAGS | {
        "mean_square_displacement": "l", "mean_square_displacement_xyz": "l3", "velocity_autocorrelation": "l",
        "velocity_autocorrelation_xyz": "l3", "diffusion_by_displacement": "l", "diffusion_by_velocity": "l"},
    "radial_distribution": {"radius": "r", "g": "r", "pairs": "r"},
    "structure_factor": _LAGS | {"wave_vector": "k3", "S": "k", "correlation": "kl"},
    "stress": _LAGS | {
        "viscosity": "l", "kinetic_viscosity": "l", "collisional_viscosity": "l", "correlation": "l", "kinetic_correlation": "l",
        "collisional_correlation": "l", "component_correlation": "lc", "pressure_tensor": "33", "kinetic_pressure_tensor": "33",
        "collisional_pressure_tensor": "33"},
    "walls": {"stress": "f3", "heat": "f", "flow_rate": "3", "force": "s3", "torque": "s3", "surface_heat": "s"},
}
_FACES = [f"{axis} {side}" for axis in "xyz" for side in ("lower", "upper")]


def check_shapes(part: Part) -> None:
    """Raises ResultsError where datasets of a group have other shapes than mpcflow writes; nothing of them is read."""
    lengths: dict[str, int] = {}
    if part.name == "walls" and part:
        lengths |= {"f": _faces(part), "s": _surfaces(part)}
    for name in part.datasets():
        expected = axes_of(part.name, name)
        shape = part.shape(name)
        if part.name == "series" and expected is None:
            expected = "n" if len(shape) < 2 else "ns" if name.startswith("species_") else "n3"
        if expected is None:
            continue
        if len(shape) != len(expected):
            raise ResultsError(f"{part.path}: cannot be read: {part.name}/{name} has {len(shape)} axes in place of {len(expected)}: "
                               "this is not what mpcflow writes")
        for letter, length in zip(expected, shape):
            if length != (int(letter) if letter.isdigit() else lengths.setdefault(letter, length)):
                raise ResultsError(f"{part.path}: cannot be read: datasets of {part.name} differ in length ({name} is one of them): the file is damaged")


def axes_of(group: str, name: str) -> str | None:
    """A letter or digit for each axis of a dataset; None where it may have any."""
    return _SHAPES.get(group.partition("/")[0], {}).get(name.removesuffix("_error").removeprefix("expected_"))


def _faces(part: Part) -> int:
    """The number of walls, whose names are "x lower" and the like."""
    faces = part.attribute("faces") if part.has_attribute("faces") else []
    if not isinstance(faces, list) or not all(face in _FACES for face in faces):
        raise ResultsError(f"{part.path}: cannot be read: walls have other faces than a box has: this is not what mpcflow writes")
    return len(faces)


def _surfaces(part: Part) -> int:
    """The number of surfaces in the box, whose names are "0 cylinder" and the like."""
    surfaces = part.attribute("surfaces") if part.has_attribute("surfaces") else []
    if not isinstance(surfaces, list) or surfaces != [f"{i} {shape.split()[-1]}" for i, shape in enumerate(surfaces) if isinstance(shape, str) and shape]:
        raise ResultsError(f"{part.path}: cannot be read: surfaces have other names than mpcflow writes")
    return len(surfaces)

"""The vorticity of a velocity field: its curl by central differences of neighbouring bins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mpcflow_tools.command import BadArgument
from mpcflow_tools.flow import Array
from mpcflow_tools.run import AXES, Run

UNIT = "(energy/mass)^(1/2)/a"


def derivative(values: Array, axis: int, spacing: float, is_periodic: bool) -> Array:
    """Of [z][y][x] along x, y, z (axis 0, 1, 2): (f[i+1] - f[i-1]) / (2 spacing), where the axis is periodic across its ends, too; else
    there the difference to the one neighbour over the spacing. NaN where a neighbour is, and of a single bin that is not periodic."""
    along = 2 - axis
    if is_periodic:
        return np.asarray((np.roll(values, -1, along) - np.roll(values, 1, along)) / (2.0 * spacing))
    if values.shape[along] == 1:
        return np.full_like(values, np.nan)
    return np.asarray(np.gradient(values, spacing, axis=along))


def vorticity(velocity: Array, spacings: Sequence[float], is_periodic: Sequence[bool], component: int) -> Array:
    """A component of the curl of velocity [z][y][x][3], as [z][y][x]; spacings of the bins and which axes are periodic along x, y, z.
    w_x = du_z/dy - du_y/dz, and so on in turn."""
    a, b = (component + 1) % 3, (component + 2) % 3
    return (derivative(velocity[..., b], a, spacings[a], is_periodic[a]) - derivative(velocity[..., a], b, spacings[b], is_periodic[b]))


def vorticity_layer(run: Run, axis: int, index: int, component: int) -> Array:
    """In one layer of bins across `axis`, of which the neighbours alone are read: [the later of the other axes][the earlier]. Faces that are
    sheared count as ends: the images beyond them move. Raises ResultsError, BadArgument."""
    fields = run.fields
    is_periodic = [run.input["boundaries"][name] == "periodic" for name in AXES]
    for other in range(3):
        if other != component and fields.bins[other] == 1 and not is_periodic[other]:
            raise BadArgument(f"{run.path}: fields have one bin along {AXES[other]}, across which they are not periodic: the vorticity along "
                              f"{AXES[component]} needs more (output.fields.bins in the input)")
    count, near = fields.bins[axis], [index - 1, index, index + 1]
    near = [i % count for i in near] if is_periodic[axis] else [i for i in near if 0 <= i < count]
    slab = np.stack([fields.layer("velocity", axis, i) for i in near], axis=2 - axis)
    spacings = [float(np.diff(fields.edges(name))[0]) for name in AXES]
    found = vorticity(slab, spacings, [is_periodic[other] and other != axis for other in range(3)], component)
    return np.asarray(np.take(found, 1 if is_periodic[axis] else near.index(index), axis=2 - axis))

"""Averages of fields over layers of bins, read in parts: memory does not grow with the number of bins."""

from __future__ import annotations

import numpy as np

from mpcflow_tools.flow import Array
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.results import MissingResult
from mpcflow_tools.run import Block, Fields


def _component(fields: Fields, name: str, component: str, block: Block) -> tuple[Array, Array]:
    """A component of a field and its errors in some bins [z][y][x]."""
    if fields.errors and f"{name}_error" not in fields.errors:
        raise MissingResult(f"{name} has no {name}_error beside it: this is not what mpcflow writes")
    index = fields.components(name).index(component)
    values = fields.block(name, block)
    errors = fields.block(f"{name}_error", block) if fields.errors else np.full_like(values, np.nan)
    shape = values.shape[:3]
    return values.reshape(*shape, -1)[..., index], errors.reshape(*shape, -1)[..., index]


def _weights(fields: Fields, name: str, values: Array, block: Block) -> Array:
    """What a bin counts in a mean: its particles, and nothing where it was empty; of densities and pressures its volume."""
    if name in ("density", "pressure_tensor"):
        return np.where(np.isfinite(values), 1.0, 0.0)
    density = fields.block("density", block) if "density" in fields else np.ones_like(values)
    return np.where(np.isfinite(values), density, 0.0)


def layer_profile(fields: Fields, name: str, component: str, axis: int) -> tuple[Array, Array]:
    """Weighted means of a component of a field over the layers across `axis`, and their standard errors if the bins of a
    layer are independent. NaN where a layer has no weight, and for errors of windows, which have none. Raises ResultsError."""
    count = fields.bins[axis]
    total, weighted, squares = np.zeros(count), np.zeros(count), np.zeros(count)
    along = tuple(2 - other for other in range(3) if other != axis)
    for block in fields.blocks():
        values, errors = _component(fields, name, component, block)
        weights = _weights(fields, name, values, block)
        part = (slice(None), block.y, block.z)[axis]
        total[part] += weights.sum(axis=along)
        weighted[part] += (np.nan_to_num(values) * weights).sum(axis=along)
        squares[part] += (np.where(weights > 0.0, errors * weights, 0.0) ** 2).sum(axis=along)
    with np.errstate(invalid="ignore"):
        return weighted / total, np.sqrt(squares) / total


def mean_of(fields: Fields, name: str, component: str = "") -> Quantity:
    """The weighted mean over all bins, with its standard error if they are independent. Raises ResultsError."""
    total, weighted, squares = 0.0, 0.0, 0.0
    for block in fields.blocks():
        values, errors = _component(fields, name, component, block)
        weights = _weights(fields, name, values, block)
        total += float(weights.sum())
        weighted += float((np.nan_to_num(values) * weights).sum())
        squares += float((np.where(weights > 0.0, errors * weights, 0.0) ** 2).sum())
    return Quantity(weighted / total, float(np.sqrt(squares)) / total) if total > 0.0 else Quantity(float("nan"), float("nan"))


def layer_at(fields: Fields, name: str, component: str, axis: int, index: int) -> Array:
    """A component of a field in one layer of bins across `axis`: [the later of the other axes][the earlier]."""
    values = fields.layer(name, axis, index)
    return np.asarray(values.reshape(*values.shape[:2], -1)[..., fields.components(name).index(component)])

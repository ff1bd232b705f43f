"""Structure: the radial distribution, the structure factor, and how strongly the fluid fluctuates in its long waves."""

from __future__ import annotations

import numpy as np

from mpcflow_tools.estimates import Estimate, Section, lacks, weighted_mean
from mpcflow_tools.flow_report import Quantity
from mpcflow_tools.run import Run


def structure_section(run: Run) -> Section:
    """Particles of MPC do not see one another: g(r) = 1 and S(k) = 1, and each velocity mode has the mean square kT / (m N). Raises
    ResultsError."""
    section = Section("structure")
    if len(run.radial_distribution) and run.radial_distribution.samples > 0:
        pairs = run.radial_distribution
        found, radius = pairs["g"], pairs["radius"].values
        errors = found.known_error()
        used = np.isfinite(errors) & (errors > 0.0)
        section.tables["radial_distribution"] = {"radius": radius, "g": found.values, "error": errors}
        if used.any():
            mean, chi_square = weighted_mean([Quantity(float(v), float(e)) for v, e in zip(found.values[used], errors[used])])
            section.estimates.append(Estimate("g(r), mean", mean.value, mean.error, "1",
                                              f"weighted mean of {used.sum()} distances up to {radius[-1]:.3g}, of {pairs.samples:,} samples", 1.0))
            worst = int(np.argmax(np.abs(found.values[used] - 1.0) / errors[used]))
            section.notes.append(f"g(r): chi-square {chi_square:.2f} a degree of freedom about its mean; farthest from 1 at r = "
                                 f"{radius[used][worst]:.3g}: {Quantity(float(found.values[used][worst]), float(errors[used][worst]))}")
    else:
        section.missing.append(lacks("radial_distribution"))
    if len(run.structure_factor) and run.structure_factor.samples > 0:
        found = run.structure_factor["S"]
        errors = found.known_error()
        used = np.isfinite(errors) & (errors > 0.0)
        section.tables["structure_factor"] = {"k": np.linalg.norm(run.structure_factor["wave_vector"].values, axis=1), "S": found.values, "error": errors}
        if used.any():
            mean, chi_square = weighted_mean([Quantity(float(v), float(e)) for v, e in zip(found.values[used], errors[used])])
            section.estimates.append(Estimate("S(k), mean", mean.value, mean.error, "1",
                                              f"weighted mean of {used.sum()} waves; chi-square {chi_square:.2f} a degree of freedom", 1.0))
    else:
        section.missing.append(lacks("structure_factor"))
    if len(run.modes) and run.modes.samples > 0:
        equipartition = run.modes.positive("equipartition")
        for kind in ("transverse", "longitudinal"):
            sizes, errors = run.modes[kind].values[:, 0] / equipartition, run.modes[kind].known_error()[:, 0] / equipartition
            used = np.isfinite(errors) & (errors > 0.0)
            section.tables[f"{kind} modes"] = {"k": np.linalg.norm(run.modes["wave_vector"].values, axis=1), "size": sizes, "error": errors}
            if used.any():
                mean, chi_square = weighted_mean([Quantity(float(v), float(e)) for v, e in zip(sizes[used], errors[used])])
                section.estimates.append(Estimate(f"{kind} modes", mean.value, mean.error, "kT/(m N)",
                                                  f"weighted mean square of {used.sum()} waves; chi-square {chi_square:.2f} a degree of freedom", 1.0))
    else:
        section.missing.append(lacks("modes"))
    return section

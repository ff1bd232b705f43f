"""Fits of exponential decays to correlation functions whose lags are correlated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mpcflow_tools.flow import Array


@dataclass(frozen=True)
class Decay:
    """A exp(-rate t)."""

    amplitude: float
    amplitude_error: float
    rate: float
    rate_error: float
    lags: int  # that were fitted


def lag_correlation(times: Array, rate: float) -> Array:
    """Correlation of the errors of an autocorrelation's lags, of a Gaussian process that forgets at `rate`.

    Bartlett's formula (J. Roy. Stat. Soc. Suppl. 8 (1946) 27), for a record that is long against 1 / rate: with
    rho(t) = exp(-rate |t|), cov(C(s), C(t)) is proportional to the integral of rho(x) rho(x + t - s) + rho(x + t) rho(x - s).
    """
    def overlap(gap: Array) -> Array:  # integral of rho(x) rho(x + gap)
        found: Array = np.exp(-rate * gap) * (1.0 / rate + gap)
        return found

    covariance = overlap(np.abs(times[:, None] - times[None, :])) + overlap(times[:, None] + times[None, :])
    scale = np.sqrt(np.diag(covariance))
    correlation: Array = covariance / np.outer(scale, scale)
    return correlation


def fit_decay(times: Array, values: Array, errors: Array, expected_rate: float, reach: float = 2.0) -> Decay:
    """Fits A exp(-rate t) to the lags up to reach / expected_rate, weighted by their standard errors.

    Which lags are fitted follows from theory's rate, not from the noise. The errors of A and rate follow from those of
    the lags and from `lag_correlation`. Raises ValueError where fewer than 3 lags can be used, or nothing decays.
    """
    used = (times <= reach / expected_rate) & np.isfinite(values) & np.isfinite(errors) & (errors > 0.0)
    if used.sum() < 3:
        raise ValueError("fewer than 3 lags with errors before the decay is over: let the run be longer, or sample more often")
    t, y, e = times[used], values[used], errors[used]
    amplitude, rate = float(y[0]), expected_rate
    for _ in range(50):  # Gauss and Newton
        model = np.exp(-rate * t)
        design = np.column_stack([model, -amplitude * t * model]) / e[:, None]
        solve = np.linalg.pinv(design)
        change = solve @ ((y - amplitude * model) / e)
        amplitude, rate = amplitude + float(change[0]), rate + float(change[1])
        if not np.isfinite(rate) or rate <= 0.0 or rate * t[-1] > 300.0:
            raise ValueError("no decay stands out of the noise")
        if abs(change[1]) < 1e-10 * rate:
            break
    covariance = solve @ lag_correlation(t, rate) @ solve.T
    return Decay(amplitude, float(np.sqrt(covariance[0, 0])), rate, float(np.sqrt(covariance[1, 1])), int(used.sum()))

"""Samples → Autocorrelation: how much neighbors depend on each other, and so the number of effective samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.series import Floats

FEWEST = 10
_LAGS = 1 << 14


@dataclass(frozen=True, slots=True)
class Autocorrelation:
    """mean_time, median_time: integrated autocorrelation time in samples, at least 1, of the values (for their mean)
    and of the signs of their differences from the median (for their median). Each is None if unknown; reason: why.
    """

    count: int
    mean_time: float | None
    median_time: float | None
    reason: str = ""

    @property
    def effective_for_mean(self) -> float | None:
        """Number of independent samples whose mean has the same standard error: count / time."""
        return None if self.mean_time is None else self.count / self.mean_time

    @property
    def effective_for_median(self) -> float | None:
        return None if self.median_time is None else self.count / self.median_time


def autocorrelation_of(values: Floats, median: float) -> Autocorrelation:
    """Of samples in the order of measurement; unknown below ten samples, and if all are equal."""
    count = len(values)
    if count < FEWEST:
        few = f"{counted(count, 'sample')} are too few for an autocorrelation (at least {FEWEST})"
        return Autocorrelation(count, None, None, few)
    if values.min() == values.max():
        return Autocorrelation(count, None, None, "all samples are equal: no difference above the timer's step")
    rows = np.stack((values, np.sign(values - median)))
    correlations = leading_correlations(rows) if count > 4 * _LAGS else correlations_of(rows)
    if count > 4 * _LAGS and _are_all_positive(correlations):
        correlations = correlations_of(rows)
    times = integrated_times(correlations)
    return Autocorrelation(count, _known(times[0]), _known(times[1]))


def correlations_of(rows: Floats) -> Floats:
    """Autocorrelation of each row at lags 0 … n − 1; NaN where a row is constant.

    The biased estimate (divided by n at every lag), by the Wiener–Khinchin theorem: two Fourier transforms of at
    least twice the length, n log n.
    """
    length = rows.shape[-1]
    centered = rows - rows.mean(axis=-1, keepdims=True)
    padded = 1 << (2 * length - 1).bit_length()
    spectrum = np.fft.rfft(centered, padded, axis=-1)
    power = spectrum.real**2 + spectrum.imag**2
    covariance: Floats = np.fft.irfft(power, padded, axis=-1)[..., :length]
    variance: Floats = covariance[..., :1].copy()
    scale = np.maximum(np.abs(rows).max(axis=-1, keepdims=True), 1e-300)
    variance[variance <= length * (scale * 1e-12) ** 2] = np.nan
    return covariance / variance


def leading_correlations(rows: Floats) -> Floats:
    """As ``correlations_of`` for the first 16 384 lags only, in a fifth of the time for a million samples.

    Blocks of that many samples are transformed to twice the length, where a shift by a block changes the sign of every
    other frequency; the products of each block with itself and with the next are summed.
    """
    length = rows.shape[-1]
    blocks = -(-length // _LAGS)
    padded = np.zeros((len(rows), (blocks + 1) * _LAGS))
    padded[:, :length] = rows - rows.mean(axis=-1, keepdims=True)
    alternating = np.where(np.arange(_LAGS + 1) % 2, -1.0, 1.0)
    sums = np.zeros((len(rows), _LAGS + 1), dtype=np.complex128)
    for row, values in enumerate(padded.reshape(len(rows), blocks + 1, _LAGS)):
        before = np.fft.rfft(values[0], 2 * _LAGS)
        for block in values[1:]:
            after = np.fft.rfft(block, 2 * _LAGS)
            sums[row] += before.conj() * (before + alternating * after)
            before = after
    covariance = np.fft.irfft(sums, 2 * _LAGS, axis=-1)[:, :_LAGS]
    return covariance / covariance[:, :1]


def integrated_times(correlations: Floats) -> Floats:
    """1 + 2 Σ ρ(k) of each row, summed by Geyer's initial positive sequence; at least 1, NaN if ρ is.

    Geyer (1992), Practical Markov Chain Monte Carlo: the sums of neighboring pairs Γ(m) = ρ(2m) + ρ(2m + 1) are
    positive for a reversible chain, so the sum ends before the first pair that is not: the rest is noise. Alternating
    samples carry more information than independent ones; they count as independent (time 1).
    """
    even = correlations.shape[-1] // 2 * 2
    pairs = correlations[..., 0:even:2] + correlations[..., 1:even:2]
    ended = ~(pairs > 0.0)
    first = np.where(ended.any(axis=-1), ended.argmax(axis=-1), pairs.shape[-1])
    sums = np.concatenate((np.zeros((*pairs.shape[:-1], 1)), np.cumsum(pairs, axis=-1)), axis=-1)
    total = np.take_along_axis(sums, first[..., None], axis=-1)[..., 0]
    times = np.maximum(1.0, 2.0 * total - 1.0)
    return np.where(np.isnan(correlations[..., 0]), np.nan, times)


def _are_all_positive(correlations: Floats) -> bool:
    """True if the pairs of a row are positive up to the last lag: more lags are needed."""
    pairs = correlations[:, 0::2] + correlations[:, 1::2]
    return bool((pairs > 0.0).all(axis=1).any())


def local_time(values: Floats) -> float:
    """Integrated autocorrelation time of the noise alone: the median of those of eight parts of the run, or of three if
    eight would be shorter than a hundred samples.

    A step or a drift lengthens the time of the whole run, but affects only a few of the parts. 1 if unknown.
    """
    pieces = min(8, max(3, len(values) // 100))
    length = len(values) // pieces
    if length < FEWEST:
        return 1.0
    rows = values[: length * pieces].reshape(pieces, length)
    times = integrated_times(correlations_of(rows))
    known = times[~np.isnan(times)]
    return float(np.median(known)) if len(known) else 1.0


def _known(time: float) -> float | None:
    return None if math.isnan(time) else float(time)

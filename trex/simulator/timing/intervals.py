"""Intervals: error bars of predictions, by what real engines have judged.

An interval is (low, high) as factors on a predicted time, for nine of ten engines. A predicted time has three parts:

- Kinds of work that measured engines have judged: the interval is that of sums, by the distance of the device from
  those of the fit. It comes from real engines predicted by constants fitted without them: with other engines of the
  same GPU in the fit, with none of that GPU but others of its architecture, with none of the architecture.
- Kinds of work that no measured engine has judged: exp(± Z · UNJUDGED_DEVIATION), whatever the device.
- Layers of unknown work (plugins, loops).

The bar of a sum is the sum of its parts' bars, as if all errors had one sign:

    low = Σ part · low of the part        high = Σ part · high of the part

Engines of one network family on one GPU have similar errors, so they count as one group. Of n groups the interval of
sums is exp(± t · s), where s² is the mean over the groups of the mean squared logarithm of measured over predicted
time, and t the quantile of Student's distribution with n degrees of freedom: few groups have a wide interval, fewer
than LEAST_GROUPS that of work which no engine has judged. It is never wider than that, and never narrower than
LEAST_MARGIN.

Source: Student (1908) for t; the deviation of the unjudged is the looseness of the time model's own priors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import Any

from trex.perf.device import Device
from trex.perf.known_devices import plain_name
from trex.perf.samples.student import t_quantile

SAME_GPU, SAME_ARCHITECTURE, OTHER = "same GPU", "same architecture", "other architecture"
DISTANCES = (SAME_GPU, SAME_ARCHITECTURE, OTHER)
SHARE_INSIDE = 0.9
"""The share of engines that an interval is to contain."""
UNJUDGED_DEVIATION = 0.5
"""Standard deviation of the logarithm of a time whose kind no engine has judged: that of the priors of the time model's
shares (``parameters``), which such a time depends on."""
Z = NormalDist().inv_cdf((1 + SHARE_INSIDE) / 2)
UNJUDGED = (math.exp(-Z * UNJUDGED_DEVIATION), math.exp(Z * UNJUDGED_DEVIATION))
LEAST_MARGIN = 1.1
LEAST_GROUPS = 3
LEAST_ENGINES = 2
"""Measured layers of fewer engines do not judge a kind of work."""
COMPUTE, UNKNOWN_WORK = "compute", "unknown work"
"""Of the GPU compute time of an inference, and of single layers of unknown work."""

Interval = tuple[float, float]


def distance_between(device: Device, fitted: Iterable[tuple[str, tuple[int, int]]]) -> str:
    """One of ``DISTANCES``. fitted: (name, compute capability) of the devices of the fit."""
    known = list(fitted)
    if plain_name(device.name) in {plain_name(name) for name, _ in known}:
        return SAME_GPU
    return SAME_ARCHITECTURE if device.compute_capability in {capability for _, capability in known} else OTHER


def fitted_devices(document: Mapping[str, Any]) -> list[tuple[str, tuple[int, int]]]:
    """(name, compute capability) of the devices in a document of constants."""
    devices = []
    for engine in document.get("engines", ()):
        major, minor = engine["compute_capability"].split(".")
        devices.append((engine["device"], (int(major), int(minor))))
    return devices


def interval_of_groups(groups: Mapping[Any, Iterable[float]]) -> Interval:
    """The interval of sums. groups: {family and GPU: the logarithms of measured over predicted time of its engines}."""
    squares = [sum(log * log for log in logs) / len(logs) for logs in map(list, groups.values())]
    widest, narrowest = math.log(UNJUDGED[1]), math.log(LEAST_MARGIN)
    if len(squares) < LEAST_GROUPS:
        return UNJUDGED
    deviation = math.sqrt(sum(squares) / len(squares))
    half = min(max(t_quantile((1 + SHARE_INSIDE) / 2, len(squares)) * deviation, narrowest), widest)
    return math.exp(-half), math.exp(half)


def unknown_work_interval(document: Mapping[str, Any], distance: str) -> Interval:
    """Factors that hold for eight of ten layers of unknown work, predicted from their bytes alone."""
    entry = document.get("intervals", {}).get(UNKNOWN_WORK, {}).get(distance)
    low, high = UNJUDGED if entry is None else (float(entry["low"]), float(entry["high"]))
    return min(low, UNJUDGED[0]), max(high, UNJUDGED[1])


def compute_interval(document: Mapping[str, Any], distance: str) -> tuple[Interval, int]:
    """(interval of judged kinds of work at this distance, number of real engines behind it: 0 if there are none)."""
    entry = document.get("intervals", {}).get(COMPUTE, {}).get(distance)
    return (UNJUDGED, 0) if entry is None else ((float(entry["low"]), float(entry["high"])), int(entry["engines"]))


def is_judged(document: Mapping[str, Any], work: str) -> bool:
    """Whether enough engines with measured layers of this kind of work are behind a document of constants."""
    entry = document.get("judged", {}).get(work)
    return entry is not None and entry["engines"] >= LEAST_ENGINES

"""Intervals: error bars of predictions, by the distance of a device from those of the fit.

An interval is (low, high) as factors on a predicted time. It comes from predicting real engines by constants fitted
without them: with other engines of the same GPU in the fit, with none of that GPU but others of its architecture, with
none of the architecture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trex.perf.device import Device
from trex.perf.known_devices import plain_name

SAME_GPU, SAME_ARCHITECTURE, OTHER = "same GPU", "same architecture", "other architecture"
DISTANCES = (SAME_GPU, SAME_ARCHITECTURE, OTHER)
FEWEST = 8
"""A kind with fewer layers gets the interval of all kinds, widened."""
UNSEEN = (0.5, 2.0)
"""Our choice for kinds of layers that no engine has: half to twice, or that of all kinds if it is wider."""
ALL, UNKNOWN_WORK = "all kinds", "unknown work"
TOTAL, COMPUTE = "total", "compute"
"""Of the profiled sum of the layers, and of the GPU compute time of an inference."""

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


def layer_interval(document: Mapping[str, Any], distance: str, kind: str, is_known: bool) -> tuple[Interval, str]:
    """(factors that hold for eight of ten layers, why they are wide or "")."""
    intervals = document.get("intervals", {}).get("layer", {}).get(distance, {})
    every = _pair(intervals.get(ALL)) or UNSEEN
    if not is_known:
        low, high = _pair(intervals.get(UNKNOWN_WORK)) or UNSEEN
        return (min(low, UNSEEN[0]), max(high, UNSEEN[1])), "unknown work: predicted from its bytes alone"
    own = intervals.get(kind)
    if own is not None and own["layers"] >= FEWEST:
        return _pair(own) or every, ""
    widened = (min(every[0], UNSEEN[0]), max(every[1], UNSEEN[1]))
    return widened, f"too few layers of this kind ({kind}) at this distance"


def interval(document: Mapping[str, Any], whole: str, distance: str) -> Interval:
    """Factors that hold for the sums of every engine at this distance. whole: ``TOTAL`` or ``COMPUTE``."""
    return _pair(_entry(document, whole, distance)) or UNSEEN


def engine_count(document: Mapping[str, Any], whole: str, distance: str) -> int:
    """Number of real engines behind ``interval``, 0 if it is our choice."""
    entry = _entry(document, whole, distance)
    return 0 if entry is None else int(entry["engines"])


def _entry(document: Mapping[str, Any], whole: str, distance: str) -> Mapping[str, Any] | None:
    entry: Mapping[str, Any] | None = document.get("intervals", {}).get(whole, {}).get(distance)
    return entry


def _pair(entry: Mapping[str, Any] | None) -> Interval | None:
    return None if entry is None else (float(entry["low"]), float(entry["high"]))

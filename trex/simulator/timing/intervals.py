"""Distance: how far a device is from those whose engines the constants were fitted to, and the intervals that follow.

An interval is (low, high) as factors on a predicted time. It was found by predicting real engines with constants that
had not seen them: with other engines of the same GPU left in the fit, with none of that GPU but others of its
architecture, with none of the architecture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from trex.perf.device import Device
from trex.perf.known_devices import plain_name

SAME_GPU, SAME_ARCHITECTURE, OTHER = "same GPU", "same architecture", "other architecture"
DISTANCES = (SAME_GPU, SAME_ARCHITECTURE, OTHER)
FEWEST = 8
"""Layers of a kind below which its own interval is not told, but that of all kinds, widened."""
UNSEEN = (0.5, 2.0)
"""Our choice, for kinds of layers that no judged engine has: half to twice, or that of all kinds where it is wider."""
ALL, UNTOLD = "all kinds", "work not told"
TOTAL, COMPUTE = "total", "compute"
"""Of the sum of the layers as profiled, and of the GPU compute time of an inference."""

Interval = tuple[float, float]


def distance_between(device: Device, fitted: Iterable[tuple[str, tuple[int, int]]]) -> str:
    """One of ``DISTANCES``. fitted: (name, compute capability) of the devices behind the constants."""
    known = list(fitted)
    if plain_name(device.name) in {plain_name(name) for name, _ in known}:
        return SAME_GPU
    return SAME_ARCHITECTURE if device.compute_capability in {each for _, each in known} else OTHER


def fitted_devices(document: Mapping[str, Any]) -> list[tuple[str, tuple[int, int]]]:
    """(name, compute capability) of the devices behind a document of constants."""
    found = []
    for engine in document.get("engines", ()):
        major, minor = engine["compute_capability"].split(".")
        found.append((engine["device"], (int(major), int(minor))))
    return found


def layer_interval(document: Mapping[str, Any], distance: str, kind: str, is_known: bool) -> tuple[Interval, str]:
    """(factors that hold eight of ten layers, why they are wider than others or "")."""
    intervals = document.get("intervals", {}).get("layer", {}).get(distance, {})
    every = _pair(intervals.get(ALL)) or UNSEEN
    if not is_known:
        low, high = _pair(intervals.get(UNTOLD)) or UNSEEN
        return (min(low, UNSEEN[0]), max(high, UNSEEN[1])), "its products are not told: from its bytes alone"
    own = intervals.get(kind)
    if own is not None and own["layers"] >= FEWEST:
        return _pair(own) or every, ""
    widened = (min(every[0], UNSEEN[0]), max(every[1], UNSEEN[1]))
    return widened, f"too few layers of this kind ({kind}) were judged at this distance"


def interval(document: Mapping[str, Any], whole: str, distance: str) -> Interval:
    """Factors that hold the sums of every engine judged at this distance. whole: ``TOTAL`` or ``COMPUTE``."""
    return _pair(document.get("intervals", {}).get(whole, {}).get(distance)) or UNSEEN


def _pair(entry: Mapping[str, Any] | None) -> Interval | None:
    return None if entry is None else (float(entry["low"]), float(entry["high"]))

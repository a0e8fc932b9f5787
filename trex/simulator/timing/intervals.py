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
UNSEEN = (0.5, 2.0)
"""Our choice where no engine was measured: half to twice."""
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


def unknown_work_interval(document: Mapping[str, Any], distance: str) -> Interval:
    """Factors that hold for eight of ten layers of unknown work, predicted from their bytes alone."""
    entry = document.get("intervals", {}).get(UNKNOWN_WORK, {}).get(distance)
    low, high = UNSEEN if entry is None else (float(entry["low"]), float(entry["high"]))
    return min(low, UNSEEN[0]), max(high, UNSEEN[1])


def compute_interval(document: Mapping[str, Any], distance: str) -> tuple[Interval, int]:
    """(factors that hold for every engine at this distance, number of real engines behind them: 0 for our choice)."""
    entry = document.get("intervals", {}).get(COMPUTE, {}).get(distance)
    return (UNSEEN, 0) if entry is None else ((float(entry["low"]), float(entry["high"])), int(entry["engines"]))

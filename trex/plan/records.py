"""Layers → records: what a file would say if it spelled names and types as they are understood here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trex.core.layer import Layer, Role
from trex.core.timings import LayerTimes
from trex.plan.columns import tensor_record


def clean_records(layers: Iterable[Layer]) -> list[dict[str, Any]]:
    """One new record per layer: printable and unique names, ``ParameterType`` as understood; no signals and waits.

    A name that repeats gets ``_2``, ``_3`` … as in TREx, passing over names that are taken.
    """
    kept = [layer for layer in layers if layer.role is not Role.SYNC]
    names = unique_names([layer.name for layer in kept])
    return [_record(layer, name) for layer, name in zip(kept, names, strict=True)]


def _record(layer: Layer, name: str) -> dict[str, Any]:
    record = {**layer.raw, "Name": name, "LayerType": layer.subtype}
    if layer.type != layer.subtype:
        record["ParameterType"] = layer.type
    record["Inputs"] = [tensor_record(tensor) for tensor in layer.inputs]
    record["Outputs"] = [tensor_record(tensor) for tensor in layer.outputs]
    return record


def unique_names(names: list[str]) -> list[str]:
    """The names, those that repeat numbered from 2 in their order."""
    taken = set(names)
    used: dict[str, int] = {}
    found = []
    for name in names:
        count = used.get(name, 0) + 1
        unique = name
        if count > 1:
            while (unique := f"{name}_{count}") in taken:
                count += 1
            taken.add(unique)
        used[name] = count
        found.append(unique)
    return found


def profile_records(times: LayerTimes) -> list[dict[str, Any]]:
    """The profile's records in trtexec's keys, in milliseconds and percent; what is not known has no key."""
    return [
        {
            "name": time.name,
            **{key: value for key, value in time.extra.items() if isinstance(key, str)},
            **_known(timeMs=time.total_ms, averageMs=time.average_ms, medianMs=time.median_ms),
            **_known(percentage=time.share_pct),
        }
        for time in times.records
    ]


def _known(**values: float | None) -> dict[str, float]:
    return {key: value for key, value in values.items() if value is not None}

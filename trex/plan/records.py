"""Layers and times → records with clean names and types, as in the files of TREx."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trex.core.layer import Layer, Role
from trex.core.timings import LayerTimes
from trex.plan.columns import tensor_record


def clean_records(layers: Iterable[Layer]) -> list[dict[str, Any]]:
    """One new record per layer, with printable and unique names and inferred ``ParameterType``; no signals and waits.

    Metadata has ``+`` for separators.
    A repeated name gets a suffix ``_2``, ``_3`` … as in TREx, skipping names that exist.
    """
    kept = [layer for layer in layers if layer.role is not Role.SYNC]
    names = unique_names([layer.name for layer in kept])
    return [_record(layer, name) for layer, name in zip(kept, names, strict=True)]


def _record(layer: Layer, name: str) -> dict[str, Any]:
    record = {**layer.raw, "Name": name, "LayerType": layer.subtype}
    if layer.type != layer.subtype:
        record["ParameterType"] = layer.type
    if isinstance(record.get("Metadata"), str):
        record["Metadata"] = layer.metadata
    record["Inputs"] = [tensor_record(tensor) for tensor in layer.inputs]
    record["Outputs"] = [tensor_record(tensor) for tensor in layer.outputs]
    return record


def unique_names(names: list[str]) -> list[str]:
    """The names, with repeated ones numbered from 2 in order."""
    taken = set(names)
    used: dict[str, int] = {}
    result = []
    for name in names:
        count = used.get(name, 0) + 1
        unique = name
        if count > 1:
            while (unique := f"{name}_{count}") in taken:
                count += 1
            taken.add(unique)
        used[name] = count
        result.append(unique)
    return result


def profile_records(times: LayerTimes) -> list[dict[str, Any]]:
    """The profile's records with trtexec's keys, in milliseconds and percent, without unknown values."""
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

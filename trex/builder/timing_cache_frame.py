"""TimingCache → DataFrame: its entries, alone or joined with what used them."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from trex.core.build_log import BuildLog
from trex.core.timing_cache import TimingCache, TimingCacheEntry, hex_of
from trex.ingest.spelling.runners import RUNNERS, runner_name
from trex.plan.engine_plan import EnginePlan

COLUMNS = ("key", "operation", "kind", "runner", "TacticValue", "time_ms")
_NATIVE_KEY = re.compile(r"\{key: (0x[0-9a-f]{32})\}")
"""In place of the ``{key: None}`` that TensorRT for RTX 1.7 prints after the formats of a native operation."""

_RUNNER_NAMES = frozenset(RUNNERS.values())


def keyed_tactics(log: BuildLog) -> Mapping[str, tuple[str, int]]:
    """{key: (operation, tactic)} of a verbose log; it has keys of a build with an editable timing cache."""
    native = ((native_key(choice.formats), choice.layer, choice.tactic) for choice in log.chosen)
    tactics = {key: (name, tactic) for key, name, tactic in native if key}
    for operation in log.operations:
        if operation.key and operation.tactic is not None:
            tactics[operation.key] = (operation.operation, operation.tactic)
    return tactics


def native_key(formats: str) -> str:
    """The key in what is printed of a combination of formats, "" without one."""
    match = _NATIVE_KEY.search(formats)
    return match[1] if match else ""


def entries_frame(cache: TimingCache, names: Mapping[str, str] | None = None) -> pd.DataFrame:
    """One row per operation, in the file's order. time_ms is NaN where it is unknown.

    names: {key: operation} of a log; the column ``operation`` is "" without.

    ``TacticValue`` is the tactic's id in the spelling of engines since 8.4, as in the column of ``plan.df``.
    """
    names = names or {}
    rows = [
        (
            entry.key,
            names.get(entry.key, ""),
            entry.kind,
            runner_name(entry.runner),
            hex_of(entry.tactic),
            entry.time_ms,
        )
        for entry in cache.by_key.values()
    ]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"time_ms": "float64"})
    return frame


def layers_frame(cache: TimingCache, plan: EnginePlan) -> pd.DataFrame:
    """One row per layer of an engine: how many operations of the cache have its tactic, and their times.

    Several operations share a tactic (a reformat's, say), and an engine contains no keys: ``entries`` is how many may
    be the layer's own, NaN where the engine has no id. fastest_ms, slowest_ms: of these.
    """
    by_tactic = entries_by_tactic(cache)
    rows = []
    for layer in plan.working_layers:
        value = layer.tactic_value
        entries = [] if value is None else of_layer(by_tactic, layer.subtype, value)
        times = [entry.time_ms for entry in entries if entry.time_ms is not None]
        count = None if value is None else len(entries)
        tactic = None if value is None else hex_of(value)
        rows.append((layer.index, layer.name, tactic, count, min(times, default=None), max(times, default=None)))
    columns = ["layer.index", "Name", "TacticValue", "entries", "fastest_ms", "slowest_ms"]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=columns).astype(
        dict.fromkeys(("entries", "fastest_ms", "slowest_ms"), "float64")
    )
    return frame


def entries_by_tactic(cache: TimingCache) -> Mapping[int, list[TimingCacheEntry]]:
    result: dict[int, list[TimingCacheEntry]] = {}
    for entry in cache.by_key.values():
        result.setdefault(entry.tactic, []).append(entry)
    return result


def of_layer(by_tactic: Mapping[int, list[TimingCacheEntry]], runner: str, tactic: int) -> list[TimingCacheEntry]:
    """The entries of a tactic that a layer's runner may have: those of another known runner are left out.

    runner: its name, as the LayerType of engines; any other name says nothing.
    """
    entries = by_tactic.get(tactic, [])
    if runner not in _RUNNER_NAMES:
        return entries
    return [entry for entry in entries if runner_name(entry.runner) == runner or not _is_named(entry)]


def _is_named(entry: TimingCacheEntry) -> bool:
    return runner_name(entry.runner) in _RUNNER_NAMES

"""EnginePlan → EngineBuild: what the builder timed and chose for the layers of one engine, bounded for pages."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from trex.builder.build_statements import bytes_words
from trex.builder.tactics import OPERATION, Tactics
from trex.core.build_log import LAYER
from trex.core.errors import TrexError
from trex.ingest.build_log.build_log import read_build_log
from trex.plan.engine_plan import EnginePlan

MOST_CANDIDATES = 60_000
"""Rows of all candidates that are kept: about 1 MB of a page."""
_MOST_OWNERS = 30
"""Layers of one ONNX node; if it has more, it says little about an operation's layer."""
_FEWEST, _MOST_OF_ONE = 3, 60
_OF_ANOTHER, _CONFIRMED = "log-of-another-engine", "log-confirmed-by-layers"


@dataclass(frozen=True)
class EngineBuild:
    """tactics: of the engine's build log. build: the index of its build. plan: the engine."""

    tactics: Tactics
    build: int
    plan: EnginePlan

    @cached_property
    def layer_indexes(self) -> dict[str, int]:
        """Names of the engine's layers → ``layer.index``."""
        return {layer.name: layer.index for layer in reversed(self.plan.working_layers)}

    @cached_property
    def choices(self) -> pd.DataFrame:
        """Choices of the pass that was kept, as ``Tactics.choices``, with ``layer_index``: the engine's layer, NA if it
        has none of that name. Operations of Myelin are found by their ONNX nodes.
        """
        every = self.tactics.choices
        choices: pd.DataFrame = every[(every["build"] == self.build) & every["is_kept"].astype(bool)]
        choices = choices.reset_index(drop=True)
        by_name, by_nodes = self.layer_indexes, self._layers_by_nodes
        rows = zip(choices["kind"], choices["layer"], choices["operation"], strict=True)
        indexes = [
            by_name.get(layer) if kind == LAYER else by_nodes.get(operation, by_name.get(layer))
            for kind, layer, operation in rows
        ]
        choices["layer_index"] = pd.array(indexes, dtype="Int64")
        choices["in_engine"] = pd.array(self._in_engine(choices), dtype="boolean")
        return choices

    @cached_property
    def differing(self) -> tuple[int, int]:
        """(layers whose tactic in the engine is no choice of this log, layers that could be compared)."""
        rows = self.choices[(self.choices["kind"] == LAYER) & self.choices["layer_index"].notna()]
        chosen: dict[int, set[str]] = {}
        for index, tactic in zip(rows["layer_index"], rows["tactic"], strict=True):
            chosen.setdefault(int(index), set()).add(tactic)
        compared = [index for index in chosen if index in self._tactics]
        return sum(self._tactics[index] not in chosen[index] for index in compared), len(compared)

    @cached_property
    def _tactics(self) -> dict[int, str]:
        """``layer.index`` → the engine's tactic, where its files say it."""
        layers = self.plan.working_layers
        return {layer.index: f"0x{layer.tactic_value:016x}" for layer in layers if layer.tactic_value is not None}

    def _in_engine(self, choices: pd.DataFrame) -> list[Any]:
        """As the log says, unless the engine's own files say that it has another tactic."""
        keys = zip(choices["layer_index"], choices["kind"], choices["tactic"], choices["in_engine"], strict=True)
        rows = []
        for index, kind, tactic, listed in keys:
            own = None if pd.isna(index) or kind != LAYER else self._tactics.get(int(index))
            rows.append((index, listed, None if own is None else own == tactic))
        confirmed = {index for index, listed, is_own in rows if is_own and not pd.isna(listed) and listed}
        return [
            listed if is_own is None else is_own and listed if index in confirmed else is_own
            for index, listed, is_own in rows
        ]

    def candidates(self, most: int = MOST_CANDIDATES) -> pd.DataFrame:
        """The fastest tactics of every choice, the chosen one always among them: ``choice`` (row of ``choices``),
        ``kernel``, ``tactic``, ``runner``, ``time_ms``, ``is_chosen``, ``skipped`` (why it was not used, "" if timed).

        At most about ``most`` rows in all: as many of every choice. Skipped tactics come last.
        """
        choices = self.choices
        limit = min(max(most // max(len(choices), 1), _FEWEST), _MOST_OF_ONE)
        times: pd.DataFrame = self.tactics.df
        numbers = pd.Series(choices.index, index=choices["group"].to_numpy())
        times = times[times["group"].isin(numbers.index)].sort_values(["group", "time_ms"], kind="stable")
        rank = times.groupby("group").cumcount()
        times = times[(rank < limit) | times["is_chosen"]]
        frame: pd.DataFrame = times[["kernel", "tactic", "runner", "time_ms", "is_chosen"]].astype(
            {"kernel": object, "runner": object}
        )
        frame.insert(0, "choice", numbers.reindex(times["group"]).to_numpy())
        frame["skipped"] = ""
        result: pd.DataFrame = pd.concat([frame, self._skipped(limit)], ignore_index=True)
        result = result.sort_values("choice", kind="stable").reset_index(drop=True)
        return result

    @cached_property
    def _layers_by_nodes(self) -> dict[str, int]:
        """Names of Myelin's operations → the layer with most of their ONNX nodes."""
        owners: dict[str, list[int]] = {}
        for layer in self.plan.working_layers:
            for origin in dict.fromkeys(layer.origins):
                indexes = owners.setdefault(origin, [])
                if len(indexes) <= _MOST_OWNERS:
                    indexes.append(layer.index)
        result: dict[str, int] = {}
        for operation in self.tactics.log.operations:
            if operation.build != self.build or operation.operation in result:
                continue
            shared: dict[int, int] = {}
            known = [owners[origin] for origin in dict.fromkeys(operation.origins) if origin in owners]
            for indexes in [indexes for indexes in known if len(indexes) <= _MOST_OWNERS] or known[:1]:
                for index in indexes:
                    shared[index] = shared.get(index, 0) + 1
            if shared:
                result[operation.operation] = max(shared, key=lambda index: shared[index])
        return result

    def _skipped(self, limit: int) -> pd.DataFrame:
        """Tactics that were not used, of the choice of their layer and formats, or of the layer's first choice."""
        by_formats: dict[tuple[str, str], int] = {}
        by_layer: dict[str, int] = {}
        rows = self.choices[self.choices["kind"] != OPERATION]
        for number, layer, formats in zip(rows.index, rows["layer"], rows["formats"], strict=True):
            by_formats.setdefault((layer, formats), number)
            by_layer.setdefault(layer, number)
        counts: dict[int, int] = {}
        columns = ["choice", "kernel", "tactic", "runner", "time_ms", "is_chosen", "skipped"]
        kept = [step.is_chosen for step in self.tactics.log.passes]
        skips: list[tuple[Any, ...]] = []
        for skip in self.tactics.log.skipped:
            number = by_formats.get((skip.layer, skip.formats), by_layer.get(skip.layer))
            if number is None or skip.build != self.build or not kept[skip.strategy_pass]:
                continue
            counts[number] = counts.get(number, 0) + 1
            if counts[number] <= limit:
                tactic = None if skip.tactic is None else f"0x{skip.tactic:016x}"
                size = f", {bytes_words(skip.requested_bytes)} wanted" if skip.requested_bytes else ""
                size += f", {bytes_words(skip.available_bytes)} available" if skip.available_bytes is not None else ""
                skips.append((number, "", tactic, skip.runner, math.nan, False, f"{skip.reason}{size}"))
        frame: pd.DataFrame = pd.DataFrame(skips, columns=columns)
        return frame


def engine_build(plan: EnginePlan) -> EngineBuild | None:
    """The build of an engine from the verbose log among its files; None without one. Reads the whole log.

    Of several builds in the log, its last (``BuildLog.last_build``).
    """
    for path in _logs(plan):
        try:
            log = read_build_log(path)
        except TrexError:
            continue  # the log of a run, for example
        if any(build.is_verbose for build in log.builds):
            return EngineBuild(Tactics(log), log.last_build, plan)
    return None


def _logs(plan: EnginePlan) -> Iterator[str]:
    """Those of this engine, as far as reading its files has found."""
    files = plan.files
    if files is None:
        return
    others = {note.where for note in plan.notes if note.code == _OF_ANOTHER}
    confirmed = [note.where for note in plan.notes if note.code == _CONFIRMED]
    for path in dict.fromkeys((files.build_log, files.profile_log, *confirmed)):
        if path and path not in others:
            yield path

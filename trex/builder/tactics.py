"""BuildLog → Tactics: what the builder timed, chose and skipped, as DataFrames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from trex.builder.ties import TIE
from trex.core.build_log import (
    LAYER,
    REFORMAT,
    TIMED,
    Autotuned,
    Build,
    BuildLog,
    BuildPhase,
    CacheUse,
    GraphEdit,
    MyelinOperation,
    SkippedTactic,
    StrategyPass,
)
from trex.core.note import Note
from trex.ingest.spelling.data_types import data_type_of
from trex.plan.engine_plan import EnginePlan

OPERATION = "Myelin operation"
PRINTED, CLOCKS = "printed", "clocks"

_TYPE = re.compile(r"(?<![\w.])([A-Za-z][A-Za-z0-9]*)\(")
_CHOICE_COLUMNS = (
    "build", "strategy_pass", "is_kept", "kind", "layer", "operation", "formats", "reads", "writes", "runner", "tactic",
    "kernel", "time_ms", "tried", "runner_up", "runner_up_kernel", "runner_up_ms", "margin_pct", "in_engine", "line",
    "group",
)  # fmt: skip
_GROUP = ["build", "strategy_pass", "kind", "layer", "operation", "formats"]


@dataclass(frozen=True)
class Tactics:
    """What a verbose log says of the tactics of its builds. All frames are copies: change them freely.

    Times are milliseconds, durations seconds, sizes bytes; unknown is NaN, None or "". ``build`` and ``strategy_pass``
    index ``builds`` and ``passes``; ``is_kept`` says whether the pass made the engine that was kept.
    """

    log: BuildLog

    @property
    def source(self) -> str:
        return self.log.source

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.log.notes

    @cached_property
    def _sources(self) -> pd.DataFrame:
        """One row per runner that timed, then one per operation of Myelin: all that the rows of ``_times`` share.

        chosen: the tactic that was chosen, where this runner has it. group: equal for all runners of a layer and its
        formats; each table of Myelin is a group of its own, because an operation is timed anew for each combination of
        formats of its region.
        """
        log = self.log
        native, operations = _frame(Autotuned, log.autotuned), _frame(MyelinOperation, log.operations)
        native["operation"] = ""
        chosen = {(row.build, row.strategy_pass, row.layer, row.formats, row.runner): row.tactic for row in log.chosen}
        keys = ((row.build, row.strategy_pass, row.layer, row.formats, row.runner) for row in log.autotuned)
        tactics = [chosen.get(key) for key in keys] + [row.tactic for row in log.operations]
        operations["kind"], operations["runner"] = OPERATION, "Myelin"
        columns = [*_GROUP, "runner"]
        frame: pd.DataFrame = pd.concat([native[columns], operations[columns]], ignore_index=True)
        frame["chosen"] = pd.array(tactics, dtype="UInt64")
        kept = np.array([step.is_chosen for step in log.passes] or [True], dtype=bool)
        frame["is_kept"] = kept[frame["strategy_pass"].to_numpy(dtype=np.int64)]
        words = {text: data_type_words(text) for text in set(frame["formats"])}
        frame["reads"], frame["writes"] = ([words[text][side] for text in frame["formats"]] for side in (0, 1))
        frame["table"] = [0] * len(native) + _occurrences(operations)
        frame["group"] = frame.groupby([*_GROUP, "table"], sort=False).ngroup()
        for column in (*_GROUP[2:], "runner", "reads", "writes"):
            frame[column] = frame[column].astype("category")
        return frame

    @cached_property
    def _times(self) -> pd.DataFrame:
        """One row per timed tactic: its source and group, and its numbers."""
        native, myelin = self.log.times, self.log.myelin_times
        frame: pd.DataFrame = pd.DataFrame(
            {
                "source": np.concatenate(
                    [
                        np.asarray(native.autotuned, dtype=np.int64),
                        np.asarray(myelin.operation, dtype=np.int64) + len(self.log.autotuned),
                    ]
                ),
                "tactic": pd.array(
                    np.concatenate([np.asarray(part.tactic, dtype=np.uint64) for part in (native, myelin)]),
                    dtype="UInt64",
                ),
                "time_ms": np.concatenate(
                    [np.asarray(native.time_ms, dtype=float), np.asarray(myelin.cost_ms, dtype=float)]
                ),
                "kernel": pd.Categorical([*native.kernel, *myelin.kernel]),
                "line": np.concatenate([np.asarray(part.line, dtype=np.int64) for part in (native, myelin)]),
            }
        )
        sources = self._sources
        frame["group"] = sources["group"].to_numpy()[frame["source"]]
        chosen = sources["chosen"].array[frame["source"]]
        frame["is_chosen"] = np.asarray((chosen == frame["tactic"].array).fillna(False), dtype=bool)
        return frame

    @property
    def df(self) -> pd.DataFrame:
        """One row per timed tactic: those of layers and reformats in the order of the log, then Myelin's operations.

        formats: of its inputs and outputs, as printed. reads, writes: their first types. tactic: the id, as ``0x…``.
        slower_pct: how much slower it is than the fastest for the same layer and formats. is_chosen: the builder chose
        it for these formats. Repeated texts are categories.
        """
        times, sources = self._times, self._sources
        shared = [*_GROUP, "is_kept", "runner", "reads", "writes"]
        frame: pd.DataFrame = sources[shared].take(times["source"].to_numpy()).reset_index(drop=True)
        frame["tactic"] = _hexadecimal(times["tactic"])
        for column in ("kernel", "time_ms"):
            frame[column] = times[column]
        frame["group"] = times["group"]
        fastest = times.groupby("group")["time_ms"].transform("min")
        frame["slower_pct"] = 100.0 * (times["time_ms"] / fastest.where(fastest > 0) - 1.0)
        frame["is_chosen"], frame["line"] = times["is_chosen"], times["line"]
        return frame

    @cached_property
    def _choices(self) -> pd.DataFrame:
        """One row per group that has a choice: layers and Myelin's operations."""
        times, sources = self._times, self._sources
        is_reformat = (sources["kind"] == REFORMAT).to_numpy()
        times = times[~is_reformat[times["source"]]].sort_values(["group", "time_ms"], kind="stable")
        rank = times.groupby("group").cumcount()
        fastest, second = (times[rank == number].set_index("group") for number in (0, 1))
        chosen = times[times["is_chosen"]].drop_duplicates("group").set_index("group")
        # The runner-up of what was chosen: the fastest other one.
        rival = second.reindex(chosen.index)
        is_slower = (fastest["tactic"].reindex(chosen.index) != chosen["tactic"]).to_numpy()
        others = fastest.reindex(chosen.index)
        frame: pd.DataFrame = sources[[*_GROUP, "is_kept", "reads", "writes", "runner"]].take(
            chosen["source"].to_numpy()
        )
        frame.index = chosen.index
        frame["tactic"] = _hexadecimal(chosen["tactic"])
        for column in ("kernel", "time_ms", "line"):
            frame[column] = chosen[column]
        frame["tried"] = times.groupby("group").size().reindex(chosen.index)
        ids = zip(is_slower, others["tactic"], rival["tactic"], strict=True)
        frame["runner_up"] = _hexadecimal(first if slower else other for slower, first, other in ids)
        for column in ("kernel", "time_ms"):
            frame[f"runner_up_{column}"] = rival[column].astype(object).where(~is_slower, others[column].astype(object))
        frame["runner_up_ms"] = frame.pop("runner_up_time_ms").astype(float)
        frame["margin_pct"] = 100.0 * (frame["runner_up_ms"] / frame["time_ms"].where(frame["time_ms"] > 0) - 1.0)
        frame["in_engine"] = self._in_engine(frame)
        frame["group"] = frame.index
        frame["kernel"] = frame["kernel"].astype(object)
        choices: pd.DataFrame = frame.sort_values("line", kind="stable").reset_index(drop=True)[list(_CHOICE_COLUMNS)]
        return choices

    def _in_engine(self, choices: pd.DataFrame) -> Any:
        """Whether the engine has the layer with this tactic, reading this type; NA without its layers in the log.

        The engine does not say in which layout: of several choices with one tactic, each is one that it may have.
        """
        layers: dict[tuple[int, str, str], set[str]] = {}
        for row in self.log.engine_tactics:
            reads = data_type_of(row.reads).label if row.reads else ""
            for tactic in (f"0x{row.tactic:016x}", OPERATION):
                layers.setdefault((row.build, row.layer, tactic), set()).add(reads)
        has_layers = {build for build, _, _ in layers}
        columns = (choices[name] for name in ("build", "layer", "tactic", "is_kept", "kind", "reads"))
        uses = []
        for build, layer, tactic, is_kept, kind, reads in zip(*columns, strict=True):
            types = layers.get((build, layer, OPERATION if kind == OPERATION else tactic), set())
            is_read = bool(types) and (reads in types or "" in types or not reads)
            uses.append((bool(is_kept) and is_read) if build in has_layers else pd.NA)
        return pd.array(uses, dtype="boolean")

    @property
    def choices(self) -> pd.DataFrame:
        """One row per choice: a layer, or an operation of Myelin, in one combination of formats.

        The builder chooses a tactic for every combination; which one the engine uses depends on the reformats around
        it. runner_up: the fastest other tactic, of any runner. margin_pct: how much slower the runner-up is, in % of
        what was chosen; NaN if it was the only one, negative if a slower one was forced. tried: timed tactics.
        in_engine: the engine's layer has this tactic and reads this type; NA if the log does not list the engine's
        layers. group: equal for all times of ``df`` that were compared.
        """
        choices: pd.DataFrame = self._choices.copy()
        return choices

    def join(self, plan: EnginePlan) -> pd.DataFrame:
        """Rows of ``plan.df`` with what the builder chose for the layer: ``chosen_kernel``, ``chosen_ms``, ``tried``,
        ``runner_up``, ``runner_up_ms``, ``margin_pct``, ``formats``.

        By name and tactic; NaN where the log has no such choice. Of several formats with one tactic, the one with the
        largest margin: the engine does not say which it uses. Of several builds in the log, the last.
        """
        choices = self._choices
        choices = choices[(choices["kind"] == LAYER) & choices["is_kept"].astype(bool)]
        choices = choices.sort_values(["build", "margin_pct"], kind="stable", na_position="first")
        choices = choices.drop_duplicates(["layer", "tactic"], keep="last")
        chosen = choices.rename(columns={"kernel": "chosen_kernel", "time_ms": "chosen_ms"})
        chosen["kernel_id"] = chosen["tactic"]
        chosen["layer"] = chosen["layer"].astype(object)
        keys = pd.DataFrame(
            {
                "layer": [layer.name for layer in plan.working_layers],
                "kernel_id": _hexadecimal(layer.tactic_value for layer in plan.working_layers),
            }
        )
        columns = ["chosen_kernel", "chosen_ms", "tried", "runner_up", "runner_up_ms", "margin_pct", "formats"]
        matched = keys.merge(chosen[["layer", "kernel_id", *columns]], on=["layer", "kernel_id"], how="left")
        joined: pd.DataFrame = plan.new_frame()
        for column in columns:
            joined[column] = matched[column].to_numpy()
        return joined

    def ties(self, within: float = TIE) -> pd.DataFrame:
        """The choices of kept engines whose runner-up is at most so much slower: those that may flip between builds.

        within: a share, 0.02 for 2 %.
        """
        choices = self.choices
        is_tie = choices["is_kept"].astype(bool) & (choices["margin_pct"].abs() <= 100.0 * within)
        ties: pd.DataFrame = choices[is_tie].reset_index(drop=True)
        return ties

    @property
    def by_precision(self) -> pd.DataFrame:
        """The fastest time of each layer for each type of its first input (``FP32_ms``, ``FP16_ms``, …), any layout.

        Reformats next to the layer are not in these times. Of Myelin, the type is that of the region's input.
        """
        sources = self._sources
        is_layer = (sources["kind"] == LAYER) & sources["is_kept"] & (sources["reads"] != "")
        fastest = self._times.groupby("source")["time_ms"].min()
        times = sources[is_layer].join(fastest, how="inner")
        if times.empty:
            return _empty(("build", "layer"))
        best: pd.DataFrame = times.pivot_table(
            index=["build", "layer"], columns="reads", values="time_ms", aggfunc="min", sort=False, observed=True
        )
        best.columns = pd.Index([f"{type_}_ms" for type_ in best.columns])
        best = best.reset_index()
        return best

    @property
    def skipped(self) -> pd.DataFrame:
        """One row per tactic that was not timed or not used, with its reason and the memory it wanted."""
        frame = _frame(SkippedTactic, self.log.skipped)
        frame["tactic"] = _hexadecimal([row.tactic for row in self.log.skipped])
        return frame

    def fastest_kernels(self, is_wanted: Callable[[str], bool], groups: Iterable[int]) -> pd.DataFrame:
        """Of each group (``group`` of ``choices``), the fastest kernel whose name is wanted: group, kernel, time_ms."""
        times = self._times
        times = times[times["group"].isin(set(groups))]
        kernels = times["kernel"].cat.remove_unused_categories()
        wanted = np.array([bool(name) and is_wanted(name) for name in kernels.cat.categories], dtype=bool)
        codes = kernels.cat.codes.to_numpy()
        times = times[(codes >= 0) & wanted[codes]] if len(wanted) else times.iloc[:0]
        times = times.sort_values(["group", "time_ms"], kind="stable").drop_duplicates("group")
        result: pd.DataFrame = times[["group", "kernel", "time_ms"]].astype({"kernel": object}).reset_index(drop=True)
        return result

    def times_of(self, groups: Iterable[int], runners: Iterable[str], tactics: Iterable[str]) -> np.ndarray:
        """The time of each (group, runner, tactic), in ms; NaN where it was not timed."""
        keys = list(zip(groups, runners, tactics, strict=True))
        times = self._times
        times = times[times["group"].isin({group for group, _, _ in keys})]
        timed_by = self._sources["runner"].astype(object).to_numpy()[times["source"]]
        known: dict[tuple[int, str, str | None], float] = {}
        for group, runner, tactic, ms in zip(
            times["group"], timed_by, _hexadecimal(times["tactic"]), times["time_ms"], strict=True
        ):
            known.setdefault((group, runner, tactic), ms)
        return np.array([known.get(key, np.nan) for key in keys], dtype=float)

    @property
    def fusions(self) -> pd.DataFrame:
        """One row per change of the graph: fused, removed, converted, swapped, retargeted, copied layers, reformats."""
        return _frame(GraphEdit, self.log.edits)

    @property
    def phases(self) -> pd.DataFrame:
        """One row per duration that the log prints."""
        return _frame(BuildPhase, self.log.phases)

    @property
    def builds(self) -> pd.DataFrame:
        return _frame(Build, self.log.builds)

    @property
    def passes(self) -> pd.DataFrame:
        return _frame(StrategyPass, self.log.passes)

    @property
    def caches(self) -> pd.DataFrame:
        return _frame(CacheUse, self.log.caches)

    @cached_property
    def runners(self) -> pd.DataFrame:
        """One row per runner on one layer, or reformat, in one combination of formats: ``core.build_log.Autotuned``.

        seconds: as ``build_time`` has them. seconds_from: PRINTED, CLOCKS or "".
        """
        frame = _frame(Autotuned, self.log.autotuned)
        if frame.empty:
            frame["seconds_from"] = pd.Series(dtype=object)
            return frame
        clocks = pd.to_numeric(frame["clock_s"])
        ends = frame["build"].map({index: build.clock_seconds for index, build in enumerate(self.log.builds)})
        following = clocks.groupby(frame["build"]).shift(-1)
        spans = (following.where(following.notna(), clocks) - clocks).clip(lower=0.0)
        is_printed = frame["seconds"].notna()
        has_printed = is_printed.groupby(frame["build"]).transform("any")
        frame["seconds_from"] = np.where(has_printed, PRINTED, np.where(ends.notna(), CLOCKS, ""))
        frame["seconds"] = frame["seconds"].where(has_printed, spans)
        return frame

    @property
    def build_time(self) -> pd.DataFrame:
        """Where timing tactics took time: one row per build, kind, layer and runner, the longest first.

        seconds: as the builder prints since 8.6; from the clocks of older logs, whose whole seconds add up right but
        mean little for one layer (seconds_from says which). share_pct: of all timing of the build. The name of a
        reformat is that of the tensor. timings: how many tactics were timed.
        """
        frame = self.runners
        frame = frame[frame["status"] == TIMED]
        keys = ["build", "kind", "layer", "runner", "seconds_from"]
        spent: pd.DataFrame = frame.groupby(keys, sort=False)[["seconds", "tried"]].sum(min_count=1).reset_index()
        total = spent.groupby("build")["seconds"].transform("sum")
        spent["share_pct"] = 100.0 * spent["seconds"] / total.where(total > 0)
        spent = spent.rename(columns={"tried": "timings"})
        spent = spent.sort_values(["build", "seconds"], ascending=[True, False], kind="stable").reset_index(drop=True)
        return spent

    def story(self, node: str) -> pd.DataFrame:
        """What became of an ONNX node: the changes of the graph that name it, and the layers it was timed in."""
        names = {node, *(layer for layer, origin in self.log.layer_nodes if origin == node)}
        parts = re.compile("|".join(rf"(?<![\w./]){re.escape(name)}(?![\w./])" for name in sorted(names)))
        edits = [edit for edit in self.log.edits if parts.search(edit.layer) or parts.search(edit.other)]
        return _frame(GraphEdit, edits)


def _frame(row_type: Any, rows: Sequence[Any]) -> pd.DataFrame:
    """One row per NamedTuple, one column per field; the columns are there without rows, too."""
    frame: pd.DataFrame = pd.DataFrame.from_records(list(rows), columns=row_type._fields)
    return frame


def _empty(columns: Sequence[str]) -> pd.DataFrame:
    frame: pd.DataFrame = pd.DataFrame(columns=list(columns))
    return frame


def data_type_words(formats: str) -> tuple[str, str]:
    """Types of the first input and output in ``Float(784,1) -> Half(784,1)``, as trex spells them; "" if unknown."""
    reads, _, writes = formats.partition(" -> ")
    return _first_type(reads), _first_type(writes)


def _first_type(side: str) -> str:
    word = _TYPE.search(side)
    return data_type_of(word[1]).label if word else ""


def _occurrences(operations: pd.DataFrame) -> list[int]:
    if operations.empty:
        return []
    keys = ["build", "strategy_pass", "layer", "operation", "formats"]
    return [int(number) + 1 for number in operations.groupby(keys, sort=False).cumcount()]


def _hexadecimal(ids: Iterable[Any]) -> list[str | None]:
    """``0x`` and 16 digits; None for unknown ones."""
    return [None if value is None or value is pd.NA else f"0x{value:016x}" for value in ids]

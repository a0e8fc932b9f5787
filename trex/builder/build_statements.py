"""Tactics → what is said of a build: how long, the share of reformats, ties, FP16 accumulation, skips for memory.

Every function is of one build of a log, by its index; None or an empty frame if the log does not say.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from trex.builder.tactics import CLOCKS, Tactics
from trex.builder.ties import TIE, reproducible_words
from trex.core.build_log import CACHED, DEVICE_MEMORY, LAYER, MYELIN_MEMORY, REFORMAT, TIMED, WORKSPACE
from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.duration import seconds_words
from trex.ingest.logs.run_metadata import MIXED_RUNS
from trex.plan.kernels import kernel_named

GENERATION, SELECTION, COMPILATION, BUILT = (
    "Engine generation",
    "Formats and tactics selection",
    "Subgraph compilation",
    "Engine built",
)
TIMING = "Timing tactics"
_OF_LOADING = ("Deserialization", "Deserialization by trtexec")
_SPENT = ["seconds", "share_pct", "timings"]
LEAST_CLOCK_S = 10.0
"""Clocks in a log are whole seconds: shorter timings are not divided by them."""
_MIB = 1 << 20
_USUAL_MIB = 1024


@dataclass(frozen=True, slots=True)
class BuildDuration:
    """seconds: of the build, NaN if unknown. timing_s: of it, timing tactics; NaN if unknown. timings: timed tactics.

    cached: runners whose times came from a timing cache. is_by_clock: timing_s is from clocks of whole seconds.
    """

    seconds: float
    timing_s: float
    timings: int
    cached: int
    is_by_clock: bool

    @property
    def timing_pct(self) -> float:
        return 100.0 * self.timing_s / self.seconds if self.seconds > 0 else math.nan

    @property
    def words(self) -> str:
        build = "Build time unknown" if math.isnan(self.seconds) else f"Built in {seconds_words(self.seconds)}"
        if not self.timings:
            return f"{build}; no tactics were timed." if not self.cached else f"{build}; all times from a timing cache."
        timed = f"{counted(self.timings, 'tactic')} timed"
        if math.isnan(self.timing_s):
            return f"{build}, {timed}."
        share = f" ({self.timing_pct:.0f} %)" if self.timing_pct <= 100.5 else ""
        about = "about " if self.is_by_clock else ""
        return f"{build}, {timed} in {about}{seconds_words(self.timing_s)}{share}."


@dataclass(frozen=True, slots=True)
class ReformatShare:
    """What of the timing was reformats. tensors: how many different ones were reformatted in timings."""

    seconds: float
    share_pct: float
    timings: int
    tensors: int

    @property
    def words(self) -> str:
        return f"{self.share_pct:.0f} % of the timing is reformats of {counted(self.tensors, 'tensor')}."


@dataclass(frozen=True, slots=True)
class Reproducibility:
    """How many chosen tactics had a runner-up within a share. chosen: those with any runner-up.

    is_of_engine: of the layers in the engine; otherwise of every layer in every combination of formats. regret_ms: what
    the runners-up of the ties take longer, in all.
    """

    ties: int
    chosen: int
    within: float
    is_of_engine: bool
    regret_ms: float

    @property
    def words(self) -> str:
        return reproducible_words(self.ties, self.chosen, self.within, self.is_of_engine)


def duration(tactics: Tactics, build: int) -> BuildDuration:
    """Of engine generation; without it as trtexec prints it, else between the first and last clock of a build that
    ended. Of two that wrote into one log at the same time none is known.
    """
    info = tactics.log.builds[build]
    printed = [row.seconds for row in tactics.log.phases if row.build == build and row.phase == BUILT]
    clocks = () if info.passed is None else (info.clock_seconds,)
    is_mixed = any(note.code == MIXED_RUNS for note in tactics.log.notes)
    known = () if is_mixed else (info.seconds, *printed, *clocks)
    seconds = next((value for value in known if not math.isnan(value)), math.nan)
    runners = tactics.runners
    own = runners[(runners["build"] == build) & (runners["status"] == TIMED)]
    is_by_clock = bool(len(own)) and set(own["seconds_from"]) == {CLOCKS}
    timing_s = float(own["seconds"].sum(min_count=1)) if len(own) else math.nan
    if is_by_clock and timing_s < LEAST_CLOCK_S:
        timing_s = math.nan
    cached = sum(row.build == build and row.status == CACHED for row in tactics.log.autotuned)
    return BuildDuration(seconds, timing_s, _timings(tactics, build), cached, is_by_clock)


def reformat_share(tactics: Tactics, build: int) -> ReformatShare | None:
    """None if no durations are known. The builder times a reformat for each combination of formats of a tensor."""
    runners = tactics.runners
    own = runners[(runners["build"] == build) & (runners["status"] == TIMED)]
    reformats = own[own["kind"] == REFORMAT]
    whole = float(own["seconds"].sum())
    is_by_clock = bool(len(own)) and set(own["seconds_from"]) == {CLOCKS}
    if reformats.empty or not whole or (is_by_clock and whole < LEAST_CLOCK_S):
        return None
    seconds = float(reformats["seconds"].sum())
    tensors = reformats["layer"].nunique()
    return ReformatShare(seconds, 100.0 * seconds / whole, int(reformats["tried"].sum()), tensors)


def engine_choices(tactics: Tactics, build: int) -> tuple[pd.DataFrame, bool]:
    """The choices of kept passes that the engine uses, one per layer, and whether the log says which; else all of them.

    Operations of Myelin are among them. Of several formats with the engine's tactic, or tables of one operation, the
    one with the largest margin counts: the log does not say which the engine uses.
    """
    choices = tactics.choices
    choices = choices[(choices["build"] == build) & choices["is_kept"].astype(bool)]
    used = choices[choices["in_engine"].fillna(False).to_numpy(dtype=bool)]
    if used.empty:
        return choices, False
    used = used.sort_values("margin_pct", kind="stable", na_position="first")
    used = used.drop_duplicates(["layer", "operation"], keep="last").sort_values("line", kind="stable")
    return used, True


def reproducibility(tactics: Tactics, build: int, within: float = TIE) -> Reproducibility | None:
    """None without choices between tactics."""
    choices, is_of_engine = engine_choices(tactics, build)
    choices = choices[choices["margin_pct"].notna()]
    if choices.empty:
        return None
    ties = choices[choices["margin_pct"].abs() <= 100.0 * within]
    regret = float((ties["runner_up_ms"] - ties["time_ms"]).clip(lower=0.0).sum())
    return Reproducibility(len(ties), len(choices), within, is_of_engine, regret)


def phases(tactics: Tactics, build: int) -> pd.DataFrame:
    """One row per phase, in the order of the log: phase, within (the phase that contains it), seconds, share_pct.

    Durations of all passes are added up. Phases within another are not added to it: tactics are timed, and since 10
    subgraphs compiled, within the selection of formats. share_pct: of engine generation.
    """
    rows: dict[tuple[str, str], float] = {}
    own = [row for row in tactics.log.phases if row.build == build and row.phase not in _OF_LOADING]
    selected = {row.strategy_pass: row.line for row in own if row.phase == SELECTION}
    for row in own:
        is_inside = row.phase == COMPILATION and selected.get(row.strategy_pass, 0) > row.line
        within = SELECTION if is_inside else ""
        rows[row.phase, within] = rows.get((row.phase, within), 0.0) + row.seconds
    spent = duration(tactics, build)
    if not math.isnan(spent.timing_s) and (SELECTION, "") in rows:
        rows[TIMING, SELECTION] = spent.timing_s
    whole = rows.get((GENERATION, ""), math.nan)
    frame: pd.DataFrame = pd.DataFrame(
        [
            (phase, within, seconds, 100.0 * seconds / whole if whole else math.nan)
            for (phase, within), seconds in rows.items()
        ],
        columns=["phase", "within", "seconds", "share_pct"],
    )
    order = {phase: index for index, phase in enumerate(frame["phase"][frame["within"] == ""])}
    keys = [(order.get(row.within or row.phase, len(order)), row.within != "") for row in frame.itertuples()]
    frame = frame.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)
    outside = ~frame["phase"].isin([GENERATION, BUILT, "Parsing"])
    frame.loc[~outside & (frame["phase"] != GENERATION), "share_pct"] = np.nan
    return frame


def time_by_layer(tactics: Tactics, build: int) -> pd.DataFrame:
    """One row per layer, the longest first: layer, seconds, share_pct, timings, runners. Reformats are one row."""
    spent = tactics.build_time
    spent = spent[spent["build"] == build].copy()
    spent["layer"] = spent["layer"].where(spent["kind"] == LAYER, "reformats")
    grouped = spent.groupby(["kind", "layer"], sort=False, observed=True)
    result: pd.DataFrame = grouped[_SPENT].sum(min_count=1)
    result = result.assign(runners=grouped["runner"].nunique()).reset_index()
    result = result.sort_values(["seconds", "timings"], ascending=False, kind="stable").reset_index(drop=True)
    return result


def time_by_runner(tactics: Tactics, build: int) -> pd.DataFrame:
    """One row per runner, the longest first: runner, seconds, share_pct, timings, chosen (how often)."""
    spent = tactics.build_time
    spent = spent[spent["build"] == build]
    result: pd.DataFrame = spent.groupby("runner", sort=False)[_SPENT].sum(min_count=1).reset_index()
    kept = [one.is_chosen for one in tactics.log.passes]
    chosen = pd.Series(
        [row.runner for row in tactics.log.chosen if row.build == build and kept[row.strategy_pass]], dtype=object
    ).value_counts()
    result["chosen"] = result["runner"].map(chosen).fillna(0).astype(int)
    result = result.sort_values(["seconds", "timings"], ascending=False, kind="stable").reset_index(drop=True)
    return result


def slower_than_fp32(tactics: Tactics, build: int, above: float = TIE) -> pd.DataFrame:
    """Layers whose best time in a smaller type is longer than in FP32, beyond a tie: layer, type, time_ms, fp32_ms,
    slower_pct; the most time lost first.
    """
    best = tactics.by_precision
    rows = []
    if "FP32_ms" in best:
        best = best[best["build"] == build]
        for type_ in ("FP16", "BF16", "FP8", "INT8"):
            if (column := f"{type_}_ms") in best:
                slower = best[best[column] > best["FP32_ms"] * (1.0 + above)]
                rows += [(row["layer"], type_, row[column], row["FP32_ms"]) for row in slower.to_dict("records")]
    frame: pd.DataFrame = pd.DataFrame(rows, columns=["layer", "type", "time_ms", "fp32_ms"])
    frame["slower_pct"] = 100.0 * (frame["time_ms"] / frame["fp32_ms"] - 1.0)
    lost = (frame["time_ms"] - frame["fp32_ms"]).sort_values(ascending=False, kind="stable").index
    frame = frame.loc[lost].reset_index(drop=True)
    return frame


def fp16_accumulation(tactics: Tactics, build: int) -> pd.DataFrame:
    """Used choices whose kernel accumulates in FP16 by its name, with the fastest that accumulates in FP32 by its name:
    layer, operation, kernel, time_ms, fp32_kernel, fp32_ms, price_pct; NaN where none was timed.

    Names such as ``f16f16_f16f32_f32`` are a convention, not documented: a hint.
    """
    used, _ = engine_choices(tactics, build)
    accumulates = {
        name: kernel_named(name).accumulate_type if name else DataType.UNKNOWN for name in set(used["kernel"])
    }
    used = used[np.array([accumulates[name] is DataType.FP16 for name in used["kernel"]], dtype=bool)]
    rivals = tactics.fastest_kernels(lambda name: kernel_named(name).accumulate_type is DataType.FP32, used["group"])
    frame: pd.DataFrame = used[["layer", "operation", "kernel", "time_ms", "group"]].merge(
        rivals.rename(columns={"kernel": "fp32_kernel", "time_ms": "fp32_ms"}), on="group", how="left"
    )
    frame["price_pct"] = 100.0 * (frame["fp32_ms"] / frame["time_ms"].where(frame["time_ms"] > 0) - 1.0)
    frame = frame.drop(columns="group")
    return frame


def accumulation_words(accumulation: pd.DataFrame) -> str:
    """ "" if no used kernel accumulates in FP16 by its name."""
    if accumulation.empty:
        return ""
    kernels = counted(len(accumulation), "chosen kernel accumulates", "chosen kernels accumulate")
    words = f"{kernels} in FP16, by its name" if len(accumulation) == 1 else f"{kernels} in FP16, by their names"
    known = accumulation["price_pct"].dropna()
    if known.empty:
        return f"{words}; no FP32-accumulating alternative was timed."
    extra = float((accumulation["fp32_ms"] - accumulation["time_ms"]).clip(lower=0.0).sum())
    low, high = float(known.min()), float(known.max())
    price = f"{low:.2g} %" if len(known) == 1 else f"{low:.2g} to {high:.2g} %"
    return f"{words}; accumulating in FP32 takes {price} longer ({extra:.3g} ms in all)."


@dataclass(frozen=True, slots=True)
class MemorySkips:
    """Tactics skipped for one reason. most_bytes: the largest request. available_bytes: the most there was."""

    reason: str
    tactics: int
    layers: int
    most_bytes: int | None
    available_bytes: int | None

    @property
    def flag(self) -> str:
        """What lets them be timed, as far as the reason says."""
        if self.reason != WORKSPACE or self.most_bytes is None:
            return ""
        # Less than 1 MiB is a size with a unit, which trtexec 10.1 and later parse as bytes.
        least = _USUAL_MIB if self.available_bytes is not None and self.available_bytes < _MIB else 1
        return f"--memPoolSize=workspace:{max(least, math.ceil(self.most_bytes / _MIB))}"

    @property
    def words(self) -> str:
        what = {WORKSPACE: "workspace", DEVICE_MEMORY: "GPU memory", MYELIN_MEMORY: "than Myelin's memory budget"}
        more = f"more {what[self.reason]}"
        skipped = f"{counted(self.tactics, 'tactic')} of {counted(self.layers, 'layer')} needed {more}"
        if self.reason != MYELIN_MEMORY:
            skipped += " than available"
        sizes = [
            f"{verb} {bytes_words(size)}"
            for verb, size in (("up to", self.most_bytes), ("available", self.available_bytes))
            if size is not None
        ]
        return skipped + (f" ({', '.join(sizes)})" if sizes else "")


def memory_skips(tactics: Tactics, build: int) -> tuple[MemorySkips, ...]:
    """In kept passes, by reason."""
    kept = [one.is_chosen for one in tactics.log.passes]
    own = [row for row in tactics.log.skipped if row.build == build and kept[row.strategy_pass]]
    result = []
    for reason in (WORKSPACE, DEVICE_MEMORY, MYELIN_MEMORY):
        rows = [row for row in own if row.reason == reason]
        if rows:
            requested = [row.requested_bytes for row in rows if row.requested_bytes is not None]
            available = [row.available_bytes for row in rows if row.available_bytes is not None]
            result.append(
                MemorySkips(
                    reason,
                    len(rows),
                    len({row.layer for row in rows}),
                    max(requested, default=None),
                    max(available, default=None),
                )
            )
    return tuple(result)


def graph_words(tactics: Tactics, build: int) -> str:
    """``Graph: 24 → 15 layers; 9 fusions, 3 removed, 5 reformats added.``; "" if the log does not say."""
    kept = [one.is_chosen for one in tactics.log.passes]
    counts = [row for row in tactics.log.layer_counts if row.build == build and kept[row.strategy_pass]]
    changes = Counter(row.kind for row in tactics.log.edits if row.build == build and kept[row.strategy_pass])
    words = [
        text
        for kind, text in (
            ("fused", counted(changes["fused"], "fusion")),
            ("removed", f"{changes['removed']:,} removed"),
            ("reformat", counted(changes["reformat"], "reformat added", "reformats added")),
        )
        if changes[kind]
    ]
    if not counts:
        return f"Graph: {', '.join(words)}." if words else ""
    first, last = counts[0].layers, counts[-1].layers
    steps = [(before.layers - after.layers, after.step) for before, after in pairwise(counts)]
    drop, step = max(steps, default=(0, ""))
    if drop and drop >= 0.5 * (first - last) and not words:
        words = [f"{drop:,} fewer {_lower(step)}"]
    layers = counted(last, "layer") if first == last else f"{first:,} → {counted(last, 'layer')}"
    return f"Graph: {layers}" + (f"; {', '.join(words)}." if words else ".")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def statements(tactics: Tactics, build: int) -> Sequence[str]:
    """What must be known first: how long, reformats if they took a third, ties, skips, accumulation."""
    words = [duration(tactics, build).words]
    share = reformat_share(tactics, build)
    if share is not None and share.share_pct >= 30.0:
        words.append(share.words)
    reproducible = reproducibility(tactics, build)
    if reproducible is not None:
        words.append(reproducible.words)
    return words


def bytes_words(size: int) -> str:
    """``1.1 MiB``, ``1,024 bytes``."""
    if size < _MIB / 10:
        return f"{size:,} bytes"
    mib = size / _MIB
    return f"{mib:,.0f} MiB" if mib >= 100 else f"{mib:.3g} MiB"


def _timings(tactics: Tactics, build: int) -> int:
    native = sum(row.tried for row in tactics.log.autotuned if row.build == build)
    operations = np.array([row.build for row in tactics.log.operations], dtype=np.int64)
    myelin = np.asarray(tactics.log.myelin_times.operation, dtype=np.int64)
    return native + (int((operations[myelin] == build).sum()) if len(operations) else 0)

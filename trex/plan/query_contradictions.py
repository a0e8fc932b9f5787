"""Per-query times and trtexec's summary of the same queries → Notes where they contradict themselves or each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, pairwise

import numpy as np

from trex.core.counted import counted
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import CUT_OFF, LONGEST_MS, MISSING_TIMES, QueryTimes
from trex.ingest.spelling.written_number import written_number
from trex.plan.gaps import do_queries_overlap, inference_streams, queries_at_once
from trex.plan.time_notes import (
    COPIED_QUERIES,
    ENQUEUE_CONTRADICTS,
    ONE_RUN,
    OTHER_RUN,
    OTHER_UNIT,
    PERCENTILES_CONTRADICT,
    SAME_RUN,
    SHORTEST_MS,
    TIMES_CONTRADICT,
    TOTAL_COMPUTE,
    TRANSFERS_CONTRADICT,
    TWO_RUNS,
)

_ROUNDED = 2e-5
"""trtexec prints six digits, so a difference of two points in time is off by at most this share of the later one."""
_NOTED_ROWS = 0.01
_SAME_MEDIAN = 1.01
"""The median that trtexec's summary prints is that of the same queries: equal to six digits on 13 real engines."""
_WHOLE_QUERIES = 0.9
"""The share of a few queries that are above or below a percentile may be smaller than it says: 10 % with ten."""
_DIGITS = 6
_PARTS = ("h2dMs", "computeMs", "d2hMs")
_PART_LINES = ("H2D Latency", "GPU Compute Time", "D2H Latency")
_SUMMARIZED = (("Latency", "latencyMs"), ("GPU Compute Time", "computeMs"))
_CODES = {
    "GPU Compute Time": TIMES_CONTRADICT,
    "Latency": TIMES_CONTRADICT,
    "Enqueue Time": ENQUEUE_CONTRADICTS,
    "H2D Latency": TRANSFERS_CONTRADICT,
    "D2H Latency": TRANSFERS_CONTRADICT,
}
"""Of the Notes on a line of trtexec's summary that contradicts itself."""
_WORDS = {"latencyMs": "latency", "computeMs": "GPU compute"}


def of_queries(query_times: QueryTimes | None, metadata: Metadata) -> Iterator[Iterator[Note]]:
    """The check that says most first; ``copied_queries`` and ``enqueue_times`` are apart."""
    if query_times is not None:
        yield _durations(query_times)
    yield _latency(query_times, metadata)
    if query_times is not None:
        yield _statistics(query_times, metadata)
        yield _missing_times(query_times)
        yield _lost_queries(query_times, metadata)
        yield _overlap(query_times, metadata)
    yield _traced_queries(metadata)
    yield _order(metadata)
    yield _parts_over_latency(metadata)
    yield _zero_summary(metadata)


def summarized_queries(metadata: Metadata) -> int | None:
    """Queries behind trtexec's summary: the total of GPU compute over its mean; None if unknown."""
    summary, total_s = metadata.latency.get("GPU Compute Time"), written_number(metadata.performance.get(TOTAL_COMPUTE))
    mean_ms = None if summary is None else summary.mean_ms
    return None if not mean_ms or not total_s or total_s < 0.0 else round(1000.0 * total_s / mean_ms)


def copied_queries(query_times: QueryTimes) -> Iterator[Note]:
    """Two queries never begin and end at the same times."""
    starts, ends = (query_times.columns.get(key) for key in ("startComputeMs", "endComputeMs"))
    if starts is None or ends is None:
        return
    known = [span for span in zip(starts, ends, strict=True) if all(map(math.isfinite, span))]
    copies = len(known) - len(set(known))
    if copies > _NOTED_ROWS * len(known):
        message = f"{copies:,} of {len(known):,} queries are copies of others: same start, same end"
        yield Note(COPIED_QUERIES, message, OTHER_UNIT, query_times.source, "problem")


def _missing_times(query_times: QueryTimes) -> Iterator[Note]:
    """No statistic is of queries without a time, which may be the slow ones; none takes 0 ms."""
    for key in ("computeMs", "latencyMs"):
        values = np.asarray(query_times.columns.get(key, ()), dtype=np.float64)[query_times.warm_up_rows or 0 :]
        missing = len(values) - int(((values > 0.0) & (values <= LONGEST_MS)).sum())
        if missing > _NOTED_ROWS * len(values):
            message = f"{missing:,} of {len(values):,} queries have no usable {_WORDS[key]}, and may be the slow ones"
            yield Note(MISSING_TIMES, message, OTHER_UNIT, query_times.source, "problem")
            return


def _lost_queries(query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """trtexec exports every query of its summary: on 12 real engines exactly as many, without the warm-up."""
    summary, total_s = metadata.latency.get("GPU Compute Time"), written_number(metadata.performance.get(TOTAL_COMPUTE))
    mean_ms = None if summary is None else summary.mean_ms
    if query_times.is_part:
        return
    if not total_s or total_s < 0.0 or mean_ms is None or mean_ms <= SHORTEST_MS:
        if any(note.code == CUT_OFF for note in query_times.notes):
            message = f"the file is cut off after {counted(len(query_times), 'query', 'queries')}, of an unknown number"
            yield Note(MISSING_TIMES, message, OTHER_UNIT, query_times.source, "problem")
        return
    own = len(query_times) - (query_times.warm_up_rows or 0)
    fewest, most = (1000.0 * total_s / (mean_ms + sign * SHORTEST_MS) for sign in (1, -1))  # as a script may round
    words = f"trtexec's summary is of {1000.0 * total_s / mean_ms:,.0f} queries, the per-query times are of {own:,}"
    if own < (1.0 - _NOTED_ROWS) * fewest:
        message = f"{words}: the others may be the slow ones"
        yield Note(MISSING_TIMES, message, OTHER_UNIT, query_times.source, "problem")
    elif query_times.warm_up_rows is not None and own > (1.0 + _NOTED_ROWS) * most:
        yield Note(TWO_RUNS, f"{words}: these are two runs", ONE_RUN, query_times.source, "problem")


def _overlap(query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """On one inference stream, a query begins when the one before it has ended: so in 13 real files."""
    if inference_streams(metadata) == 1.0 and do_queries_overlap(query_times):
        message = "the run had one inference stream, but its queries overlap: these are the times of two runs"
        yield Note(TWO_RUNS, message, ONE_RUN, query_times.source, "problem")


def _traced_queries(metadata: Metadata) -> Iterator[Note]:
    """The queries that trtexec counts are those of its summary: exactly, in 6 real logs."""
    traced, summarized = metadata.milestones.get("queries"), summarized_queries(metadata)
    summary = metadata.latency.get("GPU Compute Time")
    if not traced or not summarized or summary is None or summary.mean_ms is None:
        return
    rounding = SHORTEST_MS / summary.mean_ms  # as a script may round
    if abs(traced - summarized) > (_NOTED_ROWS + rounding) * max(traced, summarized):
        message = f"the log counts {traced:,.0f} queries, trtexec's summary is of {summarized:,}: these are two runs"
        yield Note(TWO_RUNS, message, ONE_RUN, next(iter(metadata.sources), ""), "problem")


def _durations(query_times: QueryTimes) -> Iterator[Note]:
    """A query's GPU compute is its end minus its start."""
    columns = query_times.columns
    named = ("computeMs", "startComputeMs", "endComputeMs")
    if any(key not in columns for key in named):
        return
    compute, start, end = (np.asarray(columns[key], dtype=np.float64) for key in named)
    known = np.isfinite(compute) & np.isfinite(start) & np.isfinite(end)
    off = known & (np.abs(compute - (end - start)) > _ROUNDED * np.abs(end) + _ROUNDED)
    if off.sum() > _NOTED_ROWS * known.sum():
        first = int(off.argmax())
        message = (
            f"GPU compute is not end minus start in {int(off.sum()):,} of {int(known.sum()):,} queries: "
            f"{significant(compute[first], 3)} and {significant(end[first] - start[first], 3)} ms in query {first}"
        )
        yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, query_times.source, "problem")


def _order(metadata: Metadata) -> Iterator[Note]:
    """Minimum, median, higher percentiles, maximum: none is below the one before, and the mean is between the ends, and
    as near to each percentile as the share of the queries above and below it demands. At most one Note of a line; of
    GPU compute and latency, odd percentiles alone leave the rest known.
    """
    for line, code in _CODES.items():
        odd = [] if (summary := metadata.latency.get(line)) is None else list(_odd_pairs(summary))
        if not odd:
            continue
        of_percentiles = [any(name.startswith("p") for name, _ in pair) for pair in odd]
        (lower, low), (higher, high) = odd[of_percentiles.index(min(of_percentiles))]
        message = (
            f"{line} by trtexec's summary has a {lower} of {significant(low, 3)} ms and a {higher} of "
            f"{significant(high, 3)} ms"
        )
        chosen = PERCENTILES_CONTRADICT if code == TIMES_CONTRADICT and all(of_percentiles) else code
        yield Note(chosen, message, OTHER_UNIT, next(iter(metadata.sources), ""), "problem")


def _odd_pairs(summary: LatencySummary) -> Iterator[tuple[tuple[str, float], tuple[str, float]]]:
    """(name, ms) of two figures, the one that should be lower first, where it is not."""
    ends = (("minimum", summary.minimum_ms), ("maximum", summary.maximum_ms))
    ranks = {0.0: ends[0], 50.0: ("median", summary.median_ms), 100.0: ends[1]}
    ranks |= {label: (f"p{label:g}", ms) for label, ms in summary.percentiles.items()}
    ordered = [named for _, named in sorted(ranks.items())]
    lines = (ordered, *((ends[0], inner, ends[1]) for inner in (ranks[50.0], ("mean", summary.mean_ms))))
    known = [[(name, ms) for name, ms in line if ms is not None] for line in lines]
    for (lower, low), (higher, high) in (*chain(*map(pairwise, known)), *_far_means(summary)):
        if low > (1.0 + _NOTED_ROWS) * high + SHORTEST_MS:
            yield (lower, low), (higher, high)


def _far_means(summary: LatencySummary) -> Iterator[tuple[tuple[str, float], tuple[str, float]]]:
    """(name, ms) of a percentile and the mean, the one that should be lower first, if no queries have both.

    A share 1 − p of the queries takes the p-th percentile or more, all others at least the minimum: mean ≥ minimum +
    (1 − p) · (percentile − minimum); in the same way, mean ≤ percentile + (1 − p) · (maximum − percentile).
    """
    mean, least, most = summary.mean_ms, summary.minimum_ms or 0.0, summary.maximum_ms
    ranks = {50.0: summary.median_ms, **summary.percentiles}
    stated = [ms for ms in (mean, least, most, *ranks.values()) if ms is not None]
    decimals = next((number for number in range(_DIGITS) if all(round(ms, number) == ms for ms in stated)), _DIGITS)
    rounding = 10.0**-decimals  # three figures, each of half of the last decimal
    for label, ms in ranks.items():
        if mean is None or ms is None or not 0.0 < label < 100.0:
            continue
        share = _WHOLE_QUERIES * label / 100.0, _WHOLE_QUERIES * (1.0 - label / 100.0)
        name = "median" if label == 50.0 else f"p{label:g}"
        if (1.0 + _NOTED_ROWS) * mean + rounding < least + share[1] * (ms - least):
            yield (name, ms), ("mean", mean)
        if most is not None and mean > (1.0 + _NOTED_ROWS) * (ms + (1.0 - share[0]) * (most - ms)) + rounding:
            yield ("mean", mean), (name, ms)


def _parts_over_latency(metadata: Metadata) -> Iterator[Note]:
    """Every query's latency is its GPU compute and more, so each of its ranks is."""
    latency, compute = (metadata.latency.get(line) for line in ("Latency", "GPU Compute Time"))
    if latency is None or compute is None:
        return
    ranks = [("minimum", latency.minimum_ms, compute.minimum_ms), ("median", latency.median_ms, compute.median_ms)]
    ranks += [(f"p{label:g}", latency.percentiles.get(label), ms) for label, ms in compute.percentiles.items()]
    for name, whole, part in ranks:
        if whole is not None and part is not None and part > (1.0 + _NOTED_ROWS) * whole + SHORTEST_MS:
            message = (
                f"the {name} of GPU compute by trtexec's summary is {significant(part, 3)} ms, that of the latency, "
                f"which contains it, {significant(whole, 3)} ms"
            )
            code = PERCENTILES_CONTRADICT if name.startswith("p") else TIMES_CONTRADICT
            yield Note(code, message, OTHER_UNIT, next(iter(metadata.sources), ""), "problem")
            return


def _zero_summary(metadata: Metadata) -> Iterator[Note]:
    for line in ("GPU Compute Time", "Latency"):
        summary = metadata.latency.get(line)
        if summary is not None and (summary.mean_ms if summary.median_ms is None else summary.median_ms) == 0.0:
            message = f"{line} by trtexec's summary is 0 ms: nothing was measured"
            yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, next(iter(metadata.sources), ""), "problem")
            return


def _latency(query_times: QueryTimes | None, metadata: Metadata) -> Iterator[Note]:
    """trtexec's latency is the sum of both transfers and GPU compute: exactly in queries, and in means."""
    columns = {} if query_times is None else query_times.columns
    if query_times is not None and "latencyMs" in columns and all(key in columns for key in _PARTS):
        latency = np.asarray(columns["latencyMs"], dtype=np.float64)
        parts = np.sum([np.asarray(columns[key], dtype=np.float64) for key in _PARTS], axis=0)
        off = np.abs(latency - parts) > _NOTED_ROWS * np.abs(latency) + _ROUNDED
        if off.sum() > _NOTED_ROWS * len(off):
            first = int(off.argmax())
            message = (
                f"the latency is not the sum of transfers and GPU compute in {int(off.sum()):,} of {len(off):,} "
                f"queries: {significant(latency[first], 3)} and {significant(parts[first], 3)} ms in query {first}"
            )
            yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, query_times.source, "problem")
            return
    means = [None if (line := metadata.latency.get(key)) is None else line.mean_ms for key in ("Latency", *_PART_LINES)]
    whole, known = means[0], [mean for mean in means[1:] if mean is not None]
    parts_ms = sum(known)  # not fsum: a sum may be infinite
    if whole and len(known) == len(_PART_LINES) and parts_ms and not 1 / SAME_RUN < whole / parts_ms < SAME_RUN:
        message = (
            f"the mean latency by trtexec's summary is {significant(whole, 3)} ms, its transfers and GPU compute "
            f"add up to {significant(parts_ms, 3)} ms"
        )
        yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, next(iter(metadata.sources), ""), "problem")


def _statistics(query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """trtexec's summary is of the same queries without the warm-up: on 12 real engines its minimum, maximum, mean and
    percentiles are theirs within 1 %. A warm-up of unknown length may lie beyond the summary's statistics, and does
    not move the median.
    """
    columns = query_times.columns
    for line, key in _SUMMARIZED:
        summary, column = metadata.latency.get(line), columns.get(key)
        if summary is None or column is None:
            continue
        values = np.asarray(column, dtype=np.float64)[query_times.warm_up_rows or 0 :]
        values = values[np.isfinite(values) & (values > 0.0)]
        if not len(values):
            continue
        stated = {
            "minimum": (summary.minimum_ms, values.min()),
            "maximum": (summary.maximum_ms, values.max()),
            "mean": (summary.mean_ms, values.mean()),
            "median": (summary.median_ms, np.median(values)),
            **{f"p{label:g}": (ms, np.percentile(values, label)) for label, ms in summary.percentiles.items()},
        }
        if query_times.is_part:
            stated = {"median": stated["median"]}
        off = [(name, ms, float(own)) for name, (ms, own) in stated.items() if ms and _is_off(ms, float(own))]
        severity = "problem"
        if not off and (medians := two_medians(query_times, metadata, key)):
            off, severity = [("median", *medians)], "warning"
        if query_times.warm_up_rows is None:
            off = [(name, ms, own) for name, ms, own in off if ms > own or name == "median"]
        if off:
            figures = ", ".join(f"{name} {significant(ms, 3)} and {significant(own, 3)} ms" for name, ms, own in off)
            message = f"{_WORDS[key]} by trtexec's summary and by the {len(values):,} per-query times: {figures}"
            code = TWO_RUNS if any(name == "median" for name, *_ in off) else PERCENTILES_CONTRADICT
            yield Note(code, message, ONE_RUN, query_times.source, severity)
            return


def two_medians(query_times: QueryTimes | None, metadata: Metadata, key: str) -> tuple[float, float] | None:
    """(median that trtexec's summary prints, median of the queries of a column), ms; None unless they differ by more
    than 1 %, and if one or the warm-up is unknown, or the queries are a part of the run's, as in a baseline.
    """
    line = next((line for line, name in _SUMMARIZED if name == key), "")
    summary = metadata.latency.get(line)
    if query_times is None or query_times.is_part or "startComputeMs" not in query_times.columns:
        return None
    if query_times.warm_up_rows is None or summary is None or not summary.median_ms:
        return None
    values = np.asarray(query_times.columns.get(key, ()), dtype=np.float64)[query_times.warm_up_rows :]
    values = values[np.isfinite(values) & (values > 0.0)]
    median = float(np.median(values)) if len(values) else 0.0
    return (summary.median_ms, median) if median and _is_off(summary.median_ms, median, _SAME_MEDIAN) else None


def enqueue_times(query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """The summary's mean is that of the same queries: within 4 % on 13 real engines, with times rounded to 10 µs."""
    summary = metadata.latency.get("Enqueue Time")
    columns = [query_times.columns.get(key) for key in ("enqueueMs", "startEnqMs", "endEnqMs")]
    kept, start, end = (None if column is None else np.asarray(column, dtype=np.float64) for column in columns)
    values = end - start if kept is None and start is not None and end is not None else kept
    if values is None:
        return
    values = values[query_times.warm_up_rows or 0 :]
    values = values[np.isfinite(values)]
    if not len(values):
        return
    yield from _impossible_enqueue(float(np.median(values)), query_times, metadata)
    if summary is None or summary.mean_ms is None or end is None:
        return
    own, factor = float(values.mean()), SAME_RUN if kept is None else OTHER_RUN  # a baseline keeps a part
    is_off = _is_off(summary.mean_ms, own, factor) and (query_times.warm_up_rows is not None or summary.mean_ms > own)
    if is_off and abs(summary.mean_ms - own) > _ROUNDED * float(np.nanmax(np.abs(end), initial=0.0)):
        message = (
            f"the mean enqueue time is {significant(summary.mean_ms, 3)} ms by trtexec's summary and "
            f"{significant(own, 3)} ms by the {len(values):,} per-query times"
        )
        yield Note(ENQUEUE_CONTRADICTS, message, ONE_RUN, query_times.source, "problem")


def _impossible_enqueue(ms: float, query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """One stream has one thread of the host, which enqueues one query after the other."""
    starts = np.sort(np.asarray(query_times.columns.get("startComputeMs", ()), dtype=np.float64))
    apart = np.diff(starts[np.isfinite(starts)])
    streams = inference_streams(metadata) or queries_at_once(query_times)
    if streams == 1 and len(apart) and ms > OTHER_RUN * (pace := float(apart.mean())) > 0.0:
        message = (
            f"the host takes {significant(ms, 3)} ms to enqueue a query, but one begins every {significant(pace, 3)} ms"
        )
        yield Note(ENQUEUE_CONTRADICTS, message, OTHER_UNIT, query_times.source, "problem")
    elif 0.0 < ms < SHORTEST_MS:
        message = f"the host takes {significant(1e6 * ms, 3)} ns to enqueue a query"
        yield Note(ENQUEUE_CONTRADICTS, message, OTHER_UNIT, query_times.source, "problem")


def _is_off(one: float, other: float, factor: float = SAME_RUN) -> bool:
    return max(one, other) > factor * min(one, other) and abs(one - other) > SHORTEST_MS

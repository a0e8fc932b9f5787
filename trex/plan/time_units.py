"""Times of one inference from several files → Notes where they contradict each other: other units, or damaged numbers.

A file in µs or s that is read as ms has no wrong number of its own; only other times of the same inference show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np

from trex.core.counted import counted
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import (
    CUT_OFF,
    LONGEST_MS,
    MISSING_TIMES,
    LayerTime,
    LayerTimes,
    QueryTimes,
    is_possible_throughput,
)
from trex.core.whole_set import UNFINISHED_RUN
from trex.ingest import differing_times
from trex.ingest.differing_facts import OTHER_FACT, OTHER_GPU, OTHER_SHAPE
from trex.ingest.logs.consecutive_runs import INTERRUPTED_RUN
from trex.ingest.logs.run_metadata import MIXED_RUNS, RUN_CRASHED, RUN_FAILED
from trex.ingest.spelling.written_number import written_number
from trex.plan.gaps import has_no_gaps, inference_streams
from trex.plan.iteration_levels import two_levels
from trex.plan.throughput import items_of_query, queries_per_s

CONTRADICTED = 100.0
"""Times of one inference that differ by this factor cannot both be right; wrong units are a factor of 1000. On 18 real
engines the layers add up to 1.02 to 1.76 times GPU compute (timing a layer costs 1 to 8 µs), and GPU compute is at most
1.00 times the wall time."""
SHARES_OFF, SUM_OFF = 0.2, 1.0
"""Percentage points, of one record and of the sum. trtexec exports the percentage of a record's time with six digits:
real ones agree within 0.001. Its table has one decimal."""
TWO_RUNS = differing_times.TWO_RUNS
TIMES_CONTRADICT, SHARES_CONTRADICT = "times-contradict", "shares-contradict"
COPIED_QUERIES, PERCENTILES_CONTRADICT, THROUGHPUT_CONTRADICTS, ENQUEUE_CONTRADICTS = (
    "timing-copied-queries",
    "percentiles-contradict",
    "throughput-contradicts",
    "enqueue-contradicts",
)
OTHER_PROFILE = "times-of-another-profile"
THROUGHPUT_OF_ITEMS = "throughput-of-items"
TIMES_OF_OTHER_SHAPES = OTHER_SHAPE
"""Code of the Note on a run at other shapes than the engine's."""
WRONG_TIMES = (
    TIMES_CONTRADICT,
    TWO_RUNS,
    COPIED_QUERIES,
    MISSING_TIMES,
    OTHER_SHAPE,
    OTHER_FACT,
    OTHER_GPU,
    OTHER_PROFILE,
    UNFINISHED_RUN,
    RUN_FAILED,
    RUN_CRASHED,
    MIXED_RUNS,
    INTERRUPTED_RUN,
)
"""Codes of Notes that, as problems, leave no time of the engine to be believed."""
_ROUNDED = 2e-5
"""trtexec prints six digits, so a difference of two points in time is off by at most this share of the later one."""
_NOTED_ROWS = 0.01
_ZERO_SHARE = 0.01
"""Percent: a time that is printed as 0 has a share of 0."""
_SAME_RUN = 1.1
"""GPU compute by the per-query times and by trtexec's summary of the same run: within 0.1 % on real engines."""
_SAME_MEDIAN = 1.01
"""The median that trtexec's summary prints is that of the same queries: equal to six digits on 13 real engines."""
_OTHER_RUN = 1.5
"""What other clocks do not explain. The layers of real engines add up to 1.02 times GPU compute or more, as they are
timed one by one."""
_OTHER_CLOCKS = 1.15
"""GPU compute without gaps is no longer than the layers at the same clocks."""
_CERTAIN = 2.0
"""What no clocks of a busy GPU explain either."""
_SAME_RATE, _OTHER_RATE = 1.005, 1.11
"""The throughput that trtexec prints is that of the same queries: within 0.01 % on 13 real engines. With a warm-up of
unknown length, or of a part of the queries, it is within 2.3 %."""
USUAL_OVERHEAD_MS = 0.008
"""Overhead of timing one layer: 1.6 to 7.5 µs on eleven real engines; more has other causes."""
_HINT = "export all files again from one run of trtexec, which writes milliseconds"
_BY_QUERY, _BY_SUMMARY = "GPU compute by the per-query times is", "GPU compute by trtexec's summary is"
_FEW_QUERIES = 20
SHORTEST_MS = 0.0005
"""The resolution of a GPU's timer; a kernel that does nothing takes 2 µs. Single layers may be shorter: folded ones."""
_TOTALS = ("Total GPU Compute Time", "Total Host Walltime")
_LAYERS = "the layers add up to"
_ONE_RUN = "keep the files of one run together"
_UNIT = (300.0, 3000.0)
"""Around 1000, since the files may be of two runs."""


@dataclass(frozen=True, slots=True)
class _Time:
    """Of one inference. words: the beginning of a sentence. source: its file. is_wall: inferences that pause take less,
    so only longer times contradict it.
    """

    words: str
    ms: float
    source: str
    is_wall: bool = False


def contradictions(
    layer_times: LayerTimes | None,
    query_times: QueryTimes | None,
    metadata: Metadata,
    streams: int = 1,
    *,
    is_whole: bool = False,
) -> tuple[Note, ...]:
    """One Note of a kind; after one that leaves no time to be believed, no other is looked for but those on copied
    queries, on enqueue times and on the layer profile's zeros, totals and percentages.

    streams: on which the engine's layers run at the same time. is_whole: whether every layer has a record.
    """
    notes: dict[str, Note] = {}
    for check in _checks(layer_times, query_times, metadata, streams):
        for note in check:
            if note.code not in notes or notes[note.code].severity != "problem":
                notes[note.code] = note
        if any(note.code in WRONG_TIMES and note.severity == "problem" for note in notes.values()):
            break
    more: list[Note] = []
    if query_times is not None:
        more += _copied_queries(query_times)
    if layer_times is not None:
        more += [*_zeros(layer_times), *_totals(layer_times), *_shares(layer_times, is_whole)]
    if query_times is not None:
        more += _enqueue(query_times, metadata)
    return (*notes.values(), *more)


def _checks(
    layer_times: LayerTimes | None, query_times: QueryTimes | None, metadata: Metadata, streams: int
) -> Iterator[Iterator[Note]]:
    """The one that says most first."""
    known = [time for time in _known(layer_times, query_times, metadata) if 0.0 < time.ms < math.inf]
    if layer_times is not None:
        yield two_levels(layer_times)
    yield _off_by_a_factor(known)
    yield _of_two_runs(known)
    if layer_times is not None:
        has_gaps = not has_no_gaps(query_times, metadata)
        yield _of_two_engines(known, layer_times, streams, _OTHER_RUN if has_gaps else _OTHER_CLOCKS)
    yield _throughput(known, query_times, metadata)
    if query_times is not None:
        yield _durations(query_times)
    yield _latency(query_times, metadata)
    if query_times is not None:
        yield _statistics(query_times, metadata)
        yield _missing_times(query_times)
        yield _lost_queries(query_times, metadata)
    yield _order(metadata)
    yield _zero_summary(metadata)
    if layer_times is not None:
        yield _too_short(layer_times)


def _known(layer_times: LayerTimes | None, query_times: QueryTimes | None, metadata: Metadata) -> Iterator[_Time]:
    if layer_times is not None:
        yield _Time(_LAYERS, _sum(layer_times.records, lambda record: record.ms), layer_times.source)
    if query_times is not None:
        columns, source = query_times.columns, query_times.source
        yield _Time(_BY_QUERY, _median(columns.get("computeMs", ())), source)
        between = [
            end - start for start, end in zip(columns.get("startComputeMs", ()), columns.get("endComputeMs", ()))
        ]
        yield _Time("GPU compute by its start and end is", _median(between), source)
    source = next(iter(metadata.sources), "")
    summary = metadata.latency.get("GPU Compute Time")
    if summary is not None:
        ms = summary.mean_ms if summary.median_ms is None else summary.median_ms
        yield _Time(_BY_SUMMARY, ms or 0.0, source)
    throughput = queries_per_s(metadata)
    if throughput is not None:
        yield _Time("the wall time by its throughput is", 1000.0 / throughput, source, is_wall=True)


def _off_by_a_factor(known: Sequence[_Time]) -> Iterator[Note]:
    pairs = [(high, low) for high in known for low in known if high.ms > CONTRADICTED * low.ms and not high.is_wall]
    if not pairs:
        return
    high, low = max(pairs, key=lambda pair: pair[0].ms / pair[1].ms)
    ratio = high.ms / low.ms
    message = f"{high.words} {_ms(high)}, {low.words} {_ms(low)}: {significant(ratio, 2)} times"
    if _UNIT[0] < ratio < _UNIT[1]:
        message += ", as if one of them were not in milliseconds"
    odd = [time for time in known if all(time in pair for pair in pairs)] if len(pairs) > 1 else []
    if len(odd) == 1:
        message += f"; {len(pairs)} times contradict that {odd[0].words} {_ms(odd[0])}"
    source = odd[0].source if len(odd) == 1 else high.source
    yield Note(TIMES_CONTRADICT, message, _HINT, source, "problem")


def _too_short(layer_times: LayerTimes) -> Iterator[Note]:
    """Layers that are all shorter than any GPU's kernel: seconds, read as milliseconds."""
    times = [record.ms for record in layer_times.records if record.ms]
    mean = math.fsum(times) / len(times) if times else 0.0
    if 0.0 < mean < SHORTEST_MS / 5.0:
        message = (
            f"the layers take {significant(mean * 1e6, 2)} ns on average, and no kernel takes less than "
            f"{significant(SHORTEST_MS * 1e6, 3)} ns, as if the times were not in milliseconds"
        )
        yield Note(TIMES_CONTRADICT, message, _HINT, layer_times.source, "problem")


def _of_two_runs(known: Sequence[_Time]) -> Iterator[Note]:
    """The per-query times and trtexec's summary say the same time of the same run, so others are of two runs."""
    ends = {time.words: time for time in known}
    query, summary = ends.get(_BY_QUERY), ends.get(_BY_SUMMARY)
    if query and summary and max(query.ms, summary.ms) > _SAME_RUN * min(query.ms, summary.ms):
        message = f"{query.words} {_ms(query)}, {summary.words} {_ms(summary)}: these are two runs, or two engines"
        yield Note(TWO_RUNS, message, _ONE_RUN, query.source, "problem")


def _of_two_engines(known: Sequence[_Time], layer_times: LayerTimes, streams: int, shortest: float) -> Iterator[Note]:
    """The layers of the same engine at the same clocks take GPU compute and what timing them costs. shortest: how many
    times the layers GPU compute may take.
    """
    ends = {time.words: time for time in known}
    layers, compute = ends.get(_LAYERS), ends.get(_BY_QUERY) or ends.get(_BY_SUMMARY)
    if layers is None or compute is None:
        return
    shares = [record.share_pct for record in layer_times.records]
    is_cut = all(share is not None for share in shares) and math.fsum(share or 0.0 for share in shares) < 99.0
    times = [record.ms for record in layer_times.records if record.ms]
    most = max(streams, 1) * compute.ms

    def are_over(factor: float) -> bool:
        """Whether the layers take more than so many times GPU compute, without as many times the cost of timing."""
        return math.fsum(max(0.0, ms - factor * USUAL_OVERHEAD_MS) for ms in times) > factor * most

    if are_over(_OTHER_RUN) or (compute.ms > shortest * layers.ms and not is_cut):
        message = (
            f"{compute.words} {_ms(compute)}, {layers.words} {_ms(layers)}: two runs at other clocks, or two engines"
        )
        # Gaps between layers may lengthen GPU compute, and nothing layers.
        severity = "problem" if are_over(_CERTAIN) else "warning"
        yield Note(TWO_RUNS, message, _ONE_RUN, compute.source, severity)


def _throughput(known: Sequence[_Time], query_times: QueryTimes | None, metadata: Metadata) -> Iterator[Note]:
    """Queries per second by the queries themselves; else GPU compute says how many one stream can do at most."""
    stated, source = written_number(metadata.performance.get("Throughput")), next(iter(metadata.sources), "")
    if stated is None:
        return
    if not is_possible_throughput(stated):
        message = f"the throughput is {stated:.4g} queries/s; it was left out"
        yield Note(THROUGHPUT_CONTRADICTS, message, _HINT, source)
        return
    if (items := items_of_query(metadata)) > 1:
        message = f"the throughput counts {items:,} items a query: {significant(stated, 4)} items/s"
        yield Note(THROUGHPUT_OF_ITEMS, message, "", source, "info")
        stated /= items
    words = f"the throughput is {significant(stated, 4)} queries/s"
    rates = [
        (*rate, whose)
        for rate, whose in ((_rate_of(query_times), "the queries"), (_rate_by_totals(metadata), "the total times"))
        if rate
    ]
    for rate, factor, whose in rates:
        if not 1.0 / factor <= stated / rate <= factor:
            message = f"{words}, but {whose} of the run give {significant(rate, 4)}"
            yield Note(THROUGHPUT_CONTRADICTS, message, _HINT, source, "problem")
            return
    if rates:
        return
    compute = next((time.ms for time in known if time.words in (_BY_QUERY, _BY_SUMMARY)), None)
    streams = inference_streams(metadata)
    if compute is not None and stated * compute > 1000.0 * _OTHER_RUN * max(streams, 1):
        at_once = f"{significant(stated * compute / 1000.0, 2)} queries ran at the same time"
        why = f"{at_once} on {streams:.0f} streams" if streams else f"if it is right, {at_once} on as many streams"
        message = f"{words} and GPU compute {significant(compute, 3)} ms: {why}"
        yield Note(THROUGHPUT_CONTRADICTS, message, _HINT, source, "problem" if streams else "warning")


def _rate_of(query_times: QueryTimes | None) -> tuple[float, float] | None:
    """(queries per second, the factor by which others are of other queries), from the first start to the end of the
    last query to start, as trtexec counts; None if unknown.

    Source: ``printPerformanceReport`` in samples/common/sampleReporting.cpp of TensorRT 8.6.
    """
    if query_times is None:
        return None
    columns, first = query_times.columns, query_times.warm_up_rows or 0
    spans = [("startH2dMs", "endD2hMs"), ("startComputeMs", "endComputeMs")]
    span = next((keys for keys in spans if all(key in columns for key in keys)), None)
    if span is None:
        return None
    starts, ends = (np.asarray(columns[key], dtype=np.float64)[first:] for key in span)
    known = np.isfinite(starts) & np.isfinite(ends)
    starts, ends = starts[known], ends[known]
    if len(starts) < _FEW_QUERIES:
        return None
    last = starts.argmax()
    span_ms, last_ms = float(ends[last] - starts.min()), float(ends[last] - starts[last])
    if not span_ms > 0.0:
        return None
    is_whole = query_times.warm_up_rows is not None and not _is_known_part(query_times)
    return 1000.0 * len(starts) / span_ms, _SAME_RATE + last_ms / span_ms if is_whole else _OTHER_RATE


def _is_known_part(query_times: QueryTimes) -> bool:
    """Torn files say that they are."""
    return query_times.is_part or any(note.severity == "problem" for note in query_times.notes)


def _rate_by_totals(metadata: Metadata) -> tuple[float, float] | None:
    """(queries per second, the factor by which others are of other queries), their number being the total of GPU
    compute over its mean, which a script may round; None if unknown.
    """
    summary = metadata.latency.get("GPU Compute Time")
    mean = None if summary is None else summary.mean_ms
    total, wall = (written_number(metadata.performance.get(key)) for key in _TOTALS)
    if not mean or total is None or not wall or total / mean <= 0.0 or wall <= 0.0:
        return None
    return 1000.0 * total / mean / wall, _SAME_RATE + min(SHORTEST_MS / mean, _OTHER_RATE - _SAME_RATE)


def summarized_queries(metadata: Metadata) -> int | None:
    """Queries behind trtexec's summary: the total of GPU compute over its mean; None if unknown."""
    summary, total_s = metadata.latency.get("GPU Compute Time"), written_number(metadata.performance.get(_TOTALS[0]))
    mean_ms = None if summary is None else summary.mean_ms
    return None if not mean_ms or not total_s or total_s < 0.0 else round(1000.0 * total_s / mean_ms)


def _copied_queries(query_times: QueryTimes) -> Iterator[Note]:
    """Two queries never begin and end at the same times."""
    starts, ends = (query_times.columns.get(key) for key in ("startComputeMs", "endComputeMs"))
    if starts is None or ends is None:
        return
    known = [span for span in zip(starts, ends, strict=True) if all(map(math.isfinite, span))]
    copies = len(known) - len(set(known))
    if copies > _NOTED_ROWS * len(known):
        message = f"{copies:,} of {len(known):,} queries are copies of others: same start, same end"
        yield Note(COPIED_QUERIES, message, _HINT, query_times.source, "problem")


def _missing_times(query_times: QueryTimes) -> Iterator[Note]:
    """No statistic is of queries without a time, which may be the slow ones; none takes 0 ms."""
    for key in ("computeMs", "latencyMs"):
        values = np.asarray(query_times.columns.get(key, ()), dtype=np.float64)[query_times.warm_up_rows or 0 :]
        missing = len(values) - int(((values > 0.0) & (values <= LONGEST_MS)).sum())
        if missing > _NOTED_ROWS * len(values):
            message = f"{missing:,} of {len(values):,} queries have no usable {_WORDS[key]}, and may be the slow ones"
            yield Note(MISSING_TIMES, message, _HINT, query_times.source, "problem")
            return


def _lost_queries(query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """trtexec exports every query of its summary: on 12 real engines exactly as many, without the warm-up."""
    summary, total_s = metadata.latency.get("GPU Compute Time"), written_number(metadata.performance.get(_TOTALS[0]))
    mean_ms = None if summary is None else summary.mean_ms
    if query_times.is_part:
        return
    if not total_s or total_s < 0.0 or mean_ms is None or mean_ms <= SHORTEST_MS:
        if any(note.code == CUT_OFF for note in query_times.notes):
            message = f"the file is cut off after {counted(len(query_times), 'query', 'queries')}, of an unknown number"
            yield Note(MISSING_TIMES, message, _HINT, query_times.source, "problem")
        return
    own = len(query_times) - (query_times.warm_up_rows or 0)
    fewest, most = (1000.0 * total_s / (mean_ms + sign * SHORTEST_MS) for sign in (1, -1))  # as a script may round
    words = f"trtexec's summary is of {1000.0 * total_s / mean_ms:,.0f} queries, the per-query times are of {own:,}"
    if own < (1.0 - _NOTED_ROWS) * fewest:
        message = f"{words}: the others may be the slow ones"
        yield Note(MISSING_TIMES, message, _HINT, query_times.source, "problem")
    elif query_times.warm_up_rows is not None and own > (1.0 + _NOTED_ROWS) * most:
        yield Note(TWO_RUNS, f"{words}: these are two runs", _ONE_RUN, query_times.source, "problem")


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
        yield Note(TIMES_CONTRADICT, message, _HINT, query_times.source, "problem")


def _order(metadata: Metadata) -> Iterator[Note]:
    """Minimum, median, higher percentiles, maximum: none is below the one before, and the mean is between the ends."""
    for line in ("GPU Compute Time", "Latency"):
        if (summary := metadata.latency.get(line)) is None:
            continue
        ranks = {0.0: ("minimum", summary.minimum_ms), 50.0: ("median", summary.median_ms)}
        ranks |= {label: (f"p{label:g}", ms) for label, ms in summary.percentiles.items()}
        ranks |= {100.0: ("maximum", summary.maximum_ms)}
        known = [(name, ms) for _, (name, ms) in sorted(ranks.items()) if ms is not None]
        ends = [("minimum", summary.minimum_ms), ("mean", summary.mean_ms), ("maximum", summary.maximum_ms)]
        between = [(name, ms) for name, ms in ends if ms is not None]
        for (lower, low), (higher, high) in (*pairwise(known), *pairwise(between)):
            if low > (1.0 + _NOTED_ROWS) * high + SHORTEST_MS:
                message = (
                    f"{line} by trtexec's summary has a {lower} of {significant(low, 3)} ms and a {higher} of "
                    f"{significant(high, 3)} ms"
                )
                is_of_percentiles = lower.startswith("p") or higher.startswith("p")
                code = PERCENTILES_CONTRADICT if is_of_percentiles else TIMES_CONTRADICT
                yield Note(code, message, _HINT, next(iter(metadata.sources), ""), "problem")
                return


def _zero_summary(metadata: Metadata) -> Iterator[Note]:
    for line in ("GPU Compute Time", "Latency"):
        summary = metadata.latency.get(line)
        if summary is not None and (summary.mean_ms if summary.median_ms is None else summary.median_ms) == 0.0:
            message = f"{line} by trtexec's summary is 0 ms: nothing was measured"
            yield Note(TIMES_CONTRADICT, message, _HINT, next(iter(metadata.sources), ""), "problem")
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
            yield Note(TIMES_CONTRADICT, message, _HINT, query_times.source, "problem")
            return
    means = [None if (line := metadata.latency.get(key)) is None else line.mean_ms for key in ("Latency", *_PART_LINES)]
    whole, known = means[0], [mean for mean in means[1:] if mean is not None]
    parts_ms = sum(known)  # not fsum: a sum may be infinite
    if whole and len(known) == len(_PART_LINES) and parts_ms and not 1 / _SAME_RUN < whole / parts_ms < _SAME_RUN:
        message = (
            f"the mean latency by trtexec's summary is {significant(whole, 3)} ms, its transfers and GPU compute "
            f"add up to {significant(parts_ms, 3)} ms"
        )
        yield Note(TIMES_CONTRADICT, message, _HINT, next(iter(metadata.sources), ""), "problem")


_PARTS = ("h2dMs", "computeMs", "d2hMs")
_PART_LINES = ("H2D Latency", "GPU Compute Time", "D2H Latency")


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
        if not off and summary.median_ms and query_times.warm_up_rows is not None and "startComputeMs" in columns:
            median = float(np.median(values))
            if _is_off(summary.median_ms, median, _SAME_MEDIAN):
                off, severity = [("median", summary.median_ms, median)], "warning"
        if query_times.warm_up_rows is None:
            off = [(name, ms, own) for name, ms, own in off if ms > own or name == "median"]
        if off:
            figures = ", ".join(f"{name} {significant(ms, 3)} and {significant(own, 3)} ms" for name, ms, own in off)
            message = f"{_WORDS[key]} by trtexec's summary and by the {len(values):,} per-query times: {figures}"
            code = TWO_RUNS if any(name == "median" for name, *_ in off) else PERCENTILES_CONTRADICT
            yield Note(code, message, _ONE_RUN, query_times.source, severity)
            return


def _enqueue(query_times: QueryTimes, metadata: Metadata) -> Iterator[Note]:
    """The summary's mean is that of the same queries: within 4 % on 13 real engines, with times rounded to 10 µs."""
    summary = metadata.latency.get("Enqueue Time")
    columns = [query_times.columns.get(key) for key in ("enqueueMs", "startEnqMs", "endEnqMs")]
    kept, start, end = (None if column is None else np.asarray(column, dtype=np.float64) for column in columns)
    values = end - start if kept is None and start is not None and end is not None else kept
    if summary is None or summary.mean_ms is None or end is None or values is None:
        return
    values = values[query_times.warm_up_rows or 0 :]
    values = values[np.isfinite(values)]
    if not len(values):
        return
    own, factor = float(values.mean()), _SAME_RUN if kept is None else _OTHER_RUN  # a baseline keeps a part
    is_off = _is_off(summary.mean_ms, own, factor) and (query_times.warm_up_rows is not None or summary.mean_ms > own)
    if is_off and abs(summary.mean_ms - own) > _ROUNDED * float(np.nanmax(np.abs(end), initial=0.0)):
        message = (
            f"the mean enqueue time is {significant(summary.mean_ms, 3)} ms by trtexec's summary and "
            f"{significant(own, 3)} ms by the {len(values):,} per-query times"
        )
        yield Note(ENQUEUE_CONTRADICTS, message, _ONE_RUN, query_times.source, "problem")


def _is_off(one: float, other: float, factor: float = _SAME_RUN) -> bool:
    return max(one, other) > factor * min(one, other) and abs(one - other) > SHORTEST_MS


_SUMMARIZED = (("Latency", "latencyMs"), ("GPU Compute Time", "computeMs"))
_WORDS = {"latencyMs": "latency", "computeMs": "GPU compute"}


def _zeros(layer_times: LayerTimes) -> Iterator[Note]:
    times = [record.ms for record in layer_times.records]
    if times and all(ms == 0.0 for ms in times):
        message = "every time in the layer profile is 0 ms: nothing was measured"
        yield Note(TIMES_CONTRADICT, message, _HINT, layer_times.source, "problem")


def _totals(layer_times: LayerTimes) -> Iterator[Note]:
    """A record's total is its average times the number of iterations."""
    records = [record for record in layer_times.records if record.total_ms and record.average_ms]
    if not records or not layer_times.count:
        return
    totals = _sum(records, lambda record: record.total_ms) / layer_times.count
    averages = _sum(records, lambda record: record.average_ms)
    if not 1.0 / CONTRADICTED <= totals / averages <= CONTRADICTED:
        message = (
            f"the layers' averages add up to {significant(averages, 3)} ms, their totals of {layer_times.count:,} "
            f"iterations to {significant(totals, 3)} ms each"
        )
        yield Note(TIMES_CONTRADICT, message, _HINT, layer_times.source, "problem")


def _shares(layer_times: LayerTimes, is_whole: bool) -> Iterator[Note]:
    """Percentages are of the totals or of the averages; of a cut profile they add up to less than 100."""
    records = layer_times.records
    shares = [record.share_pct for record in records if record.share_pct is not None]
    zeros = (record for record in records if record.ms == 0.0 and (record.share_pct or 0.0) > _ZERO_SHARE)
    zero = next(zeros, None)
    if zero is not None and zero.share_pct and any(record.ms for record in records):
        message = f"the layer profile gives {zero.name!r} 0 ms and {significant(zero.share_pct, 3)} % of the time"
        yield Note(SHARES_CONTRADICT, message, "export the profile again", layer_times.source, "problem")
        return
    whole = math.fsum(shares)
    if not whole or len(shares) != len(records):
        return
    off = min(_off(shares, [of(record) or 0.0 for record in records]) for of in _OF_RECORD)
    differs = SHARES_OFF < off < math.inf
    if differs or whole > 100.0 + SUM_OFF or (is_whole and whole < 100.0 - SUM_OFF):
        message = f"the percentages of the layer profile add up to {significant(whole, 4)} %"
        if differs:
            message += f" and differ from its own times by up to {significant(off, 3)} points"
        hint = "use times, not percentages, or export the profile again"
        yield Note(SHARES_CONTRADICT, message, hint, layer_times.source)


_OF_RECORD: tuple[Callable[[LayerTime], float | None], ...] = (
    lambda record: record.total_ms,
    lambda record: record.average_ms,
)


def _off(shares: Sequence[float], times: Sequence[float]) -> float:
    """The largest difference of two columns as percentages of their sums; infinite without times."""
    whole, total = math.fsum(shares), math.fsum(times)
    if not total:
        return math.inf
    return max(abs(100.0 * share / whole - 100.0 * ms / total) for share, ms in zip(shares, times, strict=True))


def _sum(records: Iterable[LayerTime], of: Callable[[LayerTime], float | None]) -> float:
    return math.fsum(of(record) or 0.0 for record in records)


def _median(values: Iterable[float]) -> float:
    """0 without a number."""
    known = [value for value in values if math.isfinite(value)]
    return median(known) if known else 0.0


def _ms(time: _Time) -> str:
    return f"{significant(time.ms, 3)} ms"

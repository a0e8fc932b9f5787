"""Inferences, one after the other, timed with CUDA events → rows as in trtexec's exportTimes."""

from __future__ import annotations

import time
from typing import Any, Dict, Sequence

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.runner import Runner

KEYS = ("startEnqMs", "endEnqMs", "startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs", "startD2hMs", "endD2hMs",
        "h2dMs", "computeMs", "d2hMs", "latencyMs")  # fmt: skip
ITERATIONS, WARM_UP_MS, DURATION_S = 10, 200.0, 3.0
PERCENTILES = (90, 95, 99)
# One inference is enqueued while the previous one runs, so that the GPU does not wait for the host.
_DEPTH = 2

Row = Dict[str, float]


class Queries:
    """One measurement. rows: times in milliseconds from its start. wall_s: on the host, from first to last."""

    def __init__(self, rows: list[Row], wall_s: float, warm_up_queries: int, warm_up_ms: float) -> None:
        self.rows = rows
        self.wall_s = wall_s
        self.warm_up_queries = warm_up_queries
        self.warm_up_ms = warm_up_ms


class QueryEvents:
    """The CUDA events of one inference."""

    def __init__(self, cuda: Any, blocks: bool) -> None:
        self.events = [cuda.event(blocks) for _ in range(4)]
        self.enqueued_ms = (0.0, 0.0)


def measure(runner: Runner, options: CollectorOptions) -> Queries:
    """Warms up, then measures for at least ``iterations`` inferences and ``duration`` seconds."""
    with_copies = options.has("includeDataTransfers")
    blocks = options.has("noSpinWait")
    warm_up_ms, warm_up_queries = _warm_up(runner, options.number("warmUp", WARM_UP_MS), with_copies)
    iterations, duration = options.number("iterations", ITERATIONS), options.number("duration", DURATION_S)
    cuda, stream = runner.cuda, runner.stream
    start = cuda.event(blocks)
    cuda.record(start, stream)
    cuda.wait(start)
    zero = time.perf_counter()
    slots = [QueryEvents(cuda, blocks) for _ in range(_DEPTH)]
    rows: list[Row] = []
    launched = 0
    while launched < max(1.0, iterations) or time.perf_counter() - zero < duration:
        events = slots[launched % _DEPTH]
        if launched >= _DEPTH:
            rows.append(_row(runner, events, start))
        _launch(runner, events, zero, with_copies)
        launched += 1
    for number in range(len(rows), launched):
        rows.append(_row(runner, slots[number % _DEPTH], start))
    return Queries(rows, time.perf_counter() - zero, warm_up_queries, warm_up_ms)


def _warm_up(runner: Runner, limit_ms: float, with_copies: bool) -> Any:
    start, count = time.perf_counter(), 0
    while (time.perf_counter() - start) * 1000 < limit_ms:
        if with_copies:
            runner.copy_inputs()
        runner.launch()
        runner.finish()
        count += 1
    return (time.perf_counter() - start) * 1000, count


def _launch(runner: Runner, query: QueryEvents, zero: float, with_copies: bool) -> None:
    cuda, stream = runner.cuda, runner.stream
    before_copy, before, after, after_copy = query.events
    if with_copies:
        cuda.record(before_copy, stream)
        runner.copy_inputs()
    cuda.record(before, stream)
    start = time.perf_counter()
    runner.launch()
    end = time.perf_counter()
    cuda.record(after, stream)
    if with_copies:
        runner.copy_outputs()
        cuda.record(after_copy, stream)
    else:
        query.events[0], query.events[3] = before, after
    query.enqueued_ms = ((start - zero) * 1000, (end - zero) * 1000)


def _row(runner: Runner, query: QueryEvents, start: Any) -> Row:
    cuda = runner.cuda
    before_copy, before, after, after_copy = query.events
    cuda.wait(after_copy)
    times = [cuda.milliseconds(start, event) for event in (before_copy, before, after, after_copy)]
    h2d = cuda.milliseconds(before_copy, before) if before_copy is not before else 0.0
    d2h = cuda.milliseconds(after, after_copy) if after_copy is not after else 0.0
    compute = cuda.milliseconds(before, after)
    values = (*query.enqueued_ms, times[0], times[1], times[1], times[2], times[2], times[3],
              h2d, compute, d2h, h2d + compute + d2h)  # fmt: skip
    return {key: round(value, 6) for key, value in zip(KEYS, values)}


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` percent do not exceed; for the median the mean of the middle two."""
    ordered = sorted(values)
    if not ordered:
        return float("nan")
    if share == 50 and len(ordered) % 2 == 0:
        return (ordered[len(ordered) // 2 - 1] + ordered[len(ordered) // 2]) / 2
    return ordered[min(len(ordered) - 1, int(len(ordered) * share / 100))]


def statistics(values: Sequence[float]) -> list[float]:
    """[min, max, mean, median, 90 %, 95 %, 99 %]."""
    mean = sum(values) / len(values) if values else float("nan")
    return [round(number, 6) for number in (
        min(values, default=float("nan")), max(values, default=float("nan")), mean, percentile(values, 50),
        *(percentile(values, share) for share in PERCENTILES))]  # fmt: skip


def performance_lines(queries: Queries) -> list[str]:
    """The performance summary as lines of trtexec's log: statistics in milliseconds, the two totals in seconds."""
    rows = queries.rows
    compute = [row["computeMs"] for row in rows]
    throughput = len(rows) / queries.wall_s if queries.wall_s else float("nan")
    return [
        "Warmup completed %d queries over %g ms" % (queries.warm_up_queries, queries.warm_up_ms),
        "Timing trace has %d queries over %g s" % (len(rows), queries.wall_s),
        "",
        "=== Performance summary ===",
        f"Throughput: {throughput:g} qps",
        "Latency: " + statistics_text([row["latencyMs"] for row in rows]),
        "Enqueue Time: " + statistics_text([row["endEnqMs"] - row["startEnqMs"] for row in rows]),
        "H2D Latency: " + statistics_text([row["h2dMs"] for row in rows]),
        "GPU Compute Time: " + statistics_text(compute),
        "D2H Latency: " + statistics_text([row["d2hMs"] for row in rows]),
        f"Total Host Walltime: {queries.wall_s:g} s",
        f"Total GPU Compute Time: {sum(compute) / 1000:g} s",
        "",
    ]


def statistics_text(values: Sequence[float]) -> str:
    names = ["min", "max", "mean", "median"] + ["percentile(%d%%)" % share for share in PERCENTILES]
    return ", ".join("{} = {:g} ms".format(*pair) for pair in zip(names, statistics(values)))


def inference_section(options: CollectorOptions, shapes: str, has_graph: bool) -> dict[str, str]:
    """The run's options as in trtexec's log."""

    def state(is_on: bool) -> str:
        return "Enabled" if is_on else "Disabled"

    section = {
        "Iterations": options.text("iterations", "10"),
        "Duration": f"{options.text('duration', '3')}s (+ {options.text('warmUp', '200')}ms warm up)",
        "Inference Streams": "1",
        "Data transfers": state(options.has("includeDataTransfers")),
        "Spin-wait": state(not options.has("noSpinWait")),
        "CUDA Graph": state(has_graph),
        "Separate profiling": "Enabled",
        "Optimization Profile Index": options.text("useProfile", "0"),
    }
    if shapes:
        section["Input inference shape "] = shapes
    return section

"""A host that launches work more slowly than the GPU finishes it.

What it finds: runs whose median enqueue time exceeds the limit's share of the GPU compute time (trtexec warns at the
same 80 %), or of the time per inference where one host thread serves several streams.
Why it matters: the GPU waits for launches. Faster kernels do not help; the gaps belong to no layer, so the layers'
milliseconds do not contain them.
What to try: one launch for all kernels (``--useCudaGraph``), a larger batch, fewer and larger kernels, several
inferences at once (``--infStreams``, with ``--threads``), a host that does nothing else.
Does not apply: runs that wait between inferences on purpose (sleep or idle time); an enqueue time that is unknown, or
that the run's files contradict.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trex.perf.measures import CONTRADICTED_SUMMARY
from trex.perf.reconciliation import ENQUEUE_BOUND
from trex.perf.run_flags import RunFlags
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import CAPTURE_FIX, RUN_HINT

_SHORT_MS = 0.01
_DOCUMENTATION = (
    "TensorRT Developer Guide: Performance Benchmarking, enqueue-bound workloads and CUDA graphs",
    "NVIDIA/TensorRT issues 2112, 4177",
)
_HOW_TO_CHECK = "with one CUDA graph (trtexec --useCudaGraph) throughput rises while layer times stay the same"


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    reconciliation = engine.performance.reconciliation
    measures, flags = reconciliation.measures, reconciliation.flags
    cuda_graph = flags.cuda_graph
    enqueue, compute = measures.enqueue.ms, measures.compute.ms
    if enqueue is None or not compute:
        warning = next((note for note in engine.plan.notes if note.code == "enqueue-bound"), None)
        if warning is not None and measures.enqueue.reason != CONTRADICTED_SUMMARY:
            yield Finding(
                f"trtexec warns: {warning.message}",
                fix=_fix(flags),
                documentation=_DOCUMENTATION,
                how_to_check=_HOW_TO_CHECK,
                confidence=0.8,
            )
        elif engine.is_timed or compute:
            yield Unchecked(
                f"whether the host keeps up: {measures.enqueue.reason or measures.compute.reason}", RUN_HINT
            )
        return
    pace = reconciliation.pace_ms or compute
    if enqueue <= limits["share"] / 100.0 * pace:
        return
    of_pace = f"GPU compute ({compute:.4g} ms)"
    if pace < compute:
        of_pace = f"the time in which {flags.streams} streams finish an inference ({pace:.4g} ms)"
    short = int(np.count_nonzero(engine.times_ms < _SHORT_MS))
    waiting = max(0.0, enqueue - engine.total_ms) if engine.is_timed else None
    yield Finding(
        f"Enqueue takes {enqueue:.4g} ms, {100 * enqueue / pace:.0f} % of {of_pace}: the GPU may wait for the host",
        evidence=(
            Evidence("enqueue", enqueue, "ms"),
            Evidence("GPU compute", compute, "ms"),
            Evidence("enqueue / GPU compute", round(enqueue / compute, 3)),
            Evidence("CUDA graph", {True: "yes", False: "no", None: None}[cuda_graph]),
            Evidence("layers", len(engine.layers)),
            Evidence(f"layers shorter than {_SHORT_MS * 1000:g} µs", short if engine.is_timed else None),
            Evidence("enqueue minus the sum of layers", waiting, "ms"),
        ),
        fix=_fix(flags),
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.9 if cuda_graph is False else 0.7,
        severity=Severity.NOTE if enqueue < pace * ENQUEUE_BOUND else None,
        about_ms=max(0.0, enqueue - pace),
        is_first=enqueue > pace,
    )


def _fix(flags: RunFlags) -> tuple[str, ...]:
    fewer: tuple[str, ...] = (
        "a larger batch, so that each launch does more work",
        "fewer and larger kernels: see the findings on fusion and on tiny kernels",
    )
    if flags.capture_failed:
        return (CAPTURE_FIX, *fewer)
    if (flags.streams or 1) > 1 and not flags.multithreading:
        fewer = ("a host thread for each stream: trtexec --threads", *fewer)
    if flags.cuda_graph:
        return ("a CUDA graph is in use: check what else the host does, its clocks and its power plan", *fewer)
    return ("launch the kernels as one CUDA graph: trtexec --useCudaGraph, or capture enqueueV3 on a stream", *fewer)


RULE = Rule(
    "LAUN001",
    "host enqueues too slowly",
    Severity.WARNING,
    check,
    {"share": RuleLimit(100 * ENQUEUE_BOUND, "%", "largest share of enqueue time in GPU compute time")},
    needs_measurement=True,
)

"""A host that hands over work more slowly than the GPU does it.

What it finds: runs whose median enqueue time is above the limit's share of the GPU's computing time (trtexec warns at
the same 80 %).
Why it matters: the GPU waits for launches. No layer becomes faster by making its kernel faster; the gaps are no layer's
time, so nothing of them is in the layers' milliseconds.
What to try: one launch for all kernels (``--useCudaGraph``), a larger batch, fewer and larger kernels, several
inferences at once (``--infStreams``), a host that does nothing else.
Does not apply: a run that waits for each inference on purpose (sleep or idle time), and when the enqueue time is not
known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from trex.perf.reconciliation import ENQUEUE_BOUND
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule

_SHORT_MS = 0.01
_DOCUMENTS = (
    "TensorRT Developer Guide: Performance Benchmarking, enqueue-bound workloads and CUDA graphs",
    "TensorRT issues #2112, #4177",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    told = seen.performance.reconciliation
    enqueue, compute = told.measures.enqueue.ms, told.measures.compute.ms
    if enqueue is None or not compute:
        said = next((note for note in seen.plan.notes if note.code == "enqueue-bound"), None)
        if said is not None:
            yield Finding(
                f"trtexec itself warns: {said.message}",
                advice=_advice(told.flags.cuda_graph),
                documentation=_DOCUMENTS,
                proof=_PROOF,
                confidence=0.8,
            )
        elif seen.is_timed or compute:
            yield CannotTell(
                f"whether the host keeps up: {told.measures.enqueue.reason or told.measures.compute.reason}",
                "keep trtexec's log or --exportTimes=FILE beside the profile",
            )
        return
    if enqueue <= limits["share"] / 100.0 * compute:
        return
    short = int(np.count_nonzero(seen.times_ms < _SHORT_MS))
    waiting = max(0.0, enqueue - seen.total_ms) if seen.is_timed else None
    graph = {True: "yes", False: "no", None: None}[told.flags.cuda_graph]
    yield Finding(
        f"enqueueing takes {enqueue:.4g} ms, {100 * enqueue / compute:.0f} % of what the GPU computes in "
        f"{compute:.4g} ms: the GPU may wait for the host",
        evidence=(
            Evidence("enqueue", enqueue, "ms"),
            Evidence("GPU compute", compute, "ms"),
            Evidence("enqueue / GPU compute", round(enqueue / compute, 3)),
            Evidence("CUDA graph", graph),
            Evidence("layers", len(seen.layers)),
            Evidence(f"layers shorter than {_SHORT_MS * 1000:g} µs", short if seen.is_timed else None),
            Evidence("enqueue beyond the layers' sum", waiting, "ms"),
        ),
        advice=_advice(told.flags.cuda_graph),
        documentation=_DOCUMENTS,
        proof=_PROOF,
        confidence=0.9 if told.flags.cuda_graph is False else 0.7,
        severity=Severity.NOTE if enqueue < compute * ENQUEUE_BOUND else None,
    )


_PROOF = "with one CUDA graph (trtexec --useCudaGraph) throughput rises while the layers take what they took"


def _advice(cuda_graph: bool | None) -> tuple[str, ...]:
    fewer = (
        "a larger batch, so that each launch does more",
        "fewer and larger kernels: see the findings on fusion and on small layers",
    )
    if cuda_graph:
        return ("a CUDA graph is used: look for what else the host does, or for its clocks and its power plan", *fewer)
    return ("launch the kernels as one CUDA graph: trtexec --useCudaGraph, or capture enqueueV3 on a stream", *fewer)


RULE = Rule(
    "LAUN001",
    "host enqueues too slowly",
    Severity.WARNING,
    check,
    {"share": Limit(100 * ENQUEUE_BOUND, "%", "enqueue time over GPU compute time above which it is told")},
)

"""Inferences that spend their time on copies to and from the GPU.

What it finds: copies between host and device that take more than the limit's share of GPU compute time.
Why it matters: an application that copies for every inference waits for the slower of copying and computing, however
fast the engine is; trtexec without copies reports a throughput that such an application never reaches.
What to try: pinned host memory, inputs and outputs kept on the GPU, smaller types and outputs (argmax on the device),
copies of one inference during the computation of another.
Does not apply: runs without transfers (``--noDataTransfers``, the default of TensorRT 11): their cost is not measured,
which the rule reports as not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.perf.measures import CONTRADICTED_SUMMARY
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import RUN_HINT, transfers

_DOCUMENTATION = (
    "TensorRT Developer Guide: Performance Benchmarking, data transfers",
    "NVIDIA/TensorRT issues 3747, 4036",
)
_FIX = (
    "pin host buffers (cudaHostAlloc, cudaMallocHost): copies run at the link's speed and in parallel",
    "keep inputs and outputs on the GPU if the step before or after runs there",
    "copy smaller types: UINT8 images normalized in the engine, class numbers instead of all scores",
)
_HOW_TO_CHECK = "a run with --noDataTransfers reaches the throughput of GPU compute"


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    reconciliation = engine.performance.reconciliation
    measures = reconciliation.measures
    h2d, d2h, compute = measures.h2d.ms, measures.d2h.ms, measures.compute.ms
    if (h2d is None and d2h is None) or not compute:
        warnings = [note for note in engine.plan.notes if note.code in ("host-to-device-bound", "device-to-host-bound")]
        for warning in warnings:
            yield Finding(
                f"trtexec warns: {warning.message}",
                fix=_FIX,
                documentation=_DOCUMENTATION,
                how_to_check=_HOW_TO_CHECK,
                confidence=0.9,
                is_first=True,
            )
        if not warnings and (engine.is_timed or compute):
            missing = "no file contains the times of copies to and from the GPU"
            yield Unchecked(measures.h2d.reason if measures.h2d.reason == CONTRADICTED_SUMMARY else missing, RUN_HINT)
        return
    directions, moved_ms = transfers(measures)
    is_whole = h2d is not None and d2h is not None
    if reconciliation.flags.data_transfers is False or moved_ms == 0.0:
        yield Unchecked(
            "the run had no copies to and from the GPU, so their cost is unknown",
            "measure with transfers as well: without --noDataTransfers before TensorRT 11, else in the application",
        )
        return
    if moved_ms <= limits["share"] / 100.0 * compute:
        if not is_whole:
            missing = "to" if h2d is None else "from"
            yield Unchecked(f"no file contains the time of copies {missing} the GPU", RUN_HINT)
        return
    tensors = [binding.tensor for binding in engine.plan.engine.bindings if binding.tensor is not None]
    sizes = [tensor.size_bytes for tensor in tensors]
    total = sum(size for size in sizes if size is not None) if tensors and None not in sizes else None
    rate = round(total / moved_ms / 1e6, 2) if total is not None and is_whole else None
    yield Finding(
        f"Copies {directions} take {moved_ms:.4g} ms per inference, {100 * moved_ms / compute:.0f} % of GPU "
        f"compute ({compute:.4g} ms)",
        evidence=(
            Evidence("host to device", h2d, "ms"),
            Evidence("device to host", d2h, "ms"),
            Evidence("GPU compute", compute, "ms"),
            Evidence("inputs and outputs", total, "bytes"),
            Evidence("rate", rate, "GB/s"),
        ),
        fix=_FIX,
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.95,
        tensors=tuple(tensor.name for tensor in sorted(tensors, key=lambda tensor: -(tensor.size_bytes or 0))[:8]),
        about_ms=moved_ms,
        is_first=moved_ms > compute,
    )


RULE = Rule(
    "LAUN002",
    "transfers take long compared to computing",
    Severity.WARNING,
    check,
    {"share": RuleLimit(50.0, "%", "largest share of transfer time in GPU compute time")},
    needs_measurement=True,
)

"""Inferences that spend their time on the way to the GPU and back.

What it finds: copies between host and device that take more than the limit's share of the GPU's computing time.
Why it matters: an application that copies for every inference waits for the slower of copying and computing, however
fast the engine is; and trtexec without copies promises what such an application never sees.
What to try: pinned host memory, inputs and outputs kept on the GPU, smaller types and outputs (argmax on the device),
copies of one inference beside the computation of another.
Does not apply: runs without transfers (``--noDataTransfers``, TensorRT 11's default): what an application pays is then
not measured, which the rule says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.rule import Limit, Rule

_DOCUMENTS = (
    "TensorRT Developer Guide: Performance Benchmarking, data transfers",
    "TensorRT issues #3747, #4036",
)
_ADVICE = (
    "allocate host buffers pinned (cudaHostAlloc, cudaMallocHost): copies run at the link's speed and in parallel",
    "keep inputs and outputs on the GPU where the step before or after runs there",
    "copy smaller types: UINT8 images normalized in the engine, class numbers instead of all scores",
)
_PROOF = "a run with --noDataTransfers reaches the throughput that GPU compute promises"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    told = seen.performance.reconciliation
    measures = told.measures
    h2d, d2h, compute = measures.h2d.ms, measures.d2h.ms, measures.compute.ms
    if (h2d is None and d2h is None) or not compute:
        said = [note for note in seen.plan.notes if note.code in ("host-to-device-bound", "device-to-host-bound")]
        for note in said:
            yield Finding(
                f"trtexec itself warns: {note.message}",
                advice=_ADVICE,
                documentation=_DOCUMENTS,
                proof=_PROOF,
                confidence=0.9,
            )
        if not said and (seen.is_timed or compute):
            yield CannotTell(
                "what copying to and from the GPU costs: neither the trace nor a summary tells it",
                "keep trtexec's log or --exportTimes=FILE beside the profile",
            )
        return
    moved = (h2d or 0.0) + (d2h or 0.0)
    if told.flags.data_transfers is False or moved == 0.0:
        yield CannotTell(
            "what copying to and from the GPU costs: the run had no transfers",
            "measure with transfers as well: without --noDataTransfers, before TensorRT 11; else in the application",
        )
        return
    if moved <= limits["share"] / 100.0 * compute:
        return
    tensors = [binding.tensor for binding in seen.plan.engine.bindings if binding.tensor is not None]
    sizes = [tensor.size_bytes for tensor in tensors]
    total = sum(size for size in sizes if size is not None) if tensors and None not in sizes else None
    yield Finding(
        f"copies to and from the GPU take {moved:.4g} ms for each inference, {100 * moved / compute:.0f} % of what "
        f"computing takes ({compute:.4g} ms)",
        evidence=(
            Evidence("host to device", h2d, "ms"),
            Evidence("device to host", d2h, "ms"),
            Evidence("GPU compute", compute, "ms"),
            Evidence("inputs and outputs", total, "bytes"),
            Evidence("rate", None if total is None else round(total / moved / 1e6, 2), "GB/s"),
        ),
        advice=_ADVICE,
        documentation=_DOCUMENTS,
        proof=_PROOF,
        confidence=0.95,
        tensors=tuple(tensor.name for tensor in sorted(tensors, key=lambda each: -(each.size_bytes or 0))[:8]),
        severity=Severity.WARNING if max(h2d or 0.0, d2h or 0.0) > compute else Severity.NOTE,
    )


RULE = Rule(
    "LAUN002",
    "transfers weigh more than computing",
    Severity.WARNING,
    check,
    {"share": Limit(50.0, "%", "transfer time over GPU compute time above which it is told")},
)

"""An engine that takes much of the device's memory, or far more than it needs at the shapes it runs at.

What it finds: weights, inputs, outputs and the peak of the activations that together take more than the limit's share
of the device's memory; a peak at the largest shapes many times that at the optimum; scratch space that outweighs the
activations.
Why it matters: memory is taken for the largest shapes of the profile whatever runs, for each execution context again;
what does not fit keeps a second engine, a larger batch or a faster tactic away.
What to try: lower the profile's largest shapes, share one block of device memory between contexts that do not run at
once (``createExecutionContextWithoutDeviceMemory``), limit the workspace, switch off tactics that need much scratch.
Does not apply: it is no time: nothing is at stake in milliseconds. What kernels need beside their tensors is known only
from a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.perf.memory.plan_memory import Memory, memory_of
from trex.perf.memory.reported import reported_in
from trex.rules.dynamic_inputs import dynamic_inputs
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.inspected import Inspected
from trex.rules.rule import Limit, Rule

_GIB = 1 << 30
_DOCUMENTS = ("TensorRT Developer Guide: How TensorRT Works, memory", "TensorRT issues #2297, #1172, #3743")
_PROOF = "nvidia-smi, or trtexec's 'device memory size' of the new context, shows less"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    least = int(limits["least"] * (1 << 20))
    yield from _scratch(seen.plan.metadata, seen.plan.build_metadata, limits["scratch"], least)
    is_dynamic = bool(dynamic_inputs(seen.plan))
    device_mib = seen.plan.device_facts.memory_mib
    share = limits["share"] / 100.0
    most = _at_most(seen)
    if is_dynamic:
        yield from _at_largest(seen, limits["growth"], least)
    elif device_mib is None and most > _GIB:
        yield CannotTell(
            "whether the engine takes much of the device's memory: no file tells how much that has",
            "keep trtexec's log, or its metadata, beside the graph",
        )
    if device_mib is None or (not is_dynamic and most <= share * device_mib * (1 << 20)):
        return
    memory = seen.performance.memory
    peak = max([point.size_bytes for point in memory.points], default=memory.peak.size_bytes if memory.peak else 0)
    weights = seen.plan.total_weights_size
    weights_bytes = 0 if weights != weights else int(weights)
    total = peak + memory.bindings.known + weights_bytes
    if total <= share * device_mib * (1 << 20):
        return
    reliefs = memory.peak.reliefs[:3] if memory.peak is not None else ()
    yield Finding(
        f"weights, borders and the peak of activations take {_mib(total)} of the device's {device_mib:,.0f} MiB "
        f"({100 * total / (device_mib * (1 << 20)):.0f} %)",
        (memory.peak.layer.index,) if memory.peak is not None else (),
        evidence=(
            Evidence("peak of activations", peak, "bytes"),
            Evidence("weights", None if weights != weights else weights_bytes, "bytes"),
            Evidence("inputs and outputs", memory.bindings.known, "bytes"),
            Evidence("device memory", device_mib, "MiB"),
            Evidence("peak at", memory.peak.layer.name if memory.peak is not None else None),
        ),
        advice=(
            *(f"{each.what}: {_mib(each.saved_bytes)} less at the peak" for each in reliefs),
            "several contexts that do not run at once may share one block: createExecutionContextWithoutDeviceMemory",
            "weights that are seldom used may stay on the host: --allowWeightStreaming (TensorRT 10)",
        ),
        documentation=_DOCUMENTS,
        proof=_PROOF,
        confidence=0.7 if memory.is_lower_bound else 0.9,
        tensors=tuple(each.value.name for each in memory.peak.held[:5]) if memory.peak is not None else (),
    )


def _at_most(seen: Inspected) -> int:
    """All that layers write, as if no memory were used twice, and all they store: the peak cannot be more."""
    written = sum(tensor.size_bytes or 0 for layer in seen.plan.all_layers for tensor in layer.outputs)
    stored = sum(weights.size_bytes or 0 for layer in seen.plan.all_layers for weights in layer.weights)
    given = sum(each.tensor.size_bytes or 0 for each in seen.plan.engine.bindings if each.tensor is not None)
    return written + stored + given


def _scratch(run: Metadata, build: Metadata, limit_pct: float, least: int) -> Iterator[Finding]:
    reported = reported_in({**run.memory, **build.memory})
    scratch = reported.scratch_bytes if reported is not None else None
    shared = reported.shared_bytes if reported is not None else None
    if not scratch or not shared or scratch < limit_pct / 100.0 * shared or scratch < least:
        return
    yield Finding(
        f"one layer's scratch space takes {_mib(scratch)} of {_mib(shared)} of activation memory",
        evidence=(
            Evidence("largest scratch space", scratch, "bytes"),
            Evidence("activation memory", shared, "bytes"),
        ),
        advice=(
            "limit the workspace and see what it costs: --memPoolSize=workspace:MIB",
            "without tactics that need much of it: --tacticSources=-EDGE_MASK_CONVOLUTIONS",
        ),
        documentation=_DOCUMENTS,
        proof=_PROOF,
        confidence=0.8,
    )


def _at_largest(seen: Inspected, growth: float, least: int) -> Iterator[Finding | CannotTell]:
    memory = seen.performance.memory
    points = {each.point: each for each in memory.points}
    if "max" not in points or "opt" not in points or not points["opt"].size_bytes:
        yield CannotTell(
            "what the activations take at the largest shapes: those, or the sizes of the tensors, are not told",
            "keep the log of the build, or its metadata, beside the graph",
        )
        return
    largest, optimum = points["max"].size_bytes, points["opt"].size_bytes
    if largest < max(least, growth * optimum):
        return
    held = _peak_at_largest(seen)
    layer = held.peak.layer if held is not None and held.peak is not None else None
    yield Finding(
        f"the activations' peak is {_mib(largest)} at the profile's largest shapes, {largest / optimum:.3g} times that "
        f"at the optimum ({_mib(optimum)}): memory is taken for the largest",
        () if layer is None else (layer.index,),
        evidence=(
            Evidence("peak at the largest shapes", largest, "bytes"),
            Evidence("peak at the optimum", optimum, "bytes"),
            Evidence("tensors of unknown size", points["max"].unknown_count),
            Evidence("peak at", None if layer is None else layer.name),
        ),
        advice=(
            "no larger maximum than is ever used: --maxShapes",
            "two profiles, or two engines, for the usual shapes and for the largest",
            "device memory that the application gives for the shapes in use: setDeviceMemoryV2, updateDeviceMemorySize"
            "ForShapes",
        ),
        documentation=_DOCUMENTS,
        proof=_PROOF,
        confidence=0.9 if not points["max"].unknown_count else 0.6,
        severity=Severity.NOTE,
    )


def _peak_at_largest(seen: Inspected) -> Memory | None:
    try:
        return memory_of(seen.plan.at_shapes("max"))
    except TrexError:
        return None


def _mib(size: int) -> str:
    return f"{size / (1 << 20):,.4g} MiB" if size < 10 * _GIB else f"{size / _GIB:,.4g} GiB"


RULE = Rule(
    "MEM001",
    "large memory",
    Severity.WARNING,
    check,
    {
        "share": Limit(50.0, "%", "of the device's memory from which on it is told"),
        "growth": Limit(4.0, "times", "peak at the largest shapes over that at the optimum"),
        "least": Limit(64.0, "MiB", "a peak or scratch space below it is not told, however it compares"),
        "scratch": Limit(50.0, "%", "of the activation memory that one layer's scratch space may take"),
    },
)

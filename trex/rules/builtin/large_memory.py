"""An engine that takes much of the device's memory, or far more than it needs at the shapes in use.

What it finds: weights, inputs, outputs and peak activations that together take more than the limit's share of the
device's memory (trtexec creates a context with bindings of its own for each inference stream); a peak at the largest
shapes many times that at the optimum; scratch memory larger than the limit's share of activation memory.
Why it matters: TensorRT allocates for the largest shapes of the profile, whatever runs, once per execution context. It
leaves no room for a second engine, a larger batch or a faster tactic.
What to try: lower the profile's largest shapes, share one block of device memory between contexts that do not run at
the same time (``createExecutionContextWithoutDeviceMemory``), limit the workspace, disable tactics that need much
scratch memory.
Does not apply: to speed: memory has no estimated savings in milliseconds. What kernels need apart from their tensors is
known only from a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.errors import TrexError
from trex.perf.memory.plan_memory import Memory, memory_of
from trex.perf.memory.reported import reported_in
from trex.perf.weight_streaming import weights_on_device
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import METADATA_HINT

_MIB, _GIB = 1 << 20, 1 << 30
_DOCUMENTATION = ("TensorRT Developer Guide: How TensorRT Works, memory", "NVIDIA/TensorRT issues 1172, 2297, 3743")
_HOW_TO_CHECK = "nvidia-smi, or 'device memory size' in trtexec's log, shows less for the new context"


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    least = int(limits["least"] * _MIB)
    yield from _scratch(engine, limits["scratch"], least)
    is_dynamic = bool(engine.dynamic_inputs)
    device_mib = engine.plan.device_facts.memory_mib
    share = limits["share"] / 100.0
    contexts = engine.performance.reconciliation.flags.streams or 1
    upper_bound = contexts * _upper_bound(engine)
    if is_dynamic:
        yield from _at_largest(engine, limits["growth"], least)
    elif device_mib is None and upper_bound > _GIB:
        yield Unchecked(
            "no file contains the size of the device's memory, so the engine's share of it is unknown",
            "keep trtexec's log, or its metadata, next to the graph",
        )
    if device_mib is None or (not is_dynamic and upper_bound <= share * device_mib * _MIB):
        return
    memory = engine.performance.memory
    peak = max([point.size_bytes for point in memory.points], default=memory.peak.size_bytes if memory.peak else 0)
    own_bytes = contexts * (peak + memory.bindings.known)
    weights = engine.plan.total_weights_size
    weights_bytes = 0 if weights != weights else int(weights)
    resident = weights_on_device(engine.plan, weights_bytes)
    if resident is None:
        if own_bytes + weights_bytes > share * device_mib * _MIB:
            yield Unchecked(
                "the run streams weights from the host by a budget that its options do not give as a size, so the "
                "weights on the device are unknown",
                "run with a size or a share: --weightStreamingBudget=50%",
            )
        return
    total = own_bytes + resident
    if total <= share * device_mib * _MIB:
        return
    is_streaming = engine.plan.builder_cfg.get("Weight Streaming") == "Enabled" or resident < weights_bytes
    reliefs = memory.peak.reliefs[:3] if memory.peak is not None else ()
    yield Finding(
        f"Weights, bindings and peak activations{f' of {contexts} contexts' if contexts > 1 else ''} take "
        f"{_size(total)} of the device's {device_mib:,.0f} MiB "
        f"({100 * total / (device_mib * _MIB):.0f} %)",
        layers=(memory.peak.layer.index,) if memory.peak is not None else (),
        evidence=(
            *((Evidence("contexts, one for each stream", contexts),) if contexts > 1 else ()),
            Evidence("peak activations", peak, "bytes"),
            Evidence("weights", None if weights != weights else resident, "bytes"),
            *(
                (Evidence("weights on the host", weights_bytes - resident, "bytes"),)
                if resident < weights_bytes
                else ()
            ),
            Evidence("inputs and outputs", memory.bindings.known, "bytes"),
            Evidence("device memory", device_mib, "MiB"),
            Evidence("peak at", memory.peak.layer.name if memory.peak is not None else None),
        ),
        fix=(
            *(f"{relief.what}: {_size(relief.saved_bytes)} less at the peak" for relief in reliefs),
            "share one block between contexts that do not run together: createExecutionContextWithoutDeviceMemory",
            "keep fewer weights on the device: a smaller --weightStreamingBudget"
            if is_streaming
            else "keep seldom used weights on the host: --allowWeightStreaming (TensorRT 10)",
        ),
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.7 if memory.is_lower_bound else 0.9,
        tensors=tuple(held.value.name for held in memory.peak.held[:5]) if memory.peak is not None else (),
    )


def _upper_bound(engine: AnalyzedEngine) -> int:
    """All that layers write, as if no memory were used twice, and all they store: the peak cannot be more."""
    layers = engine.plan.engine.layers
    written = sum(tensor.size_bytes or 0 for layer in layers for tensor in layer.outputs)
    stored = sum(weights.size_bytes or 0 for layer in layers for weights in layer.weights)
    tensors = (binding.tensor for binding in engine.plan.engine.bindings)
    return written + stored + sum(tensor.size_bytes or 0 for tensor in tensors if tensor is not None)


def _scratch(engine: AnalyzedEngine, limit_pct: float, least: int) -> Iterator[Finding]:
    reported = reported_in({**engine.plan.metadata.memory, **engine.plan.build_metadata.memory})
    scratch = reported.scratch_bytes if reported is not None else None
    shared = reported.shared_bytes if reported is not None else None
    if not scratch or not shared or scratch < limit_pct / 100.0 * shared or scratch < least:
        return
    yield Finding(
        f"The scratch memory of one layer takes {_size(scratch)} of {_size(shared)} of activation memory",
        evidence=(
            Evidence("largest scratch memory", scratch, "bytes"),
            Evidence("activation memory", shared, "bytes"),
        ),
        fix=(
            "limit the workspace and measure what it costs: --memPoolSize=workspace:MIB",
            "disable tactics that need much of it: --tacticSources=-EDGE_MASK_CONVOLUTIONS",
        ),
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.8,
    )


def _at_largest(engine: AnalyzedEngine, growth: float, least: int) -> Iterator[Finding | Unchecked]:
    points = {point.point: point for point in engine.performance.memory.points}
    if "max" not in points or "opt" not in points or not points["opt"].size_bytes:
        yield Unchecked(
            "the largest shapes or the sizes of tensors are unknown, so is the memory of activations there",
            METADATA_HINT,
        )
        return
    largest, optimum = points["max"].size_bytes, points["opt"].size_bytes
    if largest < max(least, growth * optimum):
        return
    memory = _memory_at_largest(engine)
    layer = memory.peak.layer if memory is not None and memory.peak is not None else None
    yield Finding(
        f"Peak activations are {_size(largest)} at the profile's largest shapes, {largest / optimum:.3g} times those "
        f"at the optimum ({_size(optimum)}); TensorRT allocates for the largest",
        layers=() if layer is None else (layer.index,),
        evidence=(
            Evidence("peak at the largest shapes", largest, "bytes"),
            Evidence("peak at the optimum", optimum, "bytes"),
            Evidence("tensors of unknown size", points["max"].unknown_count),
            Evidence("peak at", None if layer is None else layer.name),
        ),
        fix=(
            "no larger maximum than is ever used: --maxShapes",
            "two profiles, or two engines: one for the usual shapes, one for the largest",
            "device memory from the application for the shapes in use: setDeviceMemoryV2, updateDeviceMemorySize"
            "ForShapes",
        ),
        documentation=_DOCUMENTATION,
        how_to_check=_HOW_TO_CHECK,
        confidence=0.9 if not points["max"].unknown_count else 0.6,
        severity=Severity.NOTE,
    )


def _memory_at_largest(engine: AnalyzedEngine) -> Memory | None:
    try:
        return memory_of(engine.plan.at_shapes("max"))
    except TrexError:
        return None


def _size(size: int) -> str:
    return f"{size / _MIB:,.4g} MiB" if size < 10 * _GIB else f"{size / _GIB:,.4g} GiB"


RULE = Rule(
    "MEM001",
    "large memory",
    Severity.WARNING,
    check,
    {
        "share": RuleLimit(50.0, "%", "largest share of the device's memory"),
        "growth": RuleLimit(4.0, "times", "peak at the largest shapes over that at the optimum"),
        "least": RuleLimit(64.0, "MiB", "smaller peaks and scratch memory are not reported"),
        "scratch": RuleLimit(50.0, "%", "largest share of one layer's scratch memory in activation memory"),
    },
)

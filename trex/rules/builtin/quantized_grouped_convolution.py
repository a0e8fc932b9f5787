"""Grouped and depthwise convolutions in INT8 or FP8.

What it finds: convolutions of more than one group that read quantized data; and one ONNX convolution that became
several engine convolutions.
Why it matters: few MACs per byte leave tensor cores nothing to gain, so in INT8 such layers are often no faster than in
FP16 and pay for conversions; TensorRT for RTX 1.7 pads each channel of a depthwise INT8 convolution to four, which a
kernel before it writes, and FP16 needs no padding; TensorRT has no fast FP8 kernels for groups; a grouped convolution
without a kernel of its own runs group by group.
What to try: leave these layers in FP16 (no Q/DQ before them) and compare; keep them quantized where their neighbors
are, if removing Q/DQ adds conversions on both sides; larger groups, or a dense convolution.
Does not apply: convolutions of one group. Depthwise INT8 convolutions without padding are notes without savings: memory
bounds them in either type, and only a build in FP16 shows which is faster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.plan.gemm import groups_of
from trex.plan.listed_operands import filter_of
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import COPIES, operations_of, operator_word
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import cost_of, listed, names_of

_CONVOLUTIONS = ("Convolution", "Deconvolution", "correlation", "deconv")
_DEPTHWISE_KERNEL = "Depthwise"
_SLICES = COPIES | {"Slice", "slice"}
_MOST_COPIES = 4


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    flow = engine.flow
    kinds: dict[tuple[str, DataType], list[int]] = defaultdict(list)
    quantized = [position for position in engine.of_type(*_CONVOLUTIONS) if flow.is_quantized(position)]
    unknown = []
    for position in quantized:
        layer = engine.layers[position]
        groups = groups_of(layer)
        if groups is None:
            unknown.append(position)
        elif groups > 1:
            shape = layer.inputs[0].shape if layer.inputs else None
            is_depthwise = _padding(layer) > 1 or (shape is not None and len(shape) > 1 and shape[1] == groups)
            kind = "depthwise" if is_depthwise or _DEPTHWISE_KERNEL in layer.subtype else "grouped"
            kinds[kind, flow.reads[position]].append(position)
    for (kind, data_type), positions in kinds.items():
        yield _finding(engine, kind, data_type, positions)
    yield from _split(engine, quantized, limits["parts"])
    if unknown:
        reason = "the number of groups of these quantized convolutions is unknown"
        yield Unchecked(reason, layers=engine.indexes(unknown))


def _padding(layer: Layer) -> int:
    """Channels of a group, for a depthwise convolution of Myelin that pads its one channel; else 1."""
    filters = filter_of(layer)
    return filters.depth if filters is not None and filters.maps == filters.groups else 1


def _finding(engine: AnalyzedEngine, kind: str, data_type: DataType, positions: list[int]) -> Finding:
    roofline = engine.performance.roofline
    number = len(positions)
    is_fp8 = data_type is DataType.FP8
    own_kernels = sum(_DEPTHWISE_KERNEL in engine.layers[position].subtype for position in positions)
    padding = max(_padding(engine.layers[position]) for position in positions)
    is_bound_by_memory = kind == "depthwise" and padding == 1 and not is_fp8
    savings = {}
    for position in () if is_bound_by_memory else [p for p in positions if p not in engine.streamed]:
        # In FP16 it moves at most twice the bytes it moves now, and takes at least as long as the memory needs.
        least, own = 2 * float(roofline.memory_ms[position]), engine.times[position]
        if np.isfinite(least) and np.isfinite(own) and own > least:
            savings[engine.layers[position].index] = own - least
    padded = f"; {padding - 1} of {padding} channels that they read are padding" if padding > 1 else ""
    subject = counted(number, f"{kind} convolution runs", f"{kind} convolutions run")
    return Finding(
        f"{subject} in {data_type.label}, which is seldom faster than FP16: {cost_of(positions, engine)}{padded}",
        layers=engine.indexes(positions),
        savings=savings,
        formula="layer time − twice the time in which the memory moves its bytes (FP16 moves twice as many)"
        if savings
        else "",
        evidence=(
            Evidence("layers", names_of(positions, engine, 20)),
            Evidence("with a depthwise kernel", own_kernels),
            Evidence("time", engine.sum_ms(positions), "ms"),
        ),
        fix=(
            f"build once without Q/DQ before these {kind} convolutions; compare their times, conversions included",
            "keep them quantized where both neighbors are, if the FP16 version needs conversions on both sides",
            *(("FP8 grouped convolutions have no fast kernels: leave them in FP16",) if is_fp8 else ()),
        ),
        documentation=("TensorRT Release Notes: Known Issues", "NVIDIA/TensorRT issues 444, 1409, 4524, 4529"),
        how_to_check="compare the time of these layers and of the adjacent conversions in both engines, at the same "
        "clocks",
        confidence=0.8 if is_fp8 or padding > 1 else 0.2 if is_bound_by_memory else 0.5,
        severity=Severity.NOTE if is_bound_by_memory else None,
    )


def _split(engine: AnalyzedEngine, quantized: list[int], least: float) -> Iterator[Finding]:
    """ONNX convolutions that became several engine convolutions; those in the same layers together."""
    parts: dict[str, dict[int, None]] = defaultdict(dict)
    for position in quantized:
        for operation in operations_of(engine.layers[position]):
            if operator_word(operation) in ("conv", "convtranspose"):
                parts[operation][position] = None
    operations: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for operation, of_operation in parts.items():
        operations[tuple(of_operation)].append(operation)
    for positions, names in operations.items():
        if len(positions) < max(2, least) or len({_source(engine, position) for position in positions}) > 1:
            continue
        name, is_one = listed(names, 2), len(names) == 1
        yield Finding(
            f"{name} became {len(positions)} convolutions, one per group or two: {cost_of(positions, engine)}",
            layers=engine.indexes(positions),
            savings=engine.savings(positions, 1 - 1 / len(positions)),
            formula="time × (1 − 1 / number of parts): as if one kernel did all in the time of one part",
            evidence=(Evidence("parts", len(positions)), Evidence("time", engine.sum_ms(positions), "ms")),
            fix=(f"leave {name} in FP16: remove the Q/DQ before {'it' if is_one else 'them'}",),
            documentation=("NVIDIA/TensorRT issues 444, 4529",),
            how_to_check=f"in FP16 {name} {'is one layer' if is_one else 'are one layer each'}",
            confidence=0.6,
        )


def _source(engine: AnalyzedEngine, position: int) -> int | str:
    """What a convolution reads, before copies and slices: the layer that writes it, or a tensor that none writes. The
    same for all parts of one convolution; other convolutions that share its name read something else.
    """
    for _ in range(_MOST_COPIES):
        layer, writers = engine.layers[position], engine.before(position)
        name = layer.inputs[0].name if layer.inputs else ""
        if not writers or name in engine.inputs:
            return name
        position = writers[0]
        if engine.layers[position].type not in _SLICES:
            return position
    return position


RULE = Rule(
    "QDQ006",
    "grouped convolutions in INT8 or FP8",
    Severity.WARNING,
    check,
    {"parts": RuleLimit(3, "layers", "least number of engine convolutions that one ONNX convolution is split into")},
)

"""Attention in eight bits that is slower than the baseline's in sixteen.

What it finds: attention blocks that compute in INT8 or FP8 here, in FP16 or BF16 in the baseline, and take longer here.
Why it matters: fused attention kernels in eight bits do not exist for every head size and device; Q/DQ may also keep
the GEMMs and the softmax from becoming one kernel. Then quantizing costs accuracy and time.
What to try: leave the attention in FP16: no Q/DQ at the inputs of its two GEMMs, only at the projections.
Does not apply: without a baseline of higher precision; attention that became faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.baseline_match import LOSS_FORMULA
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import HALVES, QUANTIZED
from trex.rules.wording import main_operation, ms


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    match, baseline = engine.baseline_match, engine.baseline
    if match is None or baseline is None or match.not_comparable:
        return
    for group in match.groups:
        if not match.is_slower(group):
            continue
        here = [engine.layers[position] for position in group.here if _is_attention(engine, position)]
        there = [baseline.layers[position] for position in group.there if _is_attention(baseline, position)]
        types, before = _types(here), _types(there)
        if not here or not there or not types & QUANTIZED or before & QUANTIZED or not before & HALVES:
            continue
        layer = here[0]
        savings = match.loss(group)
        finding = Finding(
            f"The attention of {main_operation(layer)} takes {ms(group.here_ms)} in {_labels(types & QUANTIZED)}, in "
            f"the baseline {ms(group.there_ms)} in {_labels(before & HALVES)}",
            layers=tuple(dict.fromkeys((layer.index, *engine.indexes(group.here)))),
            main_layers=(layer.index,),
            savings=savings,
            formula=LOSS_FORMULA if savings else "",
            evidence=(
                *group.times,
                Evidence("kernel here", layer.tactic or None),
                Evidence("kernel in the baseline", there[0].tactic or None),
            ),
            fix=(
                "remove Q/DQ from the inputs of the attention's two GEMMs (Q·Kᵀ, and that with V), and keep it at the "
                "projections",
                "if the head size allows, try a newer TensorRT, which may have the fused kernel in FP8",
            ),
            documentation=("NVIDIA/TensorRT issue 3243 (fused attention slower in INT8 than in FP16)",),
            how_to_check="with the attention in FP16 the block takes as long as in the baseline",
            confidence=0.85,
        )
        yield match.qualified(finding)


def _is_attention(engine: AnalyzedEngine, position: int) -> bool:
    return engine.kernels[position].kind == "attention" or engine.operations.is_softmax(position)


def _labels(types: frozenset[DataType]) -> str:
    return " and ".join(sorted(type_.label for type_ in types))


def _types(layers: list[Layer]) -> frozenset[DataType]:
    return frozenset(layer.compute.data_type for layer in layers) | frozenset(
        tensor.data_type for layer in layers for tensor in layer.inputs
    )


RULE = Rule("DIFF005", "eight-bit attention slower than the baseline's", Severity.WARNING, check)

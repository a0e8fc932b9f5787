"""Attention in eight bits that is slower than the baseline's in sixteen.

What it finds: attention blocks that compute in INT8 or FP8 here, in FP16 or BF16 in the baseline, and take longer here.
Why it matters: not every fused attention kernel exists in eight bits for every head size and device; Q/DQ may also keep
the products and the softmax from being one kernel. Then quantizing costs accuracy and time.
What to try: leave the attention in FP16: no Q/DQ at the inputs of its two products, only at the projections around.
Does not apply: without a baseline of higher precision; to attention that was faster for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule
from trex.rules.type_flow import HALVES, QUANTIZED
from trex.rules.wording import main_operation, ms


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    against = seen.against
    if against is None or against.unlike:
        return
    for group in against.groups:
        if not against.is_slower(group):
            continue
        attends = [place for place in group.here if _attends(seen, place)]
        attended = [place for place in group.there if _attends(against.there, place)]
        if not attends or not attended:
            continue
        types = _types([seen.layers[place] for place in attends])
        before = _types([against.there.layers[place] for place in attended])
        if not types & QUANTIZED or before & QUANTIZED or not before & HALVES:
            continue
        layer = seen.layers[attends[0]]
        stake = against.loss(group)
        found = Finding(
            f"the attention of {main_operation(layer)} takes {ms(group.here_ms)} in "
            f"{_labels(types & QUANTIZED)}, in the baseline {ms(group.there_ms)} in {_labels(before & HALVES)}",
            (layer.index, *(seen.layers[place].index for place in group.here if place != attends[0])),
            stake,
            "t · (1 − t of the group in the baseline / t of the group here)" if stake else "",
            (
                Evidence("here", group.here_ms, "ms"),
                Evidence("in the baseline", group.there_ms, "ms"),
                Evidence("kernel here", layer.tactic or None),
                Evidence("kernel in the baseline", against.there.layers[attended[0]].tactic or None),
            ),
            (
                "take Q/DQ away from the inputs of the attention's two products (Q·Kᵀ, and that with V), and keep it "
                "at the projections around",
                "where the head size allows, a newer TensorRT may have the fused kernel in FP8",
            ),
            ("TensorRT issue #3243: fused attention slower in INT8 than in FP16",),
            "with the attention in FP16 the block takes what the baseline takes",
            0.85,
            about=(layer.index,),
        )
        yield against.told(found)


def _attends(side: Inspected, place: int) -> bool:
    return side.kernels[place].kind == "attention" or side.operations.is_softmax(place)


def _labels(types: frozenset[DataType]) -> str:
    return " and ".join(sorted(each.label for each in types))


def _types(layers: list[Layer]) -> frozenset[DataType]:
    return frozenset(layer.compute.data_type for layer in layers) | frozenset(
        tensor.data_type for layer in layers for tensor in layer.inputs
    )


RULE = Rule("DIFF005", "eight-bit attention slower than the baseline's", Severity.WARNING, check)

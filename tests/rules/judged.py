"""Engines judged against a device with round figures: ``judged(conv(…), gemm(…), ms=[0.5, 0.25])``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests import factories
from tests.perf.round_device import round_device
from trex.core.layer import Layer
from trex.core.timings import LayerTimes
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Finding
from trex.rules.rule import RULES

TENSOR_HALF = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_tensor16x8x16"
SIMT_HALF = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x64x32_stage5_g1_simt_sgemm"
SINGLE = "ampere_scudnn_128x64_relu_xregs_large_nn_v1"
GEMM_HALF = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32_stage4_warpsize2x2x1_tensor16x8x16"


def judged(
    *layers: Layer,
    ms: Sequence[float | None] = (),
    device: Device | None = None,
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    no_device: bool = False,
    tokens: Mapping[str, tuple[str, ...]] | None = None,
) -> Inspected:
    """The engine of these layers in this order on this device (one of round figures unless told), with their times.

    tokens: {layer's name: Myelin's tokens}, as the reader takes them from generated kernels' names.
    """
    from dataclasses import replace

    told = [
        replace(each, name_parts=replace(each.name_parts, tokens=tokens[each.name]))
        if tokens and each.name in tokens
        else each
        for each in layers
    ]
    engine = factories.engine(*told, inputs=inputs, outputs=outputs)
    records = [
        factories.time(layer.name, each, occurrence=layer.occurrence)
        for layer, each in zip(engine.layers, ms or [None] * len(engine.layers), strict=True)
    ]
    plan = EnginePlan(engine, LayerTimes(tuple(records)) if ms else None)
    return Inspected(Performance(plan, None if no_device else device or round_device()))


def answers(rule: str, seen: Inspected, **limits: float) -> list[Finding | CannotTell]:
    """What the rule says of the engine, its limits as they are unless told."""
    found = RULES.chosen(rule).value
    own = {key: limit.default for key, limit in found.limits.items()}
    return list(found.check(seen, own | limits))


def findings(rule: str, seen: Inspected, **limits: float) -> list[Finding]:
    return [each for each in answers(rule, seen, **limits) if isinstance(each, Finding)]


def unanswered(rule: str, seen: Inspected, **limits: float) -> list[CannotTell]:
    return [each for each in answers(rule, seen, **limits) if isinstance(each, CannotTell)]

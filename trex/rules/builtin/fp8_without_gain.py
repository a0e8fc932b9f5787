"""FP8 that brings nothing: products that run in half precision all the same.

What it finds: convolutions and matrix products whose FP8 inputs are turned into floats by a kernel before them, whose
kernel multiplies in half precision by its own name, and FP8 convolutions on Ada (compute capability 8.9).
Why it matters: FP8 then costs conversions and saves no multiplication.
What to try: Q/DQ directly at both inputs of the product, with nothing between; export Q/DQ with scales of the model's
own high precision (FP16), so that no Cast stands between; on Ada leave convolutions in FP16 or INT8. Amdahl: only the
products get faster, at best twice, so see what share of the time they are.
Does not apply: engines without FP8 tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Rule
from trex.rules.type_flow import CONVOLUTIONS, HALVES, PRODUCTS, Flow
from trex.rules.wording import listed, main_operation, priced, share

_ADA = (8, 9)
DEQUANTIZED, HALF_KERNEL, ADA_CONVOLUTION = "dequantized before", "kernel in half precision", "convolution on Ada"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    if not any(type_ is DataType.FP8 for type_ in (*flow.reads, *flow.writes)):
        return
    device = seen.performance.device
    capability = None if device is None else device.compute_capability
    products = seen.of_type(*PRODUCTS)
    groups: dict[str, list[int]] = {}
    convolutions = []
    for place in products:
        reason = _reason(seen, flow, place, capability)
        if reason:
            groups.setdefault(reason, []).append(place)
        elif capability is None and flow.reads[place] is DataType.FP8 and seen.layers[place].type in CONVOLUTIONS:
            convolutions.append(seen.layers[place].index)
    products_ms = known_ms(seen, products)
    for reason, places in groups.items():
        yield _finding(seen, flow, reason, places, products_ms)
    if convolutions:
        yield CannotTell(
            "whether these FP8 convolutions have fast kernels depends on the GPU, which the files do not name",
            "--device NAME",
            tuple(convolutions),
        )


def _reason(seen: Inspected, flow: Flow, place: int, capability: tuple[int, int] | None) -> str:
    if flow.reads[place] is not DataType.FP8:
        dequantized = [p for p in seen.before(place) if flow.dequantizes(p) and flow.reads[p] is DataType.FP8]
        return DEQUANTIZED if dequantized else ""
    if seen.kernels[place].input_type in HALVES:
        return HALF_KERNEL
    return ADA_CONVOLUTION if seen.layers[place].type in CONVOLUTIONS and capability == _ADA else ""


def _finding(seen: Inspected, flow: Flow, reason: str, places: list[int], products_ms: float) -> Finding:
    names = listed(main_operation(seen.layers[place]) for place in places)
    before = sorted({each for place in places for each in seen.before(place) if flow.dequantizes(each)})
    time = known_ms(seen, places)
    number = len(places)
    noun = f"{number} product{'' if number == 1 else 's'}"
    message = {
        DEQUANTIZED: f"{noun} of FP8 data run in floats, as a kernel dequantizes them before: {names}",
        HALF_KERNEL: f"{noun} of FP8 data multiply in half precision by their kernel's name: {names}",
        ADA_CONVOLUTION: f"{noun} are FP8 convolutions on Ada, which has no fast kernels for them: {names}",
    }[reason]
    advice = {
        DEQUANTIZED: "put Q/DQ directly at both inputs of the product, with no Cast, Mul or Transpose between",
        HALF_KERNEL: "quantize both inputs (weights too), export Q/DQ with FP16 scales (Model Optimizer: "
        "high_precision_dtype='fp16'), and look for a Cast between Q/DQ and the product",
        ADA_CONVOLUTION: "leave the convolutions in FP16, or quantize them to INT8",
    }[reason]
    stake = seen.stake(before)
    if reason != ADA_CONVOLUTION:
        stake |= seen.stake(places, 0.5)
    total = seen.total_ms
    amdahl = products_ms / 2
    return Finding(
        f"{message}; {priced(time, total)}",
        layers=tuple(seen.layers[place].index for place in (*places, *before)),
        about=tuple(seen.layers[place].index for place in places),
        at_stake=stake,
        formula="time of the dequantizing kernels + half of the products' time: FP8 multiplies twice as fast at best",
        evidence=(
            Evidence("products", number),
            Evidence("time", time, "ms"),
            Evidence("dequantizing kernels", len(before)),
            Evidence("share of all products in the time", share(products_ms, total)),
            Evidence("what FP8 could save at most over FP16, all products", amdahl, "ms"),
        ),
        advice=(
            advice,
            "compare with an FP16 engine of the same model before going on: see the share of products above",
        ),
        documentation=("NVIDIA/TensorRT issue 4081", "NVIDIA/Model-Optimizer issue 512"),
        proof="after the change the products' kernels have e4m3 in their names, or they read FP8 by themselves",
        confidence=0.7,
    )


RULE = Rule("QDQ007", "FP8 without gain", Severity.WARNING, check)

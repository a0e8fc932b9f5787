"""Engines built for FP32 alone, on a device that is faster in FP16.

What it finds: builds for FP32 (and TF32) and nothing else, in which nearly all products run so; where the options of
the build are not known, engines without a layer in any other type of data. Told once, for the whole engine.
Why it matters: FP16 has half of the bytes, and tensor cores multiply it at least twice as fast as TF32 and up to 16
times as fast as CUDA cores multiply FP32. Most networks keep their accuracy, so this is the first thing to try, before
any single layer is looked at.
What to try: up to TensorRT 10 ``--fp16``, with which the builder keeps FP32 where that is faster; from TensorRT 11 on,
where the model's own types hold, a model in FP16. BF16, from compute capability 8.0 on, where values exceed the range
of FP16. Then compare the outputs on real inputs; FP16 agrees with FP32 to about three digits.
Does not apply: devices that multiply no faster in FP16 (compute capability 6.1 and before 5.3); engines with quantized
or FP16 layers or built for them (PREC001 and PREC002 tell what stays in FP32 there); integer and Boolean engines;
networks whose accuracy needs FP32.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from trex.core.data_type import DataType
from trex.plan.engine_plan import EnginePlan
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.half_precision import (
    HALF_FORMULA,
    half_expected_ms,
    half_stake,
    has_slow_half,
    is_strongly_typed,
    precisions_of,
    spelled,
)
from trex.rules.operations import capability_of
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import HALVES, PRODUCTS, QUANTIZED
from trex.rules.wording import ms, priced

_SINGLES = frozenset({"FP32", "TF32"})
_BF16_SINCE = 80
_JETSONS = frozenset({53, 62, 72, 87, 110})
_FIRST_TYPED = 11


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    flow = seen.flow
    built = precisions_of(seen)
    if built - _SINGLES or has_slow_half(seen):
        return
    if not built and any(type_ in HALVES | QUANTIZED for type_ in (*flow.reads, *flow.writes)):
        return
    products = seen.of_type(*PRODUCTS)
    judged = products or [place for place, reads in enumerate(flow.reads) if reads.is_known and not flow.is_copy(place)]
    in_single = [place for place in judged if _operands(seen, place) is DataType.FP32]
    if not in_single or not (products or built) or _share(seen, in_single, judged) * 100 < limits["share"]:
        return
    singles = [place for place, reads in enumerate(flow.reads) if reads is DataType.FP32]
    stake = half_stake(seen, singles)
    if seen.is_timed and sum(stake.values()) * 100 < limits["gain"] * seen.total_ms:
        return
    order = sorted(singles, key=lambda place: -seen.times[place] if seen.is_timed else place)
    expected_ms = half_expected_ms(seen, singles)
    in_tf32 = [place for place in in_single if seen.kernels[place].tf32]
    yield Finding(
        _message(seen, built, len(in_single), len(judged), bool(products), known_ms(seen, in_single))
        + _saving(sum(stake.values()), expected_ms),
        layers=tuple(seen.layers[place].index for place in order),
        at_stake=stake,
        formula=HALF_FORMULA,
        evidence=(
            Evidence("precision of the build", _told(seen, built)),
            Evidence("products in FP32" if products else "layers in FP32", len(in_single)),
            Evidence("of them as TF32, on tensor cores", len(in_tf32)),
            *_known("their time", known_ms(seen, in_single)),
            *_known("saved if each layer stays as near to what is attainable as it is now", expected_ms),
        ),
        advice=_advice(seen),
        documentation=(
            "TensorRT Developer Guide: Accuracy Considerations, Reduced Precision Data Types",
            "TensorRT Developer Guide: Strongly Typed Networks",
            "NVIDIA/TensorRT issues 2691, 3101, 4502 (accuracy in FP16)",
        ),
        proof="the products of the next engine run in FP16, and trex compare of the two engines tells the gain",
        confidence=0.9 if built else 0.7,
    )


def _operands(seen: Inspected, place: int) -> DataType:
    """In which type it multiplies: as its kernel's name tells, else its own type, else that of its data."""
    layer, named = seen.layers[place], seen.kernels[place].input_type
    own = layer.compute.data_type
    return named if named.is_known else own if own.is_known else seen.flow.reads[place]


def _share(seen: Inspected, part: Sequence[int], whole: Sequence[int]) -> float:
    """Of the time where it is known, else of the number."""
    whole_ms = known_ms(seen, whole)
    return known_ms(seen, part) / whole_ms if whole_ms > 0 else len(part) / len(whole)


def _told(seen: Inspected, built: frozenset[str]) -> str:
    if is_strongly_typed(seen):
        return "strongly typed, in FP32"
    return spelled(built) or "not told; no layer has data in another type of float, or quantized"


def _message(seen: Inspected, built: frozenset[str], count: int, of: int, are_products: bool, time_ms: float) -> str:
    if is_strongly_typed(seen):
        begin = "strongly typed in FP32"
    else:
        begin = f"built for {spelled(built)} alone" if built else "nothing runs in FP16"
    what = "product" if are_products else "layer"
    if count == of:
        subject = f"all {count} {what}s run" if count > 1 else f"its {what} runs"
    else:
        subject = f"{count} of {of} {what}s run"
    cost = f", {priced(time_ms, seen.total_ms)}" if time_ms == time_ms else ""
    return f"{begin}: {subject} in FP32 or TF32{cost}"


def _saving(stake_ms: float, expected_ms: float) -> str:
    if not stake_ms > 0:
        return ""
    about = f", perhaps {ms(expected_ms)}" if expected_ms == expected_ms else ""
    return f"; FP16 would save up to {ms(stake_ms)}{about}"


def _known(what: str, time_ms: float) -> tuple[Evidence, ...]:
    return (Evidence(what, time_ms, "ms"),) if time_ms == time_ms else ()


def _advice(seen: Inspected) -> tuple[str, ...]:
    device, capability = seen.performance.device, capability_of(seen)
    is_jetson = device is not None and ("jetson" in device.name.lower() or capability in _JETSONS)
    has_bf16 = capability is None or capability >= _BF16_SINCE
    return (
        *_how_to_build(seen, has_bf16),
        *(
            (
                "build it on the Jetson itself, with JetPack's TensorRT: engines do not move between devices; a DLA "
                "takes FP16 and INT8 alone",
            )
            if is_jetson
            else ()
        ),
        *_how_to_check(seen),
    )


def _how_to_build(seen: Inspected, has_bf16: bool) -> tuple[str, ...]:
    weak = "trtexec --fp16 (in Python: config.set_flag(trt.BuilderFlag.FP16)); FP32 stays where it is faster"
    weak_bf16 = "--bf16 in place of --fp16 (since TensorRT 9) where values exceed 65504, FP16's largest"
    typed = "export the model in FP16, or convert it (ModelOpt AutoCast): a strongly typed network keeps its types"
    typed_bf16 = "BF16 in place of FP16 where values exceed 65504, FP16's largest"
    major = _major(seen.plan)
    if is_strongly_typed(seen) or (major is not None and major >= _FIRST_TYPED):
        return (typed, *((typed_bf16,) if has_bf16 else ()))
    if major is not None:
        return (weak, *((weak_bf16,) if has_bf16 and major > 8 else ()))
    return (f"up to TensorRT 10: {weak}", f"from TensorRT 11 on: {typed}", *((typed_bf16,) if has_bf16 else ()))


def _how_to_check(seen: Inspected) -> tuple[str, ...]:
    begin, limits = "compare the outputs on real inputs", "--atol 1e-2 --rtol 1e-2 --validate"
    end = "the application's own measure decides"
    keep = "where outputs differ too much, keep softmax, normalization and large sums in FP32"
    if is_strongly_typed(seen) or (_major(seen.plan) or 0) >= _FIRST_TYPED:
        return (
            f"{begin}: polygraphy run MODEL.onnx --onnxrt --load-inputs REAL.json --save-outputs FP32.json, then "
            f"polygraphy run HALF.onnx --trt --load-inputs REAL.json --load-outputs FP32.json {limits}; {end}",
            f"{keep} (Casts in the model)",
        )
    return (
        f"{begin}: polygraphy run MODEL.onnx --onnxrt --trt --fp16 --load-inputs REAL.json {limits}; {end}",
        f"{keep}: --precisionConstraints=obey --layerPrecisions=NAME:fp32",
    )


def _major(plan: EnginePlan) -> int | None:
    """Major number of the TensorRT that built it, None where no file tells."""
    told = (plan.engine.tensorrt_version, plan.build_metadata.tensorrt_version, plan.metadata.tensorrt_version)
    first = next((each for each in told if each), "").partition(".")[0]
    return int(first) if first.isascii() and first.isdigit() else None


RULE = Rule(
    "PREC004",
    "built for FP32 alone",
    Severity.WARNING,
    check,
    {
        "share": Limit(90.0, "%", "share of products in FP32 and TF32 in the products' time from which it is told"),
        "gain": Limit(5.0, "%", "share of the engine's time that must be at stake"),
    },
)

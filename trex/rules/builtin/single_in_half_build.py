"""Layers that stay in FP32 although the build allows FP16 or BF16.

What it finds: builds for FP16 or BF16 in which layers that run in FP32 take more than a few percent of the time, by
cost, with the conversions around them.
Why it matters: this is why FP16 brings no speed-up: the expensive part did not move: a pinned precision, a Cast in the
model, or an operator that the builder found faster in FP32, conversions included.
What to try: remove pins (``--layerPrecisions``, ``--precisionConstraints``) and Casts to FP32 from the dearest layers;
export the model in FP16; keep FP32 only where accuracy needs it (softmax, normalization, large sums).
Does not apply: builds for FP32; layers that compute on integers; FP32 below the limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.half_precision import HALF_FORMULA, half_stake, is_strongly_typed, precisions_of, spelled
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import HALVES
from trex.rules.wording import listed, main_operation, ms, priced

_MOST_NAMED = 5


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    built = precisions_of(seen)
    has_halves = any(type_ in HALVES for type_ in (*flow.reads, *flow.writes))
    if not (built & {"FP16", "BF16"} or (not built and has_halves)):
        return
    singles = [place for place, reads in enumerate(flow.reads) if reads is DataType.FP32 and not flow.is_copy(place)]
    if not singles:
        return
    if not seen.is_timed:
        yield CannotTell(
            f"{len(singles)} layers run in FP32 in a build for FP16, but their times are unknown",
            "profile the engine: trtexec --loadEngine=… --dumpProfile --separateProfileRun --exportProfile=…",
            tuple(seen.layers[place].index for place in singles),
        )
        return
    time = known_ms(seen, singles)
    if not time * 100 >= limits["share"] * seen.total_ms:
        return
    single = set(singles)
    casts = [
        place
        for place in seen.precision_map.conversions
        if {flow.reads[place], flow.writes[place]} & HALVES
        and DataType.FP32 in (flow.reads[place], flow.writes[place])
        and single.intersection((*seen.before(place), *seen.after(place)))
    ]
    order = sorted(singles, key=lambda place: -seen.times[place])
    dearest = listed(f"{main_operation(seen.layers[p])} ({ms(seen.times[p])})" for p in order[:_MOST_NAMED])
    pins = seen.plan.builder_cfg.get("LayerPrecisions")
    pinned = isinstance(pins, str) and bool(pins.strip())
    yield Finding(
        f"{len(singles)} layer{'s stay' if len(singles) > 1 else ' stays'} in FP32 in a build for "
        f"{spelled(built) or 'FP16'}: {priced(time, seen.total_ms)}; the dearest: {dearest}",
        layers=tuple(seen.layers[place].index for place in (*order, *casts)),
        about=tuple(seen.layers[place].index for place in order),
        at_stake=half_stake(seen, singles) | seen.stake(casts),
        formula=f"{HALF_FORMULA}; + the time of the conversions around them",
        evidence=(
            Evidence("precision of the build", spelled(built) or "not told; the engine has FP16 tensors"),
            Evidence("layers in FP32", len(singles)),
            Evidence("their time", time, "ms"),
            Evidence("conversions around them", len(casts)),
            Evidence("time of the conversions", known_ms(seen, casts), "ms"),
            *((Evidence("pinned by --layerPrecisions", pins),) if pinned else ()),
        ),
        advice=(
            *((f"unpin the dearest first: --layerPrecisions was {pins}",) if pinned else ()),
            "strongly typed: change the types in the ONNX model, removing Casts to FP32 around the dearest layers"
            if is_strongly_typed(seen)
            else "remove Casts to FP32 and pins from the dearest layers; compare the output's accuracy after each",
            "export the model in FP16, keeping softmax, normalization and large sums in FP32 where accuracy needs it",
            *(("quantized engines: quantize these layers instead (QDQ008, QDQ003)",) if flow.quantized_places else ()),
        ),
        documentation=(
            "TensorRT Developer Guide: Reduced Precision, Layer-Level Control of Precision",
            "NVIDIA/TensorRT issues 572, 1250, 2087, 2445",
        ),
        proof="the dearest of these layers run in FP16 in the next engine, and the sum of the times falls",
        confidence=0.7,
    )


RULE = Rule(
    "PREC002",
    "layers in FP32 in a build for FP16",
    Severity.WARNING,
    check,
    {"share": Limit(5.0, "%", "share of FP32 layers in the engine's time from which they are told")},
)

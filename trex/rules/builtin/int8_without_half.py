"""Engines built for INT8 or FP8 without FP16 beside it.

What it finds: builds whose precision is FP32 and INT8 (or FP8) only, in which layers run in FP32.
Why it matters: what cannot run quantized then falls back to FP32, at twice the bytes of FP16 and without its tensor
cores. ``--int8`` does not bring FP16 along.
What to try: up to TensorRT 10 pass both, ``--int8 --fp16`` (or ``--best``); from TensorRT 11 on, where the model's own
types hold, export the float part in FP16 or insert casts.
Does not apply: where FP16 or BF16 is among the precisions, or the network is strongly typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.half_precision import HALF_FORMULA, half_stake, precisions_of, spelled
from trex.rules.precision_map import known_ms
from trex.rules.rule import Rule
from trex.rules.type_flow import HALVES
from trex.rules.wording import listed, main_operation, priced


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    built = precisions_of(seen)
    singles = [place for place, reads in enumerate(flow.reads) if reads is DataType.FP32 and not flow.is_copy(place)]
    if not singles:
        return
    if not built:
        has_halves = any(type_ in HALVES for type_ in (*flow.reads, *flow.writes))
        if flow.quantized_places and not has_halves:
            yield CannotTell(
                "the engine has INT8 and FP32 layers and none in FP16, but the options of its build are not known",
                "keep the build log or its metadata beside the engine (trex process does)",
                tuple(seen.layers[place].index for place in singles),
            )
        return
    if not built & {"INT8", "FP8"} or built & {"FP16", "BF16"}:
        return
    time = known_ms(seen, singles)
    order = sorted(singles, key=lambda place: -seen.times[place] if seen.is_timed else place)
    names = listed(main_operation(seen.layers[place]) for place in order)
    yield Finding(
        f"built for {spelled(built)} without FP16: {len(singles)} layers fall back to FP32, "
        f"{priced(time, seen.total_ms)}: {names}",
        layers=tuple(seen.layers[place].index for place in order),
        at_stake=half_stake(seen, singles),
        formula=HALF_FORMULA,
        evidence=(
            Evidence("precision of the build", spelled(built)),
            Evidence("layers in FP32", len(singles)),
            Evidence("their time", time, "ms"),
        ),
        advice=(
            "up to TensorRT 10: trtexec --int8 --fp16 (in Python: config.set_flag(trt.BuilderFlag.FP16) as well)",
            "TensorRT 11 and strongly typed networks: export the float part of the model in FP16, or insert Casts",
        ),
        documentation=(
            "TensorRT Developer Guide: Reduced Precision",
            "NVIDIA/TensorRT issues 550, 3762",
            "pytorch/TensorRT issue 93",
        ),
        proof="the new engine's layers run in FP16 where these run in FP32",
        confidence=0.9,
    )


RULE = Rule("PREC001", "INT8 or FP8 without FP16 beside it", Severity.WARNING, check)

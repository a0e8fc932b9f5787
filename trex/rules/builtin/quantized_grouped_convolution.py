"""Grouped and depthwise convolutions in INT8 or FP8.

What it finds: convolutions of more than one group that read quantized data; and one ONNX convolution that became
several engine convolutions.
Why it matters: few multiplications per byte leave tensor cores nothing to win, so in INT8 such layers are often no
faster than in FP16 and pay for conversions; for FP8 TensorRT has no fast kernels for groups; a grouped convolution
without a kernel of its own is run group by group.
What to try: leave these layers in FP16 (no Q/DQ before them) and compare; keep them quantized where their neighbors
are, if removing Q/DQ would add conversions at both sides; larger groups, or a dense convolution.
Does not apply: convolutions of one group. Depthwise INT8 convolutions with a kernel of their own are told as a note.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.precision_map import known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import operations_of, operator_word
from trex.rules.wording import listed, main_operation, priced

_CONVOLUTIONS = ("Convolution", "Deconvolution")
_OWN_KERNEL = "Depthwise"


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding | CannotTell]:
    flow = seen.flow
    kinds: dict[tuple[str, DataType], list[int]] = defaultdict(list)
    silent = []
    for place in seen.of_type(*_CONVOLUTIONS):
        if not flow.is_quantized(place):
            continue
        layer = seen.layers[place]
        groups = layer.raw.get("Groups")
        if not isinstance(groups, int) or isinstance(groups, bool):
            silent.append(layer.index)
        elif groups > 1:
            is_own = _OWN_KERNEL in layer.subtype
            kinds["depthwise" if _is_depthwise(seen, place, groups) or is_own else "grouped", flow.reads[place]].append(
                place
            )
    for (kind, data_type), places in kinds.items():
        yield _finding(seen, kind, data_type, places)
    yield from _split(seen, limits)
    if silent:
        yield CannotTell("the file does not tell how many groups these quantized convolutions have", "", tuple(silent))


def _is_depthwise(seen: Inspected, place: int, groups: int) -> bool:
    layer = seen.layers[place]
    shape = layer.inputs[0].shape if layer.inputs else None
    return shape is not None and len(shape) > 1 and shape[1] == groups


def _finding(seen: Inspected, kind: str, data_type: DataType, places: list[int]) -> Finding:
    roofline = seen.performance.roofline
    time = known_ms(seen, places)
    stake = {}
    for place in places:
        # in FP16 it moves at most twice the bytes it moves now, and at least that takes it as long as the memory needs
        least = 2 * float(roofline.memory_ms[place])
        own = float(seen.times_ms[place])
        if np.isfinite(least) and np.isfinite(own) and own > least:
            stake[seen.layers[place].index] = own - least
    number = len(places)
    is_fp8 = data_type is DataType.FP8
    own_kernels = sum(_OWN_KERNEL in seen.layers[place].subtype for place in places)
    subject = counted(number, f"{kind} convolution runs", f"{kind} convolutions run")
    return Finding(
        f"{subject} in {data_type.label}, which seldom pays: {priced(time, seen.total_ms)}",
        layers=tuple(seen.layers[place].index for place in places),
        at_stake=stake,
        formula="layer time − twice the time in which the memory moves its bytes (FP16 moves twice as many)",
        evidence=(
            Evidence("layers", listed((main_operation(seen.layers[place]) for place in places), 20)),
            Evidence("with a depthwise kernel", own_kernels),
            Evidence("time", time, "ms"),
        ),
        advice=(
            f"build once without Q/DQ before these {kind} convolutions; compare their times, conversions included",
            "keep them quantized where both neighbors are, if the FP16 version needs conversions at both sides",
            *(("FP8 grouped convolutions have no fast kernels: leave them in FP16",) if is_fp8 else ()),
        ),
        documentation=("TensorRT Release Notes: Known Issues", "NVIDIA/TensorRT issues 444, 1409, 4524, 4529"),
        proof="the sum of these layers' times and of the conversions beside them in both engines, at the same clocks",
        confidence=0.8 if is_fp8 else 0.5 if own_kernels < number else 0.2,
        severity=None if is_fp8 or own_kernels < number else Severity.NOTE,
    )


def _split(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    """ONNX convolutions that became several engine convolutions."""
    parts: dict[str, dict[int, None]] = defaultdict(dict)
    for place in seen.of_type(*_CONVOLUTIONS):
        if seen.flow.is_quantized(place):
            for operation in operations_of(seen.layers[place]):
                parts[operation][place] = None
    for operation, found in parts.items():
        if len(found) < max(2, limits["parts"]) or operator_word(operation) not in ("conv", "convtranspose"):
            continue
        places = list(found)
        time = known_ms(seen, places)
        yield Finding(
            f"{operation} became {len(places)} convolutions, one for each group or two: {priced(time, seen.total_ms)}",
            layers=tuple(seen.layers[place].index for place in places),
            at_stake=seen.stake(places, 1 - 1 / len(places)),
            formula="time × (1 − 1 / number of parts): as if one kernel did all of it in the time of one part",
            evidence=(Evidence("parts", len(places)), Evidence("time", time, "ms")),
            advice=(f"leave {operation} in FP16: remove the Q/DQ before it",),
            documentation=("NVIDIA/TensorRT issues 444, 4529",),
            proof=f"in FP16 {operation} is one layer",
            confidence=0.6,
        )


RULE = Rule(
    "QDQ006",
    "grouped convolutions in INT8 or FP8",
    Severity.WARNING,
    check,
    {"parts": Limit(3, "layers", "engine convolutions of one ONNX convolution from which it counts as split")},
)

"""Islands of floats between quantized layers.

What it finds: connected layers that run in floats although quantized layers come before and after them.
Why it matters: at every border of the island a kernel converts, or a quantized layer writes floats, which costs time
that quantization was meant to save; a small island may cost more than it takes itself.
What to try: quantize the island too (QuantizeLinear/DequantizeLinear at its inputs), where its operators run in INT8 or
FP8; else leave the quantized layers at its sides in floats as well, if they are small, so that a border disappears.
Does not apply: islands of poolings alone (QDQ008 tells them), of more layers than the limit, or at the engine's ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.precision_map import ISLAND_FORMULA, Island, is_of_poolings, island_stake, known_ms
from trex.rules.rule import Limit, Rule
from trex.rules.type_flow import POOLINGS, PRODUCTS
from trex.rules.wording import listed, main_operation, ms, priced

_MAY_BE_QUANTIZED = (
    POOLINGS
    | PRODUCTS
    | {
        "ElementWise",
        "PointWise",
        "PointWiseV2",
        "Shuffle",
        "Slice",
        "Concat",
        "Resize",
        "Activation",
        "Padding",
        "Scale",
    }
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterator[Finding]:
    for island in seen.precision_map.islands:
        if not is_of_poolings(seen, island) and len(island.layers) <= limits["layers"]:
            yield _finding(seen, island)


def _finding(seen: Inspected, island: Island) -> Finding:
    layers = seen.layers
    names = listed(main_operation(layers[place]) for place in island.layers)
    may_be = all(layers[place].type in _MAY_BE_QUANTIZED for place in island.layers)
    conversions = known_ms(seen, island.conversions)
    beside = {*island.writers, *(each for place in island.leaving for each in seen.flow.readers(place))}
    beside_ms = known_ms(seen, sorted(beside))
    quantize = (
        f"put QuantizeLinear/DequantizeLinear at the inputs of {names}, so that nothing leaves the quantized type"
    )
    leave = f"or leave its neighbors in floats: they take {ms(beside_ms)} quantized, at most twice that in FP16"
    number = len(island.conversions)
    return Finding(
        f"{names} run{'s' if len(island.layers) == 1 else ''} in floats between quantized layers: "
        f"{number} conversion{'' if number == 1 else 's'} around it take {priced(conversions, seen.total_ms)}",
        layers=tuple(layers[place].index for place in (*island.layers, *island.writers, *island.conversions)),
        about=tuple(layers[place].index for place in island.layers),
        at_stake=island_stake(seen, island),
        formula=ISLAND_FORMULA,
        evidence=(
            Evidence("time of the island's layers", known_ms(seen, island.layers), "ms"),
            Evidence("time of the conversions", conversions, "ms"),
            Evidence("conversions", ", ".join(f"{layers[p].name} {ms(seen.times_ms[p])}" for p in island.conversions)),
            Evidence("quantized neighbors", listed(main_operation(layers[place]) for place in sorted(beside))),
            Evidence("time of the quantized neighbors", beside_ms, "ms"),
        ),
        advice=(quantize, leave) if may_be else (f"{leave[3:]}", f"where its operators allow it: {quantize}"),
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
            "NVIDIA/TensorRT issues 993, 1423, 3197, 4554",
        ),
        proof="after the change the conversions around it are gone and the sum of these layers' times is smaller",
        confidence=0.8 if may_be else 0.4,
    )


RULE = Rule(
    "QDQ003",
    "islands of floats between quantized layers",
    Severity.WARNING,
    check,
    {"layers": Limit(12, "layers", "larger islands are taken to be left in floats on purpose")},
)

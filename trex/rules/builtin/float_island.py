"""Float layers between quantized layers.

What it finds: connected layers that run in floats although quantized layers come before and after them.
Why it matters: at every border a kernel converts, or a quantized layer writes floats, which costs time that
quantization was meant to save; a small island may cost more than it takes itself.
What to try: quantize the island too (QuantizeLinear/DequantizeLinear at its inputs) if its operators run in INT8 or
FP8; else leave small quantized neighbors in floats as well, so that a border disappears.
Does not apply: islands of poolings only (QDQ008), of more layers than the limit, or at the engine's ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.islands import ISLAND_FORMULA, is_of_poolings, island_conversions, island_savings
from trex.rules.operators import GEMMS, POOLINGS
from trex.rules.precision_map import FloatIsland
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import QDQ_PLACEMENT, cost_of, ms, names_of

_QUANTIZABLE = POOLINGS | GEMMS
_QUANTIZABLE |= {"ElementWise", "PointWise", "PointWiseV2", "Shuffle", "Slice", "Concat", "Resize", "Activation"}
_QUANTIZABLE |= {"Padding", "Scale"}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    for island in engine.precision_map.islands:
        if not is_of_poolings(engine, island) and len(island.layers) <= limits["layers"]:
            yield _finding(engine, island)


def _finding(engine: AnalyzedEngine, island: FloatIsland) -> Finding:
    names = names_of(island.layers, engine)
    is_quantizable = all(engine.layers[position].type in _QUANTIZABLE for position in island.layers)
    readers = (reader for position in island.leaving for reader in engine.flow.readers(position))
    neighbors = sorted({*island.writers, *readers})
    neighbors_ms = engine.sum_ms(neighbors)
    quantize = f"put QuantizeLinear/DequantizeLinear at the inputs of {names}, so that no data leave the quantized type"
    leave = f"leave its neighbors in floats: they take {ms(neighbors_ms)} quantized, at most twice that in FP16"
    number = len(island.conversions)
    return Finding(
        f"{names} run{'s' if len(island.layers) == 1 else ''} in floats between quantized layers: "
        f"{counted(number, 'conversion takes', 'conversions take')} {cost_of(island.conversions, engine)}",
        layers=engine.indexes((*island.layers, *island.writers, *island.conversions)),
        main_layers=engine.indexes(island.layers),
        savings=island_savings(engine, island),
        formula=ISLAND_FORMULA,
        evidence=(
            Evidence("time of the float layers", engine.sum_ms(island.layers), "ms"),
            *island_conversions(engine, island),
            Evidence("quantized neighbors", names_of(neighbors, engine)),
            Evidence("time of the quantized neighbors", neighbors_ms, "ms"),
        ),
        fix=(quantize, leave) if is_quantizable else (leave, f"if its operators allow it, {quantize}"),
        documentation=(QDQ_PLACEMENT, "NVIDIA/TensorRT issues 993, 1423, 3197, 4554"),
        how_to_check="the conversions are gone and the sum of these layers' times is smaller",
        confidence=0.8 if is_quantizable else 0.4,
    )


RULE = Rule(
    "QDQ003",
    "float layers between quantized layers",
    Severity.WARNING,
    check,
    {"layers": RuleLimit(12, "layers", "larger islands count as float on purpose")},
)

"""FloatIsland → what quantizing it could save, and the evidence that rules on islands share."""

from __future__ import annotations

from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence
from trex.rules.operators import GEMMS, POOLINGS
from trex.rules.precision_map import FloatIsland
from trex.rules.wording import ms

ISLAND_FORMULA = (
    "time of the conversions + time of GEMMs · (1 − 8 / bits) + time of other layers × bytes of floats · (1 − 8 / "
    "bits) / bytes moved"
)


def is_of_poolings(engine: AnalyzedEngine, island: FloatIsland) -> bool:
    return all(engine.layers[position].type in POOLINGS for position in island.layers)


def island_savings(engine: AnalyzedEngine, island: FloatIsland) -> dict[int, float]:
    """What quantizing the island saves at most, {layer.index: milliseconds}, by ``ISLAND_FORMULA``.

    Quantized GEMMs are at best faster by the ratio of the bits; other layers, and the writers, move fewer bytes.
    """
    flow = engine.flow
    savings = engine.savings(island.conversions)
    for position in island.layers:
        layer = engine.layers[position]
        bits = flow.reads[position].bits
        if layer.type in GEMMS and bits:
            savings |= engine.savings([position], 1 - 8 / bits)
        else:
            savings |= engine.savings([position], flow.saved_share(position, (*layer.inputs, *layer.outputs)))
    for position in island.writers:
        savings |= engine.savings([position], flow.saved_share(position, engine.layers[position].outputs))
    return savings


def island_conversions(engine: AnalyzedEngine, island: FloatIsland) -> tuple[Evidence, ...]:
    listed = ", ".join(f"{engine.layers[p].name} {ms(engine.times[p])}" for p in island.conversions)
    return (
        Evidence("conversions", listed),
        Evidence("time of the conversions", engine.sum_ms(island.conversions), "ms"),
    )

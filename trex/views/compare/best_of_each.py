"""BestOfEach → data for quantization tools: which operations to take from which engine (schema trex.best-of-each/1)."""

from __future__ import annotations

from typing import Any

from trex.compare.best_of_each import RULE, BestOfEach, OperationChoice, OperationDecision
from trex.compare.prediction import NO_LAYER_BARS

SCHEMA = "trex.best-of-each/1"


def best_of_each_data(best: BestOfEach) -> dict[str, Any]:
    """JSON-ready; units stand in the keys, what is unknown is null.

    include, exclude, undecided: operations by their names in the base's model; one that the base does not name stands
    in ``names`` only, which has all by their names in each engine's own model.
    """
    series = best.series
    named = {decision: _names(best, 0, decision) for decision in OperationDecision}
    return {
        "schema": SCHEMA,
        "base": series.names[0],
        "engines": [
            {
                "name": facts.name,
                "precision": facts.precision,
                "layers_ms": alone,
                "take": list(best.taken_from(index)),
            }
            for index, (facts, alone) in enumerate(zip(series.facts, best.alone_ms, strict=True))
        ],
        "origin": best.origin or "measured",
        "remark": NO_LAYER_BARS if best.origin else "",
        "rule": RULE,
        "charged_by": "see section operations of trex compare",
        "conversion": {
            "floor_ms": best.cost.floor_ms,
            "bytes_per_ms": best.cost.bytes_per_ms,
            "source": best.cost.source,
        },
        "estimate": {
            "mixed_ms": best.mixed_ms,
            "best_alone": series.names[best.best_alone],
            "best_alone_ms": best.alone_ms[best.best_alone],
            "conversions": best.conversions,
            "conversions_ms": best.border_ms,
        },
        "include": named[OperationDecision.INCLUDE],
        "exclude": named[OperationDecision.EXCLUDE],
        "undecided": named[OperationDecision.UNDECIDED],
        "names": {
            name: {decision.value: _names(best, index, decision) for decision in OperationDecision}
            for index, name in enumerate(series.names)
        },
        "operations": [_choice(best, choice) for choice in best.choices],
    }


def _names(best: BestOfEach, index: int, decision: OperationDecision) -> list[str]:
    chosen = (choice.row.times[index] for choice in best.choices if choice.decision is decision)
    return [time.name for time in chosen if time is not None]


def _choice(best: BestOfEach, choice: OperationChoice) -> dict[str, Any]:
    names = best.series.names
    return {
        "operation": choice.row.name,
        "kind": choice.row.kind,
        "module": choice.row.module,
        "names": {
            name: None if time is None else time.name for name, time in zip(names, choice.row.times, strict=True)
        },
        "ms": dict(zip(names, choice.row.ms, strict=True)),
        "decision": choice.decision.value,
        "take_from": None if choice.decision is OperationDecision.UNDECIDED else names[choice.chosen],
        "unit": choice.group,
        "unit_saving_ms": choice.saving_ms,
        "gain_ms": choice.gain_ms,
        "conversions_saved_ms": choice.saved_ms,
    }

"""Layers' works and the ONNX model → works by operators: what a fused layer's shapes do not tell, its operators do.

A layer whose ONNX origins are all in the model does what these operators do: its macs and other operations are their
sum, its bytes stay the layer's own, as fused values never reach memory. Six rules keep that honest:

* An operator that several layers name is counted once. Layers that only move data or launch nothing get none of it;
  among the others it is shared out in proportion to what their own shapes say, in equal parts where those say nothing
  (half confidence). So the works taken from the model never sum to more than the model's own.
* Where a layer's own record surely tells more other operations than its names do, and an operator that no layer names
  lies behind its own (a ReLU, a quantizer), the record is believed.
* In a layer with a product, BatchNormalization and DequantizeLinear cost nothing: TensorRT multiplies them into weights
  and scales. What only constants determine was computed at the build.
* Where the layer's own shapes say surely (confidence 1) how many multiply-adds there are, and the model says otherwise
  by more than 1 %, the layer's own stay; a Note names both. Less sure ones give way.
* Where the record does not tell a layer's stored weights (a region), they are the constants that its operators read,
  floats in the type that the layer computes in (half confidence); operators that several layers name tell none.
* A model that has less than half of the engine's origins, or contradicts most of its products, is another engine's: it
  is not used, and a Note says so.

Source: ONNX operator specification for the operators; TensorRT developer guide, "Types of Fusions" and "Explicit
Quantization", for what costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trex.core.layer import Layer
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Operator
from trex.perf.work.made import MOST_BYTES
from trex.perf.work.model_weights import REASON, model_weights_bytes
from trex.perf.work.operand import Count
from trex.perf.work.operators import operator_count
from trex.perf.work.work import Work

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan

_TOLERANCE = 0.01
_MOST_NOTES = 10
_MOST_TERMS = 12
_ABSORBED = frozenset({"BatchNormalization", "DequantizeLinear"})
FORMULA = "sums over the layer's ONNX operators"


@dataclass(frozen=True)
class ModelWorks:
    """works: one per layer of the plan. notes: where model and engine contradict. layer_count: how many of the works
    come from the model; 0 without one, or when it is not this engine's.
    """

    works: tuple[Work, ...]
    notes: tuple[Note, ...] = ()
    layer_count: int = 0

    @property
    def is_used(self) -> bool:
        return self.layer_count > 0


def works_from_model(plan: EnginePlan, works: Sequence[Work]) -> tuple[Work, ...]:
    """The works with what the plan's ONNX model adds to them; unchanged without a model of this engine.

    works: one per layer of ``plan.layers``, from the layers' own shapes.
    """
    return read_model_works(plan, works).works


def read_model_works(plan: EnginePlan, works: Sequence[Work]) -> ModelWorks:
    """As ``works_from_model``, with the Notes on contradictions."""
    own = tuple(works)
    origins, model = plan.onnx_origins, plan.model
    if origins is None or model is None or not origins.is_same_model:
        return ModelWorks(own)
    counted = {op.index: operator_count(op, model)[1] for group in origins.operators for op in group}
    shares = _shares(origins.operators, own, counted)
    unnamed = _unnamed(origins.operators, model)
    merged, doubts, checked, told = [], [], 0, 0
    for place, (work, group) in enumerate(zip(own, origins.operators)):
        is_told = group and origins.complete[place] and not _moves_only(work)
        found = _of_layer(work, group, counted, shares.get(place, {})) if is_told else None
        if found is None:
            merged.append(work)
            continue
        told += 1
        found = _with_unnamed(work, found, unnamed.get(place, 0))
        checked += bool(work.macs and found.macs)
        if _contradict(work, found):
            doubts.append((plan.layers[place].name, work.macs, found.macs))
            found = _despite(work, found)
        elif place in origins.regions:
            found = replace(found, confidence=min(found.confidence, 0.8), reason=_region_reason(found))
        if found.weights_bytes is None and not shares.get(place):
            layer = plan.layers[place]
            found = _with_weights(found, layer, model_weights_bytes(group, counted, model, layer.compute.data_type))
        merged.append(found)
    if checked and 2 * len(doubts) > checked and len(doubts) > 1:
        message = (
            f"{len(doubts)} of {checked} layers with products contradict the operators that the model has by their "
            "names, so that the model is not used"
        )
        hint = "give the model that the engine was built from, at the same shapes"
        return ModelWorks(own, (Note("model-contradicts-engine", message, hint, model.source, "problem"),))
    return ModelWorks(tuple(merged), _notes(doubts), told)


def _notes(doubts: list[tuple[str, float | None, float | None]]) -> tuple[Note, ...]:
    notes = [
        Note(
            "macs-differ",
            f"the layer's own shapes tell {own:,.0f} multiply-adds, its ONNX operators {found:,.0f}",
            "",
            name,
        )
        for name, own, found in doubts[:_MOST_NOTES]
        if own is not None and found is not None
    ]
    if len(doubts) > _MOST_NOTES:
        message = f"of {len(doubts) - _MOST_NOTES} more layers the shapes and the ONNX operators contradict one another"
        notes.append(Note("macs-differ", message))
    return tuple(notes)


# ---------------------------------------------------------------------------- operators that several layers name


Part = tuple[float, float]
"""(of the multiply-adds, of the other operations) that a layer has of an operator, 0 … 1."""


def _shares(
    groups: Sequence[tuple[Operator, ...]], own: Sequence[Work], counted: dict[int, Count]
) -> dict[int, dict[int, Part]]:
    """For each layer its parts of the operators that it shares, by their index."""
    sharers: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        if not _moves_only(own[place]):
            for operator in group:
                sharers.setdefault(operator.index, []).append(place)
    shares: dict[int, dict[int, Part]] = {}
    for index, places in sharers.items():
        if len(places) < 2:
            continue
        macs = _proportions([own[place].macs for place in places])
        # What comes with a product (its bias) stays with it.
        other = macs if counted[index].macs else _proportions([own[place].other_ops for place in places])
        for place, one, two in zip(places, macs, other):
            shares.setdefault(place, {})[index] = (one, two)
    return shares


def _proportions(amounts: list[float | None]) -> list[float]:
    """Parts that sum to 1 in proportion to the amounts; an unknown one counts as the mean of the known ones above 0."""
    known = [amount for amount in amounts if amount]
    filler = sum(known) / len(known) if known else 1.0
    weights = [filler if amount is None else amount for amount in amounts]
    total = sum(weights)
    if not total:
        return [1 / len(amounts)] * len(amounts)
    return [weight / total for weight in weights]


def _unnamed(groups: Sequence[tuple[Operator, ...]], model: Model) -> dict[int, float]:
    """For each layer the other operations of the operators that none names and that follow the layer's own."""
    place_of = {operator.index: place for place, group in enumerate(groups) for operator in group}
    extra: dict[int, float] = {}
    if len(place_of) == len(model.operators):
        return extra
    for operator in model.operators:
        if operator.index in place_of:
            continue
        before = (model.producers.get(name) for name in operator.inputs)
        places = [place_of[each.index] for each in before if each is not None and each.index in place_of]
        work = operator_count(operator, model)[1] if places else None
        if work is not None and work.macs == 0:
            place_of[operator.index] = place = max(places)
            if operator.type not in _ABSORBED:
                extra[place] = extra.get(place, 0) + (work.other_ops or 0)
    return extra


def _with_unnamed(own: Work, found: Work, unnamed: float) -> Work:
    """The work with the other operations that its own record surely tells, as far as unnamed operators explain them."""
    if own.confidence < 1.0 or own.other_ops is None or found.other_ops is None:
        return found
    is_explained = found.other_ops < own.other_ops <= found.other_ops + unnamed
    return replace(found, other_ops=own.other_ops) if is_explained else found


def _moves_only(work: Work) -> bool:
    """True for layers that surely compute nothing: copies, views, constants, signals."""
    return work.macs == 0 and work.other_ops == 0


# ------------------------------------------------------------------------------------------------- one layer


def _of_layer(own: Work, group: Sequence[Operator], counted: dict[int, Count], parts: dict[int, Part]) -> Work | None:
    """The layer's work by its operators; None when they tell nothing."""
    works = [counted[operator.index] for operator in group]
    has_product = any(work.macs for work in works)
    macs: float | None = 0
    other: float | None = 0
    confidence, is_shared = 1.0, False
    products = []
    for operator, work in zip(group, works):
        part = parts.get(operator.index)
        is_shared = is_shared or part is not None
        of_macs, of_other = part or (1, 1)
        macs = None if macs is None or work.macs is None else macs + work.macs * of_macs
        if not (has_product and operator.type in _ABSORBED):
            other = None if other is None or work.other_ops is None else other + work.other_ops * of_other
        if work.macs or work.other_ops:
            confidence = min(confidence, work.confidence)
        if work.macs:
            products.append(work)
    if macs is None and other is None:
        return None
    single = products[0] if len(products) == 1 and not is_shared else None
    is_confirmed = own.macs is not None and macs is not None and not _differ(own.macs, macs)
    if macs and not is_confirmed:
        confidence = min(confidence, 0.8)
    product = own if is_confirmed or macs is None else single
    reasons = [] if macs is not None and other is not None else _unknown_reasons(works)
    if is_shared:
        confidence = min(confidence, 0.5)
        reasons.append("an operator that several layers name was shared out among them")
    return replace(
        own,
        macs=own.macs if macs is None else macs,
        other_ops=own.other_ops if other is None else other,
        confidence=min(confidence, own.confidence) if macs is None or other is None else confidence,
        formula=f"{FORMULA}; bytes of its own tensors",
        terms=_terms(group, works),
        reason="; ".join(reasons),
        m=None if product is None else product.m,
        n=None if product is None else product.n,
        k=None if product is None else product.k,
        batch=None if product is None else product.batch,
    )


def _terms(group: Sequence[Operator], works: Sequence[Count]) -> tuple[tuple[str, object], ...]:
    """Operators with their multiply-adds, or other operations where they have none; of many those with most."""
    terms = [(operator.name, work.macs or work.other_ops) for operator, work in zip(group, works)]
    if len(terms) <= _MOST_TERMS:
        return tuple(terms)
    terms.sort(key=lambda term: -(term[1] or 0))
    return (*terms[:_MOST_TERMS], ("further operators", len(terms) - _MOST_TERMS))


def _unknown_reasons(works: Sequence[Count]) -> list[str]:
    return [work.reason for work in works if work.macs is None or work.other_ops is None][:1]


def _contradict(own: Work, found: Work) -> bool:
    return own.macs is not None and found.macs is not None and _differ(own.macs, found.macs)


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > _TOLERANCE * max(one, other)


def _despite(own: Work, found: Work) -> Work:
    """Of two contradicting works the one to believe: the engine's own shapes where they are sure."""
    doubt = f"the layer's own shapes tell {own.macs:,.0f} multiply-adds, its ONNX operators {found.macs:,.0f}"
    kept = own if own.confidence >= 1.0 else found
    reason = f"{kept.reason}; {doubt}" if kept.reason else doubt
    return replace(kept, confidence=min(kept.confidence, 0.5), reason=reason)


def _with_weights(found: Work, layer: Layer, weights: int | None) -> Work:
    """The work with the stored weights that the model tells, and with the bytes read where these were all it lacked."""
    inputs = layer.inputs_size_bytes
    if weights is None or inputs is None or found.bytes_read is not None or weights + inputs > MOST_BYTES:
        return found
    reason = f"{found.reason}; {REASON}" if found.reason else REASON
    return replace(
        found,
        bytes_read=inputs + weights,
        weights_bytes=weights,
        confidence=min(found.confidence, 0.5),
        formula=f"{found.formula}, the model's constants",
        reason=reason,
    )


def _region_reason(work: Work) -> str:
    told = "the operators between the region's two ends"
    return f"{work.reason}; {told}" if work.reason else told

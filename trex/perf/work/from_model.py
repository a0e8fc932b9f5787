"""Layers' works and the ONNX model → works by operators, for fused layers whose own shapes do not determine their work.

A layer whose ONNX origins are all in the model does the work of these operators: its macs and other operations are
their sum. Its bytes stay those of its own tensors, since fused values never reach memory. Six rules keep this
consistent:

* An operator that is an origin of several layers counts once. Layers that only move data or launch nothing get none of
it; it is split among the others in proportion to their own work, or in equal parts if that is unknown (confidence 0.5).
So the works from the model never add up to more than the model's own.
* If a layer's own record states more other operations than its origins account for, and an operator that is no layer's
origin (a ReLU, a quantizer) follows them, the record's count is used.
* In a layer with a GEMM, BatchNormalization and DequantizeLinear cost nothing: TensorRT folds them into weights and
scales. Operators of constants alone are computed at build time.
* If the layer's own shapes give its MACs exactly (confidence 1) and the model's differ by more than 1 %, the layer's
own are used and a Note names both; less certain ones are replaced.
* If the record lacks a layer's stored weights (a region), they are the constants that its operators read, floats in the
type that the layer computes in (confidence 0.5). Operators that several layers share do not count.
* A model that has less than half of the engine's origins, or contradicts most of its GEMMs, belongs to another engine:
it is not used, and a Note says so.

Source: ONNX operator specification for the operators; TensorRT developer guide, "Types of Fusions" and "Explicit
Quantization", for operators that cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Operator
from trex.perf.work.layer_work import MOST_BYTES, joined
from trex.perf.work.operand import Count
from trex.perf.work.operators import operator_count
from trex.perf.work.work import Work

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan

_TOLERANCE = 0.01
_MOST_NOTES = 10
_MOST_TERMS = 12
_ABSORBED = frozenset({"BatchNormalization", "DequantizeLinear"})
_NARROW_BITS = 8
_WEIGHTS_REASON = "stored weights are the model's constants, floats in the type that the layer computes in"
OTHER_WORK = "model-contradicts-engine"
"""Code of the problem that the layers do not do the work of the model's operators."""
UNUSED = "the model is not used: "
"""Its message begins with it."""
FORMULA = "sums over the layer's ONNX operators"


@dataclass(frozen=True)
class ModelWorks:
    """works: one per layer of the plan. notes: contradictions of model and engine. layer_count: number of works from
    the model; 0 without a model, or with another engine's.
    """

    works: tuple[Work, ...]
    notes: tuple[Note, ...] = ()
    layer_count: int = 0

    @property
    def is_used(self) -> bool:
        return self.layer_count > 0


def model_works_of(plan: EnginePlan, works: Sequence[Work]) -> ModelWorks:
    """The works, completed from the plan's ONNX model; unchanged without a model of this engine.

    works: one per layer of ``plan.layers``, from the layers' own shapes.
    """
    own = tuple(works)
    origins, model = plan.onnx_origins, plan.model
    if origins is None or model is None or not origins.is_same_model:
        return ModelWorks(own)
    counted = {op.index: operator_count(op, model) for group in origins.operators for op in group}
    shares = _shares(origins.operators, own, counted)
    unnamed = _unnamed(origins.operators, model)
    merged, doubts, checked, layer_count = [], [], 0, 0
    for index, (work, group) in enumerate(zip(own, origins.operators)):
        has_operators = group and origins.complete[index] and not _moves_only(work)
        summed = _of_layer(work, group, counted, shares.get(index, {})) if has_operators else None
        if summed is None:
            merged.append(work)
            continue
        layer_count += 1
        summed = _with_unnamed(work, summed, unnamed.get(index, 0))
        checked += bool(work.macs and summed.macs)
        if work.macs is not None and summed.macs is not None and _differ(work.macs, summed.macs):
            doubts.append((plan.working_layers[index].name, _contradiction(work.macs, summed.macs)))
            summed = _believed(work, summed, doubts[-1][1])
        elif index in origins.regions:
            reason = joined(summed.reason, "the operators between the region's first and last")
            summed = replace(summed, confidence=min(summed.confidence, 0.8), reason=reason)
        if summed.weights_bytes is None and not shares.get(index):
            layer = plan.working_layers[index]
            weights = model_weights_bytes(group, counted, model, layer.compute.data_type)
            summed = _with_weights(summed, layer, weights)
        merged.append(summed)
    if checked and 2 * len(doubts) > checked and len(doubts) > 1:
        message = (
            f"{len(doubts)} of {checked} layers with GEMMs or convolutions contradict its operators of the same names"
        )
        hint = "give the model that the engine was built from, at the same shapes"
        return ModelWorks(own, (Note(OTHER_WORK, f"{UNUSED}{message}", hint, model.source, "problem"),))
    return ModelWorks(tuple(merged), _notes(doubts), layer_count)


def _notes(doubts: list[tuple[str, str]]) -> tuple[Note, ...]:
    notes = [Note("macs-differ", message, "", name) for name, message in doubts[:_MOST_NOTES]]
    if len(doubts) > _MOST_NOTES:
        more = len(doubts) - _MOST_NOTES
        notes.append(Note("macs-differ", f"{more} more layers have shapes that contradict their ONNX operators"))
    return tuple(notes)


def _contradiction(own: float, by_operators: float) -> str:
    return f"{own:,.0f} MACs by the layer's own shapes, {by_operators:,.0f} by its ONNX operators"


# ------------------------------------------------------------------------------- operators of several layers


Share = tuple[float, float]
"""A layer's share of an operator's (MACs, other operations), 0 to 1."""


def _shares(
    groups: Sequence[tuple[Operator, ...]], own: Sequence[Work], counted: dict[int, Count]
) -> dict[int, dict[int, Share]]:
    """For each layer its share of the operators that several layers have as origins, by operator index."""
    sharers: dict[int, list[int]] = {}
    for layer, group in enumerate(groups):
        if not _moves_only(own[layer]):
            for operator in group:
                sharers.setdefault(operator.index, []).append(layer)
    shares: dict[int, dict[int, Share]] = {}
    for index, layers in sharers.items():
        if len(layers) < 2:
            continue
        macs = _proportions([own[layer].macs for layer in layers])
        # A GEMM's bias is split like its MACs.
        other = macs if counted[index].macs else _proportions([own[layer].other_ops for layer in layers])
        for layer, one, two in zip(layers, macs, other):
            shares.setdefault(layer, {})[index] = (one, two)
    return shares


def _proportions(amounts: list[float | None]) -> list[float]:
    """Shares in proportion to the amounts; an unknown amount counts as the mean of the known ones above 0."""
    known = [amount for amount in amounts if amount]
    filler = sum(known) / len(known) if known else 1.0
    weights = [filler if amount is None else amount for amount in amounts]
    total = sum(weights)
    if not total:
        return [1 / len(amounts)] * len(amounts)
    return [weight / total for weight in weights]


def _unnamed(groups: Sequence[tuple[Operator, ...]], model: Model) -> dict[int, float]:
    """For each layer the other operations of operators that follow its own and are no layer's origin."""
    layer_of = {operator.index: layer for layer, group in enumerate(groups) for operator in group}
    extra: dict[int, float] = {}
    if len(layer_of) == len(model.operators):
        return extra
    for operator in model.operators:
        if operator.index in layer_of:
            continue
        producers = [producer for name in operator.inputs if (producer := model.producers.get(name)) is not None]
        layers = [layer_of[producer.index] for producer in producers if producer.index in layer_of]
        work = operator_count(operator, model) if layers else None
        if work is not None and work.macs == 0:
            layer_of[operator.index] = layer = max(layers)
            if operator.type not in _ABSORBED:
                extra[layer] = extra.get(layer, 0) + (work.other_ops or 0)
    return extra


def _with_unnamed(own: Work, summed: Work, unnamed: float) -> Work:
    """The work with the other operations of its own record, if unnamed operators explain the difference."""
    if own.confidence < 1.0 or own.other_ops is None or summed.other_ops is None:
        return summed
    is_explained = summed.other_ops < own.other_ops <= summed.other_ops + unnamed
    return replace(summed, other_ops=own.other_ops) if is_explained else summed


def _moves_only(work: Work) -> bool:
    """True for layers that compute nothing: copies, views, constants, signals."""
    return work.macs == 0 and work.other_ops == 0


# ------------------------------------------------------------------------------------------------- one layer


def _of_layer(own: Work, group: Sequence[Operator], counted: dict[int, Count], parts: dict[int, Share]) -> Work | None:
    """The layer's work from its operators; None if they determine nothing."""
    works = [counted[operator.index] for operator in group]
    has_gemm = any(work.macs for work in works)
    macs: float | None = 0
    other: float | None = 0
    confidence, is_shared = 1.0, False
    gemms = []
    for operator, work in zip(group, works):
        part = parts.get(operator.index)
        is_shared = is_shared or part is not None
        of_macs, of_other = part or (1, 1)
        macs = None if macs is None or work.macs is None else macs + work.macs * of_macs
        if not (has_gemm and operator.type in _ABSORBED):
            other = None if other is None or work.other_ops is None else other + work.other_ops * of_other
        if work.macs or work.other_ops:
            confidence = min(confidence, work.confidence)
        if work.macs:
            gemms.append(work.gemm)
    if macs is None and other is None:
        return None
    single = gemms[0] if len(gemms) == 1 and not is_shared else None
    is_confirmed = own.macs is not None and macs is not None and not _differ(own.macs, macs)
    if macs and not is_confirmed:
        confidence = min(confidence, 0.8)
    gemm = own.gemm if is_confirmed or macs is None else single
    reasons = [] if macs is not None and other is not None else _unknown_reasons(works)
    if is_shared:
        confidence = min(confidence, 0.5)
        reasons.append("an operator of several layers is split among them")
    return replace(
        own,
        macs=own.macs if macs is None else macs,
        other_ops=own.other_ops if other is None else other,
        confidence=min(confidence, own.confidence) if macs is None or other is None else confidence,
        formula=f"{FORMULA}; bytes of its own tensors",
        terms=_terms(group, works),
        reason="; ".join(reasons),
        gemm=gemm,
    )


def _terms(group: Sequence[Operator], works: Sequence[Count]) -> tuple[tuple[str, object], ...]:
    """Operators with their MACs, or their other operations if they have none; at most those with the most work."""
    terms = [(operator.name, work.macs or work.other_ops) for operator, work in zip(group, works)]
    if len(terms) <= _MOST_TERMS:
        return tuple(terms)
    terms.sort(key=lambda term: -(term[1] or 0))
    return (*terms[:_MOST_TERMS], ("further operators", len(terms) - _MOST_TERMS))


def _unknown_reasons(works: Sequence[Count]) -> list[str]:
    return [work.reason for work in works if work.macs is None or work.other_ops is None][:1]


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > _TOLERANCE * max(one, other)


def _believed(own: Work, summed: Work, doubt: str) -> Work:
    """The work to use of two contradicting ones: the engine's own if it is certain."""
    kept = own if own.confidence >= 1.0 else summed
    return replace(kept, confidence=min(kept.confidence, 0.5), reason=joined(kept.reason, doubt))


def _with_weights(work: Work, layer: Layer, weights: int | None) -> Work:
    """The work with stored weights from the model, and with the bytes read if only these were unknown."""
    inputs = layer.inputs_size_bytes
    if weights is None or inputs is None or work.bytes_read is not None or weights + inputs > MOST_BYTES:
        return work
    return replace(
        work,
        bytes_read=inputs + weights,
        weights_bytes=weights,
        confidence=min(work.confidence, 0.5),
        formula=f"{work.formula}, the model's constants",
        reason=joined(work.reason, _WEIGHTS_REASON),
    )


def model_weights_bytes(
    operators: Sequence[Operator], counted: Mapping[int, Count], model: Model, data_type: DataType
) -> int | None:
    """Bytes of the distinct constants that the operators read; None if unknown.

    Floats count in data_type, that of the layer, since the builder converts them; types of eight bits and less stay as
    in the model (they were quantized on purpose); other integers are shapes, axes and indexes, which no kernel reads.
    Constants that only other constants depend on are used up at build time. Unknown are: selected rows of a table,
    tables of unknown size, floats of a layer of unknown type.

    counted: each operator's work by its index.
    """
    total = 0
    seen: set[str] = set()
    for operator in operators:
        if all(name in model.constants for name in operator.outputs if name):
            continue
        for name in operator.inputs:
            if name in seen or name not in model.constants:
                continue
            seen.add(name)
            value = model.values.get(name)
            if value is None or value.data_type.bits is None:
                return None
            is_narrow = value.data_type.bits <= _NARROW_BITS and value.data_type is not DataType.BOOL
            if not is_narrow and not value.data_type.is_float:
                continue
            size = (value.data_type if is_narrow else data_type).size_bytes(value.count)
            if size is None or not counted[operator.index].reads_all:
                return None
            total += size
    return total

"""The cause of each match's change in time: tactic, precision, reformats, fusion and so on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from trex.builder.ties import EngineTies
from trex.compare.layer_times import ComparedTimes, known_ms
from trex.compare.layer_words import differing_parts, io_formats, joined, kernel_label, type_words
from trex.compare.matching.dataflow import SMALL
from trex.compare.matching.match import Alignment, Match
from trex.compare.matching.name_evidence import is_conversion, is_view_layer, unnamed_kind
from trex.core.endings import without_ending
from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of

_CONVERTING = frozenset((
    "quantizelinear", "dequantizelinear", "quantize", "dequantize", "cast", "identity", "constant", "reshape",
    "flatten", "transpose", "squeeze", "unsqueeze", "shape", "expand", "weight", "bias", "copynode", "",
))  # fmt: skip
_POOLS = {"globalaveragepool": "pool", "averagepool": "pool", "maxpool": "pool", "globalmaxpool": "pool"}
_LONG = 60
SAME, SAME_TYPE = "same kernel", "same type of layer, kernel not named"
_COUNTER_BACKWARDS = re.compile(r"\d+[_.:]+|\]\d+\[")


class Cause(Enum):
    """Why a match's time changed. If several apply, the first one in ``cause_of`` counts. WITHHELD: of engines that
    were not measured on equally fast machines, or are of different models.
    """

    SAME_KERNEL = "same kernel faster or slower"
    TACTIC = "tactic changed"
    PRECISION = "precision changed"
    REFORMATS = "reformats added or removed"
    FUSION = "fusion gained or lost"
    ATTENTION = "attention fused or unfused"
    SHAPES = "shapes changed"
    LAYERS = "layers added or removed"
    UNEXPLAINED = "unexplained"
    WITHHELD = "not attributed"

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Change(ComparedTimes):
    """One match. left_ms, right_ms: sums of the layers' known times, 0.0 for a side without layers.

    is_known: False if a layer's time is unknown, so that the sums are partial. words: what changed.
    """

    match: Match
    cause: Cause
    words: str
    left_ms: float
    right_ms: float
    is_known: bool = True

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing changed, except possibly the time."""
        return self.words in (SAME, SAME_TYPE)


ONE_SIDE_TIMED = "the same layer, timed on one side only"
"""What changed of a layer that does no work and is in both graphs."""
_LESS_SPECIFIC = (Cause.SAME_KERNEL, Cause.TACTIC, Cause.UNEXPLAINED)
"""Causes that explain less than a different fusion of the same work."""
_UNCERTAIN_IF_AMBIGUOUS = (Cause.FUSION, Cause.SAME_KERNEL)


def changes_of(alignment: Alignment) -> tuple[Change, ...]:
    """One Change per match, in the order of the matches. Unknown times stay unknown, never zero."""
    shared_words = _words_of_both(alignment)
    ties = EngineTies(alignment.left, alignment.right)
    unmatched = _Unmatched(alignment, shared_words)
    changes = []
    for match in alignment.matches:
        left_ms, left_known = known_ms(alignment.left, match.left)
        right_ms, right_known = known_ms(alignment.right, match.right)
        is_known = left_known and right_known
        left = [alignment.left.working_layers[index] for index in match.left]
        right = [alignment.right.working_layers[index] for index in match.right]
        if match.is_matched:
            cause, words = cause_of(left, right, shared_words, frozenset(match.origins))
        else:
            cause, words = unmatched.cause_of(match)
            other = alignment.right if match.left else alignment.left
            is_known = is_known and (other.is_profiled or words != ONE_SIDE_TIMED)
        if match.has_swapped_add and cause in _LESS_SPECIFIC:
            cause, words = Cause.FUSION, "fused differently: the add is in the other branch"
        if match.is_ambiguous and cause in _UNCERTAIN_IF_AMBIGUOUS:
            cause, words = Cause.UNEXPLAINED, _ambiguous_words(len(_computing(left)), len(_computing(right)))
        if cause is Cause.TACTIC and len(left) == len(right) == 1 and (tie := ties.words(left[0], right[0])):
            words = f"{words}: {tie}"
        if not is_known:
            cause = Cause.UNEXPLAINED
        changes.append(Change(match, cause, words, left_ms, right_ms, is_known))
    return tuple(changes)


def cause_of(
    left: Sequence[Layer],
    right: Sequence[Layer],
    shared_words: frozenset[str] | None = None,
    shared_nodes: frozenset[str] | None = None,
) -> tuple[Cause, str]:
    """The cause of one match with layers on both sides, and what changed in words.

    shared_words: operations that the names of both engines contain, None for all. An operation that only one engine
    names does not prove a fusion. shared_nodes: nodes that are the same on both sides, None for all of one name.

    1. Attention is one kernel on one side only. 2. Another number of computing layers, or other operations in them:
    other types if all of the main ones, without views, compute in others, since TensorRT fuses by type; else a fusion
    gained (fewer on the right) or lost. 3. Another number of conversions. 4. Other output shapes. 5. Other types
    computed in or written, or, for kernels that Myelin generates for their tensors, of any tensor. 6. The same
    operations split differently among the layers. 7. Other kernels or formats. 8. None of these: the same kernels. If
    the files don't name the kernels, the cause is unexplained.
    """
    left_work, right_work = _computing(left), _computing(right)
    attention = _has_attention(left_work), _has_attention(right_work)
    if attention[0] != attention[1]:
        return Cause.ATTENTION, "attention is one kernel now" if attention[1] else "attention is no longer one kernel"
    if left_work and right_work and len(left_work) != len(right_work):
        way = "fusion gained" if len(right_work) < len(left_work) else "fusion lost"
        words = f"{way}: {len(left_work)} → {len(right_work)} kernels"
    else:
        words = _fusion_words(left_work, right_work, shared_words)
    if words:
        types = _main_types(left_work), _main_types(right_work)
        if types[0] and types[1] and not types[0] & types[1]:
            return Cause.PRECISION, f"{joined(sorted(types[0]))} → {joined(sorted(types[1]))}, {words}"
        return Cause.FUSION, words
    before, after = len(left) - len(left_work), len(right) - len(right_work)
    if before != after:
        return Cause.REFORMATS, f"reformats {'added' if after > before else 'removed'}: {before} → {after}"
    cause, words = _same_structure(left_work or left, right_work or right)
    if cause in _LESS_SPECIFIC and _is_split_differently(left_work, right_work, shared_nodes):
        return Cause.FUSION, f"fused differently: {len(left_work)} kernels split the same work differently"
    return cause, words


def _ambiguous_words(left: int, right: int) -> str:
    if left == right:
        return "may have absorbed the small kernel missing next to it; the files don't show it"
    what, way = ("absorbed by its neighbor", "removed") if right < left else ("split off from its neighbor", "added")
    return f"{left} → {right} kernels: a small one was {what} or {way}; the files don't show which"


def _same_structure(left: Sequence[Layer], right: Sequence[Layer]) -> tuple[Cause, str]:
    """For equally many layers on both sides: shapes, types, kernels, formats."""
    before_sizes, after_sizes = _elements(left), _elements(right)
    if before_sizes is not None and after_sizes is not None and before_sizes != after_sizes:
        sizes = (", ".join(f"{size:,}" for size in side) for side in (before_sizes, after_sizes))
        return Cause.SHAPES, f"elements written: {' → '.join(sizes)}"
    types = [list(map(type_words, side)) for side in (left, right)]
    has_outputs = all(any(layer.outputs for layer in side) for side in (left, right))
    if has_outputs and not _has_same(*types):
        return Cause.PRECISION, f"{joined(types[0])} → {joined(types[1])}"
    kernels = [list(map(_kernel, side)) for side in (left, right)]
    if None in kernels[0] or None in kernels[1]:
        if all(layer.lists_tensors for layer in (*left, *right)) and _has_same(*kernels):
            return _formats(left, right) or (Cause.SAME_KERNEL, SAME_TYPE)
        return Cause.UNEXPLAINED, "kernels not in the files"
    if not _has_same(*kernels):
        tensors = [list(map(_tensor_types, side)) for side in (left, right)]
        if not _has_same(*tensors) and all(kernel_of(layer).kind == "generated" for layer in (*left, *right)):
            return Cause.PRECISION, f"{joined(tensors[0])} → {joined(tensors[1])}"
        before, after = (joined(map(kernel_label, side)) for side in (left, right))
        if before == after or max(len(before), len(after)) > _LONG:  # equal or long labels hide what differs
            before, after = differing_parts(*(joined(str(_kernel(layer)) for layer in side) for side in (left, right)))
        return Cause.TACTIC, f"{before} → {after}"
    return _formats(left, right) or (Cause.SAME_KERNEL, SAME)


def _has_same(left: Sequence[object], right: Sequence[object]) -> bool:
    """Whether both sides hold the same values, in any order."""
    return left == right or (len(left) > 1 and Counter(left) == Counter(right))


def _tensor_types(layer: Layer) -> str:
    """``reads INT8, FP32, writes INT8``: of all tensors."""
    reads, writes = (joined(tensor.precision for tensor in side) for side in (layer.inputs, layer.outputs))
    return f"reads {reads}, writes {writes}"


def _formats(left: Sequence[Layer], right: Sequence[Layer]) -> tuple[Cause, str] | None:
    formats = [list(map(io_formats, side)) for side in (left, right)]
    if _has_same(*formats):
        return None
    return Cause.TACTIC, f"formats {joined(formats[0])} → {joined(formats[1])}"


class _Unmatched:
    """Causes of unmatched layers: a reformat, a layer that a neighbor absorbed or split off, or an added layer."""

    def __init__(self, alignment: Alignment, shared_words: frozenset[str]) -> None:
        self._alignment = alignment
        self._shared_words = shared_words
        self._surplus_of: dict[int, Counter[str]] = {}
        self._hidden = [_hidden(plan) for plan in (alignment.left, alignment.right)]
        self._neighbors = [_neighbors(plan) for plan in (alignment.left, alignment.right)]

    def cause_of(self, match: Match) -> tuple[Cause, str]:
        alignment = self._alignment
        is_left = bool(match.left)
        plan = alignment.left if is_left else alignment.right
        layers = [plan.working_layers[index] for index in match.left or match.right]
        if {(layer.name, layer.occurrence) for layer in layers} <= self._hidden[is_left]:
            return Cause.UNEXPLAINED, ONE_SIDE_TIMED
        way = "removed" if is_left else "added"
        if all(map(is_conversion, layers)):
            return Cause.REFORMATS, f"reformat {way}"
        if _has_attention(layers):
            return Cause.ATTENTION, f"fused attention kernel {way}"
        words = _operations(layers, self._shared_words)
        match_of = alignment.match_of_left if is_left else alignment.match_of_right
        neighbors = self._neighbors[0 if is_left else 1]
        for index in match.left or match.right:
            for other in neighbors[index]:
                neighbor = match_of.get(other)
                if neighbor is None or not neighbor.is_matched or not words:
                    continue
                surplus = self._surplus(neighbor)
                if all((surplus[word] if is_left else -surplus[word]) > 0 for word in words):
                    change = "gained: absorbed by" if is_left else "lost: split off from"
                    return Cause.FUSION, f"fusion {change} a neighbor"
        return Cause.LAYERS, f"{'layers' if len(layers) > 1 else 'layer'} {way}"

    def _surplus(self, match: Match) -> Counter[str]:
        """Operations that the right side of a match has more often than its left side; negative if less often."""
        if id(match) not in self._surplus_of:
            alignment = self._alignment
            counts = _operations((alignment.right.working_layers[index] for index in match.right), self._shared_words)
            counts.subtract(
                _operations((alignment.left.working_layers[index] for index in match.left), self._shared_words)
            )
            self._surplus_of[id(match)] = counts
        return self._surplus_of[id(match)]


def _hidden(plan: EnginePlan) -> set[tuple[str, int]]:
    """Layers that are no rows, since they do no work and took no time: those that take some are."""
    rows = {(layer.name, layer.occurrence) for layer in plan.working_layers}
    return {(layer.name, layer.occurrence) for layer in plan.engine.layers} - rows


def _neighbors(plan: EnginePlan) -> list[list[int]]:
    """Indexes of each layer's writers and readers."""
    writers: dict[str, int] = {}
    neighbors: list[list[int]] = [[] for _ in plan.working_layers]
    for index, layer in enumerate(plan.working_layers):
        for tensor in layer.inputs:
            writer = writers.get(tensor.name)
            if writer is not None:
                neighbors[index].append(writer)
                neighbors[writer].append(index)
        for tensor in layer.outputs:
            writers[tensor.name] = index
    return neighbors


def _words_of_both(alignment: Alignment) -> frozenset[str]:
    """Operations that the names of both engines contain about equally often: some exporters and releases omit some."""
    left, right = (_operations(plan.working_layers) for plan in (alignment.left, alignment.right))
    return frozenset(
        word
        for word in left.keys() & right.keys()
        if min(left[word], right[word]) >= 0.9 * max(left[word], right[word])
    )


def _fusion_words(left: Sequence[Layer], right: Sequence[Layer], shared_words: frozenset[str] | None = None) -> str:
    """The operations that only one side has; "" if neither side has more or the names don't show it."""
    if len(left) == len(right) == 1 and _nodes(left[0]) == _nodes(right[0]):
        return ""
    before, after = _operations(left, shared_words), _operations(right, shared_words)
    if not before or not after:
        return ""
    gained, lost = after - before, before - after
    if gained and not lost:
        return f"fusion gained: also {joined(gained)}"
    if lost and not gained:
        return f"fusion lost: no longer {joined(lost)}"
    return ""


def _is_split_differently(left: Sequence[Layer], right: Sequence[Layer], shared_nodes: frozenset[str] | None) -> bool:
    """Whether several kernels on both sides split the nodes that both name differently."""
    if len(left) < 2 or len(right) < 2:
        return False
    sides = [[set(_nodes(layer)) for layer in side] for side in (left, right)]
    shared = set().union(*sides[0]) & set().union(*sides[1])
    shared = shared if shared_nodes is None else shared & shared_nodes
    parts = [{frozenset(nodes & shared) for nodes in side} - {frozenset()} for side in sides]
    return parts[0] != parts[1]


def _operations(layers: Iterable[Layer], shared_words: frozenset[str] | None = None) -> Counter[str]:
    """The operations of the layers' ONNX nodes by name, each node once per layer, without nodes that only convert.

    shared_words: count only these.
    """
    counts: Counter[str] = Counter()
    for layer in layers:
        for name in dict.fromkeys(_nodes(layer)):
            word = _word(name)
            if word and (shared_words is None or word in shared_words):
                counts[word] += 1
    return counts


def _nodes(layer: Layer) -> tuple[str, ...]:
    return layer.origins or layer.name_parts.operations


@lru_cache(maxsize=1 << 16)
def _word(name: str) -> str:
    """The operation of an ONNX node by its name; "" for one that only converts."""
    last = name.rstrip("/").rpartition("/")[2]
    word = unnamed_kind(name) or without_ending(last, _COUNTER_BACKWARDS).strip("_").lower()
    word = _POOLS.get(word, word)
    return "" if word.rpartition(".")[2] in _CONVERTING else word


def _computing(layers: Sequence[Layer]) -> list[Layer]:
    return [layer for layer in layers if not is_conversion(layer)]


def _main_types(layers: Sequence[Layer]) -> set[str]:
    """The types that the layers compute in, without views: of those that no other can absorb, else of all. Empty if one
    is unknown.
    """
    work = [layer for layer in layers if not is_view_layer(layer)]
    main = [layer for layer in work if layer.type not in SMALL] or work
    types = {layer.precision for layer in main}
    return types if all(layer.compute.data_type.is_known for layer in main) else set()


def _has_attention(layers: Iterable[Layer]) -> bool:
    return any(
        kernel_of(layer).kind == "attention"
        or layer.type.lower() in ("mha", "attention")
        or "mha" in {token.lower() for token in layer.name_parts.tokens}
        for layer in layers
    )


def _elements(layers: Iterable[Layer]) -> list[int] | None:
    """How many elements each layer writes, ascending; None if one is unknown."""
    volumes = [layer.outputs[0].volume if layer.outputs else None for layer in layers]
    return None if None in volumes else sorted(filter(None, volumes))


def _kernel(layer: Layer) -> str | int | None:
    """The kernel's name, else the tactic's number; None if the file contains neither."""
    return layer.tactic or layer.tactic_value

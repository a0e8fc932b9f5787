"""Alignment → Changes: for each match, its times on both sides and the one cause that explains their difference."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from trex.compare.aligning.match import Alignment, Match
from trex.compare.aligning.witnesses import CONVERSIONS as CONVERSIONS
from trex.compare.aligning.witnesses import is_conversion, unnamed_kind
from trex.compare.change_words import apart, format_words, joined, kernel_words, type_words
from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of

_CONVERTING = frozenset(
    {
        "quantizelinear",
        "dequantizelinear",
        "quantize",
        "dequantize",
        "cast",
        "identity",
        "constant",
        "reshape",
        "flatten",
    }
    | {"transpose", "squeeze", "unsqueeze", "shape", "expand", "weight", "bias", "copynode", ""}
)
_POOLS = {"globalaveragepool": "pool", "averagepool": "pool", "maxpool": "pool", "globalmaxpool": "pool"}
_LONG = 60
SAME, SAME_KIND = "the same kernel", "the same kind of layer, whose kernel has no name"
_COUNTER = re.compile(r"(?:[_.:]+\d+|\[\d+\])+$")


class Cause(Enum):
    """Why a match takes another time on the right. The first that applies counts, in the order in which they stand in
    ``cause_of``; the value is what people read.
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

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Change:
    """One match. left_ms, right_ms: sums of the layers' known average times; 0.0 for a side without layers.

    is_known: False when a layer's time is not known, so that the sums are only parts, and no cause of anything. words:
    what changed, for people.
    """

    match: Match
    cause: Cause
    words: str
    left_ms: float
    right_ms: float
    is_known: bool = True

    @property
    def difference_ms(self) -> float:
        """Right less left: negative is faster."""
        return self.right_ms - self.left_ms

    @property
    def is_alike(self) -> bool:
        """Whether nothing changed but, perhaps, the time."""
        return self.words in (SAME, SAME_KIND)

    @property
    def speedup(self) -> float | None:
        """left_ms over right_ms, above 1 when the right is faster; None where one is unknown, zero or of no layer."""
        if not self.is_known or not self.match.is_matched or self.left_ms <= 0.0 or self.right_ms <= 0.0:
            return None
        return self.left_ms / self.right_ms


_MINOR = (Cause.SAME_KERNEL, Cause.TACTIC, Cause.UNEXPLAINED)
"""Causes that say less than that the same kernels divide their work in another way."""
_UNPROVEN = (Cause.FUSION, Cause.SAME_KERNEL)
"""Causes that a match does not have for sure when the files leave open what it holds."""


def changes_of(alignment: Alignment) -> tuple[Change, ...]:
    """One Change per match, in the order of the matches. Nothing raises; unknown times are told, and are no zeros."""
    named = _named_on_both(alignment)
    lone = _Lone(alignment, named)
    found = []
    for match in alignment.matches:
        left_ms, left_known = _known_ms(alignment.left, match.left)
        right_ms, right_known = _known_ms(alignment.right, match.right)
        is_known = left_known and right_known
        left = [alignment.left.layers[place] for place in match.left]
        right = [alignment.right.layers[place] for place in match.right]
        shared = frozenset(match.origins)
        cause, words = cause_of(left, right, named, shared) if match.is_matched else lone.one_sided(match)
        if match.is_turned and cause in _MINOR:
            cause, words = Cause.FUSION, "fused otherwise: the sum is in the other branch"
        if not match.is_proven and cause in _UNPROVEN:
            cause, words = Cause.UNEXPLAINED, _either(len(_work(left)), len(_work(right)))
        if not is_known:
            cause = Cause.UNEXPLAINED
        found.append(Change(match, cause, words, left_ms, right_ms, is_known))
    return tuple(found)


def cause_of(
    left: Sequence[Layer],
    right: Sequence[Layer],
    named: frozenset[str] | None = None,
    shared: frozenset[str] | None = None,
) -> tuple[Cause, str]:
    """The cause of one match with layers on both sides, and what changed in words. named: the operations that the
    names of both engines tell, None for all; what only one engine's names mention proves no fusion. shared: the nodes
    that are the same ones on both sides, None for all of one name.

    1. One side runs attention as one kernel, the other does not. 2. The number of layers that are no conversions
    differs, or the operations that they hold: a fusion gained (fewer on the right) or lost. 3. The number of
    conversions differs. 4. The shapes of what they write differ. 5. The types that they compute in and write. 6. How
    the operations are divided among them: fused otherwise. 7. Their kernels, or their formats. 8. None of these: the
    same kernels. Kernels that a side does not tell are unexplained.
    """
    mine, theirs = _work(left), _work(right)
    attention = _attention(mine), _attention(theirs)
    if attention[0] != attention[1]:
        return Cause.ATTENTION, "attention is one kernel now" if attention[1] else "attention is no longer one kernel"
    if mine and theirs and len(mine) != len(theirs):
        way = "fusion gained" if len(theirs) < len(mine) else "fusion lost"
        return Cause.FUSION, f"{way}: {len(mine)} → {len(theirs)} kernels"
    if words := _fused(mine, theirs, named):
        return Cause.FUSION, words
    if len(left) - len(mine) != len(right) - len(theirs):
        before, after = len(left) - len(mine), len(right) - len(theirs)
        return Cause.REFORMATS, f"reformats {'added' if after > before else 'removed'}: {before} → {after}"
    cause, words = _same_structure(mine or left, theirs or right)
    if cause in _MINOR and (divided := _divided(mine, theirs, shared)):
        return Cause.FUSION, divided
    return cause, words


def _either(left: int, right: int) -> str:
    """What a match that is not proven may be, in words."""
    if left == right:
        return "may hold a small kernel that is missing beside it, and the files do not tell"
    what, way = ("taken in by its neighbor", "removed") if right < left else ("given off by its neighbor", "added")
    return f"{left} → {right} kernels: a small one was {what} or {way}, and the files do not tell which"


def _same_structure(left: Sequence[Layer], right: Sequence[Layer]) -> tuple[Cause, str]:
    """Of as many layers on both sides: shapes, types, kernels, formats."""
    sizes = _elements(left), _elements(right)
    if None not in sizes and sizes[0] != sizes[1]:
        return Cause.SHAPES, f"elements written: {sizes[0]} → {sizes[1]}"
    types = [list(map(type_words, side)) for side in (left, right)]
    is_told = all(any(layer.outputs for layer in side) for side in (left, right))
    if is_told and Counter(types[0]) != Counter(types[1]):
        return Cause.PRECISION, f"{joined(types[0])} → {joined(types[1])}"
    kernels = [Counter(map(_kernel, side)) for side in (left, right)]
    if None in kernels[0] or None in kernels[1]:
        if all(layer.lists_tensors for layer in (*left, *right)) and kernels[0] == kernels[1]:
            return _formats(left, right) or (Cause.SAME_KERNEL, SAME_KIND)
        return Cause.UNEXPLAINED, "the files do not tell the kernels"
    if kernels[0] != kernels[1]:
        before, after = (joined(map(kernel_words, side)) for side in (left, right))
        if before == after or max(len(before), len(after)) > _LONG:  # few words hide, and many bury, what differs
            before, after = apart(*(joined(str(_kernel(layer)) for layer in side) for side in (left, right)))
        return Cause.TACTIC, f"{before} → {after}"
    return _formats(left, right) or (Cause.SAME_KERNEL, SAME)


def _formats(left: Sequence[Layer], right: Sequence[Layer]) -> tuple[Cause, str] | None:
    written = [list(map(format_words, side)) for side in (left, right)]
    if Counter(written[0]) == Counter(written[1]):
        return None
    return Cause.TACTIC, f"formats {joined(written[0])} → {joined(written[1])}"


class _Lone:
    """What stands only on one side: a reformat, a layer that its neighbor took in or gave off, or simply a layer."""

    def __init__(self, alignment: Alignment, named: frozenset[str]) -> None:
        self._alignment = alignment
        self._named = named
        self._balance: dict[int, Counter[str]] = {}
        self._neighbors = [_neighbors(plan) for plan in (alignment.left, alignment.right)]

    def one_sided(self, match: Match) -> tuple[Cause, str]:
        alignment = self._alignment
        is_left = bool(match.left)
        plan = alignment.left if is_left else alignment.right
        layers = [plan.layers[place] for place in match.left or match.right]
        way = "removed" if is_left else "added"
        if all(map(is_conversion, layers)):
            return Cause.REFORMATS, f"reformat {way}"
        if _attention(layers):
            return Cause.ATTENTION, f"attention as one kernel {way}"
        words = _operations(layers, self._named)
        match_of = alignment.match_of_left if is_left else alignment.match_of_right
        around = self._neighbors[0 if is_left else 1]
        for place in match.left or match.right:
            for other in around[place]:
                neighbor = match_of.get(other)
                if neighbor is None or not neighbor.is_matched or not words:
                    continue
                surplus = self._surplus(neighbor)
                if all((count if is_left else -count) > 0 for count in (surplus[word] for word in words)):
                    return (
                        Cause.FUSION,
                        f"fusion {'gained: taken in by' if is_left else 'lost: given off by'} a neighbor",
                    )
        return Cause.LAYERS, f"{'layers' if len(layers) > 1 else 'layer'} {way}"

    def _surplus(self, match: Match) -> Counter[str]:
        """Operations that the right side of a match holds beyond those of its left side; negative where fewer."""
        if id(match) not in self._balance:
            alignment = self._alignment
            counts = _operations((alignment.right.layers[place] for place in match.right), self._named)
            counts.subtract(_operations((alignment.left.layers[place] for place in match.left), self._named))
            self._balance[id(match)] = counts
        return self._balance[id(match)]


def _neighbors(plan: EnginePlan) -> list[list[int]]:
    """Places of the layers that write what each reads and read what it writes."""
    writers: dict[str, int] = {}
    around: list[list[int]] = [[] for _ in plan.layers]
    for place, layer in enumerate(plan.layers):
        for tensor in layer.inputs:
            writer = writers.get(tensor.name)
            if writer is not None:
                around[place].append(writer)
                around[writer].append(place)
        for tensor in layer.outputs:
            writers[tensor.name] = place
    return around


def _named_on_both(alignment: Alignment) -> frozenset[str]:
    """Operations that the names of both engines mention about as often: some exporters and releases leave out some."""
    left, right = (_operations(plan.layers) for plan in (alignment.left, alignment.right))
    return frozenset(
        word
        for word in left.keys() & right.keys()
        if min(left[word], right[word]) >= 0.9 * max(left[word], right[word])
    )


def _fused(left: Sequence[Layer], right: Sequence[Layer], named: frozenset[str] | None = None) -> str:
    """What one kernel holds beyond its counterpart, in words; "" when they hold alike or the names do not tell."""
    mine, theirs = _operations(left, named), _operations(right, named)
    if not mine or not theirs:
        return ""
    gained, lost = theirs - mine, mine - theirs
    if gained and not lost:
        return f"fusion gained: also {joined(gained)}"
    if lost and not gained:
        return f"fusion lost: no longer {joined(lost)}"
    return ""


def _divided(left: Sequence[Layer], right: Sequence[Layer], shared: frozenset[str] | None = None) -> str:
    """How several kernels on both sides divide the nodes that both name, in words; "" when they do it alike."""
    if len(left) < 2 or len(right) < 2:
        return ""
    sides = [[set(layer.origins or layer.name_parts.operations) for layer in side] for side in (left, right)]
    both = set().union(*sides[0]) & set().union(*sides[1])
    both = both if shared is None else both & shared
    shares = [{frozenset(nodes & both) for nodes in side} - {frozenset()} for side in sides]
    return "" if shares[0] == shares[1] else f"fused otherwise: {len(left)} kernels divide the same work in another way"


def _operations(layers: Iterable[Layer], named: frozenset[str] | None = None) -> Counter[str]:
    """What the ONNX nodes of the layers do, by their names, each node once a layer; nodes that only convert are left
    out. named: count only these.
    """
    found: Counter[str] = Counter()
    for layer in layers:
        names = layer.origins or layer.name_parts.operations
        for name in dict.fromkeys(names):
            word = unnamed_kind(name) or _COUNTER.sub("", name.rstrip("/").rpartition("/")[2]).strip("_").lower()
            word = _POOLS.get(word, word)
            if word.rpartition(".")[2] not in _CONVERTING and (named is None or word in named):
                found[word] += 1
    return found


def _work(layers: Sequence[Layer]) -> list[Layer]:
    return [layer for layer in layers if not is_conversion(layer)]


def _attention(layers: Iterable[Layer]) -> bool:
    return any(
        kernel_of(layer).kind == "attention" or layer.type.lower() in ("mha", "attention") or "mha" in _tokens(layer)
        for layer in layers
    )


def _tokens(layer: Layer) -> set[str]:
    return {token.lower() for token in layer.name_parts.tokens}


def _elements(layers: Iterable[Layer]) -> str | None:
    """How many elements the layers write, in words; None when one is unknown."""
    volumes = [layer.outputs[0].volume if layer.outputs else None for layer in layers]
    return None if None in volumes else ", ".join(f"{volume:,}" for volume in sorted(filter(None, volumes)))


def _kernel(layer: Layer) -> str | int | None:
    """The kernel's name, else the tactic's number; None when the file tells neither."""
    return layer.tactic or layer.tactic_value


def _known_ms(plan: EnginePlan, places: Sequence[int]) -> tuple[float, bool]:
    """(sum of the times that are known, whether all are); negative and infinite numbers are no times."""
    known = []
    for place in places:
        time = plan.times[place]
        ms = None if time is None else time.average_ms
        if ms is not None and math.isfinite(ms) and ms >= 0.0:
            known.append(ms)
    return math.fsum(known), len(known) == len(places)

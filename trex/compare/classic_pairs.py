"""Two plans → pairs of layers of one kind and shapes, one to one: how TREx's comparison lines up tables.

A pair is (place left, place right) in ``plan.layers``, None on the side that has no such layer. Layers pair up when
type and shapes are equal, the batch left out: first those of one name, or of one first operation in it; then the
longest run in execution order, so that of many alike layers each finds the one that stands where it does; then what is
left, in order. Data types and formats do not count, so that a pair can differ in them. ``alignment`` also finds layers
that were fused differently.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Sequence

from trex.compare.aligning.subsequence import common_subsequence
from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan

Pair = tuple[int | None, int | None]
LEAST_SHARED_NUMBERS = 0.6
# Conv_22: exporters number the nodes of a model, and number them anew when one is added.
_NUMBER = re.compile(r"_\d+(?![\w/.])")


def classic_pairs(left: EnginePlan, right: EnginePlan, *, exact: bool) -> list[Pair]:
    """Every layer of both plans once, in the left's order; what only the right has stands before what follows it there.

    exact: the shapes of all inputs and outputs must be equal, else only those of the first input and output.
    """
    keys = [[_signature(layer, exact) for layer in plan.layers] for plan in (left, right)]
    pairs = _named(left.layers, right.layers, keys[0], keys[1])
    for number, (mine, theirs) in enumerate(pairs.items()):
        keys[0][mine] = keys[1][theirs] = ("named", number)
    pairs |= _in_order(keys[0], keys[1])
    taken = set(pairs.values())
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for place, key in enumerate(keys[1]):
        if place not in taken:
            waiting[key].append(place)
    for place, key in enumerate(keys[0]):
        if place not in pairs and waiting.get(key):
            pairs[place] = waiting[key].popleft()
    return _whole(pairs, len(left.layers), len(right.layers))


def io_shapes(layer: Layer, use_all_tensors: bool) -> tuple[tuple[Shape | None, ...], tuple[Shape | None, ...]]:
    """Shapes of (inputs, outputs) without their first dimension, of all or of the first of each; None when unknown."""
    sides = (layer.inputs, layer.outputs)
    shown: list[Sequence[Tensor]] = [side if use_all_tensors else side[:1] for side in sides]
    inputs, outputs = (tuple(None if each.shape is None else each.shape[1:] for each in side) for side in shown)
    return inputs, outputs


def _signature(layer: Layer, exact: bool) -> Hashable:
    return (layer.type, *io_shapes(layer, exact))


def _named(
    left: Sequence[Layer], right: Sequence[Layer], keys: Sequence[Hashable], others: Sequence[Hashable]
) -> dict[int, int]:
    """Layers of one signature that share their name; where fusions or numbers differ, the first operation in it, which
    names the weights of a convolution. Numbered names are trusted when most of them are on both sides.
    """
    numbered = [{layer.name for layer in side if _NUMBER.search(layer.name)} for side in (left, right)]
    are_trusted = len(numbered[0] & numbered[1]) >= LEAST_SHARED_NUMBERS * min(map(len, numbered))

    def whole(layer: Layer) -> Hashable:
        return layer.key if layer.name and (are_trusted or not _NUMBER.search(layer.name)) else None

    def first(layer: Layer) -> Hashable:
        operations = () if layer.name_parts.wraps else layer.name_parts.operations
        return next((name for name in operations if name and (are_trusted or not _NUMBER.search(name))), None)

    found: dict[int, int] = {}
    for name_of in (whole, first):
        taken = set(found.values())
        seats: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, layers, signatures in ((0, left, keys), (1, right, others)):
            for place, (layer, signature) in enumerate(zip(layers, signatures, strict=True)):
                name = None if place in (taken if side else found) else name_of(layer)
                if name is not None:
                    seats[name, signature][side].append(place)
        for mine, theirs in seats.values():
            if len(mine) == len(theirs):
                found.update(zip(mine, theirs, strict=True))
    return found


def _in_order(left: Sequence[Hashable], right: Sequence[Hashable]) -> dict[int, int]:
    """The longest run of equal signatures; those that one side lacks altogether cannot be in it."""
    both = set(left) & set(right)
    seats = [[place for place, key in enumerate(side) if key in both] for side in (left, right)]
    found = common_subsequence([left[place] for place in seats[0]], [right[place] for place in seats[1]])
    return {seats[0][one]: seats[1][other] for one, other in found}


def _whole(pairs: dict[int, int], count: int, other_count: int) -> list[Pair]:
    """The pairs in order with what stands on one side only."""
    mine_of = {theirs: mine for mine, theirs in pairs.items()}
    rows: list[tuple[int, int, Pair]] = [(place, other_count, (place, pairs.get(place))) for place in range(count)]
    following = count
    for place in reversed(range(other_count)):
        if place in mine_of:
            following = min(following, mine_of[place])
        else:
            rows.append((following, place, (None, place)))
    return [pair for _, _, pair in sorted(rows, key=lambda row: row[:2])]

"""Pair layers of one type and shape one to one, as TREx's comparison does.

A pair is (index left, index right) in ``plan.layers``, None for a layer without a counterpart. Layers pair up if type
and shapes are equal, the batch left out: first by name or first operation in the name, then by the longest common
subsequence in execution order, then in order. Data types and formats don't count. ``trex.compare.matching`` also
matches layers with different fusions.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Sequence

from trex.compare.matching.name_evidence import shapes_of
from trex.compare.matching.subsequence import common_subsequence
from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.plan.engine_plan import EnginePlan

Pair = tuple[int | None, int | None]
Shapes = tuple[Shape | None, ...]
LEAST_SHARED_NUMBERS = 0.6
# Conv_22: exporters number a model's nodes, and inserting one shifts the rest.
_NUMBER = re.compile(r"_\d+(?![\w/.])")


def classic_pairs(left: EnginePlan, right: EnginePlan, *, exact: bool) -> list[Pair]:
    """Every layer of both plans once, in the left's order; a layer that only the right has precedes the one after it.

    exact: the shapes of all inputs and outputs must be equal, else only those of the first input and output.
    """
    keys = [[_signature(layer, exact) for layer in plan.working_layers] for plan in (left, right)]
    pairs = _named(left.working_layers, right.working_layers, keys[0], keys[1])
    for number, (index, other) in enumerate(pairs.items()):
        keys[0][index] = keys[1][other] = ("named", number)
    pairs |= _in_order(keys[0], keys[1])
    paired = set(pairs.values())
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for index, key in enumerate(keys[1]):
        if index not in paired:
            waiting[key].append(index)
    for index, key in enumerate(keys[0]):
        if index not in pairs and waiting.get(key):
            pairs[index] = waiting[key].popleft()
    return _complete(pairs, len(left.working_layers), len(right.working_layers))


def io_shapes(layer: Layer, use_all_tensors: bool) -> tuple[Shapes, Shapes]:
    """Shapes of (inputs, outputs) without the batch, of all or of the first of each; None if unknown."""
    last = None if use_all_tensors else 1
    return shapes_of(layer.inputs[:last]), shapes_of(layer.outputs[:last])


def _signature(layer: Layer, exact: bool) -> Hashable:
    return (layer.type, *io_shapes(layer, exact))


def _named(
    left: Sequence[Layer], right: Sequence[Layer], keys: Sequence[Hashable], right_keys: Sequence[Hashable]
) -> dict[int, int]:
    """Layers of one signature with the same name; if fusions or numbers differ, with the same first operation, which
    names the weights of a convolution. Numbered names count if most of them are on both sides.
    """
    numbered = [{layer.name for layer in side if _NUMBER.search(layer.name)} for side in (left, right)]
    are_trusted = len(numbered[0] & numbered[1]) >= LEAST_SHARED_NUMBERS * min(map(len, numbered))

    def whole(layer: Layer) -> Hashable:
        return layer.key if layer.name and (are_trusted or not _NUMBER.search(layer.name)) else None

    def first(layer: Layer) -> Hashable:
        operations = () if layer.name_parts.wraps else layer.name_parts.operations
        return next((name for name in operations if name and (are_trusted or not _NUMBER.search(name))), None)

    pairs: dict[int, int] = {}
    for name_of in (whole, first):
        paired = set(pairs.values())
        candidates: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for side, layers, signatures in ((0, left, keys), (1, right, right_keys)):
            for index, (layer, signature) in enumerate(zip(layers, signatures, strict=True)):
                name = None if index in (paired if side else pairs) else name_of(layer)
                if name is not None:
                    candidates[name, signature][side].append(index)
        for indexes, others in candidates.values():
            if len(indexes) == len(others):
                pairs.update(zip(indexes, others, strict=True))
    return pairs


def _in_order(left: Sequence[Hashable], right: Sequence[Hashable]) -> dict[int, int]:
    """The longest common subsequence; signatures of one side only cannot be in it."""
    shared = set(left) & set(right)
    indexes = [[index for index, key in enumerate(side) if key in shared] for side in (left, right)]
    pairs = common_subsequence([left[index] for index in indexes[0]], [right[index] for index in indexes[1]])
    return {indexes[0][one]: indexes[1][other] for one, other in pairs}


def _complete(pairs: dict[int, int], count: int, right_count: int) -> list[Pair]:
    """The pairs in order with the unpaired layers of both sides."""
    left_of = {other: index for index, other in pairs.items()}
    rows: list[tuple[int, int, Pair]] = [(index, right_count, (index, pairs.get(index))) for index in range(count)]
    following = count
    for other in reversed(range(right_count)):
        if other in left_of:
            following = min(following, left_of[other])
        else:
            rows.append((following, other, (None, other)))
    return [pair for _, _, pair in sorted(rows, key=lambda row: row[:2])]

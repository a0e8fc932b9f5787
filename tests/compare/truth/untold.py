"""Groups → what their files leave open: whether a small kernel was taken in by its neighbor or is gone.

Myelin calls a product by its first node alone, and says no more of what it holds unless the ONNX nodes are told. Where
a small kernel is missing beside such a product, and the other small kernels do not tell its work either, only the
tensor or the shape that the product writes can say that it is in there. These rules follow from how ``spelling`` writes
a file; they ask nothing of the code that is judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.compare.truth.changes import REDUCTIONS
from tests.compare.truth.draft import Draft, Kernel
from tests.compare.truth.network import IMAGE
from tests.compare.truth.spelling import Speller

Group = tuple[tuple[int, ...], tuple[int, ...]]


class Side:
    """What one file tells of its kernels."""

    def __init__(self, draft: Draft, speller: Speller) -> None:
        self.draft, self.speller = draft, speller
        self.spelled = speller.spelled

    def kernels(self, places: Sequence[int]) -> list[Kernel]:
        steps = (self.draft.steps[place] for place in places)
        return [step for step in steps if isinstance(step, Kernel)]

    def is_small(self, kernel: Kernel) -> bool:
        kinds = {self.draft.network.operations[number].kind for number in kernel.operations}
        return self.speller.lead(kernel) is None and not kinds & {"Softmax", *REDUCTIONS}

    def hides(self, kernel: Kernel) -> bool:
        """Whether its name tells the first of its nodes alone."""
        is_told = self.spelled.origins or self.draft.style != "myelin"
        return not is_told and self.speller.lead(kernel) is not None and not self.attends(kernel)

    def attends(self, kernel: Kernel) -> bool:
        return any(self.draft.network.operations[number].kind == "Softmax" for number in kernel.operations)

    def result(self, kernel: Kernel) -> str:
        """The model's name of what it writes first, "" where the file has another."""
        if self.spelled.only_names or self.spelled.names != "path":
            return ""
        number = self.draft.results(kernel)[0]
        name = self.speller.tensor(number).name
        return "" if name.startswith("__my") else self.speller.operation(self.draft.network.operations[number])

    def shape(self, kernel: Kernel) -> tuple[int, ...]:
        if self.spelled.only_names:
            return ()
        return self.draft.network.dims_of(self.draft.results(kernel)[0])[1:]


def untold(group: Group, way: int, sides: tuple[Side, Side]) -> list[Kernel]:
    """Small kernels of side ``way`` whose work the other side may hold, or not: it has as many products, and of the
    small kernels' operations less than half are in those of its kernels that tell what they do.
    """
    one, other = sides[way], sides[1 - way]
    mine, theirs = one.kernels(group[way]), other.kernels(group[1 - way])
    small = [kernel for kernel in mine if one.is_small(kernel)]
    rest = [kernel for kernel in mine if not one.is_small(kernel)]
    if not theirs or len(theirs) >= len(mine) or len(rest) != sum(not other.is_small(kernel) for kernel in theirs):
        return []
    if all(not other.hides(kernel) for kernel in theirs) or _written(theirs, other, small, rest, one):
        return []
    visible = {number for kernel in theirs if not other.hides(kernel) for number in kernel.operations}
    return [kernel for kernel in small if 2 * len(visible.intersection(kernel.operations)) < len(kernel.operations)]


def _written(fewer: list[Kernel], one: Side, small: list[Kernel], rest: list[Kernel], other: Side) -> bool:
    """Whether the one side writes a tensor or a shape that of the other side only the small kernels write."""
    names = set(map(other.result, small)) - set(map(other.result, rest)) - {""}
    shapes = set(map(other.shape, small)) - set(map(other.shape, rest)) - {()}
    return bool(names & set(map(one.result, fewer))) or bool(shapes & set(map(one.shape, fewer)))


def looks_alike(group: Group, sides: tuple[Side, Side]) -> bool:
    """Whether both sides' files hold names only, and tell the same operations in them, however they are fused."""
    if not any(side.spelled.only_names for side in sides) or not all(group):
        return False
    told = []
    for side, places in zip(sides, group, strict=True):
        kernels = side.kernels(places)
        names = [(side.speller.lead(each),) if side.hides(each) else each.operations for each in kernels]
        told.append(sorted(names, key=str))
    return told[0] == told[1]


def may_hold(kernel: Kernel, way: int, groups: Sequence[Group], sides: tuple[Side, Side]) -> set[int]:
    """The groups of which the other side may hold what this kernel of side ``way`` does: of the kernel before it and of
    those behind it, unless what they write shows that it is not in there. None where a neighbor is gone as well: then
    a part of the model is.
    """
    one, other = sides[way], sides[1 - way]
    group_of = {each: number for number, group in enumerate(groups) for each in group[way]}
    place_of = {id(step): each for each, step in enumerate(one.draft.steps)}
    source = one.draft.reads(kernel)[0]
    around = [source, *one.draft.network.readers[one.draft.results(kernel)[0]]]
    kernels = {number: one.draft.kernels[one.draft.kernel_of[number]] for number in around if number != IMAGE}
    beside_it = {number: group_of[place_of[id(beside)]] for number, beside in kernels.items()}
    if not all(groups[group][1 - way] for group in beside_it.values()):
        return set()
    found = set()
    for number, group in beside_it.items():
        beside = kernels[number]
        holders = [each for each in other.kernels(groups[group][1 - way]) if other.hides(each)]
        if not holders:
            continue
        names = one.result(kernel), one.result(beside), other.result(holders[-1])
        is_told = names[2] and names[2] == names[1] != names[0]
        if number != source or not (is_told or one.shape(kernel) != other.shape(holders[-1])):
            found.add(group)
    return found


def left_open(groups: Sequence[Group], sides: tuple[Side, Side]) -> frozenset[int]:
    """Numbers of the groups of which the files do not tell whether work was fused into them or is gone."""
    found = set[int]()
    found.update(number for number, group in enumerate(groups) if looks_alike(group, sides))
    for way in (0, 1):
        for number, group in enumerate(groups):
            open_ = untold(group, way, sides)
            kernels = sides[way].kernels(group[way])
            is_gone = not group[1 - way] and len(kernels) == 1 and sides[way].is_small(kernels[0])
            for kernel in kernels if is_gone else open_:
                holders = may_hold(kernel, way, groups, sides)
                found |= holders | {number} if holders or open_ else set()
    return frozenset(found)

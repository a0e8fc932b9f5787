"""Draft → Draft: what a release, a precision or an option changes in an engine, one kind of change a function.

Each tells which operations it touched and what a reader should call that; what becomes of conversions and of noise is
told by the pair, since both follow from the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random

from tests.compare.truth.draft import Draft, Kernel, attended, ordered
from tests.compare.truth.network import LEADS, POOLS, Network, Operation

# Causes in the words in which people read them; written here again, so that no other word can pass for the truth.
SAME, TACTIC, PRECISION = "same kernel faster or slower", "tactic changed", "precision changed"
REFORMATS, FUSION, ATTENTION = "reformats added or removed", "fusion gained or lost", "attention fused or unfused"

ALONE = frozenset(("Softmax", "Concat", "Resize"))
REDUCTIONS = frozenset(("ReduceMean",))
"""Kinds that are not fused with others here; the second with no product."""
SHAPES, LAYERS = "shapes changed", "layers added or removed"
UNEXPLAINED = "unexplained"
"""What only names are told of: kernels, types and shapes."""


@dataclass(frozen=True)
class Changed:
    """draft: the engine after it. touched: operations, of either side. cause: what the change is called."""

    draft: Draft
    touched: frozenset[int]
    cause: str


Taken = frozenset[int]
NONE: Taken = frozenset()
Change = Callable[[Draft, Random, Taken], Changed]
"""Changes a draft by chance, but for kernels of the operations that were changed already."""


def split(share: float) -> Change:
    """A kernel of several operations becomes two."""

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        kernels, touched = list[Kernel](), set[int]()
        for kernel in draft.kernels:
            numbers = kernel.operations
            is_attention = any(draft.network.operations[each].kind == "Softmax" for each in numbers)
            if len(numbers) < 2 or is_attention or random.random() >= share or not taken.isdisjoint(numbers):
                kernels.append(kernel)
                continue
            at = random.randrange(1, len(numbers))
            kernels += [replace(kernel, operations=numbers[:at], written=""), replace(kernel, operations=numbers[at:])]
            touched.update(numbers)
        return Changed(replace(draft, kernels=ordered(draft.network, kernels)), frozenset(touched), FUSION)

    return change


def merge(share: float, ahead: float = 0.2) -> Change:
    """A kernel that one other alone reads and that one goes together. A small one goes into what writes its input, as
    TensorRT mostly does it; by the chance ``ahead`` into what reads its output.
    """

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        network, touched = draft.network, set[int](taken)
        kernels: dict[int, Kernel] = {kernel.operations[0]: kernel for kernel in draft.kernels}
        owner = {number: kernel.operations[0] for kernel in draft.kernels for number in kernel.operations}
        for kernel in draft.kernels:
            readers = {owner[each] for number in kernel.operations for each in network.readers[number]}
            readers.discard(kernel.operations[0])
            if len(readers) != 1 or random.random() >= share:
                continue
            other = kernels[next(iter(readers))]
            sides = [[network.operations[each].kind for each in side.operations] for side in (kernel, other)]
            leads = [any(kind in LEADS for kind in kinds) for kinds in sides]
            is_taken = not touched.isdisjoint((*kernel.operations, *other.operations))
            alone = ALONE | REDUCTIONS if any(leads) else ALONE
            if is_taken or all(leads) or not alone.isdisjoint(sides[0] + sides[1]):
                continue
            if leads[1] and random.random() >= ahead:
                continue
            numbers = tuple(sorted((*kernel.operations, *other.operations)))
            del kernels[kernel.operations[0]], kernels[other.operations[0]]
            kernels[numbers[0]] = replace(other, operations=numbers, type=kernel.type)
            owner.update(dict.fromkeys(numbers, numbers[0]))
            touched.update(numbers)
        merged = replace(draft, kernels=ordered(network, kernels.values()))
        return Changed(merged, frozenset(touched - taken), FUSION)

    return change


def sums_elsewhere(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
    """The sum of two products goes into the one of them into which it did not go before."""
    network, touched = draft.network, set[int]()
    kernels = {kernel.operations[0]: kernel for kernel in draft.kernels}
    owner = {number: kernel.operations[0] for kernel in draft.kernels for number in kernel.operations}
    for kernel in draft.kernels:
        adds = [each for each in kernel.operations[1:] if network.operations[each].kind == "Add"]
        if (
            not adds
            or network.operations[kernel.operations[0]].kind not in LEADS
            or kernel.operations[0] not in kernels
        ):
            continue
        outside = [source for source in network.operations[adds[0]].inputs if source not in kernel.operations]
        if not outside or outside[0] < 0 or network.readers[outside[0]] != (adds[0],):
            continue
        other = kernels[owner[outside[0]]]
        numbers = (*kernel.operations, *other.operations)
        if network.operations[other.operations[0]].kind not in LEADS or not taken.isdisjoint(numbers):
            continue
        moved = tuple(each for each in kernel.operations if each >= adds[0])
        kernels[kernel.operations[0]] = replace(kernel, operations=tuple(e for e in kernel.operations if e < adds[0]))
        kernels[other.operations[0]] = replace(other, operations=tuple(sorted((*other.operations, *moved))))
        touched.update(numbers)
    after = replace(draft, kernels=ordered(network, kernels.values()))
    return Changed(after, frozenset(touched), FUSION)


def reordered(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
    """What does not wait for one another is executed in another order."""
    return Changed(replace(draft, kernels=ordered(draft.network, draft.kernels, random)), frozenset(), SAME)


def tactics(share: float) -> Change:
    """Other kernels for the same work, from two thirds to one and a half times the time."""

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        chosen = _chosen(draft, random, share, taken)

        def other(place: int, kernel: Kernel) -> Kernel:
            if place not in chosen:
                return kernel
            return replace(kernel, variant=kernel.variant + 1, speed=kernel.speed * random.uniform(0.67, 1.5))

        return Changed(draft.changed(other), _numbers(draft, chosen), TACTIC)

    return change


def speeds(share: float, most: float = 1.3) -> Change:
    """The same kernels, slower or faster: another clock, another placing in memory."""

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        chosen = _chosen(draft, random, share, taken)

        def other(place: int, kernel: Kernel) -> Kernel:
            factor = random.uniform(1 / most, most) if place in chosen else 1.0
            return replace(kernel, speed=kernel.speed * factor)

        return Changed(draft.changed(other), frozenset(), SAME)

    return change


def precision(type_: str, share: float = 1.0) -> Change:
    """Kernels compute in another type, all or some; conversions come where the types no longer meet."""

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        layout = {"INT8": "chw32", "FP16": "hwc8"}.get(type_, "linear") if draft.style == "native" else "linear"
        chosen = _chosen(draft, random, share, taken)
        if share < 1.0:  # what is quantized is convolutions and products
            operations = draft.network.operations
            chosen = {place for place in chosen if operations[draft.kernels[place].operations[0]].kind in LEADS | POOLS}

        def other(place: int, kernel: Kernel) -> Kernel:
            if place not in chosen:
                return kernel
            written = "FP16" if share < 1.0 and draft.style == "native" and random.random() < 0.3 else ""
            return replace(kernel, type=type_, written=written, layout=layout, variant=kernel.variant + 1)

        return Changed(draft.changed(other), _numbers(draft, chosen), PRECISION)

    return change


def attention(fused: bool) -> Change:
    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        after = attended(draft, fused)
        before = {kernel.operations for kernel in draft.kernels}
        touched = {each for kernel in after.kernels if kernel.operations not in before for each in kernel.operations}
        return Changed(after, frozenset(touched), ATTENTION)

    return change


def dropped(share: float) -> Change:
    """Kernels that keep the shape of what they read are left out, and their readers read what they read.

    Both sides keep the numbers of their operations, so that who is who stays known.
    """

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        network, operations = draft.network, list(draft.network.operations)
        gone: dict[int, int] = {}
        for kernel in draft.kernels:
            reads, results = draft.reads(kernel), draft.results(kernel)
            if len(reads) != 1 or len(results) != 1 or reads[0] < 0 or random.random() >= share:
                continue
            if not taken.isdisjoint(kernel.operations):
                continue
            if operations[reads[0]].dims == operations[results[0]].dims and network.readers[results[0]]:
                gone[results[0]] = reads[0]
        kernels, touched = list[Kernel](), set[int]()
        for kernel in draft.kernels:
            if any(number in gone for number in kernel.operations):
                touched.update(kernel.operations)
            else:
                kernels.append(kernel)
        for operation in operations:
            inputs = tuple(_followed(source, gone) for source in operation.inputs)
            if inputs != operation.inputs:
                operations[operation.number] = replace(operation, inputs=inputs)
        without = Without(network.name, network.image, tuple(operations), frozenset(touched))
        return Changed(replace(draft, network=without, kernels=ordered(without, kernels)), frozenset(touched), LAYERS)

    return change


def batched(factor: int) -> Change:
    """Everything for a larger batch."""

    def larger(dims: tuple[int, ...]) -> tuple[int, ...]:
        return (dims[0] * factor, *dims[1:])

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        network = draft.network
        operations = tuple(
            replace(each, dims=larger(each.dims), work_ms=each.work_ms * factor) for each in network.operations
        )
        after = replace(draft, network=replace(network, image=larger(network.image), operations=operations))
        return Changed(after, frozenset(range(len(operations))), SHAPES)

    return change


def regions(size: int) -> Change:
    """So many kernels in a row become one that Myelin compiles as a whole, of which nothing inside is told."""

    def change(draft: Draft, random: Random, taken: Taken = NONE) -> Changed:
        kernels, touched = list[Kernel](), set[int]()
        for at in range(0, len(draft.kernels), size):
            numbers = tuple(sorted(each for kernel in draft.kernels[at : at + size] for each in kernel.operations))
            kernels.append(replace(draft.kernels[at], operations=numbers))
            touched.update(numbers)
        return Changed(replace(draft, kernels=tuple(kernels)), frozenset(touched), FUSION)

    return change


@dataclass(frozen=True)
class Without(Network):
    """A network in which some operations are not; their numbers stay empty."""

    missing: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        readers: list[list[int]] = [[] for _ in self.operations]
        for operation in self.present():
            for source in dict.fromkeys(operation.inputs):
                if source >= 0:
                    readers[source].append(operation.number)
        self.__dict__["readers"] = tuple(map(tuple, readers))

    def present(self) -> Iterable[Operation]:
        return (each for each in self.operations if each.number not in self.missing)


def _followed(source: int, gone: dict[int, int]) -> int:
    while source in gone:
        source = gone[source]
    return source


def _numbers(draft: Draft, places: Iterable[int]) -> frozenset[int]:
    return frozenset(number for place in places for number in draft.kernels[place].operations)


def _chosen(draft: Draft, random: Random, share: float, taken: Taken) -> set[int]:
    """Places of kernels, each with the chance ``share``."""
    places = [place for place in range(len(draft.kernels)) if random.random() < share]
    return {place for place in places if taken.isdisjoint(draft.kernels[place].operations)}

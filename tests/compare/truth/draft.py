"""Draft: a network as kernels in execution order, before anything has a name; and the times its formula gives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from math import prod
from random import Random

from tests.compare.truth.network import IMAGE, LEADS, POOLS, Network
from tests.synthetic.description import BITS

ELEMENTWISE = frozenset(("Relu", "Clip", "Add"))
END = -2
_FASTER = {"FP32": 2.6, "FP16": 1.0, "INT8": 0.6, "FP8": 0.6, "BF16": 1.0}
LAUNCH_MS, BYTES_PER_MS, COPY_MS = 0.002, 1.1e9, 0.0025


@dataclass(frozen=True, slots=True)
class Kernel:
    """operations: their numbers, ascending. type: what it computes in; written: the type it writes, "" for the same.
    variant: which of the kernels that can do it. speed: a factor of its time.
    """

    operations: tuple[int, ...]
    type: str = "FP16"
    written: str = ""
    layout: str = "linear"
    variant: int = 0
    speed: float = 1.0

    @property
    def writes(self) -> str:
        return self.written or self.type


@dataclass(frozen=True, slots=True)
class Copy:
    """A conversion of what ``source`` writes for the kernel that starts with operation ``reader``."""

    source: int
    reader: int
    before: tuple[str, str]
    after: tuple[str, str]


@dataclass(frozen=True)
class Draft:
    """kernels: in execution order. style: ``native`` or ``myelin``. io_type: of the network's input and output."""

    network: Network
    kernels: tuple[Kernel, ...]
    style: str = "native"
    io_type: str = "FP32"

    @cached_property
    def kernel_of(self) -> dict[int, int]:
        return {number: place for place, kernel in enumerate(self.kernels) for number in kernel.operations}

    def reads(self, kernel: Kernel) -> tuple[int, ...]:
        """Operations outside, whose results it reads, in the order in which it reads them."""
        inside = set(kernel.operations)
        operations = self.network.operations
        found = (source for number in kernel.operations for source in operations[number].inputs)
        return tuple(dict.fromkeys(source for source in found if source not in inside))

    def results(self, kernel: Kernel) -> tuple[int, ...]:
        """Those of its operations that others read, or nobody: the engine's output."""
        inside = set(kernel.operations)
        readers = self.network.readers
        return tuple(
            number
            for number in kernel.operations
            if not readers[number] or any(reader not in inside for reader in readers[number])
        )

    def changed(self, change: Callable[[int, Kernel], Kernel]) -> Draft:
        return replace(self, kernels=tuple(change(place, kernel) for place, kernel in enumerate(self.kernels)))

    @cached_property
    def steps(self) -> tuple[Kernel | Copy, ...]:
        """What the engine executes: the kernels, and before each the conversions that it needs."""
        found: list[Kernel | Copy] = []
        for kernel in self.kernels:
            for source in self.reads(kernel):
                had, wants = self.form(source), (kernel.type, kernel.layout)
                is_matched = had == wants or (self.style == "myelin" and had[0] == wants[0])
                # What an addition takes in besides may have another type than what the kernel computes in.
                if not is_matched and not (had[1] == wants[1] and source != self.reads(kernel)[0]):
                    found.append(Copy(source, kernel.operations[0], had, wants))
            found.append(kernel)
        last = self.kernels[-1]
        if (last.writes, last.layout) != (self.io_type, "linear"):
            found.append(Copy(last.operations[-1], END, (last.writes, last.layout), (self.io_type, "linear")))
        return tuple(found)

    def form(self, source: int) -> tuple[str, str]:
        """Type and layout in which a result lies."""
        if source == IMAGE:
            return self.io_type, "linear"
        kernel = self.kernels[self.kernel_of[source]]
        return kernel.writes, kernel.layout

    def ms(self, step: Kernel | Copy) -> float:
        """Time without noise: of the work, slower or faster by the type, of the bytes moved, and of the launch."""
        network = self.network
        if isinstance(step, Copy):
            bits = BITS[step.before[0]] + BITS[step.after[0]]
            return COPY_MS + prod(network.dims_of(step.source)) * bits / 8 / BYTES_PER_MS
        work = sum(network.operations[number].work_ms for number in step.operations) * _FASTER[step.type]
        moved = sum(prod(network.dims_of(number)) * BITS[step.type] for number in self.reads(step))
        moved += sum(prod(network.dims_of(number)) * BITS[step.writes] for number in self.results(step))
        return step.speed * (LAUNCH_MS + work + moved / 8 / BYTES_PER_MS)


def built(network: Network, style: str = "native", type_: str = "FP16", attention: bool = True) -> Draft:
    """The network with the fusions that are usual: what follows a convolution goes into it; in Myelin's style chains
    of what is no matrix product become one kernel, and attention another.
    """
    layout = {"FP16": "hwc8", "INT8": "chw32"}.get(type_, "linear") if style == "native" else "linear"
    groups: dict[int, list[int]] = {}
    group_of: dict[int, int] = {}
    for operation in network.operations:
        writers = [group_of[source] for source in operation.inputs if source != IMAGE]
        target = max(writers, default=-1)
        if target >= 0 and not _joins(network, groups[target], operation.number, style):
            target = -1
        if target < 0:
            target = operation.number
            groups[target] = []
        groups[target].append(operation.number)
        group_of[operation.number] = target
    kernels = [Kernel(tuple(numbers), type_, layout=layout) for numbers in groups.values()]
    draft = replace(Draft(network, (), style), kernels=ordered(network, kernels))
    return attended(draft, True) if attention and style == "myelin" else draft


def _joins(network: Network, group: Sequence[int], number: int, style: str) -> bool:
    operation, last = network.operations[number], network.operations[group[-1]]
    if operation.kind in LEADS or operation.kind in POOLS or last.kind in POOLS or operation.kind == "Resize":
        return False
    lead = network.operations[group[0]].kind
    if lead in LEADS:
        kinds = [network.operations[each].kind for each in group]
        if style == "myelin":
            return operation.kind == "Add" and len(group) == 1 and network.readers[last.number] == (number,)
        return (
            operation.kind in ELEMENTWISE
            and operation.kind not in kinds
            and last.number in operation.inputs
            and network.readers[last.number] == (number,)
            and (operation.kind != "Add" or ("Relu" not in kinds and "Clip" not in kinds))
        )
    if "Softmax" in (operation.kind, *(network.operations[each].kind for each in group)):
        return operation.kind == "Softmax" and len(group) < 3
    outside = (reader for each in group for reader in network.readers[each] if reader not in group)
    return style == "myelin" and all(reader >= number for reader in outside) and len(group) < 14


def attended(draft: Draft, fused: bool) -> Draft:
    """Attention, both products and the softmax between, as one kernel, or each product by itself."""
    network = draft.network
    kernels = list(draft.kernels)
    for softmax in (each.number for each in network.operations if each.kind == "Softmax"):
        kernel_of = {number: kernel for kernel in kernels for number in kernel.operations}
        second = network.readers[softmax][0]
        middle = kernel_of[softmax]
        first = next(
            source
            for number in middle.operations
            for source in network.operations[number].inputs
            if source != IMAGE and network.operations[source].kind == "MatMul"
        )
        parts = list(dict.fromkeys((kernel_of[first], middle, kernel_of[second])))
        numbers = tuple(sorted(number for part in parts for number in part.operations))
        if fused and len(parts) > 1:
            kernels = [kernel for kernel in kernels if kernel not in parts]
            kernels.append(replace(parts[-1], operations=numbers, variant=0))
        elif not fused and len(parts) == 1:
            kernels.remove(middle)
            inner = tuple(number for number in numbers if first < number < second)
            kernels += [replace(middle, operations=each) for each in ((first,), inner, (second,))]
    return replace(draft, kernels=ordered(network, kernels))


def ordered(network: Network, kernels: Iterable[Kernel], random: Random | None = None) -> tuple[Kernel, ...]:
    """Kernels in an order in which they can be executed: by their last operation, or any other by chance."""
    kernels = list(kernels)
    owner = {number: place for place, kernel in enumerate(kernels) for number in kernel.operations}
    readers: dict[int, set[int]] = defaultdict(set)
    waits = [0] * len(kernels)
    for place, kernel in enumerate(kernels):
        sources = {
            owner[source]
            for number in kernel.operations
            for source in network.operations[number].inputs
            if source != IMAGE and owner[source] != place
        }
        waits[place] = len(sources)
        for source in sources:
            readers[source].add(place)

    def rank(place: int) -> float:
        return kernels[place].operations[-1] + (random.random() * 60.0 if random else 0.0)

    ready: list[tuple[float, int]] = []
    for place, count in enumerate(waits):
        if not count:
            heappush(ready, (rank(place), place))
    found = []
    while ready:
        _, place = heappop(ready)
        found.append(kernels[place])
        for reader in sorted(readers[place]):
            waits[reader] -= 1
            if not waits[reader]:
                heappush(ready, (rank(reader), reader))
    if len(found) != len(kernels):
        raise ValueError("these kernels wait for one another")
    return tuple(found)

"""Which steps Myelin, TensorRT's graph compiler, takes in: connected parts of a network around its matrix products.

NVIDIA documents that transformers, normalizations and what surrounds them are compiled by Myelin since TensorRT 8, and
convolutional networks run as TensorRT's own layers; which layer goes where in mixed networks is not published. The rule
here: operations other than convolutions, poolings and resizes that are connected with one another form a part, and a
part is Myelin's when it multiplies matrices (two activations, or at release 10 and later any), holds an attention, a
softmax or a normalization.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.simulator.draft import Kind, Step
from trex.simulator.workbench import Workbench

COMPILED = frozenset(
    {
        Kind.ACTIVATION, Kind.ATTENTION, Kind.CAST, Kind.CONCATENATION, Kind.ELEMENTWISE, Kind.GATHER,
        Kind.MATRIX_MULTIPLY, Kind.NORMALIZATION, Kind.POINTWISE, Kind.REDUCE, Kind.REGION, Kind.SCATTER, Kind.SELECT,
        Kind.SHUFFLE, Kind.SLICE, Kind.SOFTMAX, Kind.TOP_K,
    }
)  # fmt: skip
_SEEDS = frozenset({Kind.ATTENTION, Kind.NORMALIZATION, Kind.REGION})
_FIRST_FOR_ALL_PRODUCTS = 10


def compiled_parts(bench: Workbench, kinds: frozenset[Kind] = COMPILED) -> Iterator[list[int]]:
    """Numbers of the steps of each part that Myelin takes in, in order. kinds: of steps that can belong to one."""
    seen: set[int] = set()
    for start in bench:
        if start in seen or bench[start].kind not in kinds:
            continue
        part, waiting = [], [start]
        seen.add(start)
        while waiting:
            number = waiting.pop()
            part.append(number)
            for other in _neighbors(bench, number):
                if other not in seen and bench[other].kind in kinds:
                    seen.add(other)
                    waiting.append(other)
        if any(_is_seed(bench, bench[number]) for number in part):
            yield sorted(part)


def compiled(bench: Workbench) -> frozenset[int]:
    """Numbers of all steps that Myelin takes in."""
    return frozenset(number for part in compiled_parts(bench) for number in part)


def multiplies_activations(step: Step) -> bool:
    """Whether both operands of a matrix product are computed while the engine runs."""
    return step.kind is Kind.MATRIX_MULTIPLY and len(step.inputs) > 1


def _is_seed(bench: Workbench, step: Step) -> bool:
    if step.kind is Kind.MATRIX_MULTIPLY:
        return multiplies_activations(step) or bench.draft.target.release.major >= _FIRST_FOR_ALL_PRODUCTS
    return step.kind in _SEEDS


def _neighbors(bench: Workbench, number: int) -> Iterator[int]:
    step = bench[number]
    for name in step.inputs:
        writer = bench.writer(name)
        if writer is not None:
            yield writer
    for name in step.outputs:
        yield from bench.readers(name)

"""Attention becomes one kernel: softmax(Q·Kᵀ)·V, with the scale and the mask between.

What it does: a softmax between two products of activations, with nothing but scales, masks, casts and selections
between them, becomes one step that reads Q, K, V and the mask.
The rule: compute capability 7.5 or higher; products in FP16 or BF16, in INT8 or (8.9 and higher) FP8 where they are
quantized; heads of 16 to 256 in multiples of 8, INT8 heads of 16, 32 or 64 and sequences of at most 512.
Source: TensorRT Developer Guide, Multi-Head Attention Fusion, and its restrictions as quoted in NVIDIA/TensorRT issue
2981.
What it leaves out: TensorRT keeps the parts where it measures them to be faster (short sequences); that is not
predicted. A scale behind the first product is taken in.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.simulator.build_pass import BuildPass
from trex.simulator.compiled import multiplies_activations
from trex.simulator.draft import Kind, Step
from trex.simulator.fusing import as_one_step
from trex.simulator.workbench import Workbench

OLDEST = (7, 5)
_BETWEEN = frozenset({Kind.CAST, Kind.ELEMENTWISE, Kind.POINTWISE, Kind.SELECT, Kind.QUANTIZE, Kind.DEQUANTIZE})
_MOST_BETWEEN = 6
_SMALLEST, _LARGEST, _MULTIPLE = 16, 256, 8
_RULE = "TensorRT Developer Guide, Multi-Head Attention Fusion"


def edit(bench: Workbench) -> None:
    for number in bench:
        if number in bench and bench[number].kind is Kind.SOFTMAX:
            _fuse(bench, number)


def _fuse(bench: Workbench, softmax: int) -> None:
    before, first = _upwards(bench, softmax)
    after, second = _downwards(bench, softmax)
    if first is None or second is None or first == second:
        return
    places = [first, *reversed(before), softmax, *after, second]
    names = [name for place in places for name in bench[place].origins]
    why_not = _violated(bench, bench[first])
    if why_not:
        bench.decide(f"the attention around {bench[softmax].origins[0]} stays apart: {why_not}", _RULE, names)
        return
    made = as_one_step(bench, places, Kind.ATTENTION)
    if made is None:  # nobody reads it
        return
    bench.merge(places, made)
    bench.decide(f"{len(places)} steps around {made.origins[0]} become one attention kernel", _RULE, names)


def _upwards(bench: Workbench, softmax: int) -> tuple[list[int], int | None]:
    """(steps between the first product and the softmax, the product)."""
    between: list[int] = []
    number = softmax
    for _ in range(_MOST_BETWEEN + 1):
        writer = _main_writer(bench, bench[number])
        if writer is None or bench.only_reader(bench[writer].outputs[0]) != number:
            return between, None
        if multiplies_activations(bench[writer]):
            return between, writer
        if bench[writer].kind not in _BETWEEN:
            return between, None
        between.append(writer)
        number = writer
    return between, None


def _main_writer(bench: Workbench, step: Step) -> int | None:
    """The step before: of several inputs the one that a product of activations writes, directly or not."""
    writers = [writer for name in step.inputs if (writer := bench.writer(name)) is not None]
    if len(writers) > 1:
        shape = bench.shape_of(step.outputs[0])
        alike = [writer for writer in writers if bench.shape_of(bench[writer].outputs[0]) == shape]
        products = [writer for writer in alike if multiplies_activations(bench[writer])]
        writers = products or alike or writers
    return writers[0] if writers else None


def _downwards(bench: Workbench, softmax: int) -> tuple[list[int], int | None]:
    between: list[int] = []
    number = softmax
    for _ in range(_MOST_BETWEEN + 1):
        output = bench[number].outputs[0]
        reader = bench.only_reader(output)
        if reader is None:
            return between, None
        step = bench[reader]
        if multiplies_activations(step):
            return (between, reader) if step.inputs[0] == output else (between, None)
        if step.kind not in _BETWEEN:
            return between, None
        between.append(reader)
        number = reader
    return between, None


def _violated(bench: Workbench, first: Step) -> str:
    """The condition that the block does not meet, "" when it meets all."""
    target = bench.draft.target
    if target.capability < OLDEST:
        return f"compute capability {target.capability[0]}.{target.capability[1]} is below 7.5"
    types = {bench.type_of(name) for name in first.inputs[:2]}
    quantized = DataType.INT8 if DataType.INT8 in types else DataType.FP8 if DataType.FP8 in types else None
    halves = {DataType.FP16, DataType.BF16}
    if quantized is None and not (types <= halves or any(target.allows(each) for each in halves)):
        return "its products are in FP32, and FP16 is not allowed"
    shape = bench.shape_of(first.inputs[0])
    head = shape[-1] if shape else None
    if head is not None and (head % _MULTIPLE or not _SMALLEST <= head <= _LARGEST):
        return f"heads of {head} are not of 16 to 256 in multiples of 8"
    scores = bench.shape_of(first.outputs[0]) or ()
    longest = max((size for size in scores[-2:] if size is not None), default=0)
    if quantized is DataType.INT8 and (head not in (16, 32, 64) or longest > 512):
        return f"INT8 heads are of 16, 32 or 64 and sequences of at most 512, not {head} and {longest}"
    if quantized is DataType.FP8 and target.capability < (8, 9):
        return "FP8 needs compute capability 8.9"
    return ""


PASS = BuildPass("Attention fusion", 300, edit)

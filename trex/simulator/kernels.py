"""Kernels: in which types and layouts a step can run on a device.

Documents tell the layouts (vectors of channels for INT8 and FP16: https://docs.nvidia.com/deeplearning/tensorrt/latest/
inference-library/advanced.html, I/O formats); which layers have kernels for which is known from what engines and their
builders' logs tell: INT8 convolutions read NC/32HW32 (images NC/4HW4) since compute capability 7.2, write floats in
NC/32HW32, and since 8.0 and release 8.4 also FP32 in rows; FP16 runs in NHWC8, FP32 on matrix units in NHWC since 8.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.data_type import DataType
from trex.core.tensor_format import TensorFormat
from trex.simulator.choices import Choice, Costs, alike, float_types, is_one_pixel, rank_of, typed
from trex.simulator.draft import Kind, Step
from trex.simulator.fusing import channels_of, groups_of, is_reshape
from trex.simulator.slots import CHW2, CHW4, CHW32, LINEAR, NDHWC8, NHWC, NHWC4, NHWC8, NHWC16, Slot, slot_bytes
from trex.simulator.workbench import Workbench
from trex.simulator.zero_padding import zero_padding

_FEW_CHANNELS = 4
_POINTWISE = frozenset({Kind.ACTIVATION, Kind.ELEMENTWISE, Kind.POINTWISE, Kind.SCALE})
_COPIES = frozenset({Kind.QUANTIZE, Kind.DEQUANTIZE, Kind.REFORMAT})
_HALVES = frozenset({DataType.FP16, DataType.BF16})


def choices_of(costs: Costs, bench: Workbench, step: Step) -> tuple[Choice, ...]:
    """All ways in which a step can run, the preferred first; at least one."""
    return tuple(_choices(costs, bench, step)) or (_linear(costs, bench, step, float_types(bench, step)[0]),)


def _choices(costs: Costs, bench: Workbench, step: Step) -> Iterator[Choice]:
    if not step.outputs:
        return
    if step.kind in (Kind.CONVOLUTION, Kind.DECONVOLUTION):
        yield from _convolution(costs, bench, step)
    elif step.kind in _COPIES:
        yield from _copy(costs, bench, step)
    elif step.kind is Kind.CAST:
        yield from _cast(costs, bench, step)
    elif step.kind is Kind.SHUFFLE and not is_reshape(step):
        yield from _transpose(costs, bench, step)
    else:
        for data_type in _types(bench, step):
            for layout in _layouts(bench, step, typed(bench, step.outputs[0], data_type)):
                yield alike(costs, bench, step, data_type, layout, layout)


def _types(bench: Workbench, step: Step) -> tuple[DataType | None, ...]:
    types = float_types(bench, step)
    if step.kind is Kind.SOFTMAX and bench.draft.target.release.pair < (8, 4) and DataType.FP32 in types:
        return (DataType.FP32,)
    return types


def _linear(costs: Costs, bench: Workbench, step: Step, data_type: DataType | None) -> Choice:
    return alike(costs, bench, step, data_type, LINEAR, LINEAR)


def _layouts(bench: Workbench, step: Step, data_type: DataType) -> tuple[TensorFormat, ...]:
    """Layouts in which kernels of one kind read and write alike."""
    shapes = [bench.shape_of(name) for name in (*step.inputs, *step.outputs)]
    if any(rank_of(shape) != 4 for shape in shapes):
        return (LINEAR,)
    if step.kind is Kind.POOLING:
        by_type = {DataType.FP32: (LINEAR, NHWC), DataType.FP16: (NHWC8, CHW2, LINEAR), DataType.INT8: (CHW32, CHW4)}
    elif step.kind in _POINTWISE:
        by_type = {
            DataType.FP32: (LINEAR, NHWC, CHW32),
            DataType.FP16: (NHWC8, LINEAR, CHW2, CHW32),
            DataType.INT8: (CHW32, CHW4, LINEAR),
        }
    elif (
        step.kind is Kind.IDENTITY
        or step.kind is Kind.CONCATENATION
        or step.kind is Kind.RESIZE
        or _is_pad(bench, step)
    ):
        by_type = {DataType.FP32: (LINEAR, NHWC), DataType.FP16: (NHWC8, LINEAR), DataType.INT8: (CHW32, LINEAR)}
    else:
        return (LINEAR,)
    found = by_type.get(data_type, (NHWC8, LINEAR) if data_type is DataType.BF16 else (LINEAR,))
    if step.kind is Kind.CONCATENATION:  # places in vectors of channels are for whole vectors
        channels = [channels_of(shape) or 0 for shape in shapes]
        found = tuple(layout for layout in found if all(size % layout.vector == 0 for size in channels)) or (LINEAR,)
    return found


def _is_pad(bench: Workbench, step: Step) -> bool:
    pads = zero_padding(bench.draft.model, step) if step.kind is Kind.SLICE else None
    return pads is not None and len(pads) == 8 and not any(pads[:2]) and not any(pads[4:6])


def _transpose(costs: Costs, bench: Workbench, step: Step) -> Iterator[Choice]:
    """In rows; INT8 can be written in vectors for the convolution behind it."""
    for data_type in float_types(bench, step):
        yield _linear(costs, bench, step, data_type)
    if bench.type_of(step.outputs[0]) is DataType.INT8 and rank_of(bench.shape_of(step.outputs[0])) == 4:
        for layout in (CHW4, CHW32):
            yield alike(costs, bench, step, None, LINEAR, layout)


def _copy(costs: Costs, bench: Workbench, step: Step) -> Iterator[Choice]:
    """A copy reads what there is and writes any layout."""
    source, result = step.inputs[0], step.outputs[0]
    shape = bench.shape_of(source)
    for one in float_types(bench, step):
        written = typed(bench, result, one)
        for after in _any_layout(written) if rank_of(shape) == 4 else (LINEAR,):
            slot = Slot(written, after)
            yield Choice(None, (slot,), slot_bytes(slot, shape) / costs.bytes_per_s, written)


def _cast(costs: Costs, bench: Workbench, step: Step) -> Iterator[Choice]:
    """In rows, into the type that the model says, or into what its readers rather have."""
    own = bench.type_of(step.outputs[0])
    for data_type in float_types(bench, step):
        reads = [Slot(typed(bench, name, data_type), LINEAR) for name in step.inputs]
        for written in dict.fromkeys((own, typed(bench, step.outputs[0], data_type))):
            yield costs.choice(bench, step, reads, (Slot(written, LINEAR),), written)


def _any_layout(data_type: DataType) -> tuple[TensorFormat, ...]:
    if data_type is DataType.INT8:
        return (CHW32, CHW4, LINEAR)
    if data_type in _HALVES:
        return (NHWC8, CHW32, CHW2, LINEAR)
    return (LINEAR, NHWC, CHW32)


def _convolution(costs: Costs, bench: Workbench, step: Step) -> Iterator[Choice]:
    rank = rank_of(bench.shape_of(step.inputs[0]))
    if step.precision is DataType.INT8 and rank == 4:
        yield from _int8_convolution(costs, bench, step)
        return
    if step.precision is DataType.FP8 and rank == 4:
        for data_type in float_types(bench, step):
            yield alike(costs, bench, step, data_type, NHWC16, NHWC16)
        return
    channels = channels_of(bench.shape_of(step.inputs[0])) or _FEW_CHANNELS + 1
    for data_type in float_types(bench, step):
        computed = typed(bench, step.outputs[0], data_type)
        for read, written in _float_layouts(bench, step, computed, rank, channels):
            yield alike(costs, bench, step, data_type, read, written)


def _float_layouts(
    bench: Workbench, step: Step, data_type: DataType, rank: int, channels: int
) -> Iterator[tuple[TensorFormat, TensorFormat]]:
    """(layout read, layout written)."""
    target = bench.draft.target
    if data_type in _HALVES and target.capability >= (7, 0) and rank in (4, 5):
        vector = NHWC8 if rank == 4 else NDHWC8
        is_few = channels <= _FEW_CHANNELS and rank == 4 and len(step.inputs) == 1
        yield (NHWC4 if is_few else vector), vector
        return
    on_matrix_units = target.capability >= (8, 0) and rank == 4 and groups_of(step) == 1
    # Kernels of few channels on matrix units came with release 9.
    is_served = channels >= _FEW_CHANNELS or target.release.major >= 9
    if data_type is DataType.FP32 and on_matrix_units and is_served:
        yield NHWC, NHWC
    yield LINEAR, LINEAR


def _int8_convolution(costs: Costs, bench: Workbench, step: Step) -> Iterator[Choice]:
    target = bench.draft.target
    channels = channels_of(bench.shape_of(step.inputs[0])) or _FEW_CHANNELS + 1
    is_few = channels <= _FEW_CHANNELS
    is_pixel = is_one_pixel(bench.shape_of(step.inputs[0]))
    vector = CHW32 if target.capability >= (7, 2) else CHW4
    if step.facts.get("pooling") is not None:
        reads: tuple[TensorFormat, ...] = (LINEAR,)
    elif is_few:
        reads = (CHW4,)
    else:
        reads = (vector, CHW4) if is_pixel else (vector,)
    for read in reads:
        for written in _int8_outputs(bench, step, vector, is_few, is_pixel):
            others = [vector if bench.type_of(name) is DataType.INT8 else None for name in step.inputs[1:]]
            slots = [
                written if layout is None else Slot(bench.type_of(name), layout)
                for name, layout in zip(step.inputs[1:], others, strict=True)
            ]
            first = Slot(bench.type_of(step.inputs[0]), read)
            yield costs.choice(bench, step, (first, *slots), (written,) * len(step.outputs), DataType.INT8)


def _int8_outputs(bench: Workbench, step: Step, vector: TensorFormat, is_few: bool, is_pixel: bool) -> Iterator[Slot]:
    own = bench.type_of(step.outputs[0])
    if own is DataType.INT8:
        yield Slot(own, vector)
        return
    target = bench.draft.target
    types = [typed(bench, step.outputs[0], each) for each in float_types(bench, step)]
    if is_few:
        yield Slot(DataType.FP32 if DataType.FP32 in types else types[0], LINEAR)
        return
    yield from (Slot(each, vector) for each in types)
    writes_rows = target.capability >= (8, 0) or is_pixel
    if DataType.FP32 in types and writes_rows and target.release.pair >= (8, 4):
        yield Slot(DataType.FP32, LINEAR)

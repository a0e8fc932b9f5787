"""Kernel formats: the types and formats in which a step can run on a device.

NVIDIA documents the formats (vectors of channels for INT8 and FP16:
https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/advanced.html, I/O formats). The layers that
support each of them were inferred from engines and builder logs: INT8 convolutions read NC/32HW32 (images NC/4HW4)
since compute capability 7.2, write floats in NC/32HW32, and since 8.0 also row-major FP32; FP16 runs in
NHWC8, FP32 on matrix units in NHWC since 8.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.data_type import DataType
from trex.core.tensor_format import TensorFormat
from trex.simulator.draft import BuildStep, StepKind
from trex.simulator.fusion import channels_of, groups_of, is_reshape
from trex.simulator.implementations import (
    CHW2,
    CHW4,
    CHW32,
    LINEAR,
    NDHWC8,
    NHWC,
    NHWC4,
    NHWC8,
    NHWC16,
    FormatCosts,
    Implementation,
    IOFormat,
    format_bytes,
    is_one_pixel,
    rank_of,
)
from trex.simulator.window import zero_padding

_FEW_CHANNELS = 4
_POINTWISE = frozenset({StepKind.ACTIVATION, StepKind.ELEMENTWISE, StepKind.POINTWISE, StepKind.SCALE})
_REFORMATS = frozenset({StepKind.QUANTIZE, StepKind.DEQUANTIZE, StepKind.REFORMAT})
_COPYING = frozenset({StepKind.IDENTITY, StepKind.CONCATENATION, StepKind.RESIZE})
_HALVES = frozenset({DataType.FP16, DataType.BF16})


def implementations_of(costs: FormatCosts, step: BuildStep) -> tuple[Implementation, ...]:
    """All ways to run a step, the preferred first; at least one."""
    if step.kind in _REFORMATS and step.outputs:
        return _reformats(costs, step)
    return tuple(_implementations(costs, step)) or (_linear(costs, step, costs.float_types(step)[0]),)


def _implementations(costs: FormatCosts, step: BuildStep) -> Iterator[Implementation]:
    if not step.outputs:
        return
    if step.kind in (StepKind.CONVOLUTION, StepKind.DECONVOLUTION):
        yield from _convolution(costs, step)
    elif step.kind is StepKind.CAST:
        yield from _cast(costs, step)
    elif step.kind is StepKind.SHUFFLE and not is_reshape(step):
        yield from _transpose(costs, step)
    else:
        for data_type in costs.float_types(step):
            for layout in _layouts(costs, step, costs.type_of(step.outputs[0], data_type)):
                yield costs.uniform(step, data_type, layout, layout)


def _linear(costs: FormatCosts, step: BuildStep, data_type: DataType | None) -> Implementation:
    return costs.uniform(step, data_type, LINEAR, LINEAR)


def _layouts(costs: FormatCosts, step: BuildStep, data_type: DataType) -> tuple[TensorFormat, ...]:
    """Formats that kernels of one kind read and write."""
    shapes = [costs.shape_of(name) for name in (*step.inputs, *step.outputs)]
    if any(rank_of(shape) != 4 for shape in shapes):
        return (LINEAR,)
    if step.kind is StepKind.POOLING:
        by_type = {DataType.FP32: (LINEAR, NHWC), DataType.FP16: (NHWC8, CHW2, LINEAR), DataType.INT8: (CHW32, CHW4)}
    elif step.kind in _POINTWISE:
        by_type = {
            DataType.FP32: (LINEAR, NHWC, CHW32),
            DataType.FP16: (NHWC8, LINEAR, CHW2, CHW32),
            DataType.INT8: (CHW32, CHW4, LINEAR),
        }
    elif step.kind in _COPYING or _is_pad(costs, step):
        by_type = {DataType.FP32: (LINEAR, NHWC), DataType.FP16: (NHWC8, LINEAR), DataType.INT8: (CHW32, LINEAR)}
    else:
        return (LINEAR,)
    layouts = by_type.get(data_type, (NHWC8, LINEAR) if data_type is DataType.BF16 else (LINEAR,))
    if step.kind is StepKind.CONCATENATION:  # inputs must fill whole vectors of channels
        channels = [channels_of(shape) or 0 for shape in shapes]
        layouts = tuple(layout for layout in layouts if all(size % layout.vector == 0 for size in channels)) or (
            LINEAR,
        )
    return layouts


def _is_pad(costs: FormatCosts, step: BuildStep) -> bool:
    pads = zero_padding(costs.editor.draft.model, step) if step.kind is StepKind.SLICE else None
    return pads is not None and len(pads) == 8 and not any(pads[:2]) and not any(pads[4:6])


def _transpose(costs: FormatCosts, step: BuildStep) -> Iterator[Implementation]:
    """Row-major; INT8 can be written in vectors for the next convolution."""
    for data_type in costs.float_types(step):
        yield _linear(costs, step, data_type)
    if costs.type_of(step.outputs[0]) is DataType.INT8 and rank_of(costs.shape_of(step.outputs[0])) == 4:
        for layout in (CHW4, CHW32):
            yield costs.uniform(step, None, LINEAR, layout)


def _reformats(costs: FormatCosts, step: BuildStep) -> tuple[Implementation, ...]:
    """A reformat reads any format and writes any format."""
    shape = costs.shape_of(step.inputs[0])
    types = tuple(costs.type_of(step.outputs[0], one) for one in costs.float_types(step))
    if (shape, types) not in costs.known:
        slots = [
            IOFormat(written, after)
            for written in types
            for after in (_any_layout(written) if rank_of(shape) == 4 else (LINEAR,))
        ]
        costs.known[shape, types] = tuple(
            Implementation(None, (slot,), format_bytes(slot, shape) / costs.bytes_per_s, slot.type) for slot in slots
        )
    return costs.known[shape, types]


def _cast(costs: FormatCosts, step: BuildStep) -> Iterator[Implementation]:
    """Row-major, into the model's type or the type that its readers prefer."""
    own = costs.type_of(step.outputs[0])
    for data_type in costs.float_types(step):
        reads = [IOFormat(costs.type_of(name, data_type), LINEAR) for name in step.inputs]
        for written in dict.fromkeys((own, costs.type_of(step.outputs[0], data_type))):
            yield costs.implementation(step, reads, (IOFormat(written, LINEAR),), written)


def _any_layout(data_type: DataType) -> tuple[TensorFormat, ...]:
    if data_type is DataType.INT8:
        return (CHW32, CHW4, LINEAR)
    if data_type in _HALVES:
        return (NHWC8, CHW32, CHW2, LINEAR)
    return (LINEAR, NHWC, CHW32)


def _convolution(costs: FormatCosts, step: BuildStep) -> Iterator[Implementation]:
    rank = rank_of(costs.shape_of(step.inputs[0]))
    if step.precision is DataType.INT8 and rank == 4:
        yield from _int8_convolution(costs, step)
        return
    if step.precision is DataType.FP8 and rank == 4:
        for data_type in costs.float_types(step):
            yield costs.uniform(step, data_type, NHWC16, NHWC16)
        return
    channels = channels_of(costs.shape_of(step.inputs[0])) or _FEW_CHANNELS + 1
    for data_type in costs.float_types(step):
        computed = costs.type_of(step.outputs[0], data_type)
        for read, written in _float_layouts(costs, step, computed, rank, channels):
            yield costs.uniform(step, data_type, read, written)


def _float_layouts(
    costs: FormatCosts, step: BuildStep, data_type: DataType, rank: int, channels: int
) -> Iterator[tuple[TensorFormat, TensorFormat]]:
    """(format read, format written)."""
    target = costs.target
    if data_type in _HALVES and target.capability >= (7, 0) and rank in (4, 5):
        vector = NHWC8 if rank == 4 else NDHWC8
        is_few = channels <= _FEW_CHANNELS and rank == 4 and len(step.inputs) == 1
        yield (NHWC4 if is_few else vector), vector
        return
    on_matrix_units = target.capability >= (8, 0) and rank == 4 and groups_of(step) == 1
    # Kernels of few channels on matrix units exist since release 9.
    is_supported = channels >= _FEW_CHANNELS or target.release.major >= 9
    if data_type is DataType.FP32 and on_matrix_units and is_supported:
        yield NHWC, NHWC
    yield LINEAR, LINEAR


def _int8_convolution(costs: FormatCosts, step: BuildStep) -> Iterator[Implementation]:
    target = costs.target
    channels = channels_of(costs.shape_of(step.inputs[0])) or _FEW_CHANNELS + 1
    is_few = channels <= _FEW_CHANNELS
    is_pixel = is_one_pixel(costs.shape_of(step.inputs[0]))
    vector = CHW32 if target.capability >= (7, 2) else CHW4
    if step.facts.get("pooling") is not None:
        reads: tuple[TensorFormat, ...] = (LINEAR,)
    elif is_few:
        reads = (CHW4,)
    else:
        reads = (vector, CHW4) if is_pixel else (vector,)
    for read in reads:
        for written in _int8_outputs(costs, step, vector, is_few, is_pixel):
            types = map(costs.type_of, step.inputs[1:])
            slots = [IOFormat(own, vector) if own is DataType.INT8 else written for own in types]
            first = IOFormat(costs.type_of(step.inputs[0]), read)
            yield costs.implementation(step, (first, *slots), (written,) * len(step.outputs), DataType.INT8)


def _int8_outputs(
    costs: FormatCosts, step: BuildStep, vector: TensorFormat, is_few: bool, is_pixel: bool
) -> Iterator[IOFormat]:
    own = costs.type_of(step.outputs[0])
    if own is DataType.INT8:
        yield IOFormat(own, vector)
        return
    target = costs.target
    types = [costs.type_of(step.outputs[0], data_type) for data_type in costs.float_types(step)]
    if is_few:
        yield IOFormat(DataType.FP32 if DataType.FP32 in types else types[0], LINEAR)
        return
    yield from (IOFormat(data_type, vector) for data_type in types)
    writes_rows = target.capability >= (8, 0) or is_pixel
    if DataType.FP32 in types and writes_rows:
        yield IOFormat(DataType.FP32, LINEAR)

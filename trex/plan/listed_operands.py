"""Operands of Myelin's products by their shapes: which tensor of the record is the source, which the filter or matrix.

Records of TensorRT 11 and TensorRT for RTX list a layer's stored operands as ``Constants``, with dimensions in the
order of the model: a filter is (output channels, input channels / groups, window) or, of a deconvolution, (input
channels, output channels / groups, window), whatever its memory layout. They state neither groups nor the window, and
the operands of a fused kernel are in no fixed order.

Source: engines built by TensorRT for RTX 1.7.1 from models of known sizes (``docs/capture.md``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from trex.core.layer import Layer
from trex.core.shape import Shape, volume
from trex.core.tensor import Tensor
from trex.ingest.spelling.shapes import read_shape

CORRELATION, DECONVOLUTION, GEMM = "correlation", "deconv", "gemm"
MYELIN_CONVOLUTIONS = frozenset({CORRELATION, DECONVOLUTION})
FUSED_PRODUCT = "runtime_fusion"
CONSTANTS = "Constants"

_PRODUCTS = {"Fc": GEMM, "Gemm": GEMM, "gemm": GEMM, "Corr": CORRELATION}
_MOST_OPERANDS = 16
"""Kernels of real engines have fewer operands; pairs of more are not tried."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A convolution's filter. source: position of the convolved tensor among the inputs. groups: of its channels.

    maps: output channels. depth: input channels / groups of a convolution. window: extents of the kernel.
    """

    source: int
    maps: int
    depth: int
    groups: int
    window: tuple[int, ...]


def product_type(layer: Layer) -> str:
    """The layer's type; for a convolution or matrix product fused with other operations (``__myl_FcAddRelu`` of type
    ``runtime_fusion``), the type of that product: ``correlation`` or ``gemm``.
    """
    if layer.type != FUSED_PRODUCT:
        return layer.type
    return fused_product(layer.name_parts.tokens) or layer.type


def fused_product(tokens: Sequence[str]) -> str:
    """``correlation`` or ``gemm`` if exactly one token is a product, else ""."""
    products = [_PRODUCTS[token] for token in tokens if token in _PRODUCTS]
    return products[0] if len(products) == 1 and "mha" not in tokens else ""


def stored_shapes(record: Mapping[str, Any]) -> list[Shape] | None:
    """Shapes of the stored operands without scalars, None if the record does not list them."""
    constants = record.get(CONSTANTS)
    if not isinstance(constants, list):
        return None
    shapes = [read_shape(item.get("Dimensions")) for item in constants if isinstance(item, dict)]
    return [shape for shape in shapes if shape is not None and volume(shape) not in (None, 0, 1)]


def filter_of(layer: Layer) -> Filter | None:
    """The filter of a ``correlation`` or ``deconv``, fused or not; None for other layers, or if no operand fits."""
    kind = product_type(layer)
    if kind not in MYELIN_CONVOLUTIONS or not layer.outputs:
        return None
    inputs = [tensor.shape for tensor in layer.inputs]
    return listed_filter(kind, inputs, layer.raw, layer.outputs[0].shape, layer.type == FUSED_PRODUCT)


def source_of(layer: Layer) -> Tensor | None:
    """The first input, or the convolved one if a fused kernel of Myelin reads others first; None without inputs."""
    if not layer.inputs:
        return None
    filters = filter_of(layer)
    return layer.inputs[0 if filters is None else filters.source]


def listed_filter(
    kind: str, inputs: Sequence[Shape | None], record: Mapping[str, Any], output: Shape | None, is_fused: bool = False
) -> Filter | None:
    """The filter among the stored operands, or among the inputs after the first if the model computes it.

    is_fused: the source may be any input, else it is the first. None without stored operands in the record, if nothing
    fits, or if several inputs of different shapes do.
    """
    stored = stored_shapes(record)
    if stored is None or output is None or len(output) < 3 or not output[1]:
        return None
    positions = _sources(inputs[:_MOST_OPERANDS], output) if is_fused else [0] if inputs else []
    for position in positions:
        fitting = _fitting(kind, inputs[position], output, stored, position)
        if fitting:
            return max(fitting, key=lambda filters: prod((filters.depth, *filters.window)))
    for position in positions:
        others = [shape for at, shape in enumerate(inputs[:_MOST_OPERANDS]) if at != position and shape is not None]
        computed = set(_fitting(kind, inputs[position], output, others, position))
        if len(computed) == 1:
            return computed.pop()
    return None


def pairs_of(inputs: Sequence[Shape | None], stored: Sequence[Shape], is_fused: bool) -> list[tuple[Shape, Shape]]:
    """Operands that may be multiplied, in both orders if fused, else the first input with each other operand.

    Leading dimensions of 1 are left out of the second: such a matrix applies to all rows of the first.
    """
    firsts = [shape for shape in inputs[:_MOST_OPERANDS] if shape]
    operands = [*firsts, *stored[:_MOST_OPERANDS]]
    if not is_fused:
        return [(first, _matrix(other)) for first in firsts[:1] for other in (*stored[:_MOST_OPERANDS], *firsts[1:])]
    return [
        (first, _matrix(other))
        for at, first in enumerate(operands)
        for other_at, other in enumerate(operands)
        if at != other_at
    ]


def _matrix(shape: Shape) -> Shape:
    while len(shape) > 2 and shape[0] == 1:
        shape = shape[1:]
    return shape


def _sources(inputs: Sequence[Shape | None], output: Shape) -> list[int]:
    """Positions of the inputs that may be convolved: those that cannot be added to the output first, then by size."""
    ranked = []
    for position, shape in enumerate(inputs):
        if shape is not None and len(shape) == len(output):
            is_added = all(extent in (1, wanted) for extent, wanted in zip(shape, output))
            ranked.append((is_added, -(volume(shape[2:]) or 0), position))
    return [position for _, _, position in sorted(ranked)]


def _fitting(
    kind: str, source: Shape | None, output: Shape, candidates: Sequence[Shape], position: int
) -> list[Filter]:
    rank, maps = len(output), output[1]
    if source is None or len(source) != rank or not source[1] or not maps:
        return []
    channels = source[1]
    fitting = []
    for shape in candidates:
        window = tuple(extent for extent in shape[2:] if extent)
        if len(shape) != rank or len(window) != rank - 2 or not shape[0] or not shape[1]:
            continue
        if kind == CORRELATION:
            if shape[0] == maps and channels % shape[1] == 0 and maps % (channels // shape[1]) == 0:
                fitting.append(Filter(position, maps, shape[1], channels // shape[1], window))
        elif shape[0] == channels and maps % shape[1] == 0 and channels % (maps // shape[1]) == 0:
            groups = maps // shape[1]
            fitting.append(Filter(position, maps, channels // groups, groups, window))
    return fitting

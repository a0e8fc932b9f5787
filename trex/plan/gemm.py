"""Layer → Gemm: a convolution, deconvolution or matrix multiplication as M, N and K."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, TypeGuard

from trex.core.layer import Layer
from trex.core.shape import Shape, volume
from trex.ingest.spelling.shapes import read_dim, read_shape
from trex.plan.listed_operands import (
    CONSTANTS,
    CORRELATION,
    FUSED_PRODUCT,
    MYELIN_CONVOLUTIONS,
    Filter,
    filter_of,
    listed_filter,
    pairs_of,
    product_type,
    stored_shapes,
)

MATMUL_TYPES = frozenset(("gemm", "matmul", "matrixmultiply", "batchedgemm", "batch_gemm"))
CONVOLUTION_TYPES = frozenset(("Convolution", "Deconvolution", "ConvActPool"))
Window = tuple[int, ...]
_CACHED = 1 << 14
"""Repeated blocks have equal shapes, and a plan has up to 100 000 layers."""


@dataclass(frozen=True, slots=True)
class Gemm:
    """``batch`` multiplications of an M×K by a K×N matrix: macs = batch · M · N · K.

    For a grouped convolution, N covers all groups and K one group, so that the formula holds.
    """

    m: int
    n: int
    k: int
    batch: int = 1

    @property
    def macs(self) -> int:
        return self.batch * self.m * self.n * self.k


def gemm_of(layer: Layer) -> Gemm | None:
    """The GEMM of a layer; None for other layers, or if its sizes are unknown.

    Other kernels that contain GEMMs (``kgen``, ForeignNode) do not report their sizes: None.
    """
    kind = product_type(layer) if layer.type == FUSED_PRODUCT else layer.type
    output = layer.outputs[0].shape if layer.outputs else None
    if is_matmul(kind, layer.subtype) and CONSTANTS not in layer.raw:
        return _listed_operands(layer.raw, output)
    if not is_product(kind, layer.subtype):
        return None
    source = layer.inputs[0].shape if layer.inputs else None
    if kind in MYELIN_CONVOLUTIONS:
        return _filtered(filter_of(layer), kind, [tensor.shape for tensor in layer.inputs], output)
    if (stored := stored_shapes(layer.raw)) is not None and is_matmul(kind, layer.subtype):
        return _listed_matmul([tensor.shape for tensor in layer.inputs], stored, output, layer.type == FUSED_PRODUCT)
    return gemm_of_record(kind, layer.subtype, layer.raw, source, output)


def groups_of(layer: Layer) -> int | None:
    """Number of groups of a convolution; None if neither its record nor its filter contains it."""
    filters = filter_of(layer)
    if filters is not None:
        return filters.groups
    count = layer.raw.get("Groups", layer.raw.get("ConvolutionGroups"))
    return count if type(count) is int else None


def is_product(kind: str, subtype: str) -> bool:
    """Whether a layer of this type is one convolution or matrix multiplication; see ``product_type``."""
    return kind in CONVOLUTION_TYPES or kind in MYELIN_CONVOLUTIONS or kind == "conv" or is_matmul(kind, subtype)


def gemm_of_record(
    kind: str, subtype: str, record: Mapping[str, Any], source: Shape | None, output: Shape | None
) -> Gemm | None:
    """The GEMM of a layer's record, with the shapes of its first input and output."""
    if kind == "Convolution":
        try:
            return _convolution(source, output, record.get("Groups"), record.get("OutMaps"), *record["Kernel"])
        except (KeyError, TypeError):  # without a kernel, or with one that is no list of numbers
            return None
    if kind == "Deconvolution":
        return deconvolution(
            source, output, *_parameters(record.get("Kernel"), record.get("Groups"), record.get("OutMaps"))
        )
    if kind == "ConvActPool":
        return pooled_convolution(source, record)
    if kind == "conv":
        return unlabeled_convolution(*_operands(record), output)
    if kind in MYELIN_CONVOLUTIONS:
        inputs = _input_shapes(record)
        return _filtered(listed_filter(kind, inputs, record, output), kind, inputs, output)
    if is_matmul(kind, subtype):
        stored = stored_shapes(record)
        if stored is not None:
            return _listed_matmul(_input_shapes(record), stored, output)
        return _listed_operands(record, output)
    return None


def _listed_operands(record: Mapping[str, Any], output: Shape | None) -> Gemm | None:
    """The matrix multiplication of the first two inputs in the file, which also lists stored operands there."""
    try:
        first, second = record["Inputs"][:2]
        rows, columns = first["Dimensions"], second["Dimensions"]
        return _matmul(output, len(rows), *rows, *columns)
    except (KeyError, TypeError, ValueError):  # fewer, or damaged ones
        return None


@lru_cache(maxsize=_CACHED, typed=True)
def _matmul(output: Shape | None, rank: int, *extents: Any) -> Gemm | None:
    return matmul(read_shape(list(extents[:rank])), read_shape(list(extents[rank:])), output)


@lru_cache(maxsize=_CACHED)
def is_matmul(kind: str, subtype: str) -> bool:
    """Whether a layer is one matrix multiplication: Myelin's ``gemm``, TensorRT's MatrixMultiply."""
    return kind.lower() in MATMUL_TYPES or (subtype.lower() in MATMUL_TYPES and kind not in CONVOLUTION_TYPES)


@lru_cache(maxsize=_CACHED, typed=True)  # True and 1.0 equal 1, but are no numbers of groups
def _convolution(source: Shape | None, output: Shape | None, groups: Any, maps: Any, *kernel: Any) -> Gemm | None:
    return convolution(source, output, *_parameters(list(kernel), groups, maps))


def convolution(
    source: Shape | None, output: Shape | None, window: Window | None, groups: int | None = 1, maps: int | None = None
) -> Gemm | None:
    """A convolution with any number of spatial dimensions, shapes (batch, channels, …).

    M = batch · Π(output extents), N = output channels, K = input channels / groups · Π(kernel). Source: the implicit
    GEMM view of NVIDIA's "Convolutional Layers User's Guide" (M = N·P·Q, N = K, K = C·R·S). Positions in the padding
    count as well. groups: None if unusable. maps: None if they are the output's channels.
    """
    if window is None or groups is None or not _fits(source, window) or not _fits(output, window):
        return None
    maps, channels = maps or output[1], source[1]
    if maps is None or channels is None or channels % groups:
        return None
    positions = volume((output[0], *output[2:]))
    return None if positions is None else Gemm(positions, maps, channels // groups * prod(window))


def deconvolution(
    source: Shape | None, output: Shape | None, window: Window | None, groups: int | None = 1, maps: int | None = None
) -> Gemm | None:
    """A transposed convolution: multiplies each input value by each kernel value of each output channel in its group.

    M = batch · Π(input extents), N = output channels · Π(kernel), K = input channels / groups. Source: the transposed
    convolution is the gradient of a convolution whose output is our input (Dumoulin and Visin, "A guide to convolution
    arithmetic for deep learning", chapter 4), so its MACs are that convolution's.
    """
    if window is None or groups is None or not _fits(source, window):
        return None
    maps, channels = maps or (output[1] if output is not None and len(output) > 1 else None), source[1]
    if maps is None or channels is None or channels % groups:
        return None
    positions = volume((source[0], *source[2:]))
    return None if positions is None else Gemm(positions, maps * prod(window), channels // groups)


def pooled_convolution(source: Shape | None, record: Mapping[str, Any]) -> Gemm | None:
    """A ConvActPool layer. Its output is the pooling's, so the convolution's output is computed first.

    extent = ⌊(input + padding before and after − dilation · (kernel − 1) − 1) / stride⌋ + 1, with ⌈⌉ for the
    ``ROUND_UP`` padding modes and ⌈input / stride⌉ for the ``SAME`` ones. Source: TensorRT's PaddingMode reference.
    The convolution's keys begin with ``Conv`` (in TensorRT 8.4) or ``Convolution``.
    """
    prefix = "Conv" if "ConvKernel" in record else "Convolution"

    def get(key: str) -> Any:
        return record.get(prefix + key)

    window, groups, maps = _parameters(get("Kernel"), get("Groups"), get("OutMaps"))
    if window is None or not _fits(source, window):
        return None
    rank = len(window)
    stride = _extents(get("Stride"), rank, 1)
    dilation = _extents(get("Dilation"), rank, 1)
    before = _extents(get("PrePadding"), rank, 0)
    after = _extents(get("PostPadding"), rank, 0)
    mode = str(get("PaddingMode"))
    extents = _static(source[2:])
    if stride is None or dilation is None or before is None or after is None or extents is None or 0 in stride:
        return None
    convolved = []
    for axis, extent in enumerate(extents):
        if "SAME" in mode:
            convolved.append(-(-extent // stride[axis]))
            continue
        room = extent + before[axis] + after[axis] - dilation[axis] * (window[axis] - 1) - 1
        convolved.append((-(-room // stride[axis]) if "ROUND_UP" in mode else room // stride[axis]) + 1)
    if min(convolved, default=0) < 0:
        return None
    return convolution(source, (source[0], maps, *convolved), window, groups, maps)


def unlabeled_convolution(source: Shape | None, filters: Shape | None, output: Shape | None) -> Gemm | None:
    """Myelin's ``conv``, whose record has no kernel size: the filter is the second operand.

    Channels are first (filter K, C/groups, window) or last (filter K, window, C/groups). None unless exactly one of the
    two fits the shapes.
    """
    if source is None or filters is None or output is None or not len(source) == len(filters) == len(output) > 2:
        return None
    first = _fitting(source, filters, output)
    last = _fitting(_channels_first(source), _channels_first(filters), _channels_first(output))
    return (first or last) if first is None or last is None else None


@lru_cache(maxsize=_CACHED)
def matmul(a: Shape | None, b: Shape | None, output: Shape | None) -> Gemm | None:
    """A matrix multiplication from the shapes of its operands and output, transposed or not.

    M and N are the output's last two extents. K is the extent of the first operand that is not M and of the second
    that is not N: both must agree. A 2-D second operand applies to all rows: then M includes the batch.
    None if the shapes do not fit together, as after a fused reshape.
    """
    if not output or not a or not b or volume(a) is None or volume(b) is None:
        return None
    n, total = output[-1], volume(output)
    if not n or not total:
        return None
    if len(b) == 2 and n in b:
        k = b[0] if b[1] == n else b[1]
        rows = total // n
        return Gemm(rows, n, k) if k and volume(a) == rows * k else None
    m = output[-2] if len(output) > 1 else 1
    k = _other(a, m, last=False)
    if m is None or k is None or k != _other(b, n, last=True):
        return None
    return Gemm(m, n, k, total // (m * n))


def _filtered(filters: Filter | None, kind: str, inputs: Sequence[Shape | None], output: Shape | None) -> Gemm | None:
    """A convolution of Myelin from its filter: every value of the filter once per position.

    macs = positions of the output · Π(filter) for a convolution, positions of the input · Π(filter) for a
    deconvolution, with the filter as ``listed_operands`` has it. For sources see ``convolution``, ``deconvolution``.
    """
    over = None if filters is None else output if kind == CORRELATION else inputs[filters.source]
    if filters is None or over is None:
        return None
    positions = volume((over[0], *over[2:]))
    if positions is None:
        return None
    window = prod(filters.window)
    if kind == CORRELATION:
        return Gemm(positions, filters.maps, filters.depth * window)
    return Gemm(positions, filters.maps * window, filters.depth)


def _listed_matmul(
    inputs: Sequence[Shape | None], stored: Sequence[Shape], output: Shape | None, is_fused: bool = False
) -> Gemm | None:
    """A matrix multiplication of a record that lists all of its operands: the pair that fits the output's shape.

    Pairs whose first operand is reshaped count only if no other fits. None if no pair fits, or several of different
    sizes.
    """
    if not output or volume(output) is None:
        return None
    as_listed: set[Gemm] = set()
    reshaped: set[Gemm] = set()
    for pair in pairs_of(inputs, stored, is_fused):
        gemm = matmul(*pair, output)
        if gemm is not None:
            (as_listed if gemm.k in pair[0][-2:] else reshaped).add(gemm)
    fitting = as_listed or reshaped
    return fitting.pop() if len(fitting) == 1 else None


def _channels_first(shape: Shape) -> Shape:
    return (shape[0], shape[-1], *shape[1:-1])


def _fitting(source: Shape, filters: Shape, output: Shape) -> Gemm | None:
    """The convolution, if the filter's channels divide the source's and its maps are the output's."""
    maps, group_channels, *window = filters
    channels = source[1]
    if not maps or not group_channels or not channels or maps != output[1] or channels % group_channels:
        return None
    groups = channels // group_channels
    return None if maps % groups else convolution(source, output, _window(tuple(window)), groups, maps)


def _other(shape: Shape, extent: int | None, *, last: bool) -> int | None:
    """The last or second-to-last extent, whichever is not ``extent``; the untransposed order is tried first."""
    if len(shape) < 2:
        return shape[0] if extent == 1 else None
    row, column = shape[-2], shape[-1]
    if last:
        return row if column == extent else column if row == extent else None
    return column if row == extent else row if column == extent else None


def _operands(record: Mapping[str, Any]) -> tuple[Shape | None, Shape | None]:
    """Shapes of the first two inputs in the file, which also lists stored operands."""
    try:
        first, second = record["Inputs"][:2]
        return read_shape(first["Dimensions"]), read_shape(second["Dimensions"])
    except (KeyError, TypeError, ValueError):  # fewer, or damaged ones
        return None, None


def _input_shapes(record: Mapping[str, Any]) -> list[Shape | None]:
    """Shapes of all inputs in the file, None for damaged ones."""
    inputs = record.get("Inputs")
    if not isinstance(inputs, list):
        return []
    return [read_shape(item.get("Dimensions")) if isinstance(item, dict) else None for item in inputs]


def _fits(shape: Shape | None, window: Sequence[int]) -> TypeGuard[Shape]:
    return shape is not None and len(shape) == len(window) + 2


def _parameters(kernel: Any, groups: Any, maps: Any) -> tuple[Window | None, int | None, int | None]:
    """The window, the groups (1 by default) and the output channels of a record; None if unusable."""
    return _window(read_shape(kernel)), 1 if groups is None else read_dim(groups) or None, read_dim(maps) or None


def _window(shape: Shape | None) -> Window | None:
    """The shape if all its dimensions are known and above 0."""
    return shape if shape and None not in shape and 0 not in shape else None  # type: ignore[return-value]


def _extents(value: Any, rank: int, default: int) -> tuple[int, ...] | None:
    if value is None:
        return (default,) * rank
    extents = _static(read_shape(value))
    return extents if extents is not None and len(extents) == rank else None


def _static(shape: Shape | None) -> Window | None:
    """The shape if all its dimensions are known."""
    return None if shape is None or None in shape else shape  # type: ignore[return-value]

"""Layer → MatrixProduct: the multiply-adds of a convolution, deconvolution or matrix multiplication as M, N and K."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from trex.core.layer import Layer
from trex.core.shape import Shape, volume
from trex.ingest.spelling.shapes import read_dim, read_shape

MATMUL_TYPES = frozenset(("gemm", "matmul", "matrixmultiply", "batchedgemm", "batch_gemm"))
CONVOLUTION_TYPES = frozenset(("Convolution", "Deconvolution", "ConvActPool"))


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """``batch`` products of an M×K by a K×N matrix: macs = batch · M · N · K multiply-adds, each counted once.

    A grouped convolution is written with N over all groups and K of one group, so that the formula holds.
    """

    m: int
    n: int
    k: int
    batch: int = 1

    @property
    def macs(self) -> int:
        return self.batch * self.m * self.n * self.k


def matrix_product(layer: Layer) -> MatrixProduct | None:
    """The products a layer computes; None for a layer of another kind or when the file does not tell its sizes.

    Fused kernels that contain products (``kgen``, ForeignNode) do not report the sizes inside: None, too.
    """
    if layer.type not in CONVOLUTION_TYPES and layer.type != "conv" and not is_matmul(layer.type, layer.subtype):
        return None
    source = layer.inputs[0].shape if layer.inputs else None
    output = layer.outputs[0].shape if layer.outputs else None
    return product_of(layer.type, layer.subtype, layer.raw, source, output)


def product_of(
    kind: str, subtype: str, record: Mapping[str, Any], source: Shape | None, output: Shape | None
) -> MatrixProduct | None:
    """The same from a layer's record and the shapes of its first input and output."""
    if kind == "Convolution":
        return convolution(source, output, record.get("Kernel"), record.get("Groups"), record.get("OutMaps"))
    if kind == "Deconvolution":
        return deconvolution(source, output, record.get("Kernel"), record.get("Groups"), record.get("OutMaps"))
    if kind == "ConvActPool":
        return pooled_convolution(source, record)
    if kind == "conv":
        return unlabeled_convolution(_operands(record), output)
    if is_matmul(kind, subtype):
        return multiplication(_operands(record), output)
    return None


def is_matmul(kind: str, subtype: str) -> bool:
    """True for layers that are one matrix multiplication: Myelin's ``gemm``, TensorRT's MatrixMultiply."""
    return kind.lower() in MATMUL_TYPES or (subtype.lower() in MATMUL_TYPES and kind not in CONVOLUTION_TYPES)


def convolution(
    source: Shape | None, output: Shape | None, kernel: Any, groups: Any = 1, out_maps: Any = None
) -> MatrixProduct | None:
    """A convolution with any number of spatial dimensions, shapes (batch, channels, …).

    M = batch · Π(output extents), N = output channels, K = input channels / groups · Π(kernel). Source: the implicit
    GEMM view of NVIDIA's "Convolutional Layers User's Guide" (M = N·P·Q, N = K, K = C·R·S). Positions in the padding
    are counted like others.
    """
    window, groups = _window(kernel), _positive(groups)
    if window is None or groups is None or not _fits(source, window) or not _fits(output, window):
        return None
    maps, channels = _channels(out_maps, output), source[1]  # type: ignore[index]
    if maps is None or channels is None or channels % groups:
        return None
    positions = volume((output[0], *output[2:]))  # type: ignore[index]
    return None if positions is None else MatrixProduct(positions, maps, channels // groups * prod(window))


def deconvolution(
    source: Shape | None, output: Shape | None, kernel: Any, groups: Any = 1, out_maps: Any = None
) -> MatrixProduct | None:
    """A transposed convolution: every input value meets every kernel value of every output channel of its group.

    M = batch · Π(input extents), N = output channels · Π(kernel), K = input channels / groups. Source: the transposed
    convolution is the gradient of a convolution whose output is our input (Dumoulin and Visin, "A guide to convolution
    arithmetic for deep learning", chapter 4), so its multiply-adds are that convolution's.
    """
    window, groups = _window(kernel), _positive(groups)
    if window is None or groups is None or not _fits(source, window):
        return None
    maps, channels = _channels(out_maps, output), source[1]  # type: ignore[index]
    if maps is None or channels is None or channels % groups:
        return None
    positions = volume((source[0], *source[2:]))  # type: ignore[index]
    return None if positions is None else MatrixProduct(positions, maps * prod(window), channels // groups)


def pooled_convolution(source: Shape | None, record: Mapping[str, Any]) -> MatrixProduct | None:
    """A ConvActPool layer: its output is that of the pooling, so the convolution's own is computed first.

    extent = ⌊(input + padding before and after − dilation · (kernel − 1) − 1) / stride⌋ + 1, with ⌈⌉ for the
    ``ROUND_UP`` padding modes and ⌈input / stride⌉ for the ``SAME`` ones. Source: TensorRT's PaddingMode reference.
    The convolution's keys begin with ``Conv`` (seen in TensorRT 8.4) or ``Convolution``.
    """
    get = _convolution_keys(record)
    window = _window(get("Kernel"))
    if window is None or not _fits(source, window):
        return None
    rank = len(window)
    stride = _extents(get("Stride"), rank, 1)
    dilation = _extents(get("Dilation"), rank, 1)
    before = _extents(get("PrePadding"), rank, 0)
    after = _extents(get("PostPadding"), rank, 0)
    mode = str(get("PaddingMode"))
    extents = source[2:]  # type: ignore[index]
    if stride is None or dilation is None or before is None or after is None or None in extents or 0 in stride:
        return None
    found: list[int | None] = []
    for axis, extent in enumerate(extents):
        if "SAME" in mode:
            found.append(-(-extent // stride[axis]))  # type: ignore[operator]
            continue
        room = extent + before[axis] + after[axis] - dilation[axis] * (window[axis] - 1) - 1  # type: ignore[operator]
        found.append((-(-room // stride[axis]) if "ROUND_UP" in mode else room // stride[axis]) + 1)
    if any(extent is None or extent < 0 for extent in found):
        return None
    maps = _channels(get("OutMaps"), None)
    output = (source[0], maps, *found)  # type: ignore[index]
    return convolution(source, output, window, get("Groups"), maps)


def _convolution_keys(record: Mapping[str, Any]) -> Callable[[str], Any]:
    prefix = "Conv" if "ConvKernel" in record else "Convolution"
    return lambda key: record.get(prefix + key)


def unlabeled_convolution(operands: Sequence[Shape | None], output: Shape | None) -> MatrixProduct | None:
    """Myelin's ``conv``, whose record has no kernel: the filter is the second operand.

    Read channels first (filter K, C/groups, window) or channels last (filter K, window, C/groups); None unless the
    shapes fit exactly one of the two.
    """
    if len(operands) < 2:
        return None
    source, filters = operands[0], operands[1]
    if source is None or filters is None or output is None or not len(source) == len(filters) == len(output) > 2:
        return None
    first = _fitting(source, filters, output)
    last = _fitting(_channels_first(source), _channels_first(filters), _channels_first(output))
    return (first or last) if first is None or last is None else None


def multiplication(operands: Sequence[Shape | None], output: Shape | None) -> MatrixProduct | None:
    """A matrix multiplication from its operands' and output's shapes, whichever of them are transposed.

    M and N are the output's last two extents. K is the extent of the first operand that is not M and of the second
    that is not N: both must agree. A second operand of two dimensions serves all rows: the batch then counts in M.
    None when the shapes do not fit together, as after a reshape fused into the product.
    """
    if len(operands) < 2 or not output or volume(output) is None:
        return None
    a, b = operands[0], operands[1]
    if not a or not b or volume(a) is None or volume(b) is None:
        return None
    n, total = output[-1], volume(output)
    if not n or not total:
        return None
    if len(b) == 2 and n in b:
        k = b[0] if b[1] == n else b[1]
        rows = total // n
        return MatrixProduct(rows, n, k) if k and volume(a) == rows * k else None
    m = output[-2] if len(output) > 1 else 1
    k = _other(a, m, last=False)
    if m is None or k is None or k != _other(b, n, last=True):
        return None
    return MatrixProduct(m, n, k, total // (m * n))


def _channels_first(shape: Shape) -> Shape:
    return (shape[0], shape[-1], *shape[1:-1])


def _fitting(source: Shape, filters: Shape, output: Shape) -> MatrixProduct | None:
    """The convolution, when the filter's channels divide the source's and its maps are the output's."""
    maps, group_channels, *window = filters
    channels = source[1]
    if not maps or not group_channels or not channels or maps != output[1] or channels % group_channels:
        return None
    groups = channels // group_channels
    return None if maps % groups else convolution(source, output, tuple(window), groups, maps)


def _other(shape: Shape, extent: int | None, *, last: bool) -> int | None:
    """Of the last two extents, the one beside ``extent``, looked for first where it stands untransposed."""
    if len(shape) < 2:
        return shape[0] if extent == 1 else None
    row, column = shape[-2], shape[-1]
    if last:
        return row if column == extent else column if row == extent else None
    return column if row == extent else row if column == extent else None


def _operands(record: Mapping[str, Any]) -> list[Shape | None]:
    """Shapes of the layer's inputs as the file lists them: stored operands are among them there."""
    inputs = record.get("Inputs")
    if not isinstance(inputs, list):
        return []
    return [read_shape(item.get("Dimensions")) if isinstance(item, dict) else None for item in inputs[:2]]


def _fits(shape: Shape | None, window: Sequence[int]) -> bool:
    return shape is not None and len(shape) == len(window) + 2


def _positive(value: Any) -> int | None:
    count = read_dim(value) if value is not None else 1
    return count if count else None


def _channels(out_maps: Any, output: Shape | None) -> int | None:
    if out_maps is not None and (maps := read_dim(out_maps)):
        return maps
    return output[1] if output is not None and len(output) > 1 else None


def _window(value: Any) -> tuple[int, ...] | None:
    shape = read_shape(list(value) if isinstance(value, tuple) else value)
    return None if not shape or volume(shape) in (None, 0) else shape  # type: ignore[return-value]


def _extents(value: Any, rank: int, default: int) -> tuple[int, ...] | None:
    if value is None:
        return (default,) * rank
    shape = read_shape(value)
    return shape if shape is not None and len(shape) == rank and None not in shape else None  # type: ignore[return-value]

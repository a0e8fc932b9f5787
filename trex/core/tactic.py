"""Tactic: the facts in a kernel's name, and the parts of the name that state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trex.core.data_type import DataType
from trex.core.frozen import frozen

UNPARSED = ""
"""The key of a part whose meaning is not published."""

DIRECT, IMPLICIT_GEMM, WINOGRAD = "direct", "implicit gemm", "winograd"


class NamePart(NamedTuple):
    """One piece of a kernel's name.

    text: as written. key: the kind of fact (``stages``), or UNPARSED. words: the fact in plain words, "" if unparsed.
    separator: between this piece and the next, mostly ``_``.
    """

    text: str
    key: str = UNPARSED
    words: str = ""
    separator: str = ""


@frozen
class Tactic:
    """The facts in a kernel's name; everything else stays unknown.

    input_type: of the activations. weights_type, accumulate_type, output_type: UNKNOWN if the name does not say.
    tensor_core: whether the tensor cores are used; None if the name does not say. tf32: FP32 data multiplied as TF32.
    tile: (m, n, k) of one thread block, k None if not written; None without a tile. library: ``xmma``, ``cutlass``,
    ``cudnn``, ``cublas``, ``Myelin``, "" otherwise. sm: compute capability of the kernel, times ten.
    kind: ``convolution``, ``deconvolution``, ``gemm``, ``pooling``, ``attention``, ``generated``, ``pointwise`` or "".
    evidence: the piece of the name with the types, "" if there is none.

    family: name of the grammar that parsed it (``xmma``, ``cutlass-3``, …), "" for an unknown family.
    algorithm: of a convolution: ``direct``, ``implicit gemm``, ``winograd`` or "". winograd_tile: (rows, columns) of
    outputs computed at once, None if not written. mma: (m, n, k) of one matrix instruction. stages: of the pipeline
    that loads operands. warps: (m, n, k) warps, or warp groups if ``warp_groups``, that share the tile.
    sliced_k: how many warps of one block share each sum. split_k: several blocks share each sum, which is added up
    later. layouts: of input, weights and output as the name writes them (``nhwc``, ``krsc``, ``nhwc``; ``t``,
    ``n``, ``n`` of a GEMM). sparse: 2:4 structured sparsity. cluster: (x, y, z) thread blocks that work
    together. alignment: elements to which the operands A, B and C must be aligned, None if not written.
    window, stride: (r, s) or (t, r, s) of a convolution. groups: of channels. epilogue: operations on the result
    before it is stored: ``bias``, ``relu``, ``gelu``, ``residual``, … swizzle: how many blocks are visited next
    to each other. head_size: of attention. persistent: blocks stay and fetch more tiles. parts: of the name.
    """

    input_type: DataType = DataType.UNKNOWN
    weights_type: DataType = DataType.UNKNOWN
    accumulate_type: DataType = DataType.UNKNOWN
    output_type: DataType = DataType.UNKNOWN
    tensor_core: bool | None = None
    tf32: bool = False
    tile: tuple[int, int, int | None] | None = None
    library: str = ""
    sm: int | None = None
    kind: str = ""
    evidence: str = ""
    family: str = ""
    algorithm: str = ""
    winograd_tile: tuple[int, int] | None = None
    mma: tuple[int, int, int] | None = None
    stages: int | None = None
    warps: tuple[int, int, int] | None = None
    warp_groups: bool = False
    sliced_k: int | None = None
    split_k: bool = False
    layouts: tuple[str, ...] = ()
    sparse: bool = False
    cluster: tuple[int, int, int] | None = None
    alignment: tuple[int | None, int | None, int | None] | None = None
    window: tuple[int, ...] | None = None
    stride: tuple[int, ...] | None = None
    groups: int | None = None
    epilogue: tuple[str, ...] = ()
    swizzle: int | None = None
    head_size: int | None = None
    persistent: bool = False
    parts: tuple[NamePart, ...] = ()

    def __hash__(self) -> int:
        """Of a few fields that distinguish kernels: tactics are looked up more often than created."""
        return hash((self.evidence, self.tile, self.sm, self.kind, self.stages))

    @property
    def decoded_share(self) -> float:
        """Share of the name's characters, without separators, in explained parts, 0 to 1; 0 without parts."""
        total = sum(len(part.text) for part in self.parts)
        return sum(len(part.text) for part in self.parts if part.key) / total if total else 0.0

    @property
    def unparsed(self) -> tuple[str, ...]:
        """The parts whose meaning is not published."""
        return tuple(part.text for part in self.parts if not part.key)

    def multiplication_share(self, window: Sequence[int]) -> float | None:
        """Multiplications of Winograd's algorithm, as a share of those of the definition.

        F(m×m, r×r) multiplies (m + r − 1)² times for m² outputs of r² products each, so the share is
        ((m + r − 1) / (m · r))²: 16/36 for F(2×2, 3×3), 1/4 for F(4×4, 3×3). Source: Lavin and Gray, Fast Algorithms
        for Convolutional Neural Networks, 2015. window: (r, s) of the layer. 1.0 for other algorithms; None if the
        name has no tile, or for a window without two extents. The additions of the transforms are not counted.
        """
        if self.algorithm != WINOGRAD:
            return 1.0
        if self.winograd_tile is None or len(window) != 2:
            return None
        share = 1.0
        for tile, extent in zip(self.winograd_tile, window, strict=True):
            share *= (tile + extent - 1) / (tile * extent)
        return share


NO_TACTIC = Tactic()

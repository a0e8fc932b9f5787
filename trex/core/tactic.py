"""Tactic: what a kernel's name states, and the parts of the name that state it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trex.core.data_type import DataType
from trex.core.frozen import frozen

UNPARSED = ""
"""The key of a part that nobody has published the meaning of."""

DIRECT, IMPLICIT_GEMM, WINOGRAD = "direct", "implicit gemm", "winograd"


class NamePart(NamedTuple):
    """One piece of a kernel's name.

    text: as written. key: what kind of fact it states (``stages``), UNPARSED when nobody knows. words: the fact, for
    people, "" when unparsed. separator: what stands between this piece and the next, ``_`` mostly.
    """

    text: str
    key: str = UNPARSED
    words: str = ""
    separator: str = ""


@frozen
class Tactic:
    """What a kernel's name states; only what is written there, everything else stays unknown.

    input_type: of the activations. weights_type, accumulate_type, output_type: UNKNOWN where the name does not say.
    tensor_core: whether the matrix units are used; None when the name does not say. tf32: FP32 data multiplied as TF32.
    tile: (m, n, k) of one thread block, k None when not written; None without a tile. library: ``xmma``, ``cutlass``,
    ``cudnn``, ``cublas``, ``Myelin``, "" otherwise. sm: compute capability the kernel was written for, times ten.
    kind: ``convolution``, ``deconvolution``, ``gemm``, ``pooling``, ``attention``, ``generated``, ``pointwise`` or "".
    evidence: the piece of the name the types were read from, "" when it has none.

    family: name of the grammar that read it (``xmma``, ``cutlass-3``, …), "" for a name of no known family.
    algorithm: of a convolution: ``direct``, ``implicit gemm``, ``winograd`` or "". winograd_tile: (rows, columns) of
    outputs computed at once, None when not written. mma: (m, n, k) of one matrix instruction. stages: of the pipeline
    that loads operands. warps: (m, n, k) warps (or warp groups, where ``warp_groups`` says so) that share the tile.
    sliced_k: how many warps of one block share each sum. split_k: several blocks share each sum, which is added up
    afterwards. layouts: of input, weights and output as the name writes them (``nhwc``, ``krsc``, ``nhwc``; ``t``,
    ``n``, ``n`` of a matrix product). sparse: 2:4 structured sparsity. cluster: (x, y, z) thread blocks that work
    together. alignment: elements to which the operands A, B and C must be aligned, None for each not written.
    window: (r, s) or (t, r, s) of a convolution; stride: alike. groups: of channels. epilogue: what is done to the
    result before it is stored: ``bias``, ``relu``, ``gelu``, ``residual``, … swizzle: how many blocks are walked side
    by side. head_size: of attention. persistent: blocks stay and fetch further tiles. parts: the whole name, in order.
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
        """Of a few fields that tell kernels apart: tactics are looked up more often than made."""
        return hash((self.evidence, self.tile, self.sm, self.kind, self.stages))

    @property
    def decoded_share(self) -> float:
        """Characters of the name (separators left out) that stand in explained parts, 0 to 1; 0 without parts."""
        total = sum(len(part.text) for part in self.parts)
        return sum(len(part.text) for part in self.parts if part.key) / total if total else 0.0

    @property
    def unparsed(self) -> tuple[str, ...]:
        """The parts that nobody has published the meaning of."""
        return tuple(part.text for part in self.parts if not part.key)

    def multiplication_share(self, window: Sequence[int]) -> float | None:
        """Multiplications that Winograd's algorithm needs, as a share of those that the definition needs.

        F(m×m, r×r) multiplies (m + r − 1)² times for m² outputs of r² products each, so the share is
        ((m + r − 1) / (m · r))²: 16/36 for F(2×2, 3×3), 1/4 for F(4×4, 3×3). Source: Lavin and Gray, Fast Algorithms
        for Convolutional Neural Networks, 2015. window: (r, s) of the layer. 1.0 for other algorithms; None where the
        name does not write the tile, or for a window that is not two extents. The transforms' additions are not
        counted.
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

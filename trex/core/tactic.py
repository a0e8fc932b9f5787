"""Tactic: the facts in a kernel's name, and the parts of the name that state them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trex.core.data_type import DataType
from trex.core.frozen import frozen

DIRECT, IMPLICIT_GEMM, WINOGRAD = "direct", "implicit gemm", "winograd"


class NamePart(NamedTuple):
    """One piece of a kernel's name.

    text: as written. words: what it states, "" if that is not published. separator: between this piece and the next,
    mostly ``_``.
    """

    text: str
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

    family: name of the grammar that parsed it (``xmma``, ``CUTLASS 3``, …), "" for an unknown family.
    algorithm: of a convolution: ``direct``, ``implicit gemm``, ``winograd`` or "". winograd_tile: (rows, columns) of
    outputs computed at once, None if not written. stages: of the pipeline that loads operands. split_k: several blocks
    share each sum, which is added up later. sparse: 2:4 structured sparsity. parts: of the name, in words.
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
    stages: int | None = None
    split_k: bool = False
    sparse: bool = False
    parts: tuple[NamePart, ...] = ()

    def __hash__(self) -> int:
        """Of a few fields that distinguish kernels: tactics are looked up more often than created."""
        return hash((self.evidence, self.tile, self.sm, self.kind, self.stages))

    def multiplication_share(self, window: Sequence[int]) -> float | None:
        """Multiplications of Winograd's algorithm, as a share of those of the definition.

        F(m×m, r×r) multiplies (m + r − 1)² times for m² outputs of r² products each, so the share is
        ((m + r − 1) / (m · r))²: 16/36 for F(2×2, 3×3), 1/4 for F(4×4, 3×3). Source: Lavin and Gray, Fast Algorithms
        for Convolutional Neural Networks, 2015. window: (r, s) of the layer. 1.0 for other algorithms; None if the
        name has no tile, or for a window without two extents. The additions of the transforms are not counted.
        """
        if self.algorithm != WINOGRAD:
            return 1.0
        if self.winograd_tile is None or len(window) != 2 or min(*window, *self.winograd_tile) < 1:
            return None
        share = 1.0
        for tile, extent in zip(self.winograd_tile, window, strict=True):
            share *= (tile + extent - 1) / (tile * extent)
        return share


NO_TACTIC = Tactic()

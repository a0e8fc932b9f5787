"""KernelArithmetic: the arithmetic of a layer's kernel, and the share of its MACs that the kernel computes.

A kernel's name comes first: tensor cores or CUDA cores, the type of operands and sums, TF32, 2:4 sparsity, Winograd.
Without it (Myelin's generated kernels, layers without a tactic) the layer's own precision is assumed, on the device's
fastest units for this type: FP32 then counts as TF32, which TensorRT allows by default. The resulting time is one that
no kernel of this precision can beat, and the roofline marks the units as assumed. On CUDA cores, MACs with FP32 sums
are FP32 MACs for any operand type: there is no faster instruction. Integer operands with float sums are multiplied as
these floats. INT8 MACs on CUDA cores run four at a time (dp4a): if their rate is not published, four times that of
FP32, the maximum.

Winograd's algorithm computes a convolution with ((m + r − 1) / (m · r))² of the MACs of its definition: 16/36 for
F(2×2, 3×3), 1/4 for F(4×4, 3×3); its additions are not counted. If the kernel's name lacks the tile, the roofline
assumes F(2×2, 3×3), and the physical limit F(4×4, 3×3), the fewest MACs in use. Source: Lavin and Gray, Fast Algorithms
for Convolutional Neural Networks (2015).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.tactic import WINOGRAD, Tactic
from trex.perf.arithmetic import Arithmetic
from trex.plan.kernels import common_name_of, kernel_named, kernel_of

_F2, _F4 = 16 / 36, 36 / 144
_INTEGERS = frozenset((DataType.INT8, DataType.UINT8, DataType.INT4))
_ROUNDED = frozenset((DataType.FP16, DataType.FP8))  # types that can be summed in FP16


@frozen
class KernelArithmetic:
    """candidates: arithmetics, of these the device uses its fastest; empty if the type is unknown.

    fastest: the same, with the fastest choice for everything that the name leaves open. share, least_share: MACs
    computed over MACs of the definition, assumed and at least. is_assumed: the name does not state the units. words:
    for people.
    """

    candidates: tuple[Arithmetic, ...]
    fastest: tuple[Arithmetic, ...]
    share: float = 1.0
    least_share: float = 1.0
    is_assumed: bool = False
    words: str = ""


def kernel_arithmetic_of(layer: Layer) -> KernelArithmetic:
    """How the layer's kernel multiplies, if it does; cached by kernel, precision and window."""
    window = _window(layer) if kernel_of(layer).algorithm == WINOGRAD else ()
    return _kernel_arithmetic(common_name_of(layer), layer.compute.data_type, window)


@lru_cache(maxsize=16384)
def _kernel_arithmetic(kernel: str, precision: DataType, window: tuple[int, ...]) -> KernelArithmetic:
    return _of_tactic(kernel_named(kernel), precision, window)


def _of_tactic(tactic: Tactic, precision: DataType, window: tuple[int, ...]) -> KernelArithmetic:
    operands = tactic.input_type if tactic.input_type.is_known else precision
    sums = tactic.accumulate_type
    if operands in _INTEGERS and sums.is_float:
        operands = sums
    if not operands.is_known:
        return KernelArithmetic((), (), words="unknown type of MACs")
    share, least, remark = _winograd(tactic, window)
    matrix = Arithmetic(operands, sums, True, tactic.tf32, tactic.sparse)
    if tactic.tensor_core is None and operands is DataType.FP32:
        matrix = replace(matrix, tf32=True)
    cuda = Arithmetic(sums if sums.is_float else operands, sums, False)
    assumed = tactic.tensor_core is None
    candidates = (matrix, cuda) if assumed else (matrix,) if tactic.tensor_core else (cuda,)
    fastest = tuple(_fastest(arithmetic) for arithmetic in candidates)
    unit = "tensor cores or CUDA cores (unknown)" if assumed else _unit(tactic.tensor_core)
    kind = "TF32" if candidates[0].tf32 else candidates[0].data_type.label
    sum_words = f", summed in {sums.label}" if sums.is_known else ""
    sparse = ", 2:4 sparse" if tactic.sparse else ""
    return KernelArithmetic(
        candidates, fastest, share, least, assumed, f"{kind} MACs on {unit}{sum_words}{sparse}{remark}"
    )


def _winograd(tactic: Tactic, window: tuple[int, ...]) -> tuple[float, float, str]:
    """(share of the MACs, the smallest possible share, a remark)."""
    if tactic.algorithm != WINOGRAD:
        return 1.0, 1.0, ""
    share = tactic.multiplication_share(window)
    if share is not None:
        return share, share, f"; Winograd: {share:.3f} of the MACs"
    return _F2, _F4, f"; Winograd, unknown tile: F(2×2, 3×3) assumed, {_F2:.3f} of the MACs"


def _fastest(arithmetic: Arithmetic) -> Arithmetic:
    """Sums in FP16 unless the kernel's name excludes them: some parts run them twice as fast."""
    if arithmetic.accumulate.is_known or arithmetic.data_type not in _ROUNDED:
        return arithmetic
    return replace(arithmetic, accumulate=DataType.FP16)


def _window(layer: Layer) -> tuple[int, ...]:
    kernel = layer.raw.get("Kernel")
    return tuple(kernel) if isinstance(kernel, list) and all(type(size) is int for size in kernel) else ()


def _unit(tensor_core: bool | None) -> str:
    return "tensor cores" if tensor_core else "CUDA cores"

"""Multiplication: in which arithmetic, and how many of its products, a layer's kernel computes.

A kernel's name decides first: matrix units or CUDA cores, the type of operands and sums, TF32, 2:4 sparsity, Winograd.
Where it is silent (Myelin's generated kernels, layers without a tactic) the layer's own precision is taken, and of the
units that the device has the fastest that multiply this type: FP32 then counts as TF32, which TensorRT allows unless it
is told not to. The time that follows is therefore one that no kernel of this precision can beat, and the roofline says
that the units were assumed. On CUDA cores, products whose sums are FP32 are FP32 products, whatever the operands' type:
there is no faster instruction. Integer operands whose sums are floats are multiplied as these floats. INT8 products on
CUDA cores take four at a time (dp4a): where their rate is not published, four times that of FP32, which is the most.

Winograd's algorithm computes a convolution with ((m + r − 1) / (m · r))² of the products that its definition has: 16/36
for F(2×2, 3×3), 1/4 for F(4×4, 3×3); its additions are not counted. Where the kernel's name does not write the tile,
F(2×2, 3×3) is taken for the roofline and F(4×4, 3×3), the fewest products in use, for what is possible at all.
Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.core.tactic import WINOGRAD, Tactic
from trex.perf.arithmetic import Arithmetic
from trex.plan.kernels import kernel_of

_F2, _F4 = 16 / 36, 36 / 144
_INTEGERS = frozenset((DataType.INT8, DataType.UINT8, DataType.INT4))
_ROUNDED = frozenset((DataType.FP16, DataType.FP8))  # types that can be summed in FP16


@frozen
class Multiplication:
    """candidates: arithmetics of which the fastest that the device has is meant; empty when the type is not known.

    fastest: the same, with everything that the name leaves open taken as its fastest. share, least_share: products
    computed over products of the definition, as assumed and at least. is_assumed: the units are not told by the name.
    words: for people.
    """

    candidates: tuple[Arithmetic, ...]
    fastest: tuple[Arithmetic, ...]
    share: float = 1.0
    least_share: float = 1.0
    is_assumed: bool = False
    words: str = ""


def multiplications_of(layers: Iterable[Layer]) -> tuple[Multiplication, ...]:
    """One per layer. Layers of like kernel and precision share one object."""
    found: dict[tuple[str, DataType], Multiplication] = {}
    made = []
    for layer in layers:
        key = (layer.tactic, layer.compute.data_type)
        multiplication = found.get(key)
        if multiplication is None:
            multiplication = multiplication_of(layer)
            if multiplication.share == 1.0:  # Winograd's share depends on the layer's window
                found[key] = multiplication
        made.append(multiplication)
    return tuple(made)


def multiplication_of(layer: Layer) -> Multiplication:
    """How the layer's kernel multiplies, if it does; memoised by kernel, precision and window."""
    tactic = kernel_of(layer)
    return _multiplication(tactic, layer.compute.data_type, _window(layer) if tactic.algorithm == WINOGRAD else ())


@lru_cache(maxsize=16384)
def _multiplication(tactic: Tactic, precision: DataType, window: tuple[int, ...]) -> Multiplication:
    operands = tactic.input_type if tactic.input_type.is_known else precision
    sums = tactic.accumulate_type
    if operands in _INTEGERS and sums.is_float:
        operands = sums
    if not operands.is_known:
        return Multiplication((), (), words="the type of the products is not known")
    share, least, remark = _winograd(tactic, window)
    matrix = Arithmetic(operands, sums, True, tactic.tf32, tactic.sparse)
    if tactic.tensor_core is None and operands is DataType.FP32:
        matrix = replace(matrix, tf32=True)
    cuda = Arithmetic(sums if sums.is_float else operands, sums, False)
    assumed = tactic.tensor_core is None
    candidates = (matrix, cuda) if assumed else (matrix,) if tactic.tensor_core else (cuda,)
    fastest = tuple(_fastest(each) for each in candidates)
    unit = "matrix units or CUDA cores (not told)" if assumed else _unit(tactic.tensor_core)
    kind = "TF32" if candidates[0].tf32 else candidates[0].data_type.label
    sum_words = f", summed in {sums.label}" if sums.is_known else ""
    sparse = ", 2:4 sparse" if tactic.sparse else ""
    return Multiplication(
        candidates, fastest, share, least, assumed, f"{kind} products on {unit}{sum_words}{sparse}{remark}"
    )


def _winograd(tactic: Tactic, window: tuple[int, ...]) -> tuple[float, float, str]:
    """(share of the products, the least it may be, what to say of it)."""
    if tactic.algorithm != WINOGRAD:
        return 1.0, 1.0, ""
    share = tactic.multiplication_share(window)
    if share is not None:
        return share, share, f"; Winograd: {share:.3f} of the products"
    return _F2, _F4, f"; Winograd, tile not told: F(2×2, 3×3) assumed, {_F2:.3f} of the products"


def _fastest(arithmetic: Arithmetic) -> Arithmetic:
    """Sums in FP16 where the kernel does not say that they are not, which some parts do twice as fast."""
    if arithmetic.accumulate.is_known or arithmetic.data_type not in _ROUNDED:
        return arithmetic
    return replace(arithmetic, accumulate=DataType.FP16)


def _window(layer: Layer) -> tuple[int, ...]:
    kernel = layer.raw.get("Kernel")
    return tuple(kernel) if isinstance(kernel, list) and all(type(each) is int for each in kernel) else ()


def _unit(tensor_core: bool | None) -> str:
    return "matrix units" if tensor_core else "CUDA cores"

"""Arithmetic: in which types, and on which units of the device, a kernel multiplies and adds."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """data_type: of the operands as multiplied (FP32 also for TF32). accumulate: UNKNOWN when nothing tells.

    tensor_core: on the matrix units, else on the CUDA cores. tf32: FP32 data multiplied as TF32. sparse: with 2:4
    structured sparsity, which doubles the rate of the matrix units since compute capability 8.0.
    """

    data_type: DataType
    accumulate: DataType = DataType.UNKNOWN
    tensor_core: bool = True
    tf32: bool = False
    sparse: bool = False

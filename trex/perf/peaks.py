"""Peaks: operations per clock and SM by compute capability, each with its source.

Peak operations per second = SMs · clock in Hz · operations per clock and SM, dense, a MAC counts as two. It is the
limit of the units alone: sustained rates are 70 to 95 % of it, less on power-capped parts. Structured 2:4 sparsity
doubles the tensor cores' rates since compute capability 8.0 (FP4 on 10.3: by 4/3). On parts with FP32 accumulation at
half rate (GeForce and L40), TF32, BF16, FP16 and FP8 with FP32 accumulation have half of the table's figure; FP16 and
FP8 accumulated in FP16, the integers and FP4 do not.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.perf.arithmetic import Arithmetic

Capability = tuple[int, int]

L2_BYTES_PER_CLOCK_PER_SM = 64
"""What one SM can read from the L2 per clock since Volta: an upper bound, since the L2 may provide less in total."""


@dataclass(frozen=True, slots=True)
class PerClock:
    """ops: dense operations per clock and SM. sparse: factor of 2:4 sparsity, None without it."""

    ops: float
    source: str
    certainty: str
    sparse: float | None = None


@dataclass(frozen=True, slots=True)
class _Generation:
    """document: source of the figures. cuda, matrix: {row: ops}. certainty: of all rows but ``doubtful``, whose figures
    are from memory or inferred. half_possible: parts with halved FP32 accumulation exist. unpublished: rows that the
    tensor cores have, at a rate in no document.
    """

    document: str
    cuda: dict[str, float]
    matrix: dict[str, float]
    certainty: str = "datasheet"
    doubtful: frozenset[str] = frozenset()
    has_sparsity: bool = True
    half_possible: bool = False
    unpublished: frozenset[str] = frozenset()


_VOLTA = "NVIDIA Tesla V100 GPU Architecture whitepaper"
_PASCAL = "NVIDIA Tesla P100 whitepaper and Tesla P40 datasheet"
_TURING = "NVIDIA Turing GPU Architecture whitepaper"
_GA100 = "NVIDIA A100 Tensor Core GPU Architecture whitepaper"
_GA102 = "NVIDIA Ampere GA102 GPU Architecture whitepaper"
_ADA = "NVIDIA Ada GPU Architecture whitepaper"
_HOPPER = "NVIDIA H100 Tensor Core GPU Architecture whitepaper"
_B200 = "NVIDIA Blackwell Architecture Technical Brief"
_RTX_BLACKWELL = "NVIDIA RTX Blackwell GPU Architecture whitepaper"

_GENERATIONS: dict[Capability, _Generation] = {
    (6, 0): _Generation(_PASCAL, {"FP32": 128, "FP16": 256}, {}, has_sparsity=False),
    (6, 1): _Generation(_PASCAL, {"FP32": 256, "FP16": 4, "INT8": 1024}, {}, has_sparsity=False),
    (7, 0): _Generation(_VOLTA, {"FP32": 128, "FP16": 256, "INT8": 512}, {"FP16": 1024}, has_sparsity=False),
    (7, 2): _Generation(
        "NVIDIA Jetson AGX Xavier module data sheet", {"FP32": 128, "FP16": 256}, {"FP16": 1024, "INT8": 2048},
        "unverified", has_sparsity=False,
    ),
    (7, 5): _Generation(
        _TURING, {"FP32": 128, "FP16": 256}, {"FP16": 1024, "INT8": 2048, "INT4": 4096},
        has_sparsity=False, half_possible=True,
    ),
    (8, 0): _Generation(
        _GA100, {"FP32": 128, "FP16": 512, "BF16": 256},
        {"TF32": 1024, "FP16": 2048, "BF16": 2048, "INT8": 4096, "INT4": 8192},
    ),
    (8, 6): _Generation(
        _GA102, {"FP32": 256, "FP16": 256, "BF16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "INT4": 4096}, half_possible=True,
    ),
    (8, 7): _Generation(
        "NVIDIA Jetson AGX Orin Technical Brief", {"FP32": 256, "FP16": 512},
        {"TF32": 1024, "FP16": 2048, "BF16": 2048, "INT8": 4096},
        doubtful=frozenset({"FP16 CUDA", "TF32", "BF16"}),
    ),
    (8, 9): _Generation(
        _ADA, {"FP32": 256, "FP16": 256, "BF16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "FP8": 2048, "INT4": 4096}, half_possible=True,
    ),
    (9, 0): _Generation(
        _HOPPER, {"FP32": 256, "FP16": 512, "BF16": 512},
        {"TF32": 2048, "FP16": 4096, "BF16": 4096, "INT8": 8192, "FP8": 8192},
    ),
    (10, 0): _Generation(
        _B200, {"FP32": 256, "FP16": 512},
        {"TF32": 4096, "FP16": 8192, "BF16": 8192, "INT8": 16384, "FP8": 16384, "FP4": 32768},
        doubtful=frozenset({"FP16 CUDA"}),
    ),
    (10, 3): _Generation(
        "NVIDIA HGX B300 product page, by its SMs and an assumed clock of the tensor cores", {"FP32": 256},
        {"TF32": 4096, "FP16": 8192, "BF16": 8192, "FP8": 16384, "FP4": 49152}, "unverified",
        unpublished=frozenset({"INT8"}),
    ),
    (11, 0): _Generation(
        "NVIDIA Jetson Thor module data sheet (FP4), the other types inferred as on 10.0", {"FP32": 256},
        {"FP16": 8192, "BF16": 8192, "FP8": 16384, "FP4": 32768}, "unverified",
        unpublished=frozenset({"TF32", "INT8"}),
    ),
    (12, 0): _Generation(
        _RTX_BLACKWELL, {"FP32": 256, "FP16": 256, "BF16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "FP8": 2048, "FP4": 4096},
        "unverified", half_possible=True,
    ),
    (12, 1): _Generation(
        "inferred as on 12.0; NVIDIA DGX Spark data sheet (FP4)", {"FP32": 256, "FP16": 256},
        {"TF32": 512, "FP16": 1024, "BF16": 1024, "INT8": 2048, "FP8": 2048, "FP4": 4096},
        "unverified", half_possible=True,
    ),
}  # fmt: skip
_SAME_AS = {(10, 1): (11, 0)}  # Thor was 10.1 before CUDA 13
_FP4_SPARSITY = {(10, 3): 4 / 3}
_HALVED = frozenset({"TF32", "BF16", "FP16", "FP8"})  # except FP16 and FP8 accumulated in FP16
_CAPABILITY_TEXT = "compute capability {}.{}"


def known_capabilities() -> tuple[Capability, ...]:
    """Compute capabilities with known rates."""
    return tuple(sorted((*_GENERATIONS, *_SAME_AS)))


def document_of(capability: Capability) -> str:
    """The source of the rates of a compute capability, "" for an unknown one."""
    generation = _GENERATIONS.get(_SAME_AS.get(capability, capability))
    return generation.document if generation is not None else ""


def per_clock(capability: Capability | None, arithmetic: Arithmetic) -> PerClock | None:
    """Dense operations per clock and SM at full rate; None if the units do not exist or nothing is published.

    Matrix units multiply FP32 only as TF32, so FP32 that is not TF32 runs on the CUDA cores, whatever ``tensor_core``.
    """
    if capability is None:
        return None
    capability = _SAME_AS.get(capability, capability)
    generation = _GENERATIONS.get(capability)
    if generation is None:
        return None
    row, on_matrix = row_of(arithmetic)
    ops = (generation.matrix if on_matrix else generation.cuda).get(row)
    if ops is None:
        return None
    units = "tensor cores" if on_matrix else "CUDA cores"
    doubtful = (row if on_matrix else f"{row} CUDA") in generation.doubtful
    sparse = _FP4_SPARSITY.get(capability, 2.0) if row == "FP4" else 2.0
    return PerClock(
        ops,
        f"{ops:g} {row} operations per clock and SM of the {units}, {_CAPABILITY_TEXT.format(*capability)} "
        f"({generation.document})",
        "unverified" if doubtful else generation.certainty,
        sparse if on_matrix and generation.has_sparsity else None,
    )


def is_unpublished(capability: Capability | None, arithmetic: Arithmetic) -> bool:
    """Whether the tensor cores multiply this type at a rate that no document has: not absent, but unknown."""
    generation = None if capability is None else _GENERATIONS.get(_SAME_AS.get(capability, capability))
    row, on_matrix = row_of(arithmetic)
    return generation is not None and on_matrix and row in generation.unpublished


def row_of(arithmetic: Arithmetic) -> tuple[str, bool]:
    """(name of the multiplied type, whether on the tensor cores)."""
    if arithmetic.data_type is DataType.FP32:
        return ("TF32", True) if arithmetic.tf32 and arithmetic.tensor_core else ("FP32", False)
    row = {DataType.UINT8: DataType.INT8}.get(arithmetic.data_type, arithmetic.data_type).label
    return row, arithmetic.tensor_core


def accumulates_in_fp32(arithmetic: Arithmetic) -> bool | None:
    """Whether this arithmetic of the tensor cores accumulates in FP32; None if unknown."""
    row, on_matrix = row_of(arithmetic)
    if not on_matrix or row not in _HALVED:
        return False
    if row in ("TF32", "BF16"):
        return True  # the only option
    if arithmetic.accumulate is DataType.UNKNOWN:
        return None
    return arithmetic.accumulate is not DataType.FP16


def may_halve_fp32_accumulation(capability: Capability | None) -> bool:
    """True if parts of this compute capability exist that accumulate in FP32 at half rate."""
    generation = _GENERATIONS.get(capability) if capability else None
    return generation is not None and generation.half_possible

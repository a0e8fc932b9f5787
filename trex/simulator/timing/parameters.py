"""Parameters: the fitted constants of the time model, each with its meaning, unit and prior.

A prior is the value without any engine: a published figure, or our choice if none is named. The fit moves a constant
away from its prior as far as real layers contradict it, so a constant with few layers stays near its prior.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from trex.simulator.timing import time_kinds as kinds

LAUNCH, START, WAIT, EARLY_WAIT, L2_SHARE = "launch", "start", "wait", "wait before 8.0", "L2 share"
ANY_COMPUTE = "compute share: other operations"

_OUR_CHOICE = "our choice"
_MEMORY = "share of the published bandwidth that copies reach"


@dataclass(frozen=True, slots=True)
class Parameter:
    """name, unit. prior: its value before the fit, source: of the prior. looseness: how far the fit may move it, as the
    standard deviation of its logarithm (0.5: half to twice is unremarkable). meaning: in words. like: a parameter that
    holds it in place of its prior, so that layers of that one inform it too; "" for none.
    """

    name: str
    unit: str
    prior: float
    looseness: float
    meaning: str
    source: str = _OUR_CHOICE
    like: str = ""


def launch_name(capability: tuple[int, int]) -> str:
    """Name of the factor on ``launch`` of one compute capability."""
    return f"launch of {capability[0]}.{capability[1]}"


def compute_name(kind: str) -> str:
    """Name of the compute share of a kind; kinds without MACs share one."""
    return f"compute share: {kind}" if kind in COMPUTE_PRIORS else ANY_COMPUTE


def memory_name(kind: str) -> str:
    """Name of the memory share of a kind."""
    return f"memory share: {kind}"


COMPUTE_PRIORS: Mapping[str, tuple[float, str]] = {
    kinds.CONVOLUTION: (0.8, "large GEMMs level off below the peak (NVIDIA, Matrix Multiplication Background)"),
    kinds.LINEAR_CONVOLUTION: (0.5, "our choice: strided channels do not load as vectors"),
    kinds.FIRST_ON_TENSOR_CORES: (0.3, "our choice: three channels of the eight of a matrix instruction"),
    kinds.FIRST_ON_CUDA_CORES: (0.6, "our choice: address arithmetic shares the schedulers with the MACs"),
    kinds.DEPTHWISE: (0.5, "our choice, over the CUDA cores' peak: index arithmetic for each multiplication"),
    kinds.GEMM: (0.8, "as of convolutions, whose kernels compute the same tiles"),
    kinds.ATTENTION: (0.6, "Dao, FlashAttention-2 (2023): 50 to 73 % of the peak of an A100"),
}
MEMORY_PRIORS: Mapping[str, tuple[float, str]] = {
    kinds.CONVOLUTION: (0.8, _MEMORY),
    kinds.LINEAR_CONVOLUTION: (0.8, _MEMORY),
    kinds.FIRST_ON_TENSOR_CORES: (0.7, _OUR_CHOICE),
    kinds.FIRST_ON_CUDA_CORES: (0.7, _OUR_CHOICE),
    kinds.DEPTHWISE: (0.8, _MEMORY),
    kinds.GEMM: (0.8, "as of convolutions, whose kernels read the same tiles"),
    kinds.GEMV: (0.9, _MEMORY),
    kinds.ATTENTION: (0.6, _OUR_CHOICE),
    kinds.POOLING: (0.8, _MEMORY),
    kinds.POINTWISE: (0.8, _MEMORY),
    kinds.REFORMAT: (0.7, "our choice: either reads or writes are not contiguous"),
    kinds.NARROW_REFORMAT: (0.5, "our choice: most of a packed vector is padding"),
    kinds.MOVEMENT: (0.6, _OUR_CHOICE),
    kinds.NARROW_MOVEMENT: (0.4, "our choice: adjacent values end up far apart"),
    kinds.REDUCTION: (0.6, "our choice: one or two reads, with synchronization in between"),
    kinds.GENERATED: (0.7, _OUR_CHOICE),
    kinds.REGION: (0.5, _OUR_CHOICE),
    kinds.UNKNOWN: (0.4, "our choice: several passes over the data"),
}


_LIKE = {kinds.GEMM: kinds.CONVOLUTION}
"""A 1×1 convolution is a GEMM: without layers of one kind, its shares are those of the other."""


def parameters(capabilities: tuple[tuple[int, int], ...]) -> tuple[Parameter, ...]:
    """All parameters, with a factor on the launch for each compute capability that has engines."""
    general = (
        Parameter(LAUNCH, "ms", 0.004, 0.3, "the shortest kernel, with the profiler's events",
                  "2 to 5 µs in many profiles"),
        *(
            Parameter(launch_name(capability), "factor", 1.0, 0.4, "the same on compute capability "
                      f"{capability[0]}.{capability[1]}, relative to the common value")
            for capability in capabilities
        ),
        Parameter(START, "ms", 0.001, 0.5, "extra time of a GEMM: addresses, first loads, last stores"),
        Parameter(WAIT, "ms per step", 0.0001, 0.7, "a step over K that waits for its operands, since compute "
                  "capability 8.0 with its asynchronous copies"),
        Parameter(EARLY_WAIT, "ms per step", 0.0003, 0.7, "the same before compute capability 8.0"),
        Parameter(L2_SHARE, "share", 0.3, 0.7, "share of the L2's published bandwidth that kernels reach, over that of "
                  "the memory's"),
        Parameter(ANY_COMPUTE, "share", 0.5, 0.5, "other operations over the CUDA cores' peak"),
    )  # fmt: skip
    compute = (
        Parameter(f"compute share: {kind}", "share", prior, 0.5, f"MACs of the kind {kind!r}, cut into tiles, over "
                  "the peak", source, _like(compute_name, kind))
        for kind, (prior, source) in COMPUTE_PRIORS.items()
    )  # fmt: skip
    memory = (
        Parameter(
            memory_name(kind),
            "share",
            prior,
            0.5,
            f"bandwidth of the kind {kind!r} over the published one",
            source,
            _like(memory_name, kind),
        )
        for kind, (prior, source) in MEMORY_PRIORS.items()
    )
    return (*general, *compute, *memory)


def _like(name: Callable[[str], str], kind: str) -> str:
    return name(_LIKE[kind]) if kind in _LIKE else ""

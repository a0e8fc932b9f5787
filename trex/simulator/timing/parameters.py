"""Parameters: every constant of the formula that is fitted to real engines, with its meaning, unit and prior.

A prior is what is taken where no engine tells: a published figure, or our choice where none is named. The fit leaves it
as far as real layers contradict it, so that a constant with few layers behind it stays near its prior.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trex.simulator.timing import time_kinds as kinds

LAUNCH, START, WAIT, EARLY_WAIT, L2_SHARE = "launch", "start", "wait", "wait before 8.0", "L2 share"
ANY_COMPUTE = "compute share: other operations"

_OUR_CHOICE = "our choice"
_MEMORY = "what copies reach of the published bandwidth"


@dataclass(frozen=True, slots=True)
class Parameter:
    """name, unit. prior: its value before any engine is seen, source: where from. looseness: how far the fit may leave
    it, as the standard deviation of its logarithm (0.5: half to twice is unremarkable). meaning: in words.
    """

    name: str
    unit: str
    prior: float
    looseness: float
    meaning: str
    source: str = _OUR_CHOICE


def launch_name(capability: tuple[int, int]) -> str:
    """Name of the factor on ``launch`` of one compute capability."""
    return f"launch of {capability[0]}.{capability[1]}"


def compute_name(kind: str) -> str:
    """Name of the compute share of a kind; kinds without products of their own share one."""
    return f"compute share: {kind}" if kind in COMPUTE_PRIORS else ANY_COMPUTE


def memory_name(kind: str) -> str:
    """Name of the memory share of a kind."""
    return f"memory share: {kind}"


COMPUTE_PRIORS: Mapping[str, tuple[float, str]] = {
    kinds.CONVOLUTION: (0.8, "large products level off below the peak (NVIDIA, Matrix Multiplication Background)"),
    kinds.LINEAR_CONVOLUTION: (0.5, "our choice: channels apart in memory do not load as vectors"),
    kinds.FIRST_ON_MATRIX_UNITS: (0.3, "our choice: three channels of eight that a matrix instruction takes"),
    kinds.FIRST_ON_CUDA_CORES: (0.6, "our choice: address arithmetic shares the schedulers with the products"),
    kinds.MATRIX_PRODUCT: (0.8, "large products level off below the peak (NVIDIA, Matrix Multiplication Background)"),
    kinds.ATTENTION: (0.6, "Dao, FlashAttention-2 (2023): 50 to 73 % of the peak of an A100"),
}
MEMORY_PRIORS: Mapping[str, tuple[float, str]] = {
    kinds.CONVOLUTION: (0.8, _MEMORY),
    kinds.LINEAR_CONVOLUTION: (0.8, _MEMORY),
    kinds.FIRST_ON_MATRIX_UNITS: (0.7, _OUR_CHOICE),
    kinds.FIRST_ON_CUDA_CORES: (0.7, _OUR_CHOICE),
    kinds.DEPTHWISE: (0.6, "our choice: windows overlap, each byte is loaded several times"),
    kinds.MATRIX_PRODUCT: (0.8, _MEMORY),
    kinds.MATRIX_VECTOR: (0.9, _MEMORY),
    kinds.ATTENTION: (0.6, _OUR_CHOICE),
    kinds.POOLING: (0.8, _MEMORY),
    kinds.POINTWISE: (0.8, _MEMORY),
    kinds.REFORMAT: (0.7, "our choice: one of reading and writing is not in order"),
    kinds.NARROW_REFORMAT: (0.5, "our choice: most of a packed vector is padding"),
    kinds.MOVEMENT: (0.6, _OUR_CHOICE),
    kinds.NARROW_MOVEMENT: (0.4, "our choice: neighbors become strangers"),
    kinds.REDUCTION: (0.6, "our choice: read once or twice, with synchronization in between"),
    kinds.GENERATED: (0.7, _OUR_CHOICE),
    kinds.REGION: (0.5, _OUR_CHOICE),
    kinds.UNKNOWN: (0.4, "our choice: several passes over the data"),
}


def parameters(capabilities: tuple[tuple[int, int], ...]) -> tuple[Parameter, ...]:
    """All parameters, with a factor on the launch for each of the compute capabilities that engines tell of."""
    general = (
        Parameter(LAUNCH, "ms", 0.004, 0.3, "the shortest kernel, with the events of the profiler around it",
                  "2 to 5 µs, as many profiles tell"),
        *(
            Parameter(launch_name(each), "factor", 1.0, 0.4, f"the same on compute capability {each[0]}.{each[1]}, "
                      "over that of all")
            for each in capabilities
        ),
        Parameter(START, "ms", 0.001, 0.5, "what a product takes more: addresses, first loads, last stores"),
        Parameter(WAIT, "ms per step", 0.0001, 0.7, "a step over K that waits for its operands, since compute "
                  "capability 8.0, whose copies run ahead asynchronously"),
        Parameter(EARLY_WAIT, "ms per step", 0.0003, 0.7, "the same before compute capability 8.0"),
        Parameter(L2_SHARE, "share", 0.3, 0.7, "what is reached of the L2's published bandwidth, over what is reached "
                  "of the memory's"),
        Parameter(ANY_COMPUTE, "share", 0.5, 0.5, "other operations over the CUDA cores' peak"),
    )  # fmt: skip
    compute = (
        Parameter(f"compute share: {kind}", "share", prior, 0.5, f"products of the kind {kind!r}, cut into tiles, over "
                  "the peak", source)
        for kind, (prior, source) in COMPUTE_PRIORS.items()
    )  # fmt: skip
    memory = (
        Parameter(
            memory_name(kind), "share", prior, 0.5, f"bandwidth of the kind {kind!r} over the published one", source
        )
        for kind, (prior, source) in MEMORY_PRIORS.items()
    )
    return (*general, *compute, *memory)

"""Metadata → Reported: the memory in TensorRT's own logs, compared with the memory of the tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trex.core.counted import counted
from trex.plan.engine_plan import EnginePlan

# Inferred from TensorRT's build logs: the totals of blocks are multiples of 512 bytes in logs of 8.6 and 10.16, even if
# the tensors' sizes are not. No document states it.
BLOCK_BYTES = 512


@dataclass(frozen=True, slots=True)
class Reported:
    """Figures in a log of the build or the run; each None if absent.

    activation_bytes: ``Total Activation Memory``, the blocks that all activations and scratch space share.
    scratch_bytes: ``Max Scratch Memory`` (8.x: ``Total Scratch Memory``): memory of kernels in addition to their
    tensors. context_bytes: device memory of the execution context. weights_bytes: ``Total Weights Memory``. is_region:
    the engine is one Myelin region, whose tensors count as its scratch: scratch is all of the activation memory, and
    what kernels need in addition is unknown.
    """

    activation_bytes: int | None = None
    scratch_bytes: int | None = None
    context_bytes: int | None = None
    weights_bytes: int | None = None
    is_region: bool = False

    @property
    def shared_bytes(self) -> int | None:
        """Memory that activations and scratch share: by the builder, else that of the context."""
        return self.context_bytes if self.activation_bytes is None else self.activation_bytes


def reported_in(memory: Mapping[str, int]) -> Reported | None:
    """None without any figures."""
    if not memory:
        return None
    activation, scratch = memory.get("activation_bytes"), memory.get("scratch_bytes")
    is_region = scratch is not None and scratch == activation
    return Reported(
        activation,
        None if is_region else scratch,
        memory.get("context_bytes"),
        memory.get("weights_bytes"),
        is_region,
    )


def reported_of(plan: EnginePlan) -> Reported | None:
    """The figures in the plan's own logs; those of the build take precedence."""
    return reported_in({**plan.metadata.memory, **plan.build_metadata.memory})


def compared(reported: Reported, peak_bytes: int, aligned_bytes: int, unknown: int, at: str = "") -> str:
    """One sentence that compares TensorRT's own figure with the peak of the tensors, with the causes of the
    difference.

    aligned_bytes: the peak if each tensor took whole blocks of 512 bytes. unknown: tensors of unknown size. at: the
    shapes of the peak (``max``), "" if they are fixed.
    """
    reported_bytes = reported.shared_bytes
    if reported_bytes is None:
        return ""
    peak = f"{peak_bytes:,} B" + (f" at the {at} shapes" if at else "")
    start = f"TensorRT reports {reported_bytes:,} B of activation memory, the tensors' peak is {peak}"
    if reported_bytes == peak_bytes:
        return f"{start}: equal."
    if reported_bytes == aligned_bytes:
        return f"{start}: equal in whole blocks of {BLOCK_BYTES} B per tensor."
    if reported_bytes > peak_bytes:
        causes = []
        if reported.scratch_bytes:
            causes.append(f"scratch space of kernels (up to {reported.scratch_bytes:,} B a layer)")
        if reported.is_region:
            causes.append("scratch space of kernels, which is not reported apart for a region")
        if unknown:
            causes.append(f"{counted(unknown, 'tensor')} of unknown size")
        if aligned_bytes > peak_bytes:
            causes.append(f"blocks that begin at multiples of {BLOCK_BYTES} B ({aligned_bytes - peak_bytes:,} B here)")
        causes.append("gaps between blocks of different sizes, and blocks that streams do not share")
        return f"{start}: {reported_bytes - peak_bytes:,} B more, due to {'; '.join(causes)}."
    return (
        f"{start}: {peak_bytes - reported_bytes:,} B less, so TensorRT works in place, keeps some of the tensors in "
        "registers, or its figure is for other shapes."
    )

"""Metadata → Reported: the memory that TensorRT itself names, beside the one worked out from the tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trex.core.counted import counted

# Inferred from TensorRT's build logs, as no document tells it: the totals of blocks are multiples of 512 bytes in logs
# of 8.6 and 10.16, though not all of the tensors' sizes are.
BLOCK_BYTES = 512


@dataclass(frozen=True, slots=True)
class Reported:
    """What a log of the build, or of the run, tells; each None when it does not.

    activation_bytes: ``Total Activation Memory``, the blocks that all activations and scratch space share.
    scratch_bytes: ``Max Scratch Memory`` (8.x: ``Total Scratch Memory``): what kernels need beside their tensors.
    context_bytes: device memory of the execution context. weights_bytes: ``Total Weights Memory``.
    persistent_bytes: ``Total Device Persistent Memory``, which lives as long as the context.
    """

    activation_bytes: int | None = None
    scratch_bytes: int | None = None
    context_bytes: int | None = None
    weights_bytes: int | None = None
    persistent_bytes: int | None = None

    @property
    def shared_bytes(self) -> int | None:
        """What activations and scratch share: as the builder says, else what the context took."""
        return self.context_bytes if self.activation_bytes is None else self.activation_bytes


def reported_in(memory: Mapping[str, int]) -> Reported | None:
    """None when nothing is told."""
    if not memory:
        return None
    return Reported(
        memory.get("activation_bytes"),
        memory.get("scratch_bytes"),
        memory.get("context_bytes"),
        memory.get("weights_bytes"),
        memory.get("device_persistent_bytes"),
    )


def compared(reported: Reported, peak_bytes: int, aligned_bytes: int, unknown: int, at: str = "") -> str:
    """One sentence on how TensorRT's own figure and the peak of the tensors stand to each other, and why.

    aligned_bytes: the peak if each tensor took whole blocks of 512 bytes. unknown: tensors of unknown size. at: the
    shapes that the peak is for (``max``), "" when they are fixed.
    """
    told = reported.shared_bytes
    if told is None:
        return ""
    peak = f"{peak_bytes:,} B" + (f" at the {at} shapes" if at else "")
    start = f"TensorRT reports {told:,} B of activation memory, the tensors' own peak is {peak}"
    if told == peak_bytes:
        return f"{start}: the same."
    if told == aligned_bytes:
        return f"{start}: the same once each tensor takes whole blocks of {BLOCK_BYTES} B."
    if told > peak_bytes:
        causes = []
        if reported.scratch_bytes:
            causes.append(
                f"scratch space of kernels (up to {reported.scratch_bytes:,} B a layer), which is in no tensor"
            )
        if unknown:
            causes.append(f"{counted(unknown, 'tensor')} of unknown size")
        if aligned_bytes > peak_bytes:
            causes.append(f"blocks that begin at multiples of {BLOCK_BYTES} B ({aligned_bytes - peak_bytes:,} B here)")
        causes.append("gaps between blocks of different sizes, and streams that may not share a block")
        return f"{start}: {told - peak_bytes:,} B more, for {'; '.join(causes)}."
    return (
        f"{start}: {peak_bytes - told:,} B less, so TensorRT works in place or keeps in registers what the file shows "
        "as tensors, or its figure is for other shapes."
    )

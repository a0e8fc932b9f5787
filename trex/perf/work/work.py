"""Work: what a layer has to compute and to move at least, and how certain that is."""

from __future__ import annotations

from trex.core.frozen import frozen
from trex.plan.gemm import Gemm

RUN_TIME_SHAPE = "dimensions known only at run time"
"""Start of the reason of a work that is known at given shapes (``plan.at_shapes``)."""


@frozen
class Work:
    """macs: MACs of convolutions and GEMMs, each counted once. other_ops: every other arithmetic operation; a
    comparison, an exponential or a root counts as one. bytes_read: inputs and stored weights, each value once;
    bytes_written: outputs; both with the padding of the format and in their own types. weights_bytes: the part of
    bytes_read that the engine stores. Each is None if unknown, and 0 only if it is known to be 0.

    kind: name of the kind of layer whose formula was used (``convolution``), "" for none.
    confidence: 1.0 all from the file, 0.8 a shape or count was inferred, 0.5 an approximation, 0.0 nothing known.
    formula: in words and symbols. terms: the symbols' values: (("M", 401408), …).
    reason: why a figure is unknown or approximate, else "".
    gemm: the implicit GEMM, None if there is none or more than one.
    """

    kind: str
    macs: float | None
    other_ops: float | None
    bytes_read: int | None
    bytes_written: int | None
    weights_bytes: int | None
    confidence: float
    formula: str = ""
    terms: tuple[tuple[str, object], ...] = ()
    reason: str = ""
    gemm: Gemm | None = None

    @property
    def bytes_moved(self) -> int | None:
        """Read and written together, None if one is unknown."""
        if self.bytes_read is None or self.bytes_written is None:
            return None
        return self.bytes_read + self.bytes_written

    @property
    def operations(self) -> float | None:
        """2 · macs + other_ops, None if one is unknown: a MAC is two operations."""
        return None if self.macs is None or self.other_ops is None else 2 * self.macs + self.other_ops

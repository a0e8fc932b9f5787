"""Works of a plan's layers → totals, in all and by kind, and how much of them is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from trex.perf.work.work import Work


@dataclass(slots=True)
class Total:
    """Sums over layers of the known figures, each with the number of layers whose figure is unknown.

    macs, other_ops, bytes_moved, weights_bytes: sums of known figures. layers: number of layers. reasons: layers with
    an unknown figure, by reason, without the part after the colon (a tensor's name).
    """

    layers: int = 0
    macs: float = 0
    other_ops: float = 0
    bytes_moved: int = 0
    weights_bytes: int = 0
    unknown_macs: int = 0
    unknown_other_ops: int = 0
    unknown_bytes: int = 0
    approximate_macs: float = 0
    reasons: dict[str, int] = field(default_factory=dict)

    def add(self, work: Work) -> None:
        """Adds a layer's work; approximate_macs: those of works whose confidence is below 1."""
        self.layers += 1
        if work.macs is None:
            self.unknown_macs += 1
        else:
            self.macs += work.macs
            if work.confidence < 1:
                self.approximate_macs += work.macs
        if work.other_ops is None:
            self.unknown_other_ops += 1
        else:
            self.other_ops += work.other_ops
        moved = work.bytes_moved
        if moved is None:
            self.unknown_bytes += 1
        else:
            self.bytes_moved += moved
        self.weights_bytes += work.weights_bytes or 0
        if work.macs is None or moved is None or work.other_ops is None:
            why = work.reason.partition(": ")[0]
            self.reasons[why] = self.reasons.get(why, 0) + 1

    @property
    def unknown(self) -> int:
        """Layers with any of the three figures unknown."""
        return sum(self.reasons.values())


def total_of(works: Iterable[Work]) -> Total:
    """All works together."""
    total = Total()
    for work in works:
        total.add(work)
    return total


def totals_by_kind(works: Iterable[Work]) -> dict[str, Total]:
    """One total per kind of work, the one with the most MACs first, then by bytes."""
    totals: dict[str, Total] = {}
    for work in works:
        totals.setdefault(work.kind, Total()).add(work)
    return dict(sorted(totals.items(), key=lambda item: (-item[1].macs, -item[1].bytes_moved, item[0])))

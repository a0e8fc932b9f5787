"""Metadata of a prediction → the share of its time in layers of unknown work, which is a lower bound, and a Note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trex.core.counted import counted
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.timings import MARKS

UNKNOWN_WORK = "time-of-unknown-work"
KEY, MODEL_KEY = "unknown_work", "model_sha256"


@dataclass(frozen=True, slots=True)
class UnknownWork:
    """layers: number of layers of unknown work, at least 1. share: of the predicted time, 0 to 1."""

    layers: int
    share: float

    @property
    def note(self) -> Note:
        share = f"{self.share:.0%}".replace("%", " %")
        message = (
            f"{counted(self.layers, 'layer')} of unknown work ({share} of the predicted time): predicted as a lower "
            "bound from the tensors, and the real time may be many times longer"
        )
        return Note(UNKNOWN_WORK, message, "only a run on a GPU measures it")


def prediction_section(*metadata: Metadata) -> Mapping[str, Any]:
    """What the files say of the prediction of their times; {} without one."""
    for one in metadata:
        for mark in MARKS:
            if isinstance(section := one.extra.get(mark), dict):
                return section
    return {}


def unknown_work_of(section: Mapping[str, Any]) -> UnknownWork | None:
    """None without such layers, and if the files do not contain it."""
    record = section.get(KEY)
    layers, share = (record.get("layers"), record.get("share")) if isinstance(record, dict) else (None, None)
    if type(layers) is not int or layers < 1 or not isinstance(share, int | float) or isinstance(share, bool):
        return None
    return UnknownWork(layers, float(share)) if 0.0 <= share <= 1.0 else None


def unknown_work_record(work: UnknownWork | None) -> dict[str, float]:
    """As the files contain it; {} without such layers."""
    return {} if work is None else {"layers": work.layers, "share": float(f"{work.share:.6g}")}


def unknown_work_notes(*metadata: Metadata) -> tuple[Note, ...]:
    work = unknown_work_of(prediction_section(*metadata))
    return () if work is None else (work.note,)

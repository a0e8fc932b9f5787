"""Entry: one engine that a server lists, and what is known of it without opening it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trex.views.table import milliseconds

if TYPE_CHECKING:
    from trex.plan.engine_plan import EnginePlan


MEASURED, UNREADABLE, CONTRADICTED = "measured", "unreadable", "contradicted"
NOT_READ, TOO_LARGE = "not read", "large: not read here"


@dataclass(frozen=True, slots=True)
class Headline:
    """Of one engine: GPU compute in ms, its error bar if it is predicted, and the origin of the times.

    No time where it can't be trusted, or was not read.
    """

    compute_ms: float | None = None
    bounds_ms: tuple[float, float] | None = None
    origin: str = ""

    @property
    def text(self) -> str:
        """The range of a prediction, else the time."""
        if self.bounds_ms is not None:
            return f"{milliseconds(self.bounds_ms[0])} to {milliseconds(self.bounds_ms[1])} ms"
        return "" if self.compute_ms is None else f"{milliseconds(self.compute_ms)} ms"


@dataclass(frozen=True)
class Entry:
    """key: unique in the folder, stable and encodable. name: of the engine.

    folder: relative to the root, or words for a run.
    parts: what its files contain, in words. size: bytes of its files. changed: seconds since 1970 of its newest file,
    None if unknown. state: changes when the engine does. load: reads it; raises TrexError. headline: if it is known
    without reading.
    """

    key: str
    name: str
    folder: str
    parts: tuple[str, ...]
    changed: float | None
    size: int
    state: tuple[object, ...]
    load: Callable[[], EnginePlan]
    headline: Headline | None = None


def is_store(folder: Path) -> bool:
    """Whether a folder is a run store: its files are runs, no engines."""
    return os.path.isfile(folder / "store.json") and os.path.isdir(folder / "runs")  # noqa: PTH112, PTH113 (Path raises for a folder of others)

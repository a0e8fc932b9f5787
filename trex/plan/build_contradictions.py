"""Figures that a build log prints → a Note where the whole takes less than its part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.note import Note
from trex.core.significant import significant

BUILD_TIME_CONTRADICTS = "build-time-contradicts"
_ROUNDED = 0.99


def other_build_time(milestones: Mapping[str, float], where: str) -> Iterator[Note]:
    """``Engine built in`` contains ``Engine generation completed in``: in 24 real logs, and in builds here."""
    whole, part = (milestones.get(name) for name in ("engine_built_s", "engine_generation_s"))
    if whole is not None and part is not None and whole < _ROUNDED * part:
        message = (
            f"by the log the engine was built in {significant(whole, 3)} s, and the builder, a part of that, took "
            f"{significant(part, 3)} s"
        )
        yield Note(BUILD_TIME_CONTRADICTS, message, "keep the log as trtexec wrote it", where, "problem")

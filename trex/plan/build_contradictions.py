"""Figures that a build log prints → a Note where the whole takes less than its part."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.significant import significant

BUILD_TIME_CONTRADICTS = "build-time-contradicts"
_ROUNDED = 0.99


def other_build_time(metadata: Metadata) -> Iterator[Note]:
    """``Engine built in`` contains ``Engine generation completed in``: it is longer in 7 real logs."""
    whole, part = (metadata.milestones.get(name) for name in ("engine_built_s", "engine_generation_s"))
    if whole is not None and part is not None and whole < _ROUNDED * part:
        message = (
            f"by the log the engine was built in {significant(whole, 3)} s, and the builder, a part of that, took "
            f"{significant(part, 3)} s"
        )
        where = next(iter(metadata.sources), "")
        yield Note(BUILD_TIME_CONTRADICTS, message, "keep the log as trtexec wrote it", where, "problem")

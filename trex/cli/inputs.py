"""Command-line words → EnginePlan."""

from __future__ import annotations

from dataclasses import replace

from trex.core.errors import TrexError
from trex.engine_plan import EnginePlan, find_plans
from trex.ingest.artifacts import read_artifacts


def load_plan(path: str, profiling_json: str = "", profile_id: int = -1) -> EnginePlan:
    """The one engine at ``path``, with another layer profile where one is named. Raises TrexError."""
    engines = find_plans(path)
    if len(engines) > 1:
        names = "\n    ".join(files.graph or files.name for files in engines[:12])
        raise TrexError(f"{len(engines)} engines are here; name one of them:\n    {names}", where=path)
    files = replace(engines[0], profile=profiling_json) if profiling_json else engines[0]
    return EnginePlan.from_artifacts(read_artifacts(files), profile_id=None if profile_id < 0 else profile_id)

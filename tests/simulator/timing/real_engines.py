"""Real engines: folders beside the repository → Measured, for the fit and for the tests that judge it."""

from __future__ import annotations

from pathlib import Path

from trex.cli.real_engines import measured_of, real_plans
from trex.simulator.timing.fit import Measured


def measured_engines(folder: Path) -> tuple[list[Measured], list[str]]:
    """(the engines that have a profile and tell, by file or by the folder's name, on which GPU they ran; why the others
    are left out)."""
    return measured_of(real_plans(folder))

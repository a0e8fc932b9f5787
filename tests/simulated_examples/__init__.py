"""Small engines that trex once predicted, kept as files so that a test's facts about them do not change.

Nothing here was built or measured. The engines that come with the package are other ones: see ``trex.examples``.
"""

from __future__ import annotations

from pathlib import Path

from trex.engine_plan import EnginePlan, load

SIMULATED = Path(__file__).resolve().parent


def load_simulated(name: str) -> EnginePlan:
    """``resnet18-fp16``, ``resnet18-int8``, ``resnet18-int8-residual`` or ``transformer-fp16``."""
    return load(SIMULATED / name)

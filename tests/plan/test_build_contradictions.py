"""Figures of a build log against each other."""

from __future__ import annotations

import pytest

from trex.plan.build_contradictions import BUILD_TIME_CONTRADICTS, other_build_time


@pytest.mark.parametrize(
    ("milestones", "is_noted"),
    [
        ({"engine_built_s": 15.1, "engine_generation_s": 14.7}, False),
        ({"engine_built_s": 14.7, "engine_generation_s": 14.75}, False),
        ({"engine_built_s": 0.01, "engine_generation_s": 14.7}, True),
        ({"engine_built_s": 0.0, "engine_generation_s": 14.7}, True),
        ({"engine_generation_s": 14.7}, False),
        ({"engine_built_s": 0.01}, False),
    ],
)
def test_a_build_takes_as_long_as_its_builder(milestones: dict[str, float], is_noted: bool) -> None:
    notes = list(other_build_time(milestones, "m.log"))
    assert [(note.code, note.severity) for note in notes] == [(BUILD_TIME_CONTRADICTS, "problem")] * is_noted

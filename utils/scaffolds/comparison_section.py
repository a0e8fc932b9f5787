"""A section of ``trex compare`` about two engines."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/compare/sections",
    plug='''\
"""One sentence: what this section of ``trex compare`` shows."""

from __future__ import annotations

from trex.compare.plan_diff import PlanDiff
from trex.views.document import Detail, Section, SectionPlug, section


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    """None if there is nothing to show. Figures have units; unknown values are left out and counted."""
    base, new = len(comparison.left.working_layers), len(comparison.right.working_layers)
    if not base and not new:
        return None
    return section(statements=(f"$title: {base} layers → {new}.",), data={"base": base, "new": new})


SECTION = SectionPlug("$title", 990, make)
''',
    test='''\
"""The section ``$name`` of ``trex compare``."""

import pytest

from trex.cli.main import main


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "example:resnet18-int8-residual", "example:resnet18-int8"]) == 0
    assert "$title: 41 layers → 42." in capsys.readouterr().out
''',
)

"""A section of ``trex perf -s NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/performance/sections",
    plug='''\
"""One sentence: what this section of ``trex perf`` shows."""

from __future__ import annotations

from trex.core.counted import counted
from trex.perf.performance import Performance
from trex.views.performance.section import Content, Detail, Section


def make(performance: Performance, detail: Detail) -> Content | None:
    """None if there is nothing to show. Figures have units; what is unknown is left out and counted."""
    layers = performance.plan.layers
    if not layers:
        return None
    steps = (("layers", f"{len(layers)} = those that work, in execution order"),) if detail.explain else ()
    return Content(
        statements=(f"The engine has {counted(len(layers), 'layer')}.",),
        derivations=steps,
        data={"layers": len(layers)},
    )


SECTION = Section("$title", 990, make)
''',
    test='''\
"""The section ``$name`` of ``trex perf``."""

import pytest

from trex.cli.main import main
from trex.engine_plan import load_example
from trex.perf.performance import Performance
from trex.views.performance.section import SECTIONS, Detail


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perf", "example:resnet18-int8", "--section", "$name"]) == 0
    assert "The engine has 35 layers." in capsys.readouterr().out


def test_steps_are_told_to_who_asks() -> None:
    performance = Performance(load_example("resnet18-int8"))
    make = SECTIONS["$name"].value.make
    assert make(performance, Detail(explain=True)).derivations and not make(performance, Detail()).derivations
''',
)

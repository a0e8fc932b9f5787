"""A section of ``trex perf -s NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/perf/sections",
    plug='''\
"""One sentence: what this section of ``trex perf`` shows."""

from __future__ import annotations

from trex.core.counted import counted
from trex.perf.performance import Performance
from trex.views.document import Detail, Section, SectionPlug, section


def make(performance: Performance, detail: Detail) -> Section | None:
    """None if there is nothing to show. Figures have units; unknown values are left out and counted."""
    layers = performance.plan.working_layers
    if not layers:
        return None
    steps = (("layers", f"{len(layers)} = layers that launch kernels"),) if detail.explain else ()
    return section(
        statements=(f"The engine has {counted(len(layers), 'layer')}.",),
        derivations=steps,
        data={"layers": len(layers)},
    )


SECTION = SectionPlug("$title", 990, make)
''',
    test='''\
"""The section ``$name`` of ``trex perf``."""

import pytest

from trex.cli.main import main
from trex.engine_plan import load_example
from trex.perf.performance import Performance
from trex.views.document import Detail
from trex.views.perf.document import SECTIONS


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perf", "example:resnet18-int8", "--section", "$name"]) == 0
    assert "The engine has 42 layers." in capsys.readouterr().out


def test_explain_adds_the_derivation() -> None:
    performance = Performance(load_example("resnet18-int8"))
    make = SECTIONS["$name"].value.make
    assert make(performance, Detail(explain=True)).derivations and not make(performance, Detail()).derivations
''',
)

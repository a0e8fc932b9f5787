"""A section of ``trex compare`` about a series of engines."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/compare/series_sections",
    plug='''\
"""One sentence: what this section of ``trex compare`` shows about a series."""

from __future__ import annotations

from trex.compare.series import EngineSeries
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn


def make(series: EngineSeries, detail: Detail) -> Section | None:
    """None if there is nothing to show. Figures have units; unknown values are None, never 0."""
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    rows = tuple((name, len(plan.working_layers)) for name, plan in zip(series.names, series.plans, strict=True))
    columns = (TableColumn("engine"), TableColumn("layers", kind="count"))
    return section(
        statements=(f"$title: {len(rows)} engines.",),
        tables=(Table("$title of each engine", columns, rows),),
    )


SECTION = SectionPlug("$title", 990, make)
''',
    test='''\
"""The section ``$name`` of ``trex compare`` about a series."""

import pytest

from trex.cli.main import main

ENGINES = tuple(f"example:resnet18-{name}" for name in ("fp16", "int8", "int8-residual"))


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *ENGINES]) == 0
    assert "$title: 3 engines." in capsys.readouterr().out
''',
)

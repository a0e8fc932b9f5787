"""A part of the report."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="views/report/parts",
    plug='''\
"""One sentence: what this part of the report shows."""

from __future__ import annotations

from trex.core.counted import counted
from trex.views.chart import Subject
from trex.views.performance.section import Content
from trex.views.report.report import Part, PartMaker

TITLE = "$title"


def make(subject: Subject) -> Part | None:
    """None if there is nothing to show. ``part_of`` makes a part from sections and groups of charts."""
    if subject.plan is None or not subject.plan.layers:
        return None
    sentence = f"The engine has {counted(len(subject.plan.layers), 'layer')}."
    return Part("$name", TITLE, Content(statements=(sentence,)))


PART = PartMaker(TITLE, 990, make)
''',
    test='''\
"""The part of the report ``$name``."""

from trex.engine_plan import load_example
from trex.views.chart import Subject
from trex.views.report.card import report_card
from trex.views.report.report import PARTS


def test_it_stands_in_the_report() -> None:
    plan = load_example("resnet18-int8")
    part = next(part for part in report_card(plan).parts if part.name == "$name")
    assert part.content.statements == (f"The engine has {len(plan.layers)} layers.",)


def test_for_a_bare_table_it_is_left_out() -> None:
    bare = Subject(load_example("resnet18-int8").df)
    assert PARTS["$name"].value.make(bare) is None
''',
)

"""Names of sections and of groups of charts → a Part: what most parts of the report are made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from trex.core.registry import Plug
from trex.views.chart import CHARTS, Subject, marked
from trex.views.performance.section import SECTIONS, Content, Detail, sections_of
from trex.views.plot import Empty, Plot
from trex.views.report.report import Item, Part

_DETAIL = Detail(top=10, explain=True)


def part_of(
    subject: Subject, name: str, title: str, sections: Sequence[str] = (), groups: Sequence[str] = ()
) -> Part | None:
    """The sections' contents one after the other, and every chart of the groups; None where there is neither.

    Sections that do not exist are passed over, so that a part can name those of a floor yet to be built.
    """
    told: list[Content] = []
    present = [each for each in sections if each in SECTIONS.known_names]
    if subject.performance is not None and present:
        told = [content for _, _, content in sections_of(subject.performance, _DETAIL, present)]
    items = tuple(chart_item(plug, subject) for group in groups for plug in charts_of(group))
    return Part(name, title, joined(told), items) if told or items else None


def charts_of(group: str) -> list[Plug]:
    """The charts of a group in their order."""
    return sorted((plug for plug in CHARTS.values() if plug.value.group == group), key=lambda plug: plug.value.order)


def chart_item(plug: Plug, subject: Subject) -> Item:
    """The chart as an item: its docstring explains it."""
    return Item(plug.name, plug.value.title, partial(_plot, plug, subject), explanation(plug))


def explanation(plug: Plug) -> str:
    """What the chart's docstring says below its first line, as one paragraph."""
    below = plug.doc.partition("\n")[2].strip().removeprefix("What it shows:").strip()
    words = " ".join(below.split())
    return words[:1].upper() + words[1:]


def joined(contents: Sequence[Content]) -> Content:
    """Several contents as one."""
    return Content(
        statements=tuple(chain.from_iterable(each.statements for each in contents)),
        facts=tuple(chain.from_iterable(each.facts for each in contents)),
        tables=tuple(chain.from_iterable(each.tables for each in contents)),
        derivations=tuple(chain.from_iterable(each.derivations for each in contents)),
        notes=tuple(chain.from_iterable(each.notes for each in contents)),
        data={key: value for each in contents for key, value in each.data.items()},
    )


def _plot(plug: Plug, subject: Subject) -> Plot | Empty:
    made: Plot | Empty = subject.once(f"chart {plug.name}", lambda: marked(plug.value.make(subject), subject))
    return made

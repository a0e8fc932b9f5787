"""Markdown: for a pull request: verdict, gate, the causes as a waterfall, the largest changes; details are folded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trex.compare.waterfall import Waterfall
from trex.core.printable import printable
from trex.export.comparison import ComparisonFormat, ComparisonStyle, pairs_of
from trex.export.lettering import elided
from trex.export.performance_markdown import content_markdown, escaped, table_markdown
from trex.views.comparison.reading import ComparisonReading
from trex.views.performance.section import Content
from trex.views.table import Table, milliseconds

WIDTH = 24
"""Letters of the waterfall's widest bar."""
_NAME = 70


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    return "\n".join(_lines(reading)) + "\n"


def _lines(reading: ComparisonReading) -> Iterator[str]:
    contents = {name: (title, content) for name, title, content in reading.sections}
    verdict, gate, layers = (contents.get(name, ("", Content())) for name in ("verdict", "gate", "layers"))
    yield f"# {escaped(reading.title)}"
    if reading.statement:
        yield f"\n**{escaped(reading.statement)}**"
    yield from (f"\n**{escaped(statement)}**" for statement in verdict[1].statements[:1])
    yield ""
    for title, content in (gate, *(each for name, each in contents.items() if name not in ("verdict", "gate"))):
        yield from (f"- **{escaped(title)}:** {escaped(statement)}" for statement in content.statements[:1])
    if gate[1].tables:
        yield f"\n## {escaped(gate[0])}"
        yield from content_markdown(replace(gate[1], statements=(), tables=_untitled(gate[1].tables)))
    names = list(reading.news) or [""] * len(reading.comparisons)
    for name, each in zip(names, reading.comparisons, strict=True):
        if each.waterfall.is_known:
            yield from waterfall_markdown(each.waterfall, name)
    for table in layers[1].tables[:1]:
        yield f"\n## {escaped(table.title)}"
        yield from table_markdown(_readable(replace(table.for_people(), title="")))
    for name, (title, content) in contents.items():
        if name == "gate":
            continue
        tables = tuple(map(_readable, content.tables[1:] if name == "layers" else content.tables))
        folded = [*content_markdown(replace(content, tables=tables))]
        if folded:
            yield f"\n<details><summary>{escaped(title)}</summary>"
            yield from folded
            yield "\n</details>"
    for pair in pairs_of(reading):
        yield f"\n<details><summary>{escaped(pair.title)}</summary>"
        for _, title, content in pair.sections:
            yield f"\n#### {escaped(title)}"
            yield from content_markdown(replace(content, tables=tuple(map(_readable, content.tables))))
        yield "\n</details>"


def _untitled(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    return tuple(replace(table, title="") for table in tables)


def _readable(table: Table) -> Table:
    """Names, which stand first, without their middles where they are long, so that the table fits a page."""
    rows = tuple(
        (elided(printable(row[0]), _NAME) if isinstance(row[0], str) else row[0], *row[1:]) for row in table.rows
    )
    return replace(table, rows=rows)


def waterfall_markdown(fall: Waterfall, name: str = "") -> Iterator[str]:
    """From the base over the causes to the new engine, each bar beginning where the one before ended."""
    of = f"{name}, {fall.basis}" if name else fall.basis
    yield f"\n## Where the difference comes from ({escaped(of)})"
    yield "\n| | ms | |\n| --- | ---: | --- |"
    heights = [fall.left_ms]
    for step in fall.steps:
        heights.append(heights[-1] + step.difference_ms)
    low = min(0.0, *heights)
    scale = WIDTH / ((max(*heights, fall.right_ms) - low) or 1.0)
    yield _row("base", milliseconds(fall.left_ms), 0.0 - low, fall.left_ms - low, scale)
    for at, step in enumerate(fall.steps):
        ends = sorted((heights[at] - low, heights[at + 1] - low))
        yield _row(step.name, f"{step.difference_ms:+.4f}", ends[0], ends[1], scale)
    yield _row("new", milliseconds(fall.right_ms), 0.0 - low, fall.right_ms - low, scale)


def _row(name: str, number: str, start: float, end: float, scale: float) -> str:
    """A change is at least one letter wide."""
    first = min(round(start * scale), WIDTH - 1)
    last = max(round(end * scale), first + 1)
    return f"| {escaped(name)} | {number} | `{'·' * first}{'█' * (last - first)}{'·' * (WIDTH - last)}` |"


FORMAT = ComparisonFormat((".md", ".markdown"), render)

"""Reading of a comparison → HTML for a notebook's cell: verdict, causes as bars, sections to open; no script."""

from __future__ import annotations

from collections.abc import Iterator

from trex.compare.waterfall import Waterfall
from trex.export.comparison import pairs_of
from trex.export.page_content import content_html, text
from trex.views.comparison.reading import ComparisonReading
from trex.views.table import milliseconds

_STYLE = """\
<style>
.trex-comparison { max-width: 1100px; }
.trex-comparison p { margin: 4px 0; }
.trex-comparison .verdict { font-size: 1.15em; font-weight: 600; }
.trex-comparison .said { opacity: .75; }
.trex-comparison table { border-collapse: collapse; margin: 6px 0; font-size: inherit; }
.trex-comparison caption { text-align: left; font-weight: 600; padding: 6px 0 2px; caption-side: top; }
.trex-comparison :is(td, th) { text-align: left !important; vertical-align: top; padding: 2px 10px 2px 0; }
.trex-comparison :is(td, th) { max-width: 46ch; overflow-wrap: anywhere; }
.trex-comparison :is(td, th).number { text-align: right !important; white-space: nowrap; }
.trex-comparison .wide { overflow-x: auto; }
.trex-comparison .bars td:last-child { min-width: 320px; width: 60%; padding: 2px 0; max-width: none; }
.trex-comparison .bars div { height: 14px; min-width: 2px; border-radius: 2px; }
.trex-comparison summary { cursor: pointer; font-weight: 600; padding: 3px 0; }
.trex-comparison .facts div { display: flex; gap: 12px; } .trex-comparison .facts :is(dt, dd) { margin: 0; }
.trex-comparison .facts dt { flex: 0 0 260px; opacity: .75; }
.trex-comparison ul.notes { margin: 4px 0; padding-left: 18px; }
</style>
"""
_ENDS, _SAVES, _COSTS = "#8a95a3", "#2f7fc1", "#d0622a"  # read on white and on black


def comparison_cell(reading: ComparisonReading) -> str:
    """Everything is told; what is longer than a glance is folded away. Nothing from an engine is markup."""
    return f'<div class="trex-comparison">\n{_STYLE}{"".join(_parts(reading))}</div>\n'


def _parts(reading: ComparisonReading) -> Iterator[str]:
    yield f"<p><strong>{text(reading.title)}</strong>"
    yield f" <em>{text(reading.statement)}</em></p>\n" if reading.statement else "</p>\n"
    ordered = sorted(reading.sections, key=lambda each: each[0] != "verdict")
    for name, title, content in ordered:
        for statement in content.statements[:1]:
            if name == "verdict":
                yield f'<p class="verdict">{text(statement)}</p>\n'
            else:
                yield f'<p class="said">{text(title)}: {text(statement)}</p>\n'
    names = reading.news or ("",) * len(reading.comparisons)
    for name, each in zip(names, reading.comparisons, strict=True):
        if each.waterfall.is_known:
            yield from _waterfall(each.waterfall, name)
    for _, title, content in ordered:
        yield f"<details><summary>{text(title)}</summary>\n{''.join(content_html(content))}</details>\n"
    for pair in pairs_of(reading):
        told = "".join(f"<h4>{text(title)}</h4>{''.join(content_html(content))}" for _, title, content in pair.sections)
        yield f"<details><summary>{text(pair.title)}</summary>\n{told}</details>\n"


def _waterfall(fall: Waterfall, name: str) -> Iterator[str]:
    """Each bar begins where the one before ended. name: of the new engine, where there are several."""
    heights = [fall.left_ms]
    for step in fall.steps:
        heights.append(heights[-1] + step.difference_ms)
    low = min(0.0, *heights)
    scale = 100.0 / ((max(*heights, fall.right_ms) - low) or 1.0)
    of = f"{name}, {fall.basis}" if name else fall.basis
    yield f'<table class="bars"><caption>Where the difference comes from ({text(of)})</caption>\n'
    yield _row("base", milliseconds(fall.left_ms), (0.0 - low) * scale, (fall.left_ms - low) * scale, _ENDS)
    for at, step in enumerate(fall.steps):
        first, last = sorted(((heights[at] - low) * scale, (heights[at + 1] - low) * scale))
        color = _SAVES if step.difference_ms < 0.0 else _COSTS
        yield _row(step.name, f"{step.difference_ms:+.4f}", first, last, color)
    yield _row("new", milliseconds(fall.right_ms), (0.0 - low) * scale, (fall.right_ms - low) * scale, _ENDS)
    yield "</table>\n"


def _row(name: str, number: str, first: float, last: float, color: str) -> str:
    bar = f'<div style="margin-left:{min(first, 99.5):.2f}%;width:{last - first:.2f}%;background:{color}"></div>'
    return f'<tr><td>{text(name)}</td><td class="number">{text(number)} ms</td><td>{bar}</td></tr>\n'

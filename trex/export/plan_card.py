"""EnginePlan → the card that a notebook shows of it: headline, diagnosis, where time goes, findings, next calls."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.counted import counted
from trex.export.block_html import block_html, notes_html, section_html, text
from trex.export.document_cell import CELL_STYLE
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.document import Document, Section, Text
from trex.views.findings import folded_findings, savings_text
from trex.views.palette import LAYER_COLORS
from trex.views.summary import summary_document
from trex.views.table import Table

_STYLE = """\
<style>
.trex-card { border: 1px solid rgba(128, 128, 128, .35); border-radius: 8px; padding: 12px 16px; }
.trex-card .title { font-size: 1.15em; font-weight: 700; margin-right: .6em; }
.trex-card .headline p:first-child { font-size: 1.1em; font-weight: 600; }
.trex-card .stack { display: flex; height: 18px; border-radius: 4px; overflow: hidden; margin: 10px 0 4px; gap: 1px; }
.trex-card .stack span { min-width: 2px; }
.trex-card .keys { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 0 0 8px; padding: 0; list-style: none; }
.trex-card .keys i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 6px; }
.trex-card .first { margin: 4px 0 8px; padding-left: 22px; } .trex-card .first li { margin: 2px 0; }
.trex-card .first b { white-space: nowrap; }
.trex-card .next { display: grid; grid-template-columns: max-content 1fr; gap: 1px 16px; margin: 4px 0 8px; }
.trex-card h4 { margin: 8px 0 2px; font-size: 1em; font-weight: 700; }
@media (max-width: 600px) { .trex-card .next { grid-template-columns: 1fr; } }
</style>
"""
_NEXT = (
    ("trex.lint_engine(plan)", "why it is slow, and what to change"),
    ("trex.report_card.report_card(plan)", "charts, the graph and all layers on one page"),
    ('trex.draw(plan, color_by="latency")', "the graph, colored by time"),
    ("plan.df", "the layers as a DataFrame"),
)
_TOP = 3
_FOLDED = {"slowest": "Slowest layers", "details": "Details"}


def plan_card(plan: EnginePlan) -> str:
    """HTML without a script; nothing from an engine is markup. Colors of the text are the notebook's own."""
    lint = PlanLint(plan).result
    document = summary_document(plan, lint=lint).seen_from()
    parts = "".join((*_head(document), *_stack(document.section("types")), *_findings(lint), *_more(document)))
    return f'<div class="trex-cell trex-card">\n{CELL_STYLE}{_STYLE}{parts}</div>\n'


def _head(document: Document) -> Iterator[str]:
    yield f'<div><span class="title">{text(document.title)}</span>{text(document.subtitle)}</div>\n'
    if document.statement:
        yield f"<p><em>{text(document.statement)}</em></p>\n"
    yield f'<div class="headline">{"".join(section_html(document.section("headline")))}</div>\n'


def _stack(section: Section) -> Iterator[str]:
    """Types of layers as one bar, each as long as its share of the time, or of the layers where none is known."""
    table = next((block for block in section.blocks if isinstance(block, Table)), None)
    if table is None or not table.rows:
        return
    names = [column.key for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    is_timed = any((row.get("time_pct") or 0) > 0 for row in rows)
    sizes = [float((row.get("time_pct") if is_timed else row["layers"]) or 0.0) for row in rows]
    total = 100.0 if is_timed else sum(sizes)
    shares = [f"{size:.1f} %" if is_timed else counted(int(size), "layer") for size in sizes]
    colors = [LAYER_COLORS[row["type"]] for row in rows]
    if sum(sizes) < total - 0.05:
        sizes, shares, colors = (
            [*sizes, total - sum(sizes)],
            [*shares, f"{total - sum(sizes):.1f} %"],
            [*colors, "gray"],
        )
    words = [f"{row['type']} {row.get('precision') or ''}".strip() for row in rows]
    words += ["other types"] * (len(sizes) - len(words))
    spoken = "; ".join(f"{word} {share}" for word, share in zip(words, shares, strict=True))
    yield f"<h4>{text(table.title)}</h4>\n"
    yield f'<div class="stack" role="img" aria-label="{text(f"{table.title}: {spoken}")}">'
    yield "".join(
        f'<span style="flex:{size:.3f} 0 0;background:{color}"></span>'
        for size, color in zip(sizes, colors, strict=True)
    )
    yield '</div>\n<ul class="keys">'
    for word, share, color in zip(words, shares, colors, strict=True):
        yield f'<li><i style="background:{color}"></i>{text(word)} {share}</li>'
    yield "</ul>\n"
    yield from (part for block in section.blocks if isinstance(block, Text) for part in block_html(block))


def _findings(lint: object) -> Iterator[str]:
    """The findings that likely save most, and what to call next."""
    major, minor = folded_findings(getattr(lint, "findings", ()))
    shown = (*major, *minor)[:_TOP] if major else ()
    if shown:
        more = len(major) + len(minor) - len(shown)
        yield '<h4>What to do first</h4>\n<ol class="first">'
        for finding in shown:
            savings = savings_text(finding)
            message = text(finding.message.partition(": ")[0])
            yield f"<li>{message} {f'<b>{text(savings)}</b> ' if savings else ''}<code>{text(finding.code)}</code></li>"
        yield "</ol>\n" + (f'<p class="hint">… {more} more: trex.lint_engine(plan)</p>\n' if more else "")
    yield '<h4>Next</h4>\n<div class="next">'
    yield "".join(f"<code>{text(call)}</code><span>{words}</span>" for call, words in _NEXT)
    yield "</div>\n"


def _more(document: Document) -> Iterator[str]:
    for section in document.sections:
        if section.name in _FOLDED and (content := "".join(section_html(section))):
            yield f"<details><summary>{_FOLDED[section.name]}</summary>\n{content}</details>\n"
    if document.notes:
        notes = "".join(notes_html(document.notes))
        yield f"<details><summary>{counted(len(document.notes), 'note')}</summary>\n{notes}</details>\n"

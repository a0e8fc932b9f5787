"""Performance → Document: what ``trex perf`` shows of one engine."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.registry import Registry
from trex.perf.performance import Performance
from trex.views.document import Detail, Document, SectionPlug, folder_of, headlines, sections_of

SECTIONS = Registry("trex.views.perf.sections", "SECTION", kind=SectionPlug)
_FEW = 2


def performance_document(performance: Performance, detail: Detail | None = None, names: Sequence[str] = ()) -> Document:
    """The chosen sections, all without names; their first sentences come first when there are more than two.

    Raises TrexError for a section that does not exist.
    """
    plan = performance.plan
    sections = sections_of(SECTIONS, performance, detail or Detail(), names)
    first = (headlines(sections),) if len(sections) > _FEW else ()
    return Document(
        command="perf",
        title=plan.name,
        statement=plan.statement,
        sections=(*first, *sections),
        notes=performance.notes,
        folder=folder_of(plan.engine.source),
        source=performance,
        subtitle=plan.profile_words,
    )

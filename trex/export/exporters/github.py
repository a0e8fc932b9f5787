"""GitHub: annotations of a workflow run: the gate's results, else the verdict (``::error title=…::…``).

The form is that of GitHub's documentation "Workflow commands for GitHub Actions"; what ends a line or a property is
percent-encoded, so that no name of a layer can give a command.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.compare.gate import GateStatus
from trex.core.printable import printable
from trex.export.annotation import annotation
from trex.export.document import DocumentFormat, RenderStyle
from trex.views.comparison.document import first_sentences
from trex.views.document import Document

_COMMANDS = {GateStatus.PASSED: "notice", GateStatus.FAILED: "error", GateStatus.INCONCLUSIVE: "warning"}


def render(document: Document, style: RenderStyle) -> str:
    return "".join(f"{line}\n" for line in _comparison(document))


def _comparison(document: Document) -> Iterator[str]:
    sentences = "\n".join(printable(sentence) for _, sentence in first_sentences(document))
    yield annotation("notice", f"trex compare {document.title}", sentences)
    for result in document.source.judged:
        title = f"{result.status.value}: {result.condition.text}"
        yield annotation(_COMMANDS[result.status], title, printable(result.words))
    for section in document.sections:
        for note in section.notes:
            if note.severity == "problem":
                yield annotation("warning", note.code, printable(note.message))


FORMAT = DocumentFormat((".annotations",), render, commands=("compare",))

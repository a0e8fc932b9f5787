"""GitHub: annotations of a workflow run: findings, or the verdict and the gate's results (``::error title=…::…``).

The form is that of GitHub's documentation "Workflow commands for GitHub Actions"; what ends a line or a property is
percent-encoded, so that no name of a layer can give a command.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trex.compare.gate import GateStatus
from trex.core.note import Note
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.views.compare.document import first_sentences
from trex.views.document import Document
from trex.views.findings import few, savings_text
from trex.views.lint import failed_text, problems_in

_LEVELS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}
_COMMANDS = {GateStatus.PASSED: "notice", GateStatus.FAILED: "error", GateStatus.INCONCLUSIVE: "warning"}


def render(document: Document, style: RenderStyle) -> str:
    source = document.source
    lines = _findings(source, document.notes) if isinstance(source, LintResult) else _comparison(document)
    return "".join(f"{line}\n" for line in lines)


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


def _findings(result: LintResult, notes: Sequence[Note]) -> Iterator[str]:
    for statement in result.statements:
        yield annotation("notice", result.engine_name, printable(statement))
    for note in problems_in(notes):
        yield annotation("warning", note.code, str(note))
    for finding in result.findings:
        title = f"{finding.code} {finding.title}{_savings(finding)}"
        yield annotation(_LEVELS[finding.severity], title, _message(finding))
    for failed in result.failed:
        yield annotation("warning", "a rule failed", printable(failed_text(failed)))


def _savings(finding: RankedFinding) -> str:
    return f" ({savings})" if (savings := savings_text(finding)) else ""


def _message(finding: RankedFinding) -> str:
    lines = [printable(finding.message)]
    if finding.layer_names:
        lines.append(f"layers: {printable(few(finding.layer_names))}")
    lines += [f"fix: {printable(fix)}" for fix in finding.fix[:2]]
    return "\n".join(lines)


def annotation(command: str, title: str, message: str) -> str:
    """One workflow command, which no text from an engine can leave. command: ``notice``, ``warning`` or ``error``."""
    return f"::{command} title={_encoded(printable(title), ':,')}::{_encoded(message)}"


def _encoded(text: str, more: str = "") -> str:
    """Percent-encoded where the form asks for it: ``%`` and line breaks, in properties ``:`` and ``,`` as well."""
    for character in "%\r\n" + more:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


FORMAT = DocumentFormat((".annotations",), render, commands=("compare", "lint"))

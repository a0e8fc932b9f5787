"""GitHub: annotations of a workflow run: what the gate judged, else the verdict (``::error title=…::…``).

The form is that of GitHub's documentation "Workflow commands for GitHub Actions"; what ends a line or a property is
percent-encoded there, so that no name of a layer can give a command.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.compare.gate import GateStatus
from trex.core.printable import printable
from trex.export.annotation import annotation
from trex.export.comparison import ComparisonFormat, ComparisonStyle
from trex.views.comparison.reading import ComparisonReading

_COMMANDS = {GateStatus.PASSED: "notice", GateStatus.FAILED: "error", GateStatus.INCONCLUSIVE: "warning"}


def render(reading: ComparisonReading, style: ComparisonStyle) -> str:
    return "".join(f"{line}\n" for line in _lines(reading))


def _lines(reading: ComparisonReading) -> Iterator[str]:
    yield annotation("notice", f"trex compare {reading.title}", _spoken(reading))
    for each in reading.judged:
        title = f"{each.status.value}: {each.condition.text}"
        yield annotation(_COMMANDS[each.status], title, printable(each.words))
    for _, _, content in reading.sections:
        for note in content.notes:
            if note.severity == "problem":
                yield annotation("warning", note.code, printable(note.message))


def _spoken(reading: ComparisonReading) -> str:
    """Verdict and causes in sentences, one a line."""
    said = [reading.statement] if reading.statement else []
    said += [content.statements[0] for _, _, content in reading.sections if content.statements]
    return "\n".join(map(printable, said))


FORMAT = ComparisonFormat((".annotations",), render)

"""GitHub: annotations of a workflow run (``::warning title=…::…``), which GitHub shows next to the commit.

The form is that of GitHub's documentation "Workflow commands for GitHub Actions"; what ends a line or a property is
percent-encoded there, so that no name of a layer can give a command.
"""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.annotation import annotation
from trex.export.review import ReviewFormat, ReviewStyle
from trex.rules.finding import Severity
from trex.rules.lint_result import LintResult, RankedFinding
from trex.views.review.reading import failed_text, few
from trex.views.table import milliseconds

_COMMANDS = {Severity.NOTE: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def render(result: LintResult, style: ReviewStyle) -> str:
    return "".join(f"{line}\n" for line in _lines(result))


def _lines(result: LintResult) -> Iterator[str]:
    if result.statement:
        yield annotation("notice", result.engine_name, printable(result.statement))
    for finding in result.findings:
        title = f"{finding.code} {finding.title}{_savings(finding)}"
        yield annotation(_COMMANDS[finding.severity], title, _message(finding))
    for failed in result.failed:
        yield annotation("warning", "a rule failed", printable(failed_text(failed)))


def _savings(finding: RankedFinding) -> str:
    if finding.savings_alone_ms is None:
        return ""
    share = "" if finding.share_pct is None else f", {finding.share_pct:.1f} %"
    return f" ({milliseconds(finding.savings_ms)} ms{share})"


def _message(finding: RankedFinding) -> str:
    lines = [printable(finding.message)]
    if finding.layer_names:
        lines.append(f"layers: {printable(few(finding.layer_names))}")
    lines += [f"fix: {printable(fix)}" for fix in finding.fix[:2]]
    return "\n".join(lines)


FORMAT = ReviewFormat((".annotations",), render)

"""What slows the engine down, what fixing it likely saves, how to fix it and how to check, most costly first.

Savings are estimates in ms: likely_savings_ms is what to quote, savings_ms is the upper bound; null if there are no
times. They do not add up across findings about the same layers. Rules run with their defaults, without trex.toml.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trex.agents.session import Session, named_device
from trex.agents.tool import HEAD, Answer, Tool
from trex.agents.tools.inspect import PATH_HELP
from trex.core.options import option
from trex.core.printable import shell_line
from trex.views.document import Block, Document, Findings

if TYPE_CHECKING:
    from trex.rules.lint_result import LintResult

FIELDS = (
    *HEAD, "sections.findings.text", "sections.findings.notes",
    "sections.findings.findings", "sections.findings.data.diagnosis", "sections.findings.data.total_ms",
    "sections.findings.data.total_kind", "sections.findings.data.device",
    "sections.findings.data.likely_savings_ms", "sections.unchecked.text",
)  # fmt: skip
"""Without the list of all rules."""


@dataclass(frozen=True, kw_only=True)
class FindingsArguments:
    path: str = option(".", PATH_HELP)
    code: str = option("", "only this rule: a code such as QDQ001 or a name")
    device: str = option("", "GPU by name, if the engine's files do not say it: A100, L4, RTX 4090")
    offset: int = option(0, "first finding to show; continue with page.next_offset")


def run(arguments: FindingsArguments, session: Session) -> Answer:
    from trex.views.lint import lint_document

    document = lint_document(result := _result(arguments, session), shows_all=True)

    def page(block: Block, rows: int) -> Block:
        if not isinstance(block, Findings):
            return block
        shown = block.findings[arguments.offset : arguments.offset + rows]
        return replace(block, findings=shown, left_out=len(block.findings) - len(shown))

    def make(rows: int) -> Document:
        sections = (
            replace(part, blocks=tuple(page(block, rows) for block in part.blocks)) for part in document.sections
        )
        return replace(document, sections=tuple(sections))

    given = [
        *(["--select", arguments.code] if arguments.code else []),
        *(["--device", arguments.device] if arguments.device else []),
    ]
    return Answer(
        make,
        shell_line(["trex", "lint", arguments.path, *given, "--all", "--json"]),
        FIELDS,
        rows=10,
        offset=arguments.offset,
        total=len(result.findings),
    )


def _result(arguments: FindingsArguments, session: Session) -> LintResult:
    from trex.core.configuration import LintConfiguration, LintSettings
    from trex.perf.performance import Performance
    from trex.rules.lint import lint

    if not arguments.code and not arguments.device:
        return session.lint(arguments.path)
    settings = LintSettings((arguments.code,) if arguments.code else ())
    performance = Performance(session.plan(arguments.path), named_device(arguments.device))
    return lint(performance, settings, LintConfiguration(), None)


TOOL = Tool(FindingsArguments, "lint", run)

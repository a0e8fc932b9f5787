"""Environment → lines of text: each thing examined, then the command that mends it; commands are never cut."""

from __future__ import annotations

from collections.abc import Iterator

from trex.capture.environment import BROKEN, MISSING, WARNING, WORKS, Environment
from trex.core.printable import printable
from trex.export.lettering import padded, wrapped
from trex.export.lines import Line

_ROLES = {WORKS: "bar", WARNING: "warning", MISSING: "dim", BROKEN: "problem"}


def environment_lines(environment: Environment, width: int | None = None) -> Iterator[Line]:
    """The verdict, then one entry per check."""
    obstacles = ", ".join(environment.obstacles)
    if obstacles:
        yield [("engines cannot be built or profiled here", "title"), (f": missing or broken: {obstacles}", "")]
        yield [("reading and drawing what was captured elsewhere needs none of this", "")]
    else:
        broken = ", ".join(check.subject for check in environment.checks if check.status == BROKEN)
        yield [("engines can be built and profiled here", "title"), (f", but broken: {broken}" if broken else "", "")]
    status = max(map(len, _ROLES))
    subject = max(len(check.subject) for check in environment.checks)
    indent = status + subject + 6
    for check in environment.checks:
        needed = f" — for {check.purpose}" if check.purpose and check.status != WORKS else ""
        text = printable(f"{check.detail}{needed}")
        lines = wrapped(text, max(width - indent, 20)) if width else [text]
        for number, line in enumerate(lines):
            if number:
                yield [(" " * indent, ""), (line, "")]
                continue
            yield [
                ("  ", ""),
                (padded(check.status, status), _ROLES[check.status]),
                (f"  {padded(check.subject, subject)}  ", "label"),
                (line, ""),
            ]
        if check.fix:
            yield [(" " * indent + "→ ", ""), (printable(check.fix), "command")]

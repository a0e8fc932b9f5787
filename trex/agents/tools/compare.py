"""Compare two engines: which is faster, whether that is significant, and why. Differences are new minus base.

The verdict's first sentence is the answer: repeat it with its condition. Do not call a difference real if outcome is
"no significant difference" or "unknown". Other sections by name: significance, parity, inventory, operations, layers.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.agents.session import Session, named_device
from trex.agents.tool import HEAD, Answer, Tool, parts_of
from trex.core.errors import TrexError
from trex.core.options import option
from trex.core.printable import shell_line
from trex.views.document import Detail, Document, sections_of

USUAL = ("verdict", "causes", "layers")
_VERDICT = tuple(f"sections.verdict.{part}" for part in ("text", "data.computeMs", "data.withheld", "notes"))


@dataclass(frozen=True, kw_only=True)
class CompareArguments:
    base: str = option(help="the engine to compare with: folder or file relative to the root, or example:NAME")
    new: str = option(help="the engine to compare with it")
    device: str = option("", "GPU by name, if the engines' files do not say it")
    sections: tuple[str, ...] = option((), f"sections to show (default: {', '.join(USUAL)})", many=True)


def run(arguments: CompareArguments, session: Session) -> Answer:
    from trex.compare.series import EngineSeries
    from trex.views.compare.document import SECTIONS, SERIES_SECTIONS, series_document

    sections = [(SERIES_SECTIONS if name in SERIES_SECTIONS else SECTIONS).chosen(name) for name in arguments.sections]
    device = named_device(arguments.device)
    series = EngineSeries(session.plan(arguments.base), [session.plan(arguments.new)], device)

    wanted = {name for name in arguments.sections if name in SERIES_SECTIONS}
    if wanted and (absent := wanted - {part.name for part in sections_of(SERIES_SECTIONS, series, Detail(1))}):
        raise TrexError(f"this comparison has no section {min(absent)}", "leave it out", arguments.new)

    def make(rows: int) -> Document:
        return series_document(series, Detail(min(rows, 10)))

    names = [plug.name for plug in sections] or USUAL
    others = (part for name in names if name != "verdict" for part in parts_of(name))
    fields = (*HEAD, *_VERDICT, *others)
    given = ["--device", arguments.device] if arguments.device else []
    words = shell_line(["trex", "compare", arguments.base, arguments.new, *given, "--json"])
    return Answer(make, words, fields, rows=10)


TOOL = Tool(CompareArguments, "compare", run)

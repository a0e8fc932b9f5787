"""What a word means: a rule's code, a column, a layer type, a note's code, a figure, a tensor format, a kernel's name.

Without a word, the list of all words that have an entry.
"""

from __future__ import annotations

from dataclasses import dataclass

from trex.agents.session import Session
from trex.agents.tool import HEAD, Answer, Tool
from trex.core.options import option
from trex.core.printable import shell_word

FIELDS = (*HEAD, "sections.*.text", "sections.*.tables")
"""Of entries: without the data, which has the text again."""


@dataclass(frozen=True, kw_only=True)
class ExplainArguments:
    word: str = option("", "QDQ001, latency.pct_time, Reformat, a note's code, a kernel's or layer's name")


def run(arguments: ExplainArguments, session: Session) -> Answer:
    from trex.views.explanation import explain, explanations_document, index_document

    if not arguments.word:
        document = index_document()
        return Answer(lambda rows: document, "trex explain --list --json", rows=200)
    document = explanations_document(explain(arguments.word))
    return Answer(lambda rows: document, f"trex explain {shell_word(arguments.word)} --json", FIELDS, rows=200)


TOOL = Tool(ExplainArguments, "explain", run)

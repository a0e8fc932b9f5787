"""A command line → what a cell shows: the magic ``%trex``, for commands that only read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from trex.core.command_words import words_of
from trex.core.errors import TrexError

if TYPE_CHECKING:
    from trex.views.document import Document

COMMANDS = (
    "summary", "layers", "lint", "perf", "qdq", "report", "compare", "tactics", "whatif", "explain-build", "validate",
    "explain", "rules", "devices", "doctor",
)  # fmt: skip
HELP = "%trex COMMAND ENGINE …, for example: %trex summary out/, %trex lint example:resnet18-int8 --top 3"

Run = Callable[[Sequence[str], Sequence[str]], "Document | None"]


class ShownDocument:
    """The result of ``%trex``: HTML in a notebook, text elsewhere. document: what it shows, as data."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def _repr_html_(self) -> str:
        from trex.export.document_cell import document_cell

        return document_cell(self.document)

    def __repr__(self) -> str:
        from trex.export.document import RenderStyle, render_document

        return render_document(self.document, "text", RenderStyle(verbose=False, width=100)).decode("utf-8").rstrip()


def register(shell: Any, run: Run) -> None:
    """Adds the magic to the shell. run: (words, allowed commands) → the document, None if help was printed."""

    def trex(line: str) -> ShownDocument | None:
        try:
            words = words_of(line)
            if not words:
                raise TrexError("which command?", HELP)
            document = run(words, COMMANDS)
        except TrexError as error:
            print(f"%trex: {error}", file=sys.stderr)
            return None
        return None if document is None else ShownDocument(document)

    trex.__doc__ = f"Shows what a command of trex answers: {', '.join(COMMANDS)}.\n\n{HELP}"
    shell.register_magic_function(trex, "line", "trex")

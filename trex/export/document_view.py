"""DocumentView: what makes an object show itself as its document: as text, as a notebook's cell, and as a file."""

from __future__ import annotations

import os

from trex.export.document import render_document, write_document
from trex.export.document_cell import document_cell
from trex.views.document import Document


class DocumentView:
    """Mixed into public objects that have a ``document``."""

    @property
    def document(self) -> Document:
        raise NotImplementedError

    def __str__(self) -> str:
        """As the command shows it, with all details."""
        return render_document(self.document, "text").decode("utf-8")

    def _repr_html_(self) -> str:
        """As a notebook shows it: the answer, and details to open."""
        return document_cell(self.document)

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the format of the file's ending (``.html``, ``.md``, ``.json``, ``.xlsx`` …) and returns the path.

        Raises TrexError for an ending that no format has, and for a folder that cannot be written to.
        """
        return str(write_document(self.document, os.fspath(path)))

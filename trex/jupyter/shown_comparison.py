"""ShownComparison: both engines' graphs of a comparison side by side, as a cell shows them.

Nothing here needs IPython: notebooks ask an object for ``_repr_html_``. The frame's page comes from no address and may
run its own scripts only (``sandbox``): it sees neither the notebook nor the network.
"""

from __future__ import annotations

import os

from trex.core.errors import TrexError
from trex.export.comparison import write_comparison
from trex.export.comparisons.html import graphs_page
from trex.export.escape import xml_text
from trex.jupyter.drawn_graph import LEAST_HEIGHT, framed
from trex.views.comparison.reading import ComparisonReading

DEFAULT_HEIGHT = 900


class ShownComparison:
    """A comparison to look at in a notebook, or to ``save``. height: of the cell, in pixels."""

    def __init__(self, reading: ComparisonReading, height: int = DEFAULT_HEIGHT) -> None:
        """Raises TrexError for what is no height of a cell."""
        if isinstance(height, bool) or not hasattr(height, "__index__") or height < LEAST_HEIGHT:
            raise TrexError(f"{height!r} is no height of a cell", f"pixels, from {LEAST_HEIGHT} up: height=900")
        self.reading = reading
        self.height = height.__index__()

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the comparison in the format of the file's ending (``.html``, ``.md``, ``.xlsx`` …), returns the path.

        Raises TrexError for an ending that no format has, and for a folder that cannot be written to.
        """
        return str(write_comparison(self.reading, os.fspath(path)))

    def _repr_html_(self) -> str:
        page = graphs_page(self.reading)
        title = f"Comparison {self.reading.title}"
        hint = "an interactive page, shown once the notebook is trusted"
        return framed(page.decode("utf-8"), xml_text(title), self.height, hint)

    def __repr__(self) -> str:
        return f"<Comparison {self.reading.title}; a notebook shows it, .save('comparison.html') writes it>"

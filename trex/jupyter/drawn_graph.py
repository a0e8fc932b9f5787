"""DrawnGraph: the graph of a plan as a cell shows it, the interactive page in a frame of its own.

Nothing here needs IPython: notebooks ask an object for ``_repr_html_`` and ``_repr_svg_``. The frame's page comes from
no address and may run its own script only (``sandbox``): it sees neither the notebook nor the network.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.whole_file import write_whole
from trex.export.diagram import Drawing, format_of, render_diagram
from trex.export.escape import xml_text
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.keywords import style_and_selection

DEFAULT_HEIGHT = 640
LEAST_HEIGHT = 120
# Viewers without HTML show an SVG; that of a larger graph would only bloat the notebook.
MOST_FOR_SVG = 100

_CELL = """\
<div style="position:relative;width:100%;height:{height}px">
<p style="margin:0;padding:1em">{title}: {hint}.</p>
<iframe title="{title}" sandbox="allow-scripts allow-downloads" allow="clipboard-write" \
style="position:absolute;left:0;top:0;width:100%;height:100%;border:1px solid #8b949e;border-radius:4px;\
box-sizing:border-box;background:#fff" srcdoc='{page}'></iframe>
</div>
"""
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;"})


def framed(page: str, title: str, height: int, hint: str) -> str:
    """A page in a frame of a cell. title: as XML. hint: what is there, where the notebook does not show the page."""
    # Between single quotes, so that the many double ones of the page's data stay one character each.
    return _CELL.format(height=height, title=title, hint=hint, page=page.translate(_ENTITIES))


def usable_height(height: int) -> int:
    """The height of a cell in pixels. Raises TrexError for what is none."""
    if isinstance(height, bool) or not hasattr(height, "__index__") or height < LEAST_HEIGHT:
        raise TrexError(f"{height!r} is not a usable height", f"pixels, from {LEAST_HEIGHT} up: height=800")
    return height.__index__()


def draw_plan(
    plan: EnginePlan, height: int, options: Mapping[str, Any], baseline: EnginePlan | None = None
) -> DrawnGraph:
    """What a call's keywords ask for, selected but not laid out. Raises TrexError, see ``style_and_selection``."""
    if not isinstance(plan, EnginePlan):
        raise TrexError(
            f"a plan can be drawn, not {type(plan).__name__}", "for example: trex.draw(trex.load('model.graph.json'))"
        )
    height = usable_height(height)
    if not plan.engine.layers:
        raise TrexError(
            "no layers are known, so there is nothing to draw",
            "trex doctor PATH prints the command that exports them",
            plan.engine.source,
        )
    style, selection = style_and_selection(options)
    if style.color_by == "change" and baseline is None:
        raise TrexError("colors by change need another engine to compare with", "baseline=trex.load(PATH)")
    lint = None if baseline is None else PlanLint(plan, baseline=baseline)
    drawn = DrawnGraph(Drawing(plan, style, selection=selection, lint=lint), height)
    _ = drawn.drawing.graph  # an empty selection is an error here, not when the cell is shown
    return drawn


class DrawnGraph:
    """A drawing to look at in a notebook, or to ``save``.

    drawing: what is drawn, laid out when first shown. height: of the cell, in pixels.
    """

    def __init__(self, drawing: Drawing, height: int = DEFAULT_HEIGHT) -> None:
        self.drawing = drawing
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> str:
        """Writes the drawing in the format of the file's ending (``.html``, ``.svg``, ``.png`` …) and returns the path.

        Raises TrexError for an ending that no format has, and for a folder that cannot be written to.
        """
        path = Path(path)
        return str(write_whole(path, render_diagram(self.drawing, format_of(path))))

    def _repr_html_(self) -> str | None:
        if self._is_graphvizs:
            return None
        page = render_diagram(self.drawing, "html").decode("utf-8")
        hint = "an interactive graph, shown once the notebook is trusted"
        return framed(page, xml_text(self._title), self.height, hint)

    def _repr_svg_(self) -> str | None:
        if not self._is_graphvizs and len(self.drawing.graph.nodes) > MOST_FOR_SVG:
            return None
        svg = render_diagram(self.drawing, "svg").decode("utf-8")
        return svg[svg.index("<svg") :]  # inside another document, there is no declaration

    def __repr__(self) -> str:
        return f"<{self._title}; a notebook shows it, .save('graph.html') writes it>"

    @property
    def _title(self) -> str:
        name, shown, all_of = (
            self.drawing.plan.name,
            len(self.drawing.graph.layer_nodes),
            len(self.drawing.plan.working_layers),
        )
        layers = f"{shown}" if shown == all_of else f"{shown} of {all_of}"
        return f"Graph of {name}: {layers} layers"

    @property
    def _is_graphvizs(self) -> bool:
        return self.drawing.style.engine == "dot"

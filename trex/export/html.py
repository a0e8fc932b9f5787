"""Scene and graph → one offline HTML page in which to move about the engine: search, facts, table, colors.

The page fetches nothing and may fetch nothing (its content security policy forbids it). What comes from the engine is
data that a script reads and shows as text; none of it is ever read as markup or code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from trex.export.escape import xml_text
from trex.export.viewer_data import viewer_json
from trex.graph.plan_graph import PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.coloring import Coloring
from trex.views.diagram.scene import Scene

# Pieces of one script, in the order in which they build on one another.
_SCRIPTS = (
    ("words", "model", "members", "groups", "paths", "levels", "arrangement", "sheet")  # what there is, and where
    + ("colors", "hot_path", "drawing", "frames", "overview", "picture", "print")  # how it looks
    + ("panel", "group_panel", "legend", "table")  # what is said about it
    + ("view", "regrouping", "finder", "search", "links", "controls", "pointer", "embedded", "main")  # what is done
)
_SEAT = re.compile(r"\{\{(\w+)\}\}")


def render_html(
    scene: Scene,
    graph: PlanGraph,
    plan: EnginePlan | None = None,
    more: Mapping[str, Coloring] | None = None,
    *,
    is_paired: bool = False,
) -> str:
    """The page, the same for the same engine. graph: what the scene was made of.

    plan: where the graph is from, so that percentages are of its whole time also where the graph is a part of it.
    more: colorings apart from those of the registry; the page begins with the first. is_paired: the page stands in a
    frame next to another one's, so that its parts take little room and its facts are shown when asked for.
    Size: about 130 kB of viewer and 200 to 400 bytes a layer, names of several hundred characters apart.
    """
    times = [node.time for node in graph.layer_nodes] if plan is None else plan.times
    parts = {
        "title": xml_text(scene.title),
        "seat": ' data-seat="paired"' if is_paired else "",
        "style": _piece("viewer.css"),
        "script": _script(),
        "data": viewer_json(scene, graph, scene.style.total_ms(times), more),
    }
    return _SEAT.sub(lambda seat: parts.pop(seat[1]), _piece("viewer.html"))


def _script() -> str:
    return '(() => {\n"use strict";\n' + "\n".join(_piece(f"{name}.js") for name in _SCRIPTS) + "\n})();\n"


@cache
def _piece(name: str) -> str:
    return (files("trex.export") / "viewer" / name).read_text(encoding="utf-8")

"""EnginePlan and a style → a DOT graph object: its text, and the picture that is drawn without Graphviz."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trex.export.dot import dot_body
from trex.export.dot_document import make_dot
from trex.export.dot_dress import dressed_scene
from trex.export.dot_looks import DotLooks
from trex.export.svg import render_svg
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.style import DiagramStyle


def plan_dot(
    plan: EnginePlan,
    style: DiagramStyle | None = None,
    looks: DotLooks | None = None,
    selection: Selection | None = None,
) -> Any:
    """The plan's graph as a ``graphviz.Digraph`` or a DotDocument; see ``make_dot``.

    Its text has every layer; the picture that is drawn without Graphviz folds repeated blocks where the style says so.
    """
    style, looks = style or DiagramStyle(), looks or DotLooks()
    graph = drawn_graph(plan, replace(style, fold=False, fold_from=0), selection)
    body = dot_body(graph, style, looks, plan)

    def picture() -> str:
        return render_svg(dressed_scene(drawn_graph(plan, style, selection), plan, style, looks))

    return make_dot(graph.name, body, picture, len(graph.nodes))

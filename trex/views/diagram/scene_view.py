"""Plan → SceneView: an engine's graph laid out for a page, in which groups open and close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trex.graph.groups import grouped
from trex.graph.plan_graph import PlanGraph
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.coloring import Coloring
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.scene import Scene, build_scene
from trex.views.diagram.style import DiagramStyle

# From so many boxes on, a page has groups.
GROUPS_FROM = 20
# The first of these that finds any.
_GROUPINGS = ("structure", "region", "block")


@dataclass(frozen=True)
class SceneView:
    """A laid-out graph. plan: where shares of time are from. colorings: offered first, before the registry's."""

    scene: Scene
    graph: PlanGraph
    plan: EnginePlan
    colorings: Mapping[str, Coloring] = field(default_factory=dict)


def scene_view(
    plan: EnginePlan,
    lint: PlanLint | None = None,
    title: str = "",
    colorings: Mapping[str, Coloring] | None = None,
    *,
    style: DiagramStyle | None = None,
    graph: PlanGraph | None = None,
    selection: Selection | None = None,
) -> SceneView:
    """The graph of a plan, whole or selected. A large one has groups that show its shape unless the style says which.

    title: instead of the engine's name. graph: of the selected part in this style, drawn unless given.
    """
    style, lint = style or DiagramStyle(), lint or PlanLint(plan)
    graph = graph or drawn_graph(plan, style, selection, lint)
    if style.group_by == "auto" and not graph.groups and len(graph.layer_nodes) >= GROUPS_FROM:
        results = ((by, grouped(graph, by)) for by in _GROUPINGS)
        by, shaped = next((item for item in results if item[1].groups), ("auto", graph))
        style, graph = replace(style, group_by=by), shaped
    scene = build_scene(graph, plan, style, title=title, for_page=True)
    return SceneView(scene, graph, plan, colorings or {})

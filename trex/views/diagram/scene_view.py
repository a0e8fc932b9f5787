"""Plan → SceneView: an engine's graph laid out for a page, in which groups open and close."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from trex.graph.plan_graph import PlanGraph
from trex.graph.select import Selection
from trex.plan.engine_plan import EnginePlan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.coloring import Coloring
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.scene import Scene, build_scene
from trex.views.diagram.style import DiagramStyle

# From so many boxes on, a page has frames around modules.
GROUPS_FROM = 100


@dataclass(frozen=True)
class SceneView:
    """A laid-out graph. plan: where shares of time are from. colorings: offered first, before the registry's."""

    scene: Scene
    graph: PlanGraph
    plan: EnginePlan
    colorings: Mapping[str, Coloring] = field(default_factory=dict)


def scene_view(
    plan: EnginePlan, lint: PlanLint | None = None, title: str = "", colorings: Mapping[str, Coloring] | None = None
) -> SceneView:
    """The whole graph of a plan. title: instead of the engine's name."""
    style, lint = DiagramStyle(), lint or PlanLint(plan)
    graph = drawn_graph(plan, style, lint=lint)
    style, graph = with_modules(plan, style, graph, lint)
    scene = build_scene(graph, plan, style)
    return SceneView(replace(scene, title=title) if title else scene, graph, plan, colorings or {})


def with_modules(
    plan: EnginePlan,
    style: DiagramStyle,
    graph: PlanGraph,
    lint: PlanLint | None,
    selection: Selection | None = None,
) -> tuple[DiagramStyle, PlanGraph]:
    """The style and graph with modules as groups, where the graph is large and the style leaves groups open.

    graph: of the selected part of the plan.
    """
    if style.group_by != "auto" or graph.groups or len(graph.layer_nodes) < GROUPS_FROM:
        return style, graph
    grouped = replace(style, group_by="module")
    result = drawn_graph(plan, grouped, selection, lint)
    return (grouped, result) if result.groups else (style, graph)

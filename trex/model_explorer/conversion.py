"""Engine's path → graphs and node data as Model Explorer's JSON has them."""

from __future__ import annotations

import json
from typing import Any

from trex.core.errors import TrexError
from trex.export.diagram import Drawing, render_diagram
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.rules.plan_lint import PlanLint
from trex.views.diagram.style import DiagramStyle

PRECISION, FINDINGS, LATENCY, CHANGE = DATA = ("precision", "findings", "latency", "change")
"""Colorings that are offered as node data; ``change`` needs another engine. Model Explorer shows the last one first."""


def load(path: str) -> EnginePlan:
    """The engine at a path as ``trex.load`` takes it. Raises TrexError."""
    return load_plan(EnginePlan, path)


def graphs_of(plan: EnginePlan) -> list[dict[str, Any]]:
    """Fields of Model Explorer's ``Graph``; the same ids as in ``node_data``."""
    document = json.loads(render_diagram(Drawing(plan), "model-explorer"))
    graphs: list[dict[str, Any]] = document["graphs"]
    return graphs


def node_data(plan: EnginePlan, name: str, base: EnginePlan | None = None) -> tuple[str, dict[str, Any]]:
    """(id of the graph, fields of Model Explorer's ``GraphNodeData``). name: one of DATA. base: for ``change``.

    Raises TrexError for ``change`` without a base.
    """
    if name == CHANGE and base is None:
        raise TrexError("changes need another engine to compare with", "name its folder or one of its files")
    lint = PlanLint(plan, baseline=base)
    drawing = Drawing(plan, DiagramStyle(color_by=name), lint=lint)
    ((graph, data),) = json.loads(render_diagram(drawing, "node-data")).items()
    return graph, data

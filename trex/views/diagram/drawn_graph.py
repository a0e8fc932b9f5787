"""Plan, style, selection → the PlanGraph that is drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from trex.core.collector import collector_paused
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.graph.build import build_graph
from trex.graph.close import close_groups
from trex.graph.fold import fold_blocks
from trex.graph.grouping import GROUPINGS
from trex.graph.groups import grouped
from trex.graph.limit import depths_of, within_limit
from trex.graph.plan_graph import PlanGraph
from trex.graph.select import Selection, select, without_disconnected
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.items import items_of
from trex.views.diagram.style import DiagramStyle

_MANY_BOXES = 150
# Where groups are to be closed and no grouping is named: the first of these that finds any.
_GROUPINGS = ("module", "region", "block")


def drawn_graph(
    plan: EnginePlan,
    style: DiagramStyle | None = None,
    selection: Selection | None = None,
    lint: object | None = None,
) -> PlanGraph:
    """The part of the plan's graph that was asked for, with the kinds of nodes and the groups that the style shows.

    Blocks are folded and groups closed last, so that every layer of the engine can be selected. A graph of
    ``style.fold_from`` layers or more is folded in any case and, where it still has more than ``style.most_nodes``
    nodes, its groups are closed; the scene says so. lint: what colors ask about the plan. Raises TrexError for a
    selection that nothing answers, and for groups to be closed that there are not.
    """
    style = style or DiagramStyle()
    with collector_paused():
        graph = build_graph(
            plan,
            style.display_constants,
            include_regions=style.display_regions,
            include_forking_regions=style.display_forking_regions,
            lint=lint,
        )
        if selection is not None:
            graph = select(graph, selection, style.latency_ms)
        is_large = 0 < style.fold_from <= len(graph.layer_nodes)
        if style.fold or is_large:
            graph = fold_blocks(graph)
        if style.remove_disconnected_layers:
            graph = without_disconnected(graph)
        is_too_large = is_large and len(graph.nodes) > style.most_nodes
        graph = _grouped(graph, style, is_too_large)
        closing = _to_close(graph, style)
        if closing:
            graph = close_groups(graph, closing)
        if is_too_large:
            graph = within_limit(graph, style.most_nodes)
        return replace(graph, groups=()) if style.group_by == "none" else graph


def unmet_wishes(graph: PlanGraph, style: DiagramStyle) -> tuple[Note, ...]:
    """A Note for each request of the style that a graph of ``drawn_graph`` can't fulfill."""
    notes = []
    if style.fold and not any(node.folded for node in graph.layer_nodes):
        notes.append(Note("no-repeated-blocks", "no block of layers repeats, so nothing is folded", severity="warning"))
    if lacks_groups(graph, style):
        if style.group_by == "auto":
            result = "no grouping finds any group of layers, so none is closed"
        else:
            result = f"--group-by {style.group_by} finds no group of layers, or one of all of them: no frame is drawn"
        others = [by for by in GROUPINGS.known_names if by != style.group_by and grouped(graph, by).groups]
        hint = f"these find some: --group-by {' or '.join(others)}" if others else ""
        notes.append(Note("no-groups", result, hint, severity="warning"))
    return tuple(notes)


def folded_picture(width: float, height: float) -> Note:
    """A Note for a picture that shows repeated blocks once because it would be too large."""
    message = f"repeated blocks are drawn once: {width:,.0f} x {height:,.0f} pixels are more than viewers show"
    return Note("folded-picture", message, "-o NAME.svg or NAME.html draws all layers", severity="info")


def hard_to_read(graph: PlanGraph) -> tuple[Note, ...]:
    """A Note for a picture that no screen shows whole, and what is easier to look at."""
    count = len(items_of(graph)[0])
    if count < _MANY_BOXES:
        return ()
    hint = "-o NAME.html is a page to search and move about in; --module, --hottest, --fold or --close-groups draw less"
    return (Note("large-picture", f"this is a picture of {count:,} boxes", hint, severity="info"),)


def lacks_groups(graph: PlanGraph, style: DiagramStyle) -> bool:
    """Whether the style asks for groups and a graph made by ``drawn_graph`` has none, open or closed."""
    asks = style.group_by != "auto" or bool(style.open_depth or style.close_groups)
    has = bool(graph.groups) or any(node.closed for node in graph.layer_nodes)
    return asks and style.group_by != "none" and not has


def _grouped(graph: PlanGraph, style: DiagramStyle, is_too_large: bool) -> PlanGraph:
    closes = bool(style.close_groups or style.open_depth)
    if style.group_by not in ("auto", "none"):
        return grouped(graph, style.group_by)
    if closes or is_too_large:
        result = (grouped(graph, by) for by in _GROUPINGS)
        return next((item for item in result if item.groups), graph)
    if style.group_by == "auto" and any(node.folded for node in graph.layer_nodes):
        return grouped(graph, "block")
    return graph


def _to_close(graph: PlanGraph, style: DiagramStyle) -> set[int]:
    """Positions of the groups that the style wants closed. Raises TrexError when it names groups and none is meant."""
    closing = set[int]()
    depths = depths_of(graph.groups)
    if style.open_depth:
        closing |= {position for position, depth in enumerate(depths) if depth >= style.open_depth}
    if style.close_groups == "all":
        closing |= {position for position, depth in enumerate(depths) if depth == 0}
    elif style.close_groups:
        closing |= set(_matching(graph, style.close_groups))
    return closing


def _matching(graph: PlanGraph, pattern: str) -> Iterable[int]:
    try:
        search = re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as error:
        raise TrexError(
            f"not a regular expression: {error}", "write \\ before ( ) [ ] { } + * ? . | that stand for themselves",
            excerpt=pattern,
        ) from error  # fmt: skip
    results = [position for position, group in enumerate(graph.groups) if search(group.title)]
    if not results:
        titles = [group.title for group in graph.groups]
        otherwise = f"the groups here: {', '.join(titles[:8])}" if titles else "--group-by chooses what makes groups"
        raise TrexError(f"no group's title matches {pattern!r}", did_you_mean(pattern, titles, otherwise))
    return results

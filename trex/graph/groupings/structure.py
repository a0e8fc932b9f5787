"""The model's shape: modules, else stages of one feature map size; what holds numbered blocks says ×12."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from trex.graph.groupings.module import filled_paths
from trex.graph.groups import PART, REPETITIONS, with_groups
from trex.graph.module_steps import MOST_STEPS, Steps, module_steps
from trex.graph.plan_graph import LayerNode, PlanGraph

# Part of the layers that must have a module.
_LEAST_KNOWN = 0.5
# Numbered groups next to others get a group of their own from so many on.
_LEAST_RUN = 6
_DIGITS = re.compile(r"\d+")
_NUMBERED_WORD = re.compile(r"[A-Za-z]+\d+")


def structure_titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    nodes = graph.layer_nodes
    known = sum(bool(node.layer.module) for node in nodes)
    if known and known >= _LEAST_KNOWN * len(nodes):
        own = [_split(module_steps(node.layer.module)) if node.layer.module else None for node in nodes]
    else:
        own = [_stage(node) for node in nodes]
    paths = filled_paths(graph, own)
    counts, runs = _numbered(nodes, paths)
    split = _split_runs(graph, paths, runs) if runs else ()
    runs = {path: title for path, title in runs.items() if REPETITIONS.sub("", title) not in split}
    return _titles(paths, counts, runs)


def _split(steps: Steps) -> Steps:
    """``conv2_block1_1_conv``, as Keras names it, is the step ``block1`` in ``conv2``."""
    result: list[str] = []
    for step in steps:
        words = [word for word in step.split("_") if _NUMBERED_WORD.fullmatch(word)]
        result.extend(words if len(words) > 1 else (step,))
    return tuple(result[:MOST_STEPS])


def _stage(node: LayerNode) -> Steps | None:
    """Height and width of the feature maps that a layer writes; None of other data."""
    for tensor in node.layer.outputs:
        if tensor.shape is not None and len(tensor.shape) == 4:
            *_, height, width = tensor.shape
            if height is not None and width is not None and height > 1 and width > 1:
                return (f"{height}×{width}",)
    return None


def _numbered(nodes: Sequence[LayerNode], paths: Sequence[Steps]) -> tuple[dict[Steps, int], dict[Steps, str]]:
    """How many numbered groups hold most of a group; and the title around numbered groups next to others."""
    types: dict[Steps, list[str]] = {}
    for node, path in zip(nodes, paths):
        for depth in range(len(path) + 1):
            types.setdefault(path[:depth], []).append(node.layer.type)
    children: dict[Steps, list[Steps]] = {}
    for path in types:
        if path:
            children.setdefault(path[:-1], []).append(path)
    counts: dict[Steps, int] = {}
    titles: dict[Steps, str] = {}
    # The innermost first: what holds numbered groups itself is a stage, not a repetition.
    for parent, inner in sorted(children.items(), key=lambda item: -len(item[0])):
        for run in _runs(inner, types):
            if any(child in counts for child in run):
                continue
            if parent and len(run) * 2 > sum(len(types[child]) > 1 for child in inner):
                counts[parent] = len(run)
            elif len(run) >= _LEAST_RUN:
                titles |= dict.fromkeys(run, f"{'/'.join(run[0])} … {run[-1][-1]} ×{len(run):,}")
    return counts, titles


def _titles(paths: Sequence[Steps], counts: Mapping[Steps, int], runs: Mapping[Steps, str]) -> list[tuple[str, ...]]:
    titles_of: dict[Steps, tuple[str, ...]] = {}
    for path in dict.fromkeys(paths):
        titles = []
        for depth in range(1, len(path) + 1):
            group = path[:depth]
            if group in runs:
                titles.append(runs[group])
            titles.append(_title(group, counts))
        titles_of[path] = tuple(titles)
    return [titles_of[path] for path in paths]


def _split_runs(graph: PlanGraph, paths: Sequence[Steps], runs: Mapping[Steps, str]) -> set[str]:
    """The runs that data flows out of and back into: groups of their parts would say nothing."""
    outer = [
        next((path[:depth] + (runs[path[: depth + 1]],) for depth in range(len(path)) if path[: depth + 1] in runs), ())
        for path in paths
    ]
    groups = with_groups(graph, "structure", outer).groups
    return {PART.sub("", group.title) for group in groups if PART.search(group.title)}


def _title(group: Steps, counts: Mapping[Steps, int]) -> str:
    return "/".join(group) + (f" ×{counts[group]:,}" if group in counts else "")


def _runs(groups: Sequence[Steps], types: dict[Steps, list[str]]) -> Iterator[list[Steps]]:
    """Groups of several layers whose names differ in a number only. Most of them have the same types of layers."""
    named: dict[str, list[Steps]] = {}
    for group in groups:
        if len(types[group]) > 1 and _DIGITS.search(group[-1]):
            named.setdefault(_DIGITS.sub("#", group[-1]), []).append(group)
    for run in named.values():
        most = Counter(frozenset(types[group]) for group in run).most_common(1)[0][1]
        if len(run) > 1 and 2 * most >= len(run):
            yield run


GROUPING = structure_titles

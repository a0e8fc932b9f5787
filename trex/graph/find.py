"""Name, index or pattern → the node or tensor of a PlanGraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.graph.plan_graph import LayerNode, Node, PlanGraph

_MOST_LISTED = 4


def name_of(node: Node) -> str:
    return node.layer.name if isinstance(node, LayerNode) else node.name


def find_node(graph: PlanGraph, word: str) -> int:
    """The id of the only node that ``word`` matches.

    Tried in this order: names, indexes (``Layer.index``), operators of a layer (``Conv_9`` does not match ``Conv_95``),
    modules of a layer (``/conv1``), parts of names. Raises TrexError with similar names without a match, and with the
    indexes of ambiguous matches.
    """
    word = word.strip()
    exact = [node.id for node in graph.nodes if name_of(node) == word]
    layers = [number for number in exact if isinstance(graph.nodes[number], LayerNode)]
    # An engine's output often has the name of the layer that writes it.
    exact = layers or exact
    if len(exact) == 1:
        return exact[0]
    if exact:
        raise _ambiguous(graph, f"{len(exact)} layers are named {word!r}", exact)
    if word.isascii() and word.isdigit():
        number = int(word) if len(word) < 12 else -1
        indexed = [node.id for node in graph.layer_nodes if node.layer.index == number]
        if len(indexed) == 1:
            return indexed[0]
    known = [(node.id, node.layer) for node in graph.layer_nodes]
    with_operator = [number for number, layer in known if word in layer.name_parts.operations or word in layer.origins]
    if len(with_operator) == 1:
        return with_operator[0]
    of_module = [number for number, layer in known if layer.module and layer.module == f"/{word.strip('/')}"]
    if len(of_module) == 1 and not with_operator:
        return of_module[0]
    parts = [node.id for node in graph.nodes if word and word in name_of(node)]
    parts = [number for number in parts if isinstance(graph.nodes[number], LayerNode)] or parts
    if len(parts) == 1:
        return parts[0]
    if parts:
        raise _ambiguous(graph, f"{len(parts)} names contain {word!r}", parts)
    otherwise = "trex layers PATH lists the names; an index or a part of a name works as well"
    raise TrexError(f"no layer is named {word!r}", did_you_mean(word, map(name_of, graph.nodes), otherwise))


def _ambiguous(graph: PlanGraph, what: str, matches: Sequence[int]) -> TrexError:
    listed = []
    for number in matches[:_MOST_LISTED]:
        node = graph.nodes[number]
        index = f"{node.layer.index} ({short_name(name_of(node))})" if isinstance(node, LayerNode) else name_of(node)
        listed.append(index)
    more = f" and {len(matches) - _MOST_LISTED} more" if len(matches) > _MOST_LISTED else ""
    return TrexError(what, f"pass the layer's index: {', '.join(listed)}{more}")


def short_name(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:40]}…{name[-40:]}"


def find_tensor(graph: PlanGraph, word: str) -> str:
    """The tensor named ``word``, or the only one whose name contains it. Raises TrexError with similar names."""
    names = dict.fromkeys(edge.tensor.name for edge in graph.edges)
    word = word.strip()
    if word in names:
        return word
    parts = [name for name in names if word and word in name]
    if len(parts) == 1:
        return parts[0]
    if parts:
        listed = ", ".join(map(short_name, parts[:_MOST_LISTED]))
        more = f" and {len(parts) - _MOST_LISTED} more" if len(parts) > _MOST_LISTED else ""
        raise TrexError(f"{len(parts)} tensor names contain {word!r}", f"pass one of {listed}{more}")
    raise TrexError(
        f"no tensor is named {word!r}",
        did_you_mean(word, names, "trex draw PATH --display-edge-name shows all tensor names"),
    )


def find_pattern(pattern: str) -> Callable[[str], re.Match[str] | None]:
    """The search of a regular expression. Raises TrexError for text that is none."""
    try:
        return re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as error:
        raise TrexError(
            f"not a regular expression: {error}", "write \\ before a literal ( ) [ ] { } + * ? . |",
            excerpt=pattern,
        ) from error  # fmt: skip


def split_pair(text: str, graph: PlanGraph) -> tuple[int, int]:
    """Node ids of ``A,B``; names may contain commas. Raises TrexError."""
    pieces = text.split(",")
    if len(pieces) < 2:
        raise TrexError(f"{text!r} is a single layer", "write two, separated by a comma: --between conv1,fc")
    if len(pieces) == 2:
        return find_node(graph, pieces[0]), find_node(graph, pieces[1])
    for cut in range(1, min(len(pieces), 33)):  # only the first commas of a name with very many
        try:
            return find_node(graph, ",".join(pieces[:cut])), find_node(graph, ",".join(pieces[cut:]))
        except TrexError:
            continue
    raise TrexError(f"{text!r} is not a pair of layers", "pass their indexes: --between 3,17")


def split_radius(text: str) -> tuple[str, int]:
    """(node, radius) of ``NODE,RADIUS``. Raises TrexError if the radius is missing or no whole number."""
    name, comma, radius = text.rpartition(",")
    radius = radius.strip()
    if not comma or not name.strip() or not (radius.isascii() and radius.isdigit() and len(radius) < 10):
        raise TrexError(f"{text!r} is not NODE,RADIUS", "write a layer, a comma and a number of steps: --beam conv1,2")
    return name.strip(), int(radius)

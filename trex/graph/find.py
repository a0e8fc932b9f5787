"""Words → the nodes and tensors of a PlanGraph that they name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.graph.plan_graph import LayerNode, Node, PlanGraph

_MOST_LISTED = 4


def name_of(node: Node) -> str:
    return node.layer.name if isinstance(node, LayerNode) else node.name


def find_node(graph: PlanGraph, word: str) -> int:
    """The id of the one node that ``word`` names: by its whole name, a layer's index, or a part of one name only.

    Whole names come first, then indexes (``Layer.index``), then whole operators that one layer was made of
    (``Conv_9``, though others have ``Conv_95``), then modules of one layer (``/conv1``), then parts. Raises TrexError
    with the names that come near when there is none, and with the indexes to choose from when there are several.
    """
    word = word.strip()
    exact = [node.id for node in graph.nodes if name_of(node) == word]
    layers = [number for number in exact if isinstance(graph.nodes[number], LayerNode)]
    # An engine's output often carries the name of the layer that makes it.
    exact = layers or exact
    if len(exact) == 1:
        return exact[0]
    if exact:
        raise _ambiguous(graph, f"{len(exact)} layers are called {word!r}", exact)
    if word.isascii() and word.isdigit():
        number = int(word) if len(word) < 12 else -1
        indexed = [node.id for node in graph.layer_nodes if node.layer.index == number]
        if len(indexed) == 1:
            return indexed[0]
    known = [(node.id, node.layer) for node in graph.layer_nodes]
    made_of = [place for place, layer in known if word in layer.name_parts.operations or word in layer.origins]
    if len(made_of) == 1:
        return made_of[0]
    of_module = [place for place, layer in known if layer.module and layer.module == f"/{word.strip('/')}"]
    if len(of_module) == 1 and not made_of:
        return of_module[0]
    parts = [node.id for node in graph.nodes if word and word in name_of(node)]
    parts = [number for number in parts if isinstance(graph.nodes[number], LayerNode)] or parts
    if len(parts) == 1:
        return parts[0]
    if parts:
        raise _ambiguous(graph, f"{len(parts)} names contain {word!r}", parts)
    otherwise = "trex layers PATH lists the names; a layer's index or a part of its name does, too"
    raise TrexError(f"no layer is called {word!r}", did_you_mean(word, map(name_of, graph.nodes), otherwise))


def _ambiguous(graph: PlanGraph, what: str, found: Sequence[int]) -> TrexError:
    listed = []
    for number in found[:_MOST_LISTED]:
        node = graph.nodes[number]
        index = f"{node.layer.index} ({_short(name_of(node))})" if isinstance(node, LayerNode) else name_of(node)
        listed.append(index)
    more = f" and {len(found) - _MOST_LISTED} more" if len(found) > _MOST_LISTED else ""
    return TrexError(what, f"give the layer's index: {', '.join(listed)}{more}")


def _short(name: str) -> str:
    return name if len(name) <= 80 else f"{name[:40]}…{name[-40:]}"


def find_tensor(graph: PlanGraph, word: str) -> str:
    """The tensor name that ``word`` is, or is a part of and of no other. Raises TrexError with names that come near."""
    names = dict.fromkeys(edge.tensor.name for edge in graph.edges)
    word = word.strip()
    if word in names:
        return word
    parts = [name for name in names if word and word in name]
    if len(parts) == 1:
        return parts[0]
    if parts:
        listed = ", ".join(map(_short, parts[:_MOST_LISTED]))
        more = f" and {len(parts) - _MOST_LISTED} more" if len(parts) > _MOST_LISTED else ""
        raise TrexError(f"{len(parts)} tensors contain {word!r} in their names", f"one of {listed}{more}")
    raise TrexError(
        f"no tensor is called {word!r}",
        did_you_mean(word, names, "trex draw PATH --display-edge-name shows the names of all tensors"),
    )


def split_pair(text: str, graph: PlanGraph) -> tuple[int, int]:
    """``A,B`` → two node ids, whichever comma separates two names that are known. Raises TrexError."""
    pieces = text.split(",")
    if len(pieces) < 2:
        raise TrexError(f"{text!r} names one layer", "write two, with a comma between: --between conv1,fc")
    if len(pieces) == 2:
        return find_node(graph, pieces[0]), find_node(graph, pieces[1])
    for cut in _cuts(len(pieces)):
        try:
            return find_node(graph, ",".join(pieces[:cut])), find_node(graph, ",".join(pieces[cut:]))
        except TrexError:
            continue
    raise TrexError(f"{text!r} is no pair of layers", "name them by their indexes: --between 3,17")


def _cuts(count: int) -> Iterable[int]:
    # Names with very many commas are not taken apart in every way.
    return range(1, min(count, 33))


def split_radius(text: str) -> tuple[str, int]:
    """``NODE,RADIUS`` → both. Raises TrexError when the radius is missing or no whole number."""
    name, comma, radius = text.rpartition(",")
    radius = radius.strip()
    if not comma or not name.strip() or not (radius.isascii() and radius.isdigit() and len(radius) < 10):
        raise TrexError(f"{text!r} is no layer and radius", "write the layer, a comma and the steps: --beam conv1,2")
    return name.strip(), int(radius)

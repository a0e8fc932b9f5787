"""Witnesses: what the names in both plans tell of the work that their layers hold, and which can be believed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache

from trex.core.layer import Layer

CONVERSIONS = frozenset(("Reformat", "MyelinReformat", "Cast", "reformat"))
"""Types of layers that only change the type or the layout of one tensor."""
_MINOR = re.compile(
    r"(?:De)?[Qq]uantize(?:Linear)?|Cast|Identity|Constant|Reshape|Squeeze|Unsqueeze|Flatten|Transpose|Shape|Expand"
)
_CONVERTING = re.compile(r"(?:De)?[Qq]uantize(?:Linear)?(?:_\d+)?$|Cast(?:_\d+)?$")
_VIEWS = re.compile(r"Reshape|Squeeze|Unsqueeze|Flatten|Transpose|Expand")
_SHARED_NUMBERS, _AGREEING = 0.6, 0.75
# A name that ends in a number, and is no step of a path: Conv_22, onnx::Conv_129, input.24, 422, (Unnamed Layer* 7).
_NUMBERED = re.compile(r"^[^/]*?(?:^|[_.:])\d+(?:'?\.\d+_\d+_myl\d+)?$|\(Unnamed Layer\* \d+\)")
_ANY_NUMBER = re.compile(r"_\d+(?![\w/])|\(Unnamed Layer\* \d+\)")
# What Myelin adds to the name of a tensor that it knows from the model: t'.1_34_myl0.
_MYELIN_TENSOR = re.compile(r"'?\.\d+_\d+_myl\d+$")
_MYELIN_OWN = re.compile(r"_myl\d+(?:_\d+)?$|^__my[el]")
_COUNTER = re.compile(r"(?:[_.:]+\d+)+$")
_ATTENTION = frozenset(("mha", "attention"))
_LETTERS = 4
_WEIGHTS = (".weight", ".bias")
_UNNAMED = re.compile(r"\(Unnamed Layer\* \d+\) \[(.+)\]")


def is_conversion(layer: Layer) -> bool:
    """True for a layer that TensorRT put in to change a tensor's type or layout, and a generated kernel that casts; of
    a layer that tells its name alone, when that names nodes of the kind and nothing else.
    """
    if layer.type in CONVERSIONS or layer.name_parts.tokens == ("Cast",):
        return True
    named = () if layer.lists_tensors or layer.outputs else layer.name_parts.operations
    return bool(named) and all(_CONVERTING.match(_step(node)) for node in named)


def is_attention(layer: Layer) -> bool:
    """True for one kernel that does all of attention, by its type or the words in its name."""
    return layer.type.lower() in _ATTENTION or not _ATTENTION.isdisjoint(layer.name_parts.tokens)


@lru_cache(maxsize=1 << 16)
def is_minor(node: str) -> bool:
    """True for a node that only converts or moves, by the name that exporters give it."""
    return _MINOR.match(_step(node)) is not None


def is_view(node: str) -> bool:
    """True for a node that only moves or names values anew, and keeps their type."""
    return _VIEWS.match(_step(node)) is not None


class Witnesses:
    """Of the layers of both sides together; those from ``start`` on are the right side's.

    nodes: names of the ONNX nodes of each layer. trusts_numbers: False when a number in a name means another node on
    the other side: exporters that number all nodes of a model number them anew when one is added.
    """

    def __init__(self, layers: Sequence[Layer], start: int) -> None:
        self.layers = layers
        self._words = _words(layers, start)
        self.nodes = [_nodes(layer) for layer in layers]
        self.trusts_numbers = _numbers_agree(layers, self.nodes, start)
        if not self.trusts_numbers:
            self.nodes = [tuple(node for node in nodes if not _NUMBERED.search(node)) for nodes in self.nodes]

    def tensors(self, place: int) -> Hashable:
        """Names of its outputs that come from the model, and whether it converts or attends; empty for scratch memory
        and for numbers not to be trusted.
        """
        found = []
        for tensor in self.layers[place].outputs:
            name = _MYELIN_TENSOR.sub("", tensor.name)
            if not name or _MYELIN_OWN.search(name) or (not self.trusts_numbers and _NUMBERED.search(name)):
                continue
            found.append(name)
        return (is_conversion(self.layers[place]), is_attention(self.layers[place]), *sorted(found)) if found else ()

    def name(self, place: int) -> Hashable:
        """Its name and type; empty where numbers in it are no witnesses, and for kernels that Myelin counts."""
        layer = self.layers[place]
        if not layer.name or _MYELIN_OWN.search(layer.name):
            return ()
        if not self.trusts_numbers and _ANY_NUMBER.search(layer.name):
            return ()
        return (layer.name, layer.type)

    def words(self, place: int) -> Counter[str]:
        """What the layer does in single words, each as often as its name says; empty when it does not tell.

        Of each word the first four letters, as in the names of generated kernels, which cut their words so; and only
        words that both sides use, so that names of which one side alone makes use say nothing.
        """
        return self._words[place]

    def tells_all(self, place: int) -> bool:
        """False where a name may tell only a part of the work: Myelin calls a product by its first node."""
        layer = self.layers[place]
        parts = layer.name_parts
        return bool(layer.origins or parts.tokens or (parts.operations and parts.fusion != "myelin"))

    def likeness(self, one: int, other: int) -> float:
        """How much of what both names tell is in both, 0 to 1; 0.5 where one of them does not tell everything."""
        mine, theirs = self.words(one), self.words(other)
        if not mine or not theirs or not self.tells_all(one) or not self.tells_all(other):
            return 0.5
        return 2.0 * (mine & theirs).total() / (mine.total() + theirs.total())


def _nodes(layer: Layer) -> tuple[str, ...]:
    """ONNX nodes of a layer and the names of its weights; of one without origins, the operations in its name. None for
    an inserted conversion.
    """
    if is_conversion(layer) and layer.name_parts.wraps:
        return ()
    named = layer.name_parts.operations
    if not layer.origins:
        return named
    return (*layer.origins, *(name for name in named if name.endswith(_WEIGHTS) and name not in layer.origins))


def _words(layers: Sequence[Layer], start: int) -> list[Counter[str]]:
    found = []
    for layer in layers:
        parts = layer.name_parts
        found.append([_word(name) for name in layer.origins or (*parts.operations, *parts.tokens)])
    both = (set[str]().union(*found[:start]) & set[str]().union(*found[start:])) - {""}
    known: dict[tuple[str, ...], Counter[str]] = {}
    told = []
    for words in found:
        key = tuple(word for word in words if word in both)
        if key not in known:
            known[key] = Counter(key)
        told.append(known[key])
    return told


def _numbers_agree(layers: Sequence[Layer], nodes: Sequence[Sequence[str]], start: int) -> bool:
    """Whether numbers mean the same nodes: most of the side that has fewer are on the other side, too, and of these,
    most are in layers that write the same shapes.
    """
    sides: tuple[dict[str, set[Hashable]], dict[str, set[Hashable]]] = (defaultdict(set), defaultdict(set))
    for place, names in enumerate(nodes):
        for node in names:
            if _NUMBERED.search(node) and not is_minor(node):
                sides[place >= start][node].update(shapes_of(layers[place].outputs))
    fewer = min(map(len, sides))
    shared = sides[0].keys() & sides[1].keys()
    if len(shared) < _SHARED_NUMBERS * fewer:
        return False
    known = [
        node for node in shared if sides[0][node] and sides[1][node] and None not in sides[0][node] | sides[1][node]
    ]
    agreeing = sum(not sides[0][node].isdisjoint(sides[1][node]) for node in known)
    return agreeing >= _AGREEING * len(known)


def shapes_of(tensors: Sequence[object]) -> tuple[Hashable, ...]:
    """Shapes without their first dimension, None for one that is unknown."""
    shapes = (tensor.shape for tensor in tensors)  # type: ignore[attr-defined]
    return tuple(None if shape is None else shape[1:] for shape in shapes)


def _step(node: str) -> str:
    return node.rpartition("/")[2].rpartition(".")[2]


def unnamed_kind(node: str) -> str:
    """``convolution`` of ``(Unnamed Layer* 7) [Convolution]``, which TensorRT calls a layer that nobody named; else
    "".
    """
    found = _UNNAMED.search(node) if "(Unnamed" in node else None
    return found[1].lower() if found else ""


def _word(node: str) -> str:
    """``conv`` of ``/layer1/conv1/Conv_3``, ``Conv_12``; "" for quantizers and casts, and for names of weights."""
    return unnamed_kind(node) or _leaf_word(node.rpartition("/")[2])


@lru_cache(maxsize=1 << 16)
def _leaf_word(leaf: str) -> str:
    if (is_minor(leaf) and not is_view(leaf)) or leaf.endswith(_WEIGHTS):
        return ""
    return _COUNTER.sub("", leaf).rpartition("::")[2].lower().removeprefix("reduce")[:_LETTERS]

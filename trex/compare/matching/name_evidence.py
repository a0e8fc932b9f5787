"""What the names in both plans say about the work of their layers, and which names can be trusted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from functools import lru_cache

from trex.core.endings import without_ending
from trex.core.layer import REFORMATS, Layer
from trex.core.shape import Shape
from trex.core.tensor import Tensor

CONVERSIONS = REFORMATS
_MINOR = re.compile(
    r"(?:De)?[Qq]uantize(?:Linear)?|Cast|Identity|Constant|Reshape|Squeeze|Unsqueeze|Flatten|Transpose|Shape|Expand"
)
_CONVERTING = re.compile(r"(?:De)?[Qq]uantize(?:Linear)?(?:_\d+)?$|Cast(?:_\d+)?$")
_VIEW_TYPES = frozenset(("Shuffle", "NoOp", "Reshape", "shape_call"))
_VIEWS = re.compile(r"Reshape|Squeeze|Unsqueeze|Flatten|Transpose|Expand")
_SHARED_NUMBERS, _AGREEING = 0.6, 0.75
# A name that ends in a number and is no step of a path: Conv_22, onnx::Conv_129, input.24, 422, (Unnamed Layer* 7).
_NUMBERED = re.compile(r"^[^/]*?(?:^|[_.:])\d+(?:'?\.\d+_\d+_myl\d+)?$|\(Unnamed Layer\* \d+\)")
_ANY_NUMBER = re.compile(r"_\d+(?![\w/])|\(Unnamed Layer\* \d+\)")
# Myelin appends this to the name of a tensor of the model: t'.1_34_myl0.
_MYELIN_TENSOR = re.compile(r"'?\.\d+_\d+_myl\d+$")
_MYELIN_OWN = re.compile(r"_myl\d+(?:_\d+)?$|^__my[el]")
_COUNTER_BACKWARDS = re.compile(r"\d+[_.:]+")
_ATTENTION = frozenset(("mha", "attention"))
_LETTERS = 4
_WEIGHTS = (".weight", ".bias")
_UNNAMED = re.compile(r"\(Unnamed Layer\* \d+\) \[")
# The shapes of more outputs of a layer are not compared.
_MOST_OUTPUTS = 64
_ShapesOf = dict[str, list[frozenset[Shape | None]]]


def is_conversion(layer: Layer) -> bool:
    """Whether TensorRT inserted the layer to change a tensor's type or layout, or it is a generated kernel that only
    casts. A layer without tensors is one if its name contains only such nodes.
    """
    if layer.type in CONVERSIONS or layer.name_parts.tokens == ("Cast",):
        return True
    nodes = () if layer.lists_tensors or layer.outputs else layer.name_parts.operations
    return bool(nodes) and all(_CONVERTING.match(_step(node)) for node in nodes)


def is_view_layer(layer: Layer) -> bool:
    """Whether the layer only moves or reshapes values, by its type or by all of its nodes."""
    nodes = layer.origins or layer.name_parts.operations
    return layer.type in _VIEW_TYPES or (bool(nodes) and layer.type in ("kgen", "") and all(map(is_view, nodes)))


def is_attention(layer: Layer) -> bool:
    """Whether one kernel runs all of attention, by its type or the words in its name."""
    return layer.type.lower() in _ATTENTION or not _ATTENTION.isdisjoint(layer.name_parts.tokens)


@lru_cache(maxsize=1 << 16)
def is_minor(node: str) -> bool:
    """Whether a node only converts or moves values, by the name that exporters give it."""
    return _MINOR.match(_step(node)) is not None


def is_view(node: str) -> bool:
    """Whether a node only moves or reshapes values and keeps their type."""
    return _VIEWS.match(_step(node)) is not None


class NameEvidence:
    """The names of both sides' layers; those from ``start`` on belong to the right side.

    nodes: names of each layer's ONNX nodes. trusts_numbers: False if the same number means different nodes on the two
    sides, since some exporters number all nodes and inserting one shifts the rest.
    """

    def __init__(self, layers: Sequence[Layer], start: int) -> None:
        self.layers = layers
        self._words = _words(layers, start)
        self._tensors: dict[int, tuple[Hashable, ...]] = {}
        self._distinct: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
        self.nodes = [_nodes(layer) for layer in layers]
        self.trusts_numbers = _numbers_agree(layers, self.nodes, start)
        if not self.trusts_numbers:
            self.nodes = [tuple(node for node in nodes if not _NUMBERED.search(node)) for nodes in self.nodes]

    def tensors(self, index: int) -> Hashable:
        """Names of the layer's outputs that come from the model, and whether it converts or attends. Empty for scratch
        memory and for untrusted numbers. Equal ones are one object.
        """
        if index not in self._tensors:
            names = self._model_tensors(self.layers[index])
            self._tensors[index] = self._distinct.setdefault(names, names)
        return self._tensors[index]

    def _model_tensors(self, layer: Layer) -> tuple[Hashable, ...]:
        names = []
        for tensor in layer.outputs:
            name = _MYELIN_TENSOR.sub("", tensor.name)
            if not name or _MYELIN_OWN.search(name) or (not self.trusts_numbers and _NUMBERED.search(name)):
                continue
            names.append(name)
        return (is_conversion(layer), is_attention(layer), *sorted(names)) if names else ()

    def name(self, index: int) -> Hashable:
        """The layer's name and type. Empty for untrusted numbers and for kernels that Myelin numbers."""
        layer = self.layers[index]
        if not layer.name or _MYELIN_OWN.search(layer.name):
            return ()
        if not self.trusts_numbers and _ANY_NUMBER.search(layer.name):
            return ()
        return (layer.name, layer.type)

    def words(self, index: int) -> Counter[str]:
        """The layer's operations as words, each as often as its name contains it; empty if the name has none.

        A word is cut to four letters, as Myelin cuts them, and counts only if both sides use it.
        """
        return self._words[index]

    def names_all_work(self, index: int) -> bool:
        """False if the name may contain only part of the work: Myelin names a GEMM by its first node."""
        layer = self.layers[index]
        parts = layer.name_parts
        return bool(layer.origins or parts.tokens or (parts.operations and parts.fusion != "myelin"))

    def similarity(self, left: int, right: int) -> float:
        """Share of the words that two layers have in common, 0 to 1; 0.5 if a name may not contain all work."""
        words, others = self.words(left), self.words(right)
        if not words or not others or not self.names_all_work(left) or not self.names_all_work(right):
            return 0.5
        return shared_words(words, others)


def shared_words(left: Counter[str], right: Counter[str]) -> float:
    """Share of words that are on both sides, 0 to 1 (Dice coefficient)."""
    return 2.0 * (left & right).total() / (left.total() + right.total())


def _nodes(layer: Layer) -> tuple[str, ...]:
    """A layer's ONNX nodes and the names of its weights; without origins, the operations in its name. Empty for an
    inserted conversion.
    """
    if is_conversion(layer) and layer.name_parts.wraps:
        return ()
    operations = layer.name_parts.operations
    if not layer.origins:
        return operations
    known = frozenset(layer.origins)
    return (*layer.origins, *(name for name in operations if name.endswith(_WEIGHTS) and name not in known))


def _words(layers: Sequence[Layer], start: int) -> list[Counter[str]]:
    words_of = []
    for layer in layers:
        parts = layer.name_parts
        names = layer.origins or (*parts.operations, *_with_clips(parts.tokens))
        words_of.append([_word(name) for name in names])
    shared = (set[str]().union(*words_of[:start]) & set[str]().union(*words_of[start:])) - {""}
    known: dict[tuple[str, ...], Counter[str]] = {}
    counts = []
    for words in words_of:
        key = tuple(word for word in words if word in shared)
        if key not in known:
            known[key] = Counter(key)
        counts.append(known[key])
    return counts


def _with_clips(tokens: Sequence[str]) -> list[str]:
    """The operations of a generated kernel; the maximum and the minimum that follow one another are a Clip of the
    model (``MaxMin``), as ReLU6 is written.
    """
    words = list[str]()
    for token in tokens:
        if words and {words[-1], token} == {"Max", "Min"}:
            words[-1] = "Clip"
        else:
            words.append(token)
    return words


def _numbers_agree(layers: Sequence[Layer], nodes: Sequence[Sequence[str]], start: int) -> bool:
    """Whether numbers mean the same nodes: most numbered nodes are on both sides, and most of those write the same
    shapes.
    """
    # All nodes of a layer share one set of shapes.
    sides: tuple[_ShapesOf, _ShapesOf] = (defaultdict(list), defaultdict(list))
    for index, names in enumerate(nodes):
        shapes = frozenset(shapes_of(layers[index].outputs[:_MOST_OUTPUTS]))
        for node in names:
            if _NUMBERED.search(node) and not is_minor(node):
                sides[index >= start][node].append(shapes)
    fewer = min(map(len, sides))
    shared = sides[0].keys() & sides[1].keys()
    if len(shared) < _SHARED_NUMBERS * fewer:
        return False
    known = agreeing = 0
    for node in shared:
        left, right = (frozenset[Shape | None]().union(*side[node]) for side in sides)
        if left and right and None not in left and None not in right:
            known += 1
            agreeing += not left.isdisjoint(right)
    return agreeing >= _AGREEING * known


def shapes_of(tensors: Sequence[Tensor]) -> tuple[Shape | None, ...]:
    """Shapes without the batch dimension, None for an unknown one."""
    return tuple(None if tensor.shape is None else tensor.shape[1:] for tensor in tensors)


def _step(node: str) -> str:
    return node.rpartition("/")[2].rpartition(".")[2]


def unnamed_kind(node: str) -> str:
    """``convolution`` for ``(Unnamed Layer* 7) [Convolution]``, TensorRT's name for an unnamed layer; else ""."""
    match = _UNNAMED.search(node) if "(Unnamed" in node else None
    return node[match.end() : max(node.rfind("]"), match.end())].lower() if match else ""


def _word(node: str) -> str:
    """``conv`` for ``/layer1/conv1/Conv_3`` and ``Conv_12``; "" for quantizers, casts and weights."""
    return unnamed_kind(node) or _leaf_word(node.rpartition("/")[2])


@lru_cache(maxsize=1 << 16)
def _leaf_word(leaf: str) -> str:
    if (is_minor(leaf) and not is_view(leaf)) or leaf.endswith(_WEIGHTS):
        return ""
    return without_ending(leaf, _COUNTER_BACKWARDS).rpartition("::")[2].lower().removeprefix("reduce")[:_LETTERS]

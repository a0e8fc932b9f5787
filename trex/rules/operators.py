"""Layer → operators: what a layer does, whatever spelling it comes in: ONNX names, Myelin tokens, layer types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from trex.core.endings import without_ending
from trex.core.layer import DLA_PART, REFORMATS, Layer, Role
from trex.plan.listed_operands import product_type

COPIES = REFORMATS
CONVOLUTIONS = ("Convolution", "Deconvolution", "ConvActPool", "conv", "correlation", "deconv")
MATRIX_PRODUCTS = frozenset({"MatrixMultiply", "gemm", "Gemm", "matmul", "MatMul"})
GEMMS = frozenset({*CONVOLUTIONS, "CaskConvolution", "MatrixMultiply", "FullyConnected", "gemm", "Gemm", "matmul"})
"""Types of layers that multiply matrices, convolutions included."""
POOLINGS = frozenset({"Pooling", "pool", "Pool", "maxpool", "avgpool"})
REGIONS = ("Myelin", "ForeignNode")
DLA = DLA_PART
OPAQUE_TYPES = (*REGIONS, DLA, "Loop", "If", "Conditional")
"""Types of layers that stand for many operations, which the engine information does not list."""
WHOLE_NORMALIZATIONS = frozenset(
    {"layernormalization", "groupnormalization", "instancenormalization", "rmsnormalization"}
)
"""Operators of ONNX that are a whole normalization; TensorRT computes inside of them in FP32."""

QUANTIZES = frozenset({"quantizelinear", "quantlinearnode", "quantize", "quantize_per_tensor", "fakequantize"})
DEQUANTIZES = frozenset({"dequantizelinear", "dequantlinearnode", "dequantize", "dequantize_per_tensor"})
ADDS = frozenset({"add", "sum", "add_", "residual_add"})

_NUMBER_BACKWARDS = re.compile(r"\d+[_.:]+|\]\d+\[")
_TORCH = re.compile(r"-\[([^\[\]]*)\]$")
_TOKENS = {"maxr": "reducemax", "sum": "reducesum", "mean": "reducemean", "mea": "reducemean", "sigm": "sigmoid"}
_TOKENS |= {"dequ": "dequantizelinear", "quan": "quantizelinear", "sele": "where", "equa": "equal", "grea": "greater"}
_TOKENS |= {"resh": "reshape", "res": "reshape", "tran": "transpose", "tra": "transpose", "slic": "slice"}
_TOKENS |= {"sli": "slice", "gath": "gather", "conc": "concat", "repl": "expand", "sqr": "sqrt", "max": "reducemax"}
_TOKENS |= {"cas": "cast", "sel": "where", "equ": "equal", "gre": "greater", "lt": "less", "gt": "greater"}
_TOKENS |= {"les": "less", "sig": "sigmoid", "rel": "relu", "tan": "tanh", "gat": "gather", "con": "concat"}
_TOKENS |= {"rep": "expand", "mov": "move", "deq": "dequantizelinear", "qua": "quantizelinear", "roun": "round"}
_TOKENS |= {"rou": "round", "log1": "log", "isi": "isin", "sil": "silu"}
_TOKENS |= {"scat": "scatter", "sca": "scatter", "resi": "resize"}
_POINTWISE = frozenset({"PointWise", "PointWiseV2", "ElementWise", "Activation", "Unary", "UnaryOperation", "Scale"})
_POINTWISE_WORDS = frozenset(
    {"add", "sub", "mul", "div", "min", "max", "exp", "log", "erf", "tanh", "sigmoid", "relu", "sqrt", "pow", "neg"}
    | {"abs", "sin", "cos", "where", "equal", "greater", "less", "and", "or", "not", "cast"}
    | {"silu", "elu", "round", "isin"}
)
_CHEAP_WORDS = _POINTWISE_WORDS | {"reshape", "transpose", "expand", "unsqueeze", "squeeze", "quantizelinear"}
_CHEAP_WORDS |= {"dequantizelinear", "move"}
_CHEAP_TYPES = _POINTWISE | COPIES | {"Shuffle", "NoOp", "Quantize", "Dequantize", "reshape", "Transpose"}
_GENERATED_GEMMS = frozenset({"fc", "gemm"})


@lru_cache(maxsize=65536)
def operator_word(operation: str) -> str:
    """The operator that an operation's name contains: ``/layer1/Add_1``, ``Add_36`` → ``add``."""
    match = _TORCH.search(operation)
    text = (match.group(1) if match else operation).rstrip("/").rpartition("/")[2]
    return without_ending(text, _NUMBER_BACKWARDS).strip("_").lower()


def operations_of(layer: Layer) -> tuple[str, ...]:
    """Names of the ONNX operators in a layer: those of its name, then those of its metadata that the name lacks."""
    if not layer.origins:
        return layer.name_parts.operations
    return tuple(dict.fromkeys((*layer.name_parts.operations, *layer.origins)))


def is_quantization(operation: str) -> bool:
    if "uant" not in operation:  # most names; a large engine has hundreds of thousands
        return False
    word = operator_word(operation)
    return word in QUANTIZES or word in DEQUANTIZES


class Operations:
    """What the layers do. Positions are those of ``AnalyzedEngine``."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = layers

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """Per position: the operators in names, origins and tokens (``add``, ``reducemean``, ``sqrt``)."""
        known: dict[frozenset[str], frozenset[str]] = {}  # repeated blocks have few distinct ones
        words = (_words(operations_of(layer), layer.name_parts.tokens) for layer in self._layers)
        return tuple([known.setdefault(own, own) for own in words])

    def tokens(self, position: int) -> frozenset[str]:
        """The operators that the tokens of a generated kernel's name stand for; empty without tokens."""
        return _token_words(self._layers[position].name_parts.tokens)

    def is_gemm(self, position: int) -> bool:
        """A convolution or a matrix product."""
        return product_type(self._layers[position]) in GEMMS

    def multiplies_activations(self, position: int) -> bool:
        """A matrix product whose operands are both computed, as the two of attention."""
        layer = self._layers[position]
        if len(layer.inputs) < 2 or layer.weights:
            return False
        return product_type(layer) in MATRIX_PRODUCTS or (
            layer.type == "kgen"
            and not _GENERATED_GEMMS.isdisjoint(words := self.words[position])
            and "mha" not in words
        )

    def is_pointwise(self, position: int) -> bool:
        """Each output value comes from the values at its own position, so neighbors could be one kernel."""
        layer = self._layers[position]
        if layer.role is not Role.KERNEL:
            return False
        if layer.type in _POINTWISE:
            return True
        tokens = layer.name_parts.tokens
        return bool(tokens) and layer.type == "kgen" and _token_words(tokens) <= _POINTWISE_WORDS

    def is_cheap(self, position: int) -> bool:
        """Pointwise, a copy or a change of shape: what lies between two GEMMs without being work of its own."""
        layer = self._layers[position]
        if layer.type in _CHEAP_TYPES or layer.role is Role.NOOP:
            return True
        tokens = layer.name_parts.tokens
        return bool(tokens) and _token_words(tokens) <= _CHEAP_WORDS

    def may_be_in_attention(self, position: int) -> bool:
        """Cheap, or a part of a softmax: what may lie between the two GEMMs of attention."""
        if self.is_cheap(position):
            return True
        tokens = _token_words(self._layers[position].name_parts.tokens)
        return bool(tokens) and tokens <= _CHEAP_WORDS | {"reducemax", "reducesum"}

    def is_softmax(self, position: int) -> bool:
        """Exponentials and their sum, whatever their name; not a fused attention."""
        layer = self._layers[position]
        if layer.type.lower() in ("softmax", "ragged_softmax"):
            return True
        tokens = _token_words(layer.name_parts.tokens)
        return "exp" in tokens and "reducesum" in tokens and "mha" not in tokens


def _words(operations: tuple[str, ...], tokens: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(operator_word, operations)) | _token_words(tokens)


@lru_cache(maxsize=4096)
def _token_words(tokens: tuple[str, ...]) -> frozenset[str]:
    """``Max`` is a reduction in names of three-letter tokens (``MaxSubExpSum``), but next to ``Min`` half of a clip."""
    words = [token.lower() for token in tokens]
    clips = any({"max", "min"} == set(pair) for pair in pairwise(words))
    return frozenset(word if clips and word == "max" else _TOKENS.get(word, word) for word in words)

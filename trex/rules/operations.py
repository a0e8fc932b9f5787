"""Operations: what each layer does, in words that hold for every spelling: ONNX names, Myelin's tokens, layer types."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from trex.core.layer import Layer, Role
from trex.rules.type_flow import COPIES, PRODUCTS, operations_of, operator_word

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import Inspected

_TOKENS = {"maxr": "reducemax", "sum": "reducesum", "mean": "reducemean", "sigm": "sigmoid", "dequ": "dequantizelinear"}
_TOKENS |= {"quan": "quantizelinear", "sele": "where", "equa": "equal", "grea": "greater", "resh": "reshape"}
_TOKENS |= {"tran": "transpose", "slic": "slice", "gath": "gather", "conc": "concat", "repl": "expand"}
_TOKENS |= {
    "mea": "reducemean",
    "sqr": "sqrt",
    "max": "reducemax",
    "res": "reshape",
    "tra": "transpose",
    "sli": "slice",
}
_POINTWISE = frozenset({"PointWise", "PointWiseV2", "ElementWise", "Activation", "Unary", "UnaryOperation", "Scale"})
_POINTWISE_WORDS = frozenset(
    {"add", "sub", "mul", "div", "min", "max", "exp", "log", "erf", "tanh", "sigmoid", "relu", "sqrt", "pow", "neg"}
    | {"abs", "sin", "cos", "where", "equal", "greater", "less", "and", "or", "not", "cast"}
)
_CHEAP_WORDS = _POINTWISE_WORDS | {"reshape", "transpose", "expand", "unsqueeze", "squeeze", "quantizelinear"}
_CHEAP_WORDS |= {"dequantizelinear", "move"}
_CHEAP_TYPES = _POINTWISE | COPIES | {"Shuffle", "NoOp", "Quantize", "Dequantize", "reshape", "Transpose"}


class Operations:
    """What the layers do. Places are those of ``Inspected``."""

    def __init__(self, seen: Inspected) -> None:
        self._seen = seen

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """Per place: the operators told by names, origins and tokens (``add``, ``reducemean``, ``sqrt``)."""
        return tuple([_words(operations_of(layer), layer.name_parts.tokens) for layer in self._seen.layers])

    def is_product(self, place: int) -> bool:
        """A convolution or a matrix product."""
        return self._seen.layers[place].type in PRODUCTS

    def multiplies_activations(self, place: int) -> bool:
        """A matrix product of two operands of which none is stored, as attention has two."""
        layer = self._seen.layers[place]
        if len(layer.inputs) < 2 or layer.weights:
            return False
        return layer.type in _MATRIX or (
            layer.type == "kgen"
            and not _GENERATED_PRODUCTS.isdisjoint(words := self.words[place])
            and "mha" not in words
        )

    def is_pointwise(self, place: int) -> bool:
        """One value out of the values at one position: nothing that would keep neighbors from being one kernel."""
        layer = self._seen.layers[place]
        if layer.role is not Role.KERNEL:
            return False
        if layer.type in _POINTWISE:
            return True
        tokens = layer.name_parts.tokens
        return bool(tokens) and layer.type == "kgen" and _token_words(tokens) <= _POINTWISE_WORDS

    def is_cheap(self, place: int) -> bool:
        """Pointwise, a copy or a change of shape: what stands between two products without being work of its own."""
        layer = self._seen.layers[place]
        if layer.type in _CHEAP_TYPES or layer.role is Role.NOOP:
            return True
        tokens = layer.name_parts.tokens
        return bool(tokens) and _token_words(tokens) <= _CHEAP_WORDS

    def is_passed(self, place: int) -> bool:
        """Cheap, or a part of a softmax: what may stand between attention's products."""
        if self.is_cheap(place):
            return True
        tokens = _token_words(self._seen.layers[place].name_parts.tokens)
        return bool(tokens) and tokens <= _CHEAP_WORDS | {"reducemax", "reducesum"}

    def is_softmax(self, place: int) -> bool:
        """Exponentials and their sum, whatever they are called; a fused attention is none."""
        layer = self._seen.layers[place]
        if layer.type.lower() in ("softmax", "ragged_softmax"):
            return True
        tokens = _token_words(layer.name_parts.tokens)
        return "exp" in tokens and "reducesum" in tokens and "mha" not in tokens


_GENERATED_PRODUCTS = frozenset({"fc", "gemm"})
_MATRIX = frozenset({"MatrixMultiply", "gemm", "Gemm", "matmul", "MatMul"})


@lru_cache(maxsize=65536)
def _words(operations: tuple[str, ...], tokens: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(operator_word, operations)) | _token_words(tokens)


@lru_cache(maxsize=4096)
def _token_words(tokens: tuple[str, ...]) -> frozenset[str]:
    lower = [token.lower() for token in tokens]
    return frozenset(_TOKENS.get(token, token) for token in lower)


def capability_of(seen: Inspected) -> int | None:
    """Compute capability of the GPU times ten: of the device, else the highest that a kernel was written for."""
    device = seen.performance.device
    if device is not None and device.compute_capability is not None:
        return device.compute_capability[0] * 10 + device.compute_capability[1]
    return max((kernel.sm for kernel in seen.kernels if kernel.sm is not None), default=None)


def operand_types(seen: Inspected, layer: Layer) -> tuple[str, ...]:
    """Labels of the types of a layer's inputs that carry data."""
    return tuple(dict.fromkeys(tensor.precision for tensor in layer.inputs if tensor.data_type.is_known))

"""Layer → names of its ONNX operations, with the effect and the module of each."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from trex.core.endings import without_ending
from trex.core.layer import Layer, NameParts, Role
from trex.ingest.spelling.layer_names import inserted_for, parse_name, torch_parts
from trex.ingest.spelling.origins import module_of

# Longer names do not repeat, so caching them would only take memory.
_LONGEST_CACHED = 512
_UNNAMED = "(Unnamed Layer*"
_STORED = re.compile(
    r".*[./](?:weights?|bias|kernel|gamma|beta|running_mean|running_var|in_proj_weight|in_proj_bias|zero_point|scale)"
    r"(?:_quantized)?|.*(?:ReadVariableOp|resource)(?::\d+)?|.*:\d+|onnx::\w+_\d+",
    re.DOTALL,
)
_COUNTER_BACKWARDS = re.compile(r"[_.\d]+")
_CONVERTING = frozenset([
    "quantizelinear", "dequantizelinear", "quantize", "dequantize", "dynamicquantizelinear", "quantlinearnode",
    "dequantlinearnode", "quantlinear", "dequantlinear", "cast", "castlike", "identity", "constant", "constantofshape",
    "dropout",
])  # fmt: skip
_VIEWING = frozenset(["reshape", "flatten", "squeeze", "unsqueeze", "shape", "size", "expand", "transpose"])


class Effect(Enum):
    """What an operation does, by its name. COMPUTES: computes or copies. VIEWS: changes shape or order only, free if
    fused into a kernel. CONVERTS: changes at most the type.
    """

    COMPUTES = "computes"
    VIEWS = "views"
    CONVERTS = "converts"

    __hash__ = object.__hash__


def operation_names(layer: Layer) -> tuple[str, ...]:
    """Distinct names of a layer's ONNX nodes, from its origins or its name, without stored parameters and layers that
    TensorRT inserted. () for a reformat that serves another layer, and for names without nodes.
    """
    if layer.name_parts.wraps:
        return ()
    if layer.origins:
        return tuple(dict.fromkeys(name for name in layer.origins if not is_stored_name(name)))
    if layer.role not in (Role.KERNEL, Role.NOOP):
        return ()
    return names_in(layer.name_parts)


def names_in(parts: NameParts) -> tuple[str, ...]:
    """The names of the ONNX nodes in a layer's name; of a region, those of its two ends."""
    names = parts.operations
    if "foreign" in parts.fusion:
        names = tuple(operation for end in names for operation in parse_name(end).operations)
    return tuple(
        dict.fromkeys(
            name
            for name in names
            if not is_stored_name(name) and not name.startswith(_UNNAMED) and inserted_for(name) is None
        )
    )


def served_by(layer: Layer) -> tuple[str, ...]:
    """Names of the ONNX nodes of the layer that a reformat serves; () for other layers."""
    wraps = layer.name_parts.wraps
    return names_in(parse_name(wraps)) if wraps else ()


def effect_of(name: str) -> Effect:
    """Effect of an operation by its name; COMPUTES if unknown."""
    word = operator_word(name)
    return Effect.CONVERTS if word in _CONVERTING else Effect.VIEWS if word in _VIEWING else Effect.COMPUTES


def operator_word(name: str) -> str:
    """The operator in a node's name, in lower case: ``/layer1/relu/Relu_1`` → relu, ``Conv__435`` → conv."""
    torch = torch_parts(name) if "]-[" in name else None
    last = torch[0] if torch else name.rstrip("/").rpartition("/")[2].rpartition(":")[2]
    return _word(last) if len(last) <= _LONGEST_CACHED else _word.__wrapped__(last)


def is_stored_name(name: str) -> bool:
    """Whether a name is that of stored parameters (``conv1.weight``), as exporters name them."""
    return _is_stored(name) if len(name) <= _LONGEST_CACHED else _is_stored.__wrapped__(name)


def module_of_name(name: str) -> str:
    """Module of a node (``/layer1/0/conv1``); "" if its name contains no path."""
    return module_of((name,), NameParts(()))


@lru_cache(maxsize=16384)
def _word(last: str) -> str:
    return without_ending(last, _COUNTER_BACKWARDS).removeprefix("node_").rpartition(".")[2].replace("_", "").lower()


@lru_cache(maxsize=16384)
def _is_stored(name: str) -> bool:
    return _STORED.fullmatch(name) is not None

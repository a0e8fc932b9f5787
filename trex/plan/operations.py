"""Layer → the ONNX operations that it tells: their names, what each does by its name, and their place in the model."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from trex.core.layer import Layer, NameParts, Role
from trex.ingest.spelling.layer_names import inserted_for, parse_name, torch_parts
from trex.ingest.spelling.origins import module_of

# Longer names do not repeat, and would only hold memory.
_REMEMBERED = 512
_UNNAMED = "(Unnamed Layer*"
_STORED = re.compile(
    r".*[./](?:weights?|bias|kernel|gamma|beta|running_mean|running_var|in_proj_weight|in_proj_bias|zero_point|scale)"
    r"(?:_quantized)?|.*(?:ReadVariableOp|resource)(?::\d+)?|.*:\d+|onnx::\w+_\d+",
    re.DOTALL,
)
_COUNTER = re.compile(r"[_.\d]+$")
_CONVERTING = frozenset(
    [
        "quantizelinear",
        "dequantizelinear",
        "quantize",
        "dequantize",
        "dynamicquantizelinear",
        "quantlinearnode",
        "dequantlinearnode",
        "quantlinear",
        "dequantlinear",
        "cast",
        "castlike",
        "identity",
        "constant",
        "constantofshape",
        "dropout",
    ]
)
_VIEWING = frozenset(["reshape", "flatten", "squeeze", "unsqueeze", "shape", "size", "expand", "transpose"])


class Act(Enum):
    """What an operation does, by its name. COMPUTES: or copies what no view could give. VIEWS: the same values in
    another shape or order, free where it is fused into a kernel. CONVERTS: another type or none at all.
    """

    COMPUTES = "computes"
    VIEWS = "views"
    CONVERTS = "converts"

    __hash__ = object.__hash__


def operation_names(layer: Layer) -> tuple[str, ...]:
    """Names of the ONNX nodes that a layer tells, each once, by its origins, else by its name; stored parameters and
    what TensorRT put in are none. () for a reformat that serves another layer, and for names that tell nothing.
    """
    if layer.name_parts.wraps:
        return ()
    if layer.origins:
        return tuple(dict.fromkeys(name for name in layer.origins if not is_stored_name(name)))
    if layer.role not in (Role.KERNEL, Role.NOOP):
        return ()
    return names_in(layer.name_parts)


def names_in(parts: NameParts) -> tuple[str, ...]:
    """The same of a name alone; of a region that tells two ends, these two."""
    names = parts.operations
    if "foreign" in parts.fusion:
        names = tuple(each for end in names for each in parse_name(end).operations)
    return tuple(
        dict.fromkeys(
            name
            for name in names
            if not is_stored_name(name) and not name.startswith(_UNNAMED) and inserted_for(name) is None
        )
    )


def served_by(layer: Layer) -> tuple[str, ...]:
    """Names of the nodes of the layer that a reformat serves; () for another layer."""
    wraps = layer.name_parts.wraps
    return names_in(parse_name(wraps)) if wraps else ()


def act_of(name: str) -> Act:
    """What an operation of this name does; a name that tells nothing computes."""
    word = operator_word(name)
    return Act.CONVERTS if word in _CONVERTING else Act.VIEWS if word in _VIEWING else Act.COMPUTES


def operator_word(name: str) -> str:
    """The operator in a node's name, in small letters: ``/layer1/relu/Relu_1`` → relu, ``Conv__435`` → conv."""
    torch = torch_parts(name) if "]-[" in name else None
    last = torch[0] if torch else name.rstrip("/").rpartition("/")[2].rpartition(":")[2]
    return _word(last) if len(last) <= _REMEMBERED else _word.__wrapped__(last)


def is_stored_name(name: str) -> bool:
    """True for the name of stored parameters (``conv1.weight``), by the ways in which exporters name them."""
    return _is_stored(name) if len(name) <= _REMEMBERED else _is_stored.__wrapped__(name)


def module_of_name(name: str) -> str:
    """Place of a node in the module tree (``/layer1/0/conv1``); "" when its name holds no path."""
    return module_of((name,), NameParts(()))


@lru_cache(maxsize=16384)
def _word(last: str) -> str:
    return _COUNTER.sub("", last).removeprefix("node_").rpartition(".")[2].replace("_", "").lower()


@lru_cache(maxsize=16384)
def _is_stored(name: str) -> bool:
    return _STORED.fullmatch(name) is not None

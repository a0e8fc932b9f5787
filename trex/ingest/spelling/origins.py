"""Metadata and layer name → origins of a layer: its ONNX nodes and its module in the model's module tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from trex.core.layer import NameParts
from trex.ingest.spelling.layer_names import inserted_for, parse_name, torch_parts

_ONNX_OPENING = "[ONNX Layer: "
_SEPARATORS = re.compile(r"[\x1e\x1f]")
# Names may contain "]", so a token ends where the next begins, with or without a printable separator.
_NEXT_ONNX_TOKEN = re.compile(r"\][\s+,|]*(?=\[ONNX Layer: )")
_NEXT_TORCH_TOKEN = re.compile(r"(?<=\])[\s+,|]*(?=\[[^\[\]]{1,200}\]-\[)")
_PARAMETERS = (
    "weight bias kernel gamma beta scale zero_point running_mean running_var in_proj_weight in_proj_bias "
    "weight_scale weight_zero_point embedding alpha"
)
_IS_PARAMETER = frozenset(_PARAMETERS.split())
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+){1,9999}")
_NUMBERED = re.compile(r"\w+(?:\.\w+)*\.\d+")
_COMPUTE = re.compile(r"(?:node_)?(?:conv|gemm|matmul|linear|addmm|deconv)", re.IGNORECASE)
_COMPUTE_CHARS = 32
_COMPUTE_STARTS = frozenset("ncgmladNCGMLAD")  # the first letters of _COMPUTE
# Longer paths do not repeat, so caching them would only take memory.
_LONGEST_CACHED = 512
ROOT = "/"
"""The module of a layer whose nodes have modules, but share only the root."""


def split_origins(metadata: str) -> tuple[str, ...]:
    """Distinct names of the model's nodes in a Metadata string, in order; () if there are none.

    Tokens ``[ONNX Layer: name]`` are separated by 0x1E, in Myelin regions by 0x1F, and by nothing if a display dropped
    these characters. Other text (Torch-TensorRT, metadata set through the API) is kept as one name.
    """
    if metadata.startswith(_ONNX_OPENING) and metadata.endswith("]"):
        body = metadata[len(_ONNX_OPENING) : -1].replace("\x1f", "\x1e")
        names = body.split("]\x1e" + _ONNX_OPENING)
        if body.count(_ONNX_OPENING) == len(names) - 1 == body.count("\x1e"):
            return tuple(dict.fromkeys(filter(None, map(str.strip, names))))
    origins: dict[str, None] = {}
    for chunk in _SEPARATORS.split(metadata):
        origins |= dict.fromkeys(filter(None, _tokens(chunk.strip())))
    return tuple(origins)


def _tokens(chunk: str) -> Iterable[str]:
    if chunk.startswith(_ONNX_OPENING) and chunk.rfind(_ONNX_OPENING) == 0:
        return (chunk.removesuffix("]")[len(_ONNX_OPENING) :].strip(),)
    start = chunk.find(_ONNX_OPENING)
    if start < 0:
        if "]-[" in chunk:
            return [part.strip() for part in _NEXT_TORCH_TOKEN.split(chunk)]
        return (chunk,)
    names = [chunk[:start].strip(" +,|")] if start else []
    # The split removes the closing bracket of every token but the last.
    for token in _NEXT_ONNX_TOKEN.split(chunk[start:].removesuffix("]")):
        names.append(token.removeprefix(_ONNX_OPENING).strip())
    return names


def module_of(origins: tuple[str, ...], parts: NameParts) -> str:
    """Module of a layer, such as ``/layer1/0/conv1``.

    This is the module of the layer's only compute node (``Conv``, ``Gemm``, ``MatMul`` …, into which bias, norm and
    activation were fused), otherwise the path that all nodes share. It comes from the origins, or from the operations
    in the name if the origins contain no path; a reformat is in the module of the layer it serves. Exporters repeat
    names (``/layer1/layer1.0/conv1``) and use dots or slashes: both are normalized, so engines of different exporters
    compare. ``/`` if the nodes share only the root; "" if no name contains a path.
    """
    if parts.wraps and not origins:
        parts = parse_name(parts.wraps)
        if parts.wraps:
            parts = parse_name(parts.wraps)
    return _shared_path(origins) or _shared_path(_single_operations(parts))


def _single_operations(parts: NameParts) -> tuple[str, ...]:
    """The operations of a name, including those in the two ends of a ForeignNode."""
    if "foreign" not in parts.fusion:
        return parts.operations
    return tuple(operation for end in parts.operations for operation in parse_name(end).operations)


def _shared_path(names: tuple[str, ...]) -> str:
    if names:
        folder = names[0].rpartition("/")[0] + "/"
        length = len(folder)
        if length > 1 and "]-[" not in folder and "_before_" not in folder and "_after_" not in folder:
            for name in names:
                if name.rfind("/") + 1 != length or not name.startswith(folder) or len(name) == length:
                    break
            else:
                return _normalized_path(folder)
    shared: tuple[str, ...] | None = None
    compute_path: tuple[str, ...] | None = None
    compute_nodes = 0
    for name in names:
        path, operator = _split_name(name)
        if operator[:1] in _COMPUTE_STARTS and _is_compute(operator[:_COMPUTE_CHARS]):
            compute_nodes += 1
            compute_path = path
        if path is None:
            continue
        if shared is None:
            shared = path
        elif path != shared and path[: len(shared)] != shared:
            same = 0
            for step, other in zip(shared, path, strict=False):
                if step != other:
                    break
                same += 1
            shared = shared[:same]
    if compute_nodes == 1 and compute_path is not None:
        shared = compute_path
    return "" if shared is None else ROOT + "/".join(shared)


def _split_name(name: str) -> tuple[tuple[str, ...] | None, str]:
    """(module in a node's name, the node's own name); the module is None if the name contains no path."""
    if "_before_" in name or "_after_" in name:
        name = inserted_for(name) or name
    if "]-[" in name:
        torch = torch_parts(name)
        name = torch[2] if torch else name
    if "/" in name:
        folder, _, operator = name.rstrip("/").rpartition("/")
        return (_steps(folder) if len(folder) <= _LONGEST_CACHED else _steps.__wrapped__(folder)), operator
    if "." in name and _DOTTED.fullmatch(name):
        pieces = name.split(".")
        if pieces[-1] in _IS_PARAMETER:
            return tuple(pieces[:-1]), ""
    return None, name


@lru_cache(maxsize=16384)
def _normalized_path(folder: str) -> str:
    return ROOT + "/".join(_steps(folder.rstrip("/")))


@lru_cache(maxsize=4096)
def _is_compute(operator: str) -> bool:
    """Whether other operators are fused into this one: a convolution or a GEMM."""
    return _COMPUTE.match(operator) is not None


@lru_cache(maxsize=16384)
def _steps(folder: str) -> tuple[str, ...]:
    """``/layer1/layer1.0/conv1`` → (``layer1``, ``0``, ``conv1``)."""
    path: list[str] = []
    before = ""
    for piece in folder.split("/"):
        if "." in piece:
            own = piece[len(before) + 1 :] if before and piece.startswith(before + ".") else piece
            path.extend(own.split(".") if _NUMBERED.fullmatch(own) else [own])
        elif piece:
            path.append(piece)
        before = piece
    return tuple(path)

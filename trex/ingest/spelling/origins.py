"""Metadata and names → where a layer came from: the ONNX nodes, and the place in the model's module tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from trex.core.layer import NameParts
from trex.ingest.spelling.layer_names import inserted_for, parse_name, torch_parts

_ONNX_OPENING = "[ONNX Layer: "
_SEPARATORS = re.compile(r"[\x1e\x1f]")
# Names may hold "]", so a token ends where another begins, with or without a printable joint between them.
_NEXT_ONNX_TOKEN = re.compile(r"\][\s+,|]*(?=\[ONNX Layer: )")
_NEXT_TORCH_TOKEN = re.compile(r"(?<=\])[\s+,|]*(?=\[[^\[\]]{1,200}\]-\[)")
_STORED_PARTS = (
    "weight bias kernel gamma beta scale zero_point running_mean running_var in_proj_weight in_proj_bias "
    "weight_scale weight_zero_point embedding alpha"
)
_IS_STORED = frozenset(_STORED_PARTS.split())
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")
_NUMBERED = re.compile(r"\w+(?:\.\w+)*\.\d+")
_WORKING = re.compile(r"(?:node_)?(?:conv|gemm|matmul|linear|addmm|deconv)", re.IGNORECASE)
_WORKING_CHARS = 32
_WORKING_STARTS = frozenset("ncgmladNCGMLAD")  # the letters that _WORKING can begin with
# Longer paths are no modules that repeat: remembering them would only hold memory.
_REMEMBERED = 512
ROOT = "/"
"""The module of a layer whose nodes have places, but only the whole model in common."""


def split_origins(metadata: str) -> tuple[str, ...]:
    """Names of the model's nodes in a Metadata string, in its order, each once; () when nothing is told.

    Tokens ``[ONNX Layer: name]`` are joined by 0x1E, inside Myelin regions by 0x1F, and by nothing where a display
    dropped those characters. Text that is no such token (Torch-TensorRT, metadata set through the API) is kept whole.
    """
    if metadata.startswith(_ONNX_OPENING) and metadata.endswith("]"):
        body = metadata[len(_ONNX_OPENING) : -1].replace("\x1f", "\x1e")
        names = body.split("]\x1e" + _ONNX_OPENING)
        if body.count(_ONNX_OPENING) == len(names) - 1 == body.count("\x1e"):
            return tuple(dict.fromkeys(filter(None, map(str.strip, names))))
    found: dict[str, None] = {}
    for chunk in _SEPARATORS.split(metadata):
        for name in _tokens(chunk.strip()):
            if name:
                found[name] = None
    return tuple(found)


def _tokens(chunk: str) -> Iterable[str]:
    if chunk.startswith(_ONNX_OPENING) and chunk.rfind(_ONNX_OPENING) == 0:
        return (chunk.removesuffix("]")[len(_ONNX_OPENING) :].strip(),)
    start = chunk.find(_ONNX_OPENING)
    if start < 0:
        if "]-[" in chunk:
            return [part.strip() for part in _NEXT_TORCH_TOKEN.split(chunk)]
        return (chunk,)
    names = [chunk[:start].strip(" +,|")] if start else []
    # Splitting takes the closing bracket of every token but the last.
    for token in _NEXT_ONNX_TOKEN.split(chunk[start:].removesuffix("]")):
        names.append(token.removeprefix(_ONNX_OPENING).strip())
    return names


def module_of(origins: tuple[str, ...], parts: NameParts) -> str:
    """Place in the module tree, such as ``/layer1/0/conv1``: that of the one node among a layer's that does the work
    (``Conv``, ``Gemm``, ``MatMul`` …: its bias, norm and activation were fused into it), else the path all nodes share.

    Taken from the origins; from the name's operations when those tell no path; a reformat belongs where the layer it
    serves does. Exporters repeat names (``/layer1/layer1.0/conv1``), dots and slashes mean the same: both are evened
    out, so that engines of different exporters compare. ``/`` when the nodes share only the root; "" when no name
    holds a path.
    """
    if parts.wraps and not origins:
        parts = parse_name(parts.wraps)
        if parts.wraps:
            parts = parse_name(parts.wraps)
    return _shared_path(origins) or _shared_path(_single_operations(parts))


def _single_operations(parts: NameParts) -> tuple[str, ...]:
    """The operations of a name, those within a ForeignNode's two ends included."""
    if "foreign" not in parts.fusion:
        return parts.operations
    return tuple(single for end in parts.operations for single in parse_name(end).operations)


def _shared_path(names: tuple[str, ...]) -> str:
    if names:
        folder = names[0].rpartition("/")[0] + "/"
        length = len(folder)
        if length > 1 and "]-[" not in folder and "_before_" not in folder and "_after_" not in folder:
            for name in names:
                if name.rfind("/") + 1 != length or not name.startswith(folder) or len(name) == length:
                    break
            else:
                return _written_path(folder)
    shared: tuple[str, ...] | None = None
    working: tuple[str, ...] | None = None
    workers = 0
    for name in names:
        path, operator = _place(name)
        if operator[:1] in _WORKING_STARTS and _is_working(operator[:_WORKING_CHARS]):
            workers += 1
            working = path
        if path is None:
            continue
        if shared is None:
            shared = path
        elif path != shared and path[: len(shared)] != shared:
            same = 0
            for mine, other in zip(shared, path, strict=False):
                if mine != other:
                    break
                same += 1
            shared = shared[:same]
    if workers == 1 and working is not None:
        shared = working
    return "" if shared is None else ROOT + "/".join(shared)


def _place(name: str) -> tuple[tuple[str, ...] | None, str]:
    """(module a node's name places it in, the node's own name); the module is None when the name holds no path."""
    if "_before_" in name or "_after_" in name:
        name = inserted_for(name) or name
    if "]-[" in name:
        torch = torch_parts(name)
        name = torch[2] if torch else name
    if "/" in name:
        folder, _, operator = name.rstrip("/").rpartition("/")
        return (_evened(folder) if len(folder) <= _REMEMBERED else _evened.__wrapped__(folder)), operator
    if "." in name and _DOTTED.fullmatch(name):
        pieces = name.split(".")
        if pieces[-1] in _IS_STORED:
            return tuple(pieces[:-1]), ""
    return None, name


@lru_cache(maxsize=16384)
def _written_path(folder: str) -> str:
    return ROOT + "/".join(_evened(folder.rstrip("/")))


@lru_cache(maxsize=4096)
def _is_working(operator: str) -> bool:
    """True for a node whose operator others are fused into: a convolution or a matrix product."""
    return _WORKING.match(operator) is not None


@lru_cache(maxsize=16384)
def _evened(folder: str) -> tuple[str, ...]:
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

"""``Layer(TYPE): name, Tactic: …`` rows of a verbose build log → raw layer records."""

from __future__ import annotations

import re
from typing import Any

ROW_START = "Layer("

_HEAD = re.compile(r"Layer\(([^\n]*?)\): ")
_TACTIC = re.compile(r", Tactic: (0[xX][0-9a-fA-F]{1,32}|-?[0-9]{1,20}),?(?: |$)", re.ASCII)
# A tensor ends with its type and dimensions: ``[Half(-2,32,14,14)]`` until 8.5, `` (Half[-1,32:8,14,14])`` since.
_TENSOR_END = re.compile(
    r"(?:\[([A-Za-z][A-Za-z0-9_]*)\(([^\[\]]*)\)\]| \(([A-Za-z][A-Za-z0-9_]*)\[([^\[\]]*)\]\))(?=, | ->|$)"
)
_DIMENSION = re.compile(r"(-?[0-9]{1,18})(?::([0-9]{1,9}))?", re.ASCII)
_EXPRESSION = re.compile(r"\([^()]*\)")  # ``(+ 1, E0)``, a dimension known only at run time
_DEEPEST_EXPRESSION = 8
_ARROW = " ->"


def parse_layer_row(line: str) -> dict[str, Any] | None:
    """One row of ``Engine Layer Information:`` as a record in the inspector's JSON spelling; None for other lines.

    The record has Name, LayerType, TacticValue (16 hexadecimal digits; the signed decimals of 8.2 and earlier are
    taken modulo 2^64), Inputs and Outputs. A tensor has Name, Dimensions and the type word as ``Format/Datatype``
    (``Half``). Symbolic dimensions are the negative numbers in the log (expressions become -1). For ``32:8``, a
    dimension of 32 stored in vectors of 8, the tensor also has ``VectorWidth`` (8) and ``VectorAxis`` (the index of
    that dimension); in memory the dimension is padded to a multiple of the width. Unreadable tensors are kept verbatim
    under ``UnreadTensors``.
    """
    head = _HEAD.match(line)
    if head is None:
        return None
    tactic = _TACTIC.search(line, head.end())
    if tactic is None:
        return None
    record: dict[str, Any] = {"Name": line[head.end() : tactic.start()], "LayerType": head[1]}
    inputs, outputs, unread = _tensors(line[tactic.end() :])
    record["Inputs"] = inputs
    record["Outputs"] = outputs
    record["TacticValue"] = tactic_text(tactic[1])
    if unread:
        record["UnreadTensors"] = unread
    return record


def tactic_text(text: str) -> str:
    """A tactic id, hexadecimal or signed decimal, as the inspector writes it: ``0x`` and 16 digits."""
    value = int(text, 16) if text[:2] in ("0x", "0X") else int(text)
    return f"0x{value & 0xFFFFFFFFFFFFFFFF:016x}"


def _tensors(text: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    inputs: list[dict[str, Any]] = []
    outputs: list[dict[str, Any]] = []
    side = inputs
    text = text.rstrip(" \t")
    start = 0
    stripped = text.lstrip(" ")
    if stripped.startswith("->"):  # a layer without inputs, such as a Constant
        side = outputs
        text = stripped[2:].lstrip(" ")
    for end in _TENSOR_END.finditer(text):
        if end.start() < start:
            continue
        side.append(_tensor(text[start : end.start()], end[1] or end[3], end[2] if end[1] else end[4]))
        start = end.end()
        if text.startswith(_ARROW, start):
            side = outputs
            start += len(_ARROW)
            start += text.startswith(" ", start)
        elif text.startswith(", ", start):
            start += 2
    return inputs, outputs, text[start:]


def _tensor(name: str, type_word: str, dimensions: str) -> dict[str, Any]:
    sizes: list[int] = []
    tensor: dict[str, Any] = {"Name": name, "Dimensions": sizes, "Format/Datatype": type_word}
    for _ in range(_DEEPEST_EXPRESSION):
        dimensions = _EXPRESSION.sub("?", dimensions)
    for axis, token in enumerate(dimensions.split(",") if dimensions.strip(" ") else ()):
        match = _DIMENSION.fullmatch(token.strip(" "))
        sizes.append(int(match[1]) if match else -1)
        if match and match[2]:
            tensor["VectorWidth"] = int(match[2])
            tensor["VectorAxis"] = axis
    return tensor

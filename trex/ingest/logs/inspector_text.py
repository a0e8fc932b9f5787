"""One-line inspector dump → raw layer records in the inspector's JSON spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.logs.io_tensor_text import io_tensor

LayerRecord = dict[str, Any] | str
BindingRecord = dict[str, Any] | str

ROW_START = "Name: "
TYPE_MARK = ", LayerType: "
LAYERS_HEADER = "Layers:"
TEXT_BETWEEN = "text-between-layers"
"""Code of the Note on lines of no layer in a list of layers: of another program, or where a service cut the log."""
BINDINGS_HEADERS = ("Bindings:", "I/O Tensors:")

_LISTS = re.compile(r", LayerType: ([^,\[\]{}]*), Inputs: \[")
_TENSOR_START = re.compile(r" ?\{ ?Name: ")
_TENSOR_END = re.compile(r" ?\}(?:, ?(?=\{ ?Name: )|(\])(?=, [A-Za-z]|$))")
_TENSOR_KEY = re.compile(r", (Location|Dimensions|Format/Data[Tt]ype|Data[Tt]ype|Format|Strides|StrideOrder): ?")
# Bounded: a group keeps a hundred bytes for each time that it repeats.
_USUAL_TENSOR = re.compile(
    r"([^,]*(?:,(?! [A-Z])[^,]*){0,9999})(?:, Location: ([A-Za-z]+))?, "
    r"Dimensions: \[((?:-?[0-9]{1,18}(?:,-?[0-9]{1,18}){0,9999})?)\]"
    r", Format/Datatype: ([^:]*)",
    re.ASCII,
)
_NEXT_LIST = re.compile(r", (Constants|Outputs): \[")
_KEY = re.compile(r", ([A-Za-z_][A-Za-z0-9_]*):(?: |$)", re.ASCII)
_INTEGERS = re.compile(r"\[(?:-?[0-9]{1,18}(?:, ?-?[0-9]{1,18}){0,9999})?\]", re.ASCII)
_NESTING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|$)|[\[\]{}]', re.DOTALL)
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_FLOAT = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{0,40})?(?:[eE][+-]?[0-9]{1,5})?", re.ASCII)
_PAIR_NAME_END = re.compile(r", [A-Z][A-Za-z]*: ")

# Values that the JSON quotes even if they look like numbers or lists.
_STRINGS = frozenset(
    (
        "ParameterType",
        "ParameterSubType",
        "TacticName",
        "TacticValue",
        "Origin",
        "PluginType",
        "PluginVersion",
        "Reshape",
    )
)
# Keys at the start of a row: a second one belongs to another row that was written into this one.
_HEAD_KEYS = frozenset(("Name", "LayerType", "Inputs", "Outputs"))


class _Unreadable(Exception):
    """A row whose lists do not close: the log was truncated, or another message was written into the row."""


def parse_inspector_text(
    lines: Iterable[str], where: str = "", first_line: int = 1
) -> tuple[list[LayerRecord], list[BindingRecord], list[Note]]:
    """Layers and bindings in the output of trtexec's ``--dumpLayerInfo`` and the inspector's ONELINE format.

    Returns (layers, bindings, notes) such that ``inspector_document(layers, bindings)`` equals the JSON of the same
    engine: a dictionary per layer, or its name if the engine was built without detailed profiling verbosity. Separators
    0x1E and 0x1F stay in Metadata. The text is ambiguous in principle; names may contain commas, colons, brackets and
    line feeds because the reader searches for the fields that follow them.
    where, first_line: the address for notes; lines are counted from ``first_line``.
    """
    records: list[tuple[int, list[str]]] = []
    bindings: list[BindingRecord] = []
    in_bindings = is_detailed = False
    for number, line in enumerate(lines, first_line):
        text = line.rstrip(" \t\r\n")
        if text in BINDINGS_HEADERS:
            in_bindings = True
        elif not text:
            continue
        elif in_bindings:
            bindings.append(io_tensor(text) or _binding_name(text))
        elif is_detailed and not text.startswith(ROW_START):  # a name with a line feed in it
            records[-1][1].append(text)
        elif text == LAYERS_HEADER:
            records.clear()
        else:
            is_detailed = is_detailed or (text.startswith(ROW_START) and TYPE_MARK in text)
            records.append((number, [text]))
    layers: list[LayerRecord] = []
    unreadable: list[int] = []
    between: list[int] = []
    for number, parts in records:
        if len(parts) > 1 and _is_whole(parts[0]):  # what follows is not in its last field
            if number != records[-1][0]:
                between.append(number + 1)
            del parts[1:]
        text = "\n".join(parts)
        if text.startswith(ROW_START) and TYPE_MARK in text:
            record, is_whole = _layer(text)
            layers.append(record)
            if not is_whole:
                unreadable.append(number)
        else:
            layers.append(text)
    notes: list[Note] = []
    if unreadable:
        notes.append(
            Note(
                "unreadable-inspector-row",
                f"{len(unreadable)} of {counted(len(layers), 'layer')} in the layer information could be read only "
                "partly",
                "export the layers as JSON: trtexec --exportLayerInfo=FILE.graph.json",
                f"{where}:{unreadable[0]}" if where else "",
                "problem",
            )
        )
    if between:
        message = "other text is between the layers of the layer information: layers may be missing"
        hint = "read the whole log, or export the layers as JSON: trtexec --exportLayerInfo=FILE.graph.json"
        notes.append(Note(TEXT_BETWEEN, message, hint, f"{where}:{between[0]}" if where else ""))
    return layers, _without_tail(bindings, layers), notes


def _is_whole(line: str) -> bool:
    """Whether a line is a layer's row to its end. Metadata may contain a line feed: names do."""
    if not line.startswith(ROW_START) or TYPE_MARK not in line:
        return False
    record, is_whole = _layer(line)
    return is_whole and str(record.get("Metadata", ""))[-1:] in ("", "]")


def _layer(text: str) -> tuple[dict[str, Any], bool]:
    """(record, whether all of the row was understood); the rest is kept under ``UnreadText``."""
    lists = _LISTS.search(text)
    if lists is None:
        cut = text.index(TYPE_MARK)
        kind_end = _KEY.search(text, cut + len(TYPE_MARK))
        end = kind_end.start() if kind_end else len(text)
        record: dict[str, Any] = {"Name": text[len(ROW_START) : cut], "LayerType": text[cut + len(TYPE_MARK) : end]}
        record |= {"Inputs": [], "Outputs": []}
        return _finish(record, text, end)
    record = {"Name": text[len(ROW_START) : lists.start()], "LayerType": lists[1], "Inputs": [], "Outputs": []}
    position = lists.end()
    try:
        record["Inputs"], position = _tensors(text, position)
        while (tensors := _NEXT_LIST.match(text, position)) is not None:
            record[tensors[1]], position = _tensors(text, tensors.end())
    except _Unreadable:
        record["UnreadText"] = text[position:]
        return record, False
    return _finish(record, text, position)


def _finish(record: dict[str, Any], text: str, start: int) -> tuple[dict[str, Any], bool]:
    rest = _attributes(record, text, start)
    if rest < len(text):
        record["UnreadText"] = text[rest:]
        return record, False
    return record, True


def _tensors(text: str, position: int) -> tuple[list[dict[str, Any]], int]:
    """(tensors after ``[`` at ``position``, position after ``]``)."""
    tensors: list[dict[str, Any]] = []
    if text.startswith("]", position):
        return tensors, position + 1
    while True:
        start = _TENSOR_START.match(text, position)
        end = _TENSOR_END.search(text, start.end()) if start else None
        if start is None or end is None:
            raise _Unreadable
        tensors.append(_tensor(text[start.end() : end.start()]))
        position = end.end()
        if end[1]:
            return tensors, position


def _tensor(body: str) -> dict[str, Any]:
    usual = _USUAL_TENSOR.fullmatch(body)
    if usual:
        name, location, dimensions, data_type = usual.groups()
        sizes = [int(part) for part in dimensions.split(",")] if dimensions else []
        if location is None:
            return {"Name": name, "Dimensions": sizes, "Format/Datatype": data_type}
        return {"Name": name, "Location": location, "Dimensions": sizes, "Format/Datatype": data_type}
    keys = list(_TENSOR_KEY.finditer(body))
    tensor: dict[str, Any] = {"Name": body[: keys[0].start()] if keys else body}
    ends = [*(key.start() for key in keys[1:]), len(body)]
    for key, end in zip(keys, ends, strict=False):
        value = body[key.end() : end]
        tensor[key[1]] = _integers(value) if _INTEGERS.fullmatch(value) else value
    return tensor


def _integers(text: str) -> list[int]:
    inside = text[1:-1]
    return [int(part) for part in inside.split(",")] if inside else []


def _attributes(record: dict[str, Any], text: str, position: int) -> int:
    """Reads ``, Key: value`` pairs into the record; returns the position after the last."""
    open_until = position  # brackets before this position enclose no value
    while key := _KEY.match(text, position):
        name, start = key[1], key.end()
        if name in _HEAD_KEYS:
            break
        if name == "Metadata":  # always last; its text looks like lists and keys
            record.setdefault(name, text[start:])
            return len(text)
        if start >= open_until and text[start : start + 1] in ("[", "{") and name not in _STRINGS:
            end = _closing(text, start)
            if end is not None and (end == len(text) or _KEY.match(text, end)):
                record.setdefault(name, _structure(text[start:end]))
                position = end
                continue
            open_until = len(text) if end is None else end
        following = _KEY.search(text, start)
        position = following.start() if following else len(text)
        value = text[start:position]
        record.setdefault(name, value if name in _STRINGS else _scalar(value))
    return position


def _closing(text: str, start: int) -> int | None:
    """Position after the bracket that closes the one at ``start``, ignoring quoted text; None if it is not closed."""
    simple = _INTEGERS.match(text, start)
    if simple:
        return simple.end()
    depth = 0
    for mark in _NESTING.finditer(text, start):
        if mark[0] in ("[", "{"):
            depth += 1
        elif mark[0] in ("]", "}"):
            depth -= 1
            if depth <= 0:
                return mark.end()
    return None


def _structure(text: str) -> Any:
    """A list or dictionary. A list of unquoted words becomes strings; anything else stays text."""
    if _INTEGERS.fullmatch(text):
        return _integers(text)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        inside = text[1:-1]
        if text[:1] == "[" and text[-1:] == "]" and not any(mark in inside for mark in '[]{}"'):
            return [_scalar(word.strip(" ")) for word in inside.split(",")]
        return text


def _scalar(text: str) -> Any:
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _binding_name(text: str) -> str:
    """The name in a line of the list of bindings: the whole line, or the field Name of a record."""
    record = text.lstrip(" ")
    if record.startswith(ROW_START):
        end = _PAIR_NAME_END.search(record)
        return record[len(ROW_START) : end.start() if end else len(record)]
    return text


def inspector_document(layers: Sequence[LayerRecord], bindings: Sequence[BindingRecord]) -> dict[str, Any]:
    """The engine's JSON: ``I/O Tensors`` since TensorRT 11, before that the names of the bindings."""
    if not bindings:
        return {"Layers": list(layers)}
    key = "Bindings" if all(isinstance(binding, str) for binding in bindings) else "I/O Tensors"
    return {"Layers": list(layers), key: list(bindings)}


def _without_tail(bindings: list[BindingRecord], layers: Sequence[LayerRecord]) -> list[BindingRecord]:
    """The bindings without text that a script printed after them: the last binding is a tensor of some layer."""
    mentioned = {
        tensor.get("Name")
        for layer in layers
        if isinstance(layer, dict)
        for side in ("Inputs", "Outputs")
        for tensor in layer.get(side, ())
    }
    names = [binding if isinstance(binding, str) else binding["Name"] for binding in bindings]
    last = max((index for index, name in enumerate(names) if name in mentioned), default=len(bindings))
    return bindings[: last + 1]

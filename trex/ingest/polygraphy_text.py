"""Text of ``polygraphy inspect model ENGINE --show layers attrs`` → engine.

Grammar, from Polygraphy 0.53 and the expected outputs of its tests (TensorRT 8.2 to 11; older releases print bindings
instead of tensors, and layers without types)::

    [I] ==== TensorRT Engine ====
        Name: NETWORK | Explicit Batch Engine
        ---- 1 Engine Input(s) ----
        {x [dtype=float32, shape=(1, 3, 8, 8)]}
        ---- 1 Engine Output(s) ----
        {y [dtype=float32, shape=(1, 8)]}
        ---- Memory ----
        Device Memory: 512 bytes
        ---- 1 Profile(s) (2 Tensor(s) Each) ----
        - Profile: 0
            Tensor: x          (Input), Index: 0 | Shapes: min=(1, 3, 8, 8), opt=(1, 3, 8, 8), max=(1, 3, 8, 8)
        ---- 1 Layer(s) ----
        Layer 0    | conv [Op: CaskConvolution]
            {x [dtype=float16, shape=(1, 3, 8, 8), Format: Row major linear FP16 format]}
             -> {y [dtype=float16, shape=(1, 8), Format: Row major linear FP16 format]}
            ---- Attributes ----
            Origin = CONVOLUTION
            Tactic = 0x0000000000000001
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.core.note import Note
from trex.ingest.graph_json import engine_from_documents

HEADER = "==== TensorRT Engine ===="
DEVICE_MEMORY = "Device Memory"
"""Key of ``Engine.extra``: bytes of an execution context."""

_UNKNOWN = "Unknown"
_SECTION = re.compile(r"---- (?:\d{1,9} )?(.+?) ----")
_LAYER = re.compile(r"Layer +\d{1,9} +\| (.*) \[Op: ([^\[\]]*)\]", re.DOTALL)
_TENSOR = re.compile(r"(.*) \[((?:dtype=|shape=).*)\]", re.DOTALL)
_TYPE = re.compile(r"dtype=(?:<[^<>]*'([^'<>]*)'>|([\w.]+))")
_SHAPE = re.compile(r"shape=[(\[]([^()\[\]]*)[)\]]")
_FORMAT = re.compile(r"Format: (.+)")
_ATTRIBUTE = re.compile(r"(Origin|Tactic) = (.+)")
_MEMORY = re.compile(r"Device Memory: (\d{1,18}) bytes")
_INPUT = re.compile(
    r"Tensor: (?P<name>.*) \(Input\), Index: \d{1,9}|Binding Index: \d{1,9} \(Input\) +\[Name: (?P<binding>.*)\]"
)
_RANGES = re.compile(r" min=\((?P<min>[^()]*)\), opt=\((?P<opt>[^()]*)\), max=\((?P<max>[^()]*)\)")
_DIMENSION = re.compile(r"-?[0-9]{1,18}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,16}")
_HINT = "in TensorRT's own JSON: trtexec --loadEngine=MODEL.engine --exportLayerInfo=MODEL.graph.json, or trex process"


def read_polygraphy_text(text: str, where: str = "") -> Engine:
    """The first engine in the text, with a Note on what such a listing lacks. Raises TrexError if it has no layers.

    Layers have names, types, tensors (of releases that print them with type and format), origin and tactic id (with
    ``attrs``); no weights, attributes and kernel names.
    """
    document = _document(text)
    layers = document["Layers"]
    lacking = ["attributes", "weights", "kernel names"]
    if any(isinstance(layer, dict) for layer in layers):
        records = [tensor for layer in layers for side in ("Inputs", "Outputs") for tensor in layer[side]]
        if not any("Format/Datatype" in tensor for tensor in records):
            lacking.insert(0, "types of tensors")
    if layers:
        message = f"the {counted(len(layers), 'layer is', 'layers are')} from Polygraphy's listing, without "
        note = Note("engine-from-polygraphy", message + ", ".join(lacking), _HINT, where)
    else:
        hint = f"polygraphy inspect model MODEL.engine --show layers attrs; {_HINT}"
        note = Note("no-layers", "Polygraphy's listing was made without --show layers", hint, where, "problem")
    is_names = bool(layers) and not any(isinstance(layer, dict) for layer in layers)
    return engine_from_documents([document], where, (note,), verbosity="names" if is_names else "log")


def _document(text: str) -> dict[str, Any]:
    """The engine in the inspector's JSON spelling."""
    layers: list[dict[str, Any]] = []
    ends: dict[str, dict[str, Any]] = {}
    document: dict[str, Any] = {}
    section, side = "", "Inputs"
    for line in _lines(text):
        match = _SECTION.fullmatch(line)
        if match is not None:
            section = match[1]
        elif line.startswith(DEVICE_MEMORY) and (memory := _MEMORY.match(line)):
            document[DEVICE_MEMORY] = int(memory[1])
        elif line.startswith("Layer ") and (layer := _LAYER.fullmatch(line)):
            side = "Inputs"
            layers.append({"Name": layer[1], "LayerType": layer[2], "Inputs": [], "Outputs": []})
        elif section.startswith(("Engine Input", "Engine Output")):
            for tensor in _tensors(line):
                mode = "INPUT" if section.startswith("Engine Input") else "OUTPUT"
                ends[tensor["Name"]] = {**tensor, "IOMode": mode, "ProfileInfo": []}
        elif section.startswith("Profile") and (ranges := _ranges(line)):
            name, shapes = ranges
            if name in ends:
                ends[name]["ProfileInfo"].append(shapes)
        elif layers and section == "Attributes" and (attribute := _ATTRIBUTE.fullmatch(line)):
            _add_attribute(layers[-1], attribute[1], attribute[2])
        elif layers and (line[0] != "-" or line.startswith("-> ")):
            if line.startswith("-> "):
                side, line = "Outputs", line[3:]
            elif line.endswith(" -> {}"):
                line = line.removesuffix(" -> {}")
            elif line.startswith("{} -> "):
                side, line = "Outputs", line[6:]
            layers[-1][side] += [_without_mode(tensor) for tensor in _tensors(line)]
    is_bare = bool(layers) and all(layer["LayerType"] == _UNKNOWN and not layer["Inputs"] for layer in layers)
    document["Layers"] = [layer["Name"] for layer in layers] if is_bare else layers
    if ends:
        document["I/O Tensors"] = list(ends.values())
    return document


def _lines(text: str) -> Iterator[str]:
    """The lines of the first engine in the text without indentation, the tensors of a list one by one."""
    start = text.find(HEADER)
    body = text[start + len(HEADER) if start >= 0 else 0 :].split(HEADER, 1)[0]
    for line in body.splitlines():
        stripped = line.strip()
        if stripped:
            yield stripped


def _tensors(line: str) -> list[dict[str, Any]]:
    """The tensor records of a line such as ``{x [dtype=float16, shape=(1, 8)]},``; () for an empty list."""
    text = line.removesuffix(",")
    if text.startswith("{") and not text.startswith("{ForeignNode"):
        text = text[1:]
    text = text.removesuffix("}") if text.endswith("]}") or text == "}" else text
    match = _TENSOR.fullmatch(text) if text.endswith("]") else None  # else the search would be quadratic
    if match is None:
        return []
    name, facts = match[1], match[2]
    record: dict[str, Any] = {"Name": name}
    shape, data_type, layout = _SHAPE.search(facts), _TYPE.search(facts), _FORMAT.search(facts)
    if shape:
        record["Dimensions"] = _dimensions(shape[1])
    if data_type:
        record["DataType"] = (data_type[1] or data_type[2]).removeprefix("numpy.")
    if layout:
        record["Format/Datatype"] = layout[1]
    return [record]


def _without_mode(tensor: dict[str, Any]) -> dict[str, Any]:
    """The record of a layer's tensor: its type is in the format if there is one."""
    data_type = tensor.pop("DataType", None)
    return tensor if data_type is None else {"Format/Datatype": data_type, **tensor}


def _add_attribute(layer: dict[str, Any], key: str, value: str) -> None:
    if value == _UNKNOWN:
        return
    if key == "Tactic":
        key = "TacticValue" if _HEXADECIMAL.fullmatch(value) else "TacticName"
    layer[key] = value


def _ranges(line: str) -> tuple[str, dict[str, list[int | None]]] | None:
    """(input, its shapes) of a line of a profile."""
    head, _, tail = line.rpartition("| Shapes:")
    given, ranges = _INPUT.fullmatch(head.rstrip()), _RANGES.match(tail)
    if given is None or ranges is None:
        return None
    name = given["binding"] if given["name"] is None else given["name"].rstrip()
    return name, {f"{key.capitalize()}Shape": _dimensions(ranges[key]) for key in ("min", "opt", "max")}


def _dimensions(text: str) -> list[int | None]:
    """None for a word that is no dimension."""
    words = filter(None, text.replace(" ", "").split(","))
    return [int(word) if _DIMENSION.fullmatch(word) else None for word in words]

"""First bytes of a file → Kind: which of TensorRT's artifacts it is, by its content."""

from __future__ import annotations

import re
from enum import Enum
from itertools import islice
from pathlib import PurePath
from typing import Any

from trex.core.errors import EXCERPT_CHARS, TrexError
from trex.ingest.finding.file_names import suggested_slots
from trex.ingest.lenient_json import parse
from trex.ingest.logs.outer_prefix import learned_prefix
from trex.ingest.signature import is_wide_text, signature_of
from trex.ingest.text import decode

# A verbose log may start with long output of other programs.
HEAD_BYTES = 1 << 16


class Kind(Enum):
    """What a file is. label: for users. slot: of EngineFiles; "" for none, and for metadata and logs, of two slots."""

    GRAPH = ("layer information", "graph")
    INSPECTOR_TEXT = ("inspector text", "graph")
    POLYGRAPHY_TEXT = ("Polygraphy's listing of an engine", "graph")
    PROFILE = ("layer times", "profile")
    SAMPLES = ("layer times per iteration", "samples")
    NUMBERS = ("one number per name, without a unit", "")
    TIMING = ("query times", "timing")
    RUN_RESULTS = ("Polygraphy's results of a run", "timing")
    METADATA = ("metadata", "")
    DEVICE = ("device properties", "device")
    MONITOR = ("GPU telemetry", "monitor")
    LOG = ("a log", "")
    HELP_TEXT = ("the help text of trtexec", "")
    ENGINE_PLAN = ("a serialized engine", "engine")
    ONNX = ("an ONNX model", "onnx")
    ARCHIVE = ("an archive", "archive")
    TIMING_CACHE = ("a timing cache", "")
    TACTICS = ("a record of tactics", "")
    UNKNOWN = ("unknown", "")

    label: str
    slot: str

    def __init__(self, label: str, slot: str) -> None:
        self.label = label
        self.slot = slot

    __hash__ = object.__hash__


def wrong_kind(data: bytes, wanted: Kind, hint: str, where: str) -> TrexError:
    """The error for a file that is of another kind, or of this kind without anything usable."""
    kind = recognize(data, PurePath(where).name)
    what = "" if kind is Kind.UNKNOWN else f"{kind.label}, "
    message = f"this file has no usable {wanted.label}" if kind is wanted else f"this is {what}not {wanted.label}"
    return TrexError(message, hint, where, data[:EXCERPT_CHARS].decode("utf-8", "replace"))


_SIGNATURES = {"plan": Kind.ENGINE_PLAN, "onnx": Kind.ONNX, "zip": Kind.ARCHIVE, "cache": Kind.TIMING_CACHE}
SIMULATED_SCHEMA = "trex.simulated-engine/"
_SCHEMAS = {
    "trex.monitor/": Kind.MONITOR,
    SIMULATED_SCHEMA: Kind.ENGINE_PLAN,
    "trex.tactics/": Kind.TACTICS,
    "trex.cache/": Kind.TACTICS,
}
# Kind, keys (a record has one of them), other keys (it also has one of these, if there are any).
_KEYS: tuple[tuple[Kind, frozenset[str], frozenset[str]], ...] = tuple(
    (kind, frozenset(keys.split(", ")), frozenset(others.split(", ") if others else ()))
    for kind, keys, others in (
        (Kind.GRAPH, "Layers", ""),
        (Kind.GRAPH, "Bindings, Engine Metadata", "I/O Tensors"),
        (Kind.GRAPH, "Bindings", "Engine Metadata"),
        (Kind.METADATA, "model_options, build_options, system_options, inference_options, reporting_options", ""),
        (Kind.METADATA, "device_information, performance_summary", ""),
        (Kind.TIMING, "latencyMs, computeMs, startComputeMs, startEnqMs, startInMs, h2dMs, inMs", ""),
        (Kind.PROFILE, "timeMs, averageMs, medianMs, percentage", "name, count"),
        (Kind.GRAPH, "LayerType, Inputs, Outputs, ParameterType, TacticName, TacticValue, StreamId, Metadata", "Name"),
        (Kind.DEVICE, "ComputeCapability, COMPUTE_CAPABILITY_MAJOR, TotalMemory, CUDA_VERSION", ""),
        (Kind.DEVICE, "MULTIPROCESSOR_COUNT", ""),
    )
)
# Layer names that only TensorRT writes: they distinguish a list of layers from any other list of words.
_LAYER_NAME = re.compile(
    r"Reformatting CopyNode|\{ForeignNode\[|^PWN\(|__my[el]|Reformatted |\(Unnamed Layer\*|_myl\d|\S \+ \S|^/\S+/|\|\|"
)

_COLOR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LOG_LINE = re.compile(
    r"^(?:&&&& [A-Z_]+ TensorRT"
    r"|\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\] ?\["
    r"|\[TRT\] ?\[[VIWEF]\]"
    r"|\[[VIWEF]\] ?\[TRT\]"
    r"|=== (?:Model|Build|System|Inference|Reporting) Options ==="
    r"|Layer\([A-Za-z0-9_ ]{1,60}\): .{1,2000}, Tactic: )",
    re.MULTILINE,
)
_CLOCKED_LINE = re.compile(r"^(?:\[[\d/:-]+\] )?(?:\[TRT\] )?\[[VIWEF]\] ", re.MULTILINE)
_SHORT_LOG_LINE = re.compile(r"^\[[VIWEF]\] ", re.MULTILINE)
_OPTION_LINE = re.compile(r"^ {1,6}--[A-Za-z]", re.MULTILINE)
_INSPECTOR_LINE = re.compile(r"^Name: .{0,4000}?, LayerType: |^Layers:[ \t]*$", re.MULTILINE)
_POLYGRAPHY = re.compile(r"^(?:\[I\] )?==== TensorRT Engine ====[ \t]*$", re.MULTILINE)
_JSON_GRAPH = re.compile(r'^[ \t]*\{\s*"Layers"\s*:', re.MULTILINE)
_RUN_RESULTS = re.compile(
    r'\s*\{\s*"lst"\s*:\s*\[\s*(?:\]|\[\s*"(?:[^"\\]|\\.){0,999}"\s*,\s*\[\s*(?:\]|\{\s*"outputs"\s*:))'
)
_JSON_START = re.compile(r'[\s,]*(?:\{\s*(?:["}]|\Z)|\[\s*(?:["{\[\]]|\Z|-?\d|null|true|false|-?nan|-?inf))')
_TIME_OF_DAY = re.compile(r"\s*\[\d\d/\d\d/\d{4}-")


def recognize(data: bytes, name: str = "") -> Kind:
    """What a file is, from its first 64 KiB, uncompressed, in any encoding, cut off or not.

    name: of the file; used only if the content does not decide: an empty list, a list of words.
    """
    head = data[:HEAD_BYTES]
    signature = signature_of(head)
    if signature is not None:
        return _SIGNATURES.get(signature.name, Kind.UNKNOWN)
    if is_wide_text(head):
        head = decode(head)[0].encode("utf-8")
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if "\x1b" in text:
        text = _COLOR.sub("", text)
    text = text.replace("\r\n", "\n")
    if _JSON_GRAPH.match(text):
        return Kind.GRAPH
    if _RUN_RESULTS.match(text):
        return Kind.RUN_RESULTS
    is_json = _JSON_START.match(text) is not None and not _TIME_OF_DAY.match(text)
    kind = Kind.UNKNOWN if is_json else _text_kind(text)
    if kind is Kind.UNKNOWN and ("{" in text or "[" in text):
        kind = _json_kind(head, name)
    if kind is Kind.UNKNOWN and _is_prefixed_log(text):
        return Kind.LOG
    return kind


def _is_prefixed_log(text: str) -> bool:
    """A log whose lines all start with the same words of another program."""
    head = text.encode("utf-8", "replace")
    prefix = learned_prefix(head)
    return prefix is not None and _LOG_LINE.search(prefix.sub(b"", head).decode("utf-8", "replace")) is not None


def _text_kind(text: str) -> Kind:
    if _JSON_GRAPH.search(text):
        return Kind.GRAPH
    if _POLYGRAPHY.search(text):
        return Kind.POLYGRAPHY_TEXT
    is_log = _LOG_LINE.search(text) is not None
    options = len(_OPTION_LINE.findall(text))
    if options >= 5 and _CLOCKED_LINE.search(text) is None:
        return Kind.HELP_TEXT
    if is_log or _SHORT_LOG_LINE.match(text) or len(_SHORT_LOG_LINE.findall(text)) > 2:
        return Kind.LOG
    if _INSPECTOR_LINE.search(text):
        return Kind.INSPECTOR_TEXT
    return Kind.UNKNOWN


def _json_kind(head: bytes, name: str) -> Kind:
    try:
        documents = parse(head).documents
    except TrexError:
        return Kind.UNKNOWN
    kinds = (_document_kind(document, name) for document in documents[:8])
    return next((kind for kind in kinds if kind is not Kind.UNKNOWN), Kind.UNKNOWN)


def _document_kind(document: Any, name: str) -> Kind:
    if isinstance(document, dict):
        schema = str(document.get("schema", ""))
        kinds = [kind for start, kind in _SCHEMAS.items() if schema.startswith(start)]
        return kinds[0] if kinds else _records_kind([document]) or _mapping_kind(list(islice(document.values(), 1000)))
    if isinstance(document, list):
        records = [item for item in document[:8] if isinstance(item, dict)]
        return (_records_kind(records) or Kind.UNKNOWN) if records else _list_kind(document, name)
    return Kind.UNKNOWN


def _records_kind(records: list[dict[str, Any]]) -> Kind | None:
    keys = set().union(*records)
    for kind, either, others in _KEYS:
        if keys & either and (not others or keys & others):
            return kind
    # The first record of a profile, the others cut off.
    return Kind.PROFILE if records[0].keys() == {"count"} else None


def _mapping_kind(values: list[Any]) -> Kind:
    if any(isinstance(value, dict) and "Layers" in value for value in values[:16]):
        return Kind.GRAPH
    if any(values) and all(isinstance(value, list) and all(map(_is_number, value[:16])) for value in values):
        return Kind.SAMPLES
    return Kind.NUMBERS if values and all(map(_is_number, values)) else Kind.UNKNOWN


def _list_kind(items: list[Any], name: str) -> Kind:
    slots = suggested_slots(name)
    if not items:
        kinds = {"timing": Kind.TIMING, "profile": Kind.PROFILE, "graph": Kind.GRAPH}
        return next((kind for slot, kind in kinds.items() if slot in slots), Kind.UNKNOWN)
    words = [item for item in items[:200] if isinstance(item, str)]
    if len(words) == len(items[:200]):
        # A list of strings is a list of layers if nothing contradicts it, and something supports it.
        is_graph = not name or "graph" in slots or any(_LAYER_NAME.search(word[:2000]) for word in words)
        return Kind.GRAPH if is_graph else Kind.UNKNOWN
    return Kind.UNKNOWN


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

"""First bytes of a file → Kind: which of TensorRT's artifacts it is, by its content."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import Any

from trex.core.errors import TrexError
from trex.ingest.finding.file_names import Hint, hints_of
from trex.ingest.finding.signature import is_wide_text, signature_of
from trex.ingest.lenient_json import parse
from trex.ingest.logs.outer_prefix import learned_prefix
from trex.ingest.text import decode

# A verbose log may begin with long chatter of other programs.
HEAD_BYTES = 1 << 16


class Kind(Enum):
    """What a file is; the value is how users read it."""

    GRAPH = "layer information"
    PROFILE = "layer times"
    TIMING = "query times"
    METADATA = "metadata"
    DEVICE = "device properties"
    MONITOR = "telemetry of the GPU"
    SAMPLES = "layer times per iteration"
    NUMBERS = "one number per name"
    LOG = "log"
    INSPECTOR_TEXT = "inspector text"
    ENGINE_PLAN = "serialized engine"
    ONNX = "ONNX model"
    ARCHIVE = "archive"
    HELP_TEXT = "help of trtexec"
    UNKNOWN = "unknown"

    __hash__ = object.__hash__


_SIGNATURES = {"plan": Kind.ENGINE_PLAN, "onnx": Kind.ONNX, "zip": Kind.ARCHIVE}

_GRAPH_KEYS = frozenset({"Layers", "Bindings", "I/O Tensors", "Engine Metadata"})
_LAYER_KEYS = frozenset(
    {"LayerType", "Inputs", "Outputs", "ParameterType", "TacticName", "TacticValue", "StreamId", "Metadata"}
)
_PROFILE_KEYS = frozenset({"timeMs", "averageMs", "medianMs", "percentage"})
_TIMING_KEYS = frozenset({"latencyMs", "computeMs", "startComputeMs", "startEnqMs", "startInMs", "h2dMs", "inMs"})
_METADATA_KEYS = frozenset(
    {
        "model_options",
        "build_options",
        "system_options",
        "inference_options",
        "reporting_options",
        "device_information",
        "performance_summary",
    }
)
_DEVICE_KEYS = frozenset(
    {"ComputeCapability", "COMPUTE_CAPABILITY_MAJOR", "TotalMemory", "CUDA_VERSION", "MULTIPROCESSOR_COUNT"}
)
_MONITOR_SCHEMA = "trex.monitor/"
SIMULATED_SCHEMA = "trex.simulated-engine/"
# Names of layers that nothing but TensorRT writes: what tells a list of names from any other list of words.
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
_JSON_GRAPH = re.compile(r'^[ \t]*\{\s*"Layers"\s*:', re.MULTILINE)
_JSON_START = re.compile(r'[\s,]*(?:\{\s*(?:["}]|\Z)|\[\s*(?:["{\[\]]|\Z|-?\d|null|true|false|-?nan|-?inf))')
_TIME_OF_DAY = re.compile(r"\s*\[\d\d/\d\d/\d{4}-")


def recognize(data: bytes, name: str = "") -> Kind:
    """What a file is, from its bytes (the first 64 KiB are looked at), uncompressed, in any encoding, torn or not.

    name: the file's name, consulted only where the content leaves it open: an empty list, a list of words.
    """
    head = data[:HEAD_BYTES]
    found = signature_of(head)
    if found is not None:
        return _SIGNATURES.get(found.name, Kind.UNKNOWN)
    if is_wide_text(head):
        head = decode(head)[0].encode("utf-8")
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if "\x1b" in text:
        text = _COLOR.sub("", text)
    text = text.replace("\r\n", "\n")
    if _JSON_GRAPH.match(text):
        return Kind.GRAPH
    is_json = _JSON_START.match(text) is not None and not _TIME_OF_DAY.match(text)
    kind = Kind.UNKNOWN if is_json else _text_kind(text)
    if kind is Kind.UNKNOWN and ("{" in text or "[" in text):
        kind = _json_kind(head, name)
    if kind is Kind.UNKNOWN and _is_prefixed_log(text):
        return Kind.LOG
    return kind


def _is_prefixed_log(text: str) -> bool:
    """A log each line of which another program has put its own words in front of."""
    head = text.encode("utf-8", "replace")
    prefix = learned_prefix(head)
    return prefix is not None and _LOG_LINE.search(prefix.sub(b"", head).decode("utf-8", "replace")) is not None


def _text_kind(text: str) -> Kind:
    if _JSON_GRAPH.search(text):
        return Kind.GRAPH
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
    for document in documents[:8]:
        kind = _kind_of(document, name)
        if kind is not Kind.UNKNOWN:
            return kind
    return Kind.UNKNOWN


def _kind_of(document: Any, name: str) -> Kind:
    if isinstance(document, dict):
        return _kind_of_object(document)
    if isinstance(document, list):
        if not document:
            return _kind_by_name(name)
        records = [item for item in document[:8] if isinstance(item, dict)]
        if records:
            return _kind_of_records(records)
        words = [item for item in document[:200] if isinstance(item, str)]
        if len(words) == len(document[:200]):
            return _kind_of_words(words, name)
        if all(_is_pair(item) for item in document[:8]):
            return Kind.PROFILE
    return Kind.UNKNOWN


def _kind_of_object(document: dict[str, Any]) -> Kind:
    keys = document.keys()
    if str(document.get("schema", "")).startswith(_MONITOR_SCHEMA):
        return Kind.MONITOR
    if str(document.get("schema", "")).startswith(SIMULATED_SCHEMA):
        return Kind.ENGINE_PLAN
    if "Layers" in keys or len(keys & _GRAPH_KEYS) > 1:
        return Kind.GRAPH
    if keys & _METADATA_KEYS:
        return Kind.METADATA
    kind = _kind_of_records([document])
    if kind is not Kind.UNKNOWN:
        return kind
    if any(isinstance(value, dict) and "Layers" in value for value in _first(document.values(), 16)):
        return Kind.GRAPH
    if any(document.values()) and all(_is_samples(value) for value in document.values()):
        return Kind.SAMPLES
    if document and all(map(_is_number, document.values())):
        return Kind.NUMBERS
    return Kind.UNKNOWN


def _kind_of_records(records: list[dict[str, Any]]) -> Kind:
    keys = set().union(*records)
    if keys & _TIMING_KEYS:
        return Kind.TIMING
    if keys & _PROFILE_KEYS and ("name" in keys or "count" in keys):
        return Kind.PROFILE
    if "Name" in keys and keys & _LAYER_KEYS:
        return Kind.GRAPH
    if keys & _DEVICE_KEYS:
        return Kind.DEVICE
    if any("Layers" in record for record in records):
        return Kind.GRAPH
    # The first record of a profile, the others torn off.
    return Kind.PROFILE if records[0].keys() == {"count"} else Kind.UNKNOWN


def _kind_of_words(words: list[str], name: str) -> Kind:
    """A bare list of strings is a list of layers when nothing speaks against it, and something for it."""
    if not name or Hint.GRAPH in hints_of(name) or any(_LAYER_NAME.search(word[:2000]) for word in words):
        return Kind.GRAPH
    return Kind.UNKNOWN


def _kind_by_name(name: str) -> Kind:
    hints = hints_of(name)
    for hint, kind in ((Hint.TIMING, Kind.TIMING), (Hint.PROFILE, Kind.PROFILE), (Hint.GRAPH, Kind.GRAPH)):
        if hint in hints:
            return kind
    return Kind.UNKNOWN


def _is_pair(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 2 and isinstance(item[0], str) and _is_number(item[1])


def _is_samples(value: Any) -> bool:
    return isinstance(value, list) and all(_is_number(item) for item in value[:16])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _first(values: Iterable[Any], count: int) -> list[Any]:
    return [value for value, _ in zip(values, range(count))]

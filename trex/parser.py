"""Reading single files as plain dicts and lists, under TREx's names. For everything at once use ``trex.load``.

Differs from NVIDIA's TREx: files with repairable damage are read as by ``trex.load``; what cannot be read
raises TrexError with file, line and column. Profile records join by name, so their names are printable ones.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

from trex import _reexported
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.graph_json import read_graph
from trex.ingest.lenient_json import parse
from trex.ingest.metadata_json import read_metadata
from trex.ingest.profile_json import read_profile
from trex.ingest.source import read_source
from trex.ingest.timing_json import read_timing
from trex.plan.engine_plan import EnginePlan as _EnginePlan
from trex.plan.records import clean_records, profile_records

PathLike = str | os.PathLike[str]
RawGraph = tuple[list[dict[str, Any]], list[str]]

__all__ = [
    "get_builder_config",
    "get_device_properties",
    "get_performance_summary",
    "import_graph_file",
    "read_graph_file",
    "read_json",
    "read_metadata_file",
    "read_perf_metadata_file",
    "read_profiling_file",
    "read_timing_file",
]


def read_json(json_file: IO[Any]) -> Any:
    """The JSON document in an open file, text or binary. Raises TrexError with line and column."""
    content = json_file.read()
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    return _document(data, str(getattr(json_file, "name", "")))


def read_graph_file(graph_file: PathLike) -> RawGraph:
    """(layers, bindings) of an exported engine graph: the layers' records verbatim and the bindings' names."""
    source = read_source(graph_file)
    engine = read_graph(source.data, source.path)
    return [layer.raw for layer in engine.layers], [binding.name for binding in engine.bindings]


def import_graph_file(graph_file: PathLike, profile_id: int | None = None) -> RawGraph:
    """(layers, bindings) of one optimization profile, cleaned: printable unique names, no signals and waits.

    profile_id: None for the first. Raises TrexError when the engine lacks it.
    """
    source = read_source(graph_file)
    plan = _EnginePlan(read_graph(source.data, source.path), profile_id=profile_id)
    return clean_records(plan.engine.layers), plan.bindings


def read_profiling_file(profiling_file: PathLike) -> list[dict[str, Any]]:
    """Records ``name, timeMs, averageMs, medianMs, percentage`` of an exported profile, without the ``count``."""
    source = read_source(profiling_file)
    return profile_records(read_profile(source.data, source.path))


def read_timing_file(timing_json_file: PathLike) -> list[float]:
    """``latencyMs`` of every query, in milliseconds."""
    source = read_source(timing_json_file)
    return list(read_timing(source.data, source.path).latency_ms)


def read_metadata_file(metadata_file: PathLike, device: int = 0) -> dict[str, Any]:
    """The facts of one device, from a file with a list of devices; a file with one mapping is returned whole."""
    source = read_source(metadata_file)
    document = _document(source.data, source.path)
    devices = document if isinstance(document, list) else [document]
    if not 0 <= device < len(devices) or not isinstance(devices[device], dict):
        raise TrexError(f"the file describes no device {device}", f"devices in it: {len(devices)}", source.path)
    result: dict[str, Any] = devices[device]
    return result


def read_perf_metadata_file(metadata_file: PathLike, section: str) -> dict[str, Any]:
    """One section (``performance_summary``, ``device_information`` …) verbatim; {} when the file lacks it."""
    source = read_source(metadata_file)
    document = _document(source.data, source.path)
    content = document.get(section) if isinstance(document, dict) else None
    return content if isinstance(content, dict) else {}


def get_device_properties(metadata_file: PathLike | None) -> dict[str, Any]:
    """The device as the file describes it; {} without a file."""
    return dict(_metadata(metadata_file).device)


def get_performance_summary(metadata_file: PathLike | None) -> dict[str, Any]:
    """trtexec's performance summary; {} when there is no such file."""
    return dict(_metadata(metadata_file).performance)


def get_builder_config(metadata_file: PathLike | None) -> dict[str, Any]:
    """Model options and build options together; {} when there is no such file."""
    metadata = _metadata(metadata_file)
    return {**metadata.model_options, **metadata.build_options}


def _metadata(path: PathLike | None) -> Metadata:
    if path is None or not Path(path).exists():
        return Metadata()
    source = read_source(path)
    return read_metadata(source.data, source.path)


def _document(data: bytes, where: str) -> Any:
    documents = parse(data, where).documents
    return documents[0] if documents else None


__getattr__ = _reexported(__name__)

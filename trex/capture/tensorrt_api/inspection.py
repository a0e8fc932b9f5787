"""Engine → graph file: the JSON of TensorRT's inspector, unchanged."""

from __future__ import annotations

import json
from typing import Any

from trex.capture.tensorrt_api.context import PreparedContext
from trex.capture.tensorrt_api.files import write_file
from trex.capture.tensorrt_api.library import Library

NAMES_ONLY = (
    "the engine stores little about its layers (profiling verbosity %s), so the graph has names at most; only a new "
    "build helps, with --profilingVerbosity=detailed"
)


def inspect_engine(library: Library, prepared: PreparedContext, path: str) -> None:
    """Writes the graph. With shapes set on the context the inspector writes sizes and formats in full."""
    trt, log = library.trt, library.log
    verbosity = prepared.engine.profiling_verbosity
    if verbosity != trt.ProfilingVerbosity.DETAILED:
        log.warning(NAMES_ONLY % getattr(verbosity, "name", verbosity))
    inspector = prepared.engine.create_engine_inspector()
    inspector.execution_context = prepared.context
    data = inspector_bytes(inspector, trt)
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except ValueError as error:
        log.warning(f"TensorRT's inspector wrote invalid JSON, which is kept unchanged: {error}")
    write_file(path, data)
    log.info("%d layers inspected" % prepared.engine.num_layers)


def inspector_bytes(inspector: Any, trt: Any) -> bytes:
    """Names need not be UTF-8, which Python cannot hold as text; the error then has the bytes."""
    try:
        text = inspector.get_engine_information(trt.LayerInformationFormat.JSON)
    except UnicodeDecodeError as error:
        return bytes(error.object)
    return str(text).encode("utf-8", "surrogateescape" if _has_escapes(text) else "surrogatepass")


def _has_escapes(text: str) -> bool:
    return any("\udc80" <= letter <= "\udcff" for letter in text)

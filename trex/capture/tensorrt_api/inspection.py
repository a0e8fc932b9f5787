"""Engine → graph file: what TensorRT's inspector tells, word for word."""

from __future__ import annotations

import json
from typing import Any

from trex.capture.tensorrt_api.context import Ready
from trex.capture.tensorrt_api.files import write_file
from trex.capture.tensorrt_api.library import Library

NAMES_ONLY = (
    "the engine keeps little of its layers (profiling verbosity %s), so the graph has names at most; only another "
    "build helps, with --profilingVerbosity=detailed"
)


def inspect_engine(library: Library, ready: Ready, path: str) -> None:
    """Writes the graph. With shapes set on the context the inspector tells sizes and formats in full."""
    trt, log = library.trt, library.log
    verbosity = ready.engine.profiling_verbosity
    if verbosity != trt.ProfilingVerbosity.DETAILED:
        log.warning(NAMES_ONLY % getattr(verbosity, "name", verbosity))
    inspector = ready.engine.create_engine_inspector()
    inspector.execution_context = ready.context
    data = inspector_bytes(inspector, trt)
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except ValueError as error:
        log.warning(f"TensorRT's inspector wrote JSON with a mistake in it, kept as it is: {error}")
    write_file(path, data)
    log.info("%d layers inspected" % ready.engine.num_layers)


def inspector_bytes(inspector: Any, trt: Any) -> bytes:
    """Names need not be UTF-8, which Python cannot hold as text; their bytes come with the error."""
    try:
        text = inspector.get_engine_information(trt.LayerInformationFormat.JSON)
    except UnicodeDecodeError as error:
        return bytes(error.object)
    return str(text).encode("utf-8", "surrogateescape" if _has_escapes(text) else "surrogatepass")


def _has_escapes(text: str) -> bool:
    return any("\udc80" <= letter <= "\udcff" for letter in text)

"""A log of trtexec → Metadata, and TREx's metadata files."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.logs.trtexec_log import LogRun, read_log

BUILD_SECTIONS = ("model_options", "build_options", "device_information")
PROFILE_SECTIONS = ("performance_summary", "inference_options", "device_information")
# In addition to TREx's sections: the percentiles' names and the release.
_MORE_SECTIONS = ("system_options", "reporting_options")


def metadata_of_log(path: Path) -> Metadata:
    """Metadata of the last run in a log; empty if it is not a log of trtexec. Raises TrexError if it is unreadable."""
    with _opened(path) as file:
        try:
            return read_log(file, str(path)).runs[-1].metadata
        except TrexError:
            return Metadata()


def runs_of_log(path: Path) -> tuple[LogRun, ...]:
    """Raises TrexError if the log is unreadable or not one of trtexec."""
    with _opened(path) as file:
        return read_log(file, str(path)).runs


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise TrexError(f"the log cannot be read: {error.strerror}", "check its permissions", str(path)) from None


def metadata_bytes(metadata: Metadata, sections: tuple[str, ...]) -> bytes:
    """The JSON file that process_engine wrote: values as in the log, percentiles in lists, null for NaN."""
    section_values: dict[str, Any] = {
        "model_options": metadata.model_options,
        "build_options": metadata.build_options,
        "system_options": metadata.system_options,
        "inference_options": metadata.inference_options,
        "reporting_options": metadata.reporting_options,
        "device_information": metadata.device,
        "performance_summary": metadata.performance,
    }
    document: dict[str, Any] = {name: dict(section_values[name]) for name in (*sections, *_MORE_SECTIONS)}
    document["milestones"] = dict(metadata.milestones)
    document["tensorrt_version"] = metadata.tensorrt_version
    document["command_line"] = metadata.command_line
    return (json.dumps(_finite(document), indent=4, default=str, allow_nan=False) + "\n").encode()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

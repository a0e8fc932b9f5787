"""A log of trtexec → Metadata, and the metadata files of TREx."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.logs.trtexec_log import read_log

BUILD_SECTIONS = ("model_options", "build_options", "device_information")
PROFILE_SECTIONS = ("performance_summary", "inference_options", "device_information")
# Beside TREx's sections: without these, percentiles have no names and nothing tells the release.
_ALSO = ("system_options", "reporting_options")


def metadata_of_log(path: Path) -> Metadata:
    """What the last run in a log tells; empty where it is no log of trtexec. Raises TrexError for an unreadable one."""
    try:
        with path.open("rb") as file:
            return read_log(file, str(path)).runs[-1].metadata
    except OSError as error:
        raise TrexError(f"the log cannot be read: {error.strerror}", "check its permissions", str(path)) from None
    except TrexError:
        return Metadata()


def metadata_bytes(metadata: Metadata, sections: tuple[str, ...]) -> bytes:
    """The JSON file that process_engine wrote: values as the log has them, percentiles in lists."""
    told: dict[str, Any] = {
        "model_options": metadata.model_options,
        "build_options": metadata.build_options,
        "system_options": metadata.system_options,
        "inference_options": metadata.inference_options,
        "reporting_options": metadata.reporting_options,
        "device_information": metadata.device,
        "performance_summary": metadata.performance,
    }
    document: dict[str, Any] = {name: dict(told[name]) for name in (*sections, *_ALSO)}
    document["milestones"] = dict(metadata.milestones)
    document["tensorrt_version"] = metadata.tensorrt_version
    document["command_line"] = metadata.command_line
    return (json.dumps(document, indent=4, default=str) + "\n").encode()

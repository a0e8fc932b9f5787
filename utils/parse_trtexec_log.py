#!/usr/bin/env python3
"""Prints options, device and performance from a trtexec log as JSON; a thin launcher.

python3 utils/parse_trtexec_log.py out/resnet.engine.profile.log
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trex.capture.log_metadata import BUILD_SECTIONS, PROFILE_SECTIONS, metadata_bytes, metadata_of_log, runs_of_log
from trex.classic.logs import with_numbers
from trex.cli.console import print_notes, read_to_the_end
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.ingest.logs.log_lines import log_lines
from trex.ingest.logs.log_sections import add_option, joined, section_name
from trex.ingest.logs.trtexec_log import read_log

__all__ = ["FileSection", "parse_build_log", "parse_profiling_log"]


class FileSection:
    """Reads a log line by line and keeps one section: the lines between its header and the next header.

    section_header: ``=== Model Options ===``, or the words in it.
    """

    def __init__(self, section_header: str) -> None:
        self.section_header = section_header
        self._name = section_header.strip("= ")
        self._is_inside = False
        self._options: dict[str, list[str]] = {}

    @property
    def dict(self) -> dict[str, str]:
        """{key: value}, both as printed."""
        return joined(self._options)

    def entered_section(self, line: str) -> bool:
        """Whether the line is the section's header; later lines are kept."""
        if section_name(_message(line)) == self._name:
            self._is_inside = True
            return True
        return False

    def parse_line(self, line: str) -> bool:
        """Keeps a line of the section; False for a line outside of it, such as the next header."""
        message = _message(line)
        if section_name(message) is not None or message.startswith("&&&&"):
            self._is_inside = False
        elif self._is_inside:
            add_option(self._options, message)
            return True
        return False


def parse_build_log(file_name: str, tea: Any = None) -> dict[str, dict[str, Any]]:
    """{model_options, build_options, device_information} of a build. tea: the archive to read it from.

    Raises TrexError for a file that cannot be read.
    """
    return _sections(_metadata(file_name, tea), BUILD_SECTIONS)


def parse_profiling_log(file_name: str, tea: Any = None) -> dict[str, dict[str, Any]]:
    """{performance_summary, inference_options, device_information} of a run. tea: the archive to read it from.

    Latencies are lists of milliseconds: min, max, mean, median, percentiles. SMs, clock rates (GHz), bus width (bits)
    and compute capability of the device are numbers. Raises TrexError.
    """
    return _sections(_metadata(file_name, tea), PROFILE_SECTIONS)


def _sections(metadata: Metadata, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    sections = json.loads(metadata_bytes(metadata, names))
    return {name: with_numbers(sections[name]) if name == "device_information" else sections[name] for name in names}


def _metadata(file_name: str, tea: Any) -> Metadata:
    if tea is None:
        return metadata_of_log(Path(file_name))
    content = tea.readf(file_name)
    data = content.encode() if isinstance(content, str) else content
    return read_log(data, str(file_name)).runs[-1].metadata


def _last_run(path: str) -> Metadata:
    """Of the last run in the log; what is wrong with it goes to standard error. Raises TrexError if it is no log."""
    runs = runs_of_log(Path(path))
    if len(runs) > 1:
        print_notes(
            [Note("several-runs-in-log", f"the log contains {len(runs)} runs: the last one is shown", "", path)]
        )
    print_notes(note for note in runs[-1].metadata.notes if note.severity != "info")
    return runs[-1].metadata


def _message(line: str) -> str:
    first = next(iter(log_lines(line.encode("utf-8", "replace"))), None)
    return first.message if first else ""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("log", help="the output of trtexec")
    options = parser.parse_args(argv)
    try:
        metadata = _last_run(options.log)
        sections = {**_sections(metadata, BUILD_SECTIONS), **_sections(metadata, PROFILE_SECTIONS)}
        print(json.dumps(sections, indent=1))
    except TrexError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    with read_to_the_end():
        sys.exit(main())

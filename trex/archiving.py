"""Engine archives (``.tea``) under TREx's names: a build's log, engine, configuration and timing cache in one file.

Differs from NVIDIA's TREx: importing it and reading archives need no TensorRT; opening an archive deletes nothing, what
is written replaces members of the same name, and the file is written whole when the archive is closed; names that lead
out of an archive and members that expand beyond measure are refused. ``plan_cfg.json`` holds the engine's layers, so
``trex.load("model.tea")`` reads it. Its other fields, and those of ``build_cfg.json``, are named as in TensorRT's API.
"""

from __future__ import annotations

import os
from typing import Any, TextIO

from trex import _reexported
from trex.capture.build_facts import null_trt_logger, stream_trt_logger
from trex.capture.engine_archive import EngineArchive, Writer, member_name, regular_file_reader, regular_file_writer

PathLike = str | os.PathLike[str]

__all__ = ["EngineArchive", "get_reader", "get_writer"]


def zip_file_writer(tea: EngineArchive, fname: PathLike) -> Writer:
    """A writer of the member that is called like the file; of a path elsewhere the last part counts."""
    return tea.writer(member_name(fname))


def zip_file_reader(tea: EngineArchive, fname: PathLike) -> TextIO:
    """The member that is called like the file, as text."""
    return tea.reader(member_name(fname))


def get_writer(tea: EngineArchive | None, fname: PathLike) -> Writer:
    """A writer into the archive, or of a file of its own where there is no archive. Takes text and bytes."""
    return regular_file_writer(fname) if tea is None else zip_file_writer(tea, fname)


def get_reader(tea: EngineArchive | None, fname: PathLike) -> TextIO:
    """The text of a member of the archive, or of a file where there is no archive."""
    return regular_file_reader(fname) if tea is None else zip_file_reader(tea, fname)


def StreamTrtLogger(user_logger: Any) -> Any:
    """A logger for TensorRT that keeps every message in its ``stream``, a StringIO, and hands it on to ``user_logger``.

    Raises TrexError, naming the extra, without TensorRT.
    """
    return stream_trt_logger(user_logger)


def NullTrtLogger() -> Any:
    """A logger for TensorRT that says nothing. Raises TrexError, naming the extra, without TensorRT."""
    return null_trt_logger()


__getattr__ = _reexported(__name__)

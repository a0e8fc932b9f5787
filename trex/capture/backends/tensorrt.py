"""TensorRT's Python API, 8.5 to 11, for machines without trtexec: the collector, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from trex.capture.backend import Backend
from trex.capture.collector_job import MODULE, CollectorJob
from trex.capture.options import CaptureOptions
from trex.capture.probe import ask_python, is_installed
from trex.capture.tensorrt_api.arguments import SWITCHES, VALUES
from trex.capture.tensorrt_api.library import OLDEST_RELEASE
from trex.capture.tensorrt_api.tactics import cache_path
from trex.capture.trtexec.command_line import command_line
from trex.capture.trtexec.user_options import Receiver
from trex.core.errors import TrexError, missing_extra
from trex.core.release import Release, release_from_text
from trex.ingest.timing_cache import load_timing_cache

FIRST_EDITABLE = (10, 8)
_RECEIVER = Receiver(
    "the Python API", f"python -m {MODULE} --help lists its options", frozenset(SWITCHES) | frozenset(VALUES)
)


def _is_available(_: CaptureOptions) -> bool:
    return is_installed("tensorrt")


def _prepare(options: CaptureOptions) -> CollectorJob:
    if not is_installed("tensorrt"):
        raise missing_extra("tensorrt", "tensorrt", "building through the Python API")
    answer = ask_python("import tensorrt\nanswer = str(tensorrt.__version__)")
    release = release_from_text(answer.value) if isinstance(answer.value, str) else None
    if release is None:
        raise TrexError(
            f"TensorRT's Python module cannot be loaded: {answer.problem or 'it has no version'}",
            "trex doctor reports what is missing",
        )
    if release.pair < OLDEST_RELEASE:
        raise TrexError(f"TensorRT {release} is too old for its Python API to be used", "use --backend trtexec")
    lines = command_line(options, release, receiver=_RECEIVER)
    return CollectorJob(release, sys.executable, lines.notes, lines, _tactics_options(options, release))


def _tactics_options(options: CaptureOptions, release: Release) -> tuple[str, ...]:
    """Those of the collector. Raises TrexError, before anything is built, for a release or a record that can't do."""
    files = {"recordTactics": options.record_tactics, "replayTactics": options.replay_tactics}
    words = tuple(f"--{name}={path}" for name, path in files.items() if path)
    if words and (options.timing_cache or "timingCacheFile" in (_name(word) for word in options.trtexec_args)):
        raise TrexError("to record or replay tactics, a build uses a timing cache of its own", "leave the other out")
    if words and release.pair < FIRST_EDITABLE:
        raise TrexError(f"TensorRT {release} has no editable timing cache", "it came with 10.8")
    if options.replay_tactics:
        cache = Path(cache_path(options.replay_tactics))
        if not cache.is_file():
            hint = "a record is two files, FILE.json and FILE.cache: keep both"
            raise TrexError("there is no timing cache to replay", hint, str(cache))
        if str(cache) != options.replay_tactics:
            load_timing_cache(options.replay_tactics)
    return words


def _name(word: str) -> str:
    return word.lstrip("-").partition("=")[0]


BACKEND = Backend("tensorrt", _is_available, _prepare, edits_timing_cache=True)

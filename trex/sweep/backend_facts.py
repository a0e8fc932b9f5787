"""What a backend finds where its jobs run: the TensorRT release and the GPU, which are part of a job's key."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from trex.capture.options import CaptureOptions
from trex.core.errors import TrexError


@dataclass(frozen=True, slots=True)
class Question:
    """options: of one of the jobs that have the same answer. resources: of the worker to ask."""

    options: CaptureOptions
    resources: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BackendFacts:
    """gpu: that runs the engine, "" where nothing runs it or none is known. problem: why there is no release."""

    tensorrt: str = ""
    gpu: str = ""
    problem: str = ""
    hint: str = ""


def facts_here(question: Question) -> BackendFacts:
    """Of this machine. Options that the backend refuses are a problem, too."""
    from trex.capture.backend import prepare_backend

    try:
        _, job = prepare_backend(question.options)
    except TrexError as error:
        return BackendFacts(problem=error.message, hint=error.hint)
    return BackendFacts(str(job.release), _gpu_here() if job.uses_gpu else "")


def _gpu_here() -> str:
    from trex.capture.device_info import device_properties

    with suppress(TrexError):
        return str(device_properties()[0].get("Name", ""))
    return ""

"""Jobs whose child is a mock of ``trex process``."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from trex.capture.options import CaptureOptions
from trex.sweep.job import Job, JobModel

PROGRAM = (sys.executable, "-S", str(Path(__file__).with_name("mock_process.py")))


def make_jobs(folder: Path, words: Sequence[str], repetitions: int = 1, time_limit_s: float | None = None) -> list[Job]:
    """One job per word, which the mock acts on, and repetition."""
    model = folder / "m.onnx"
    model.write_bytes(b"a model")
    record = JobModel(str(model), hashlib.sha256(b"a model").hexdigest())
    return [
        Job(
            hashlib.sha256(word.encode()).hexdigest(),
            index,
            {"sweep": "test", "model": "m.onnx", "options": word, "backend": "simulated"},
            record,
            CaptureOptions("", "", tuple(word.split()), backend="simulated"),
            time_limit_s=time_limit_s,
        )
        for index in range(repetitions)
        for word in words
    ]

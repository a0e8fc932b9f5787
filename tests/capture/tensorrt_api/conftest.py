"""A collector that runs in a Python of its own, against the mock TensorRT of a release."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.mocks import write_model
from tests.mocks.launcher import REPOSITORY
from tests.mocks.tensorrt import write_tensorrt
from trex.capture.collector import collector_source

Run = Callable[..., "Ran"]


class Ran:
    """A collector that has ended. folder: what it wrote into."""

    def __init__(self, ended: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.code, self.out, self.error = ended.returncode, ended.stdout, ended.stderr
        self.folder = folder

    def text(self, ending: str) -> str:
        return (self.folder / f"m.onnx.engine{ending}").read_text()

    def json(self, ending: str) -> Any:
        return json.loads(self.text(ending))

    @property
    def names(self) -> set[str]:
        return {path.name.removeprefix("m.onnx.engine") for path in self.folder.iterdir()}


@pytest.fixture(scope="session")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that ``trex collector`` prints."""
    path = tmp_path_factory.mktemp("collector") / "collect.py"
    path.write_text(collector_source("0.1.0"), encoding="ascii")
    return path


@pytest.fixture
def collect(tmp_path: Path, collector: Path) -> Run:
    """Runs the one file on a model, quickly; keywords are the mock's behavior, ``facts`` are the model's."""

    def run(
        release: str = "10.4",
        *words: str,
        cuda: str = "cuda-python",
        facts: dict[str, Any] | None = None,
        model: str = "m.onnx",
        **behavior: Any,
    ) -> Ran:
        packages = write_tensorrt(tmp_path / f"lib-{release}", release, cuda, **behavior)
        if not (tmp_path / "m.onnx").exists():
            write_model(tmp_path / "m.onnx", **(facts or {}))
        quick = ["--duration", "0", "--warm-up", "0", "--iterations", "12"]
        ended = subprocess.run(
            [sys.executable, "-S", str(collector), str(tmp_path / model), str(tmp_path / "out"), *quick, *words],
            capture_output=True,
            text=True,
            timeout=120,
            # At the end of the path stands what the mock itself needs; the collector must not find trex there.
            env={"PYTHONPATH": str(packages), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=tmp_path,
        )
        return Ran(ended, tmp_path / "out")

    assert REPOSITORY.is_dir()
    return run

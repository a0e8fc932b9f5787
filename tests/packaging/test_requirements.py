"""setup.py and requirements.txt: one list, lower bounds only, and ``all`` installs without a GPU."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import trex

ROOT = Path(__file__).resolve().parents[2]
NEEDS_A_GPU_TOOLKIT = {"tensorrt", "pycuda"}


@pytest.fixture
def distribution(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The arguments that setup.py passes to setuptools."""
    arguments: dict[str, Any] = {}
    setuptools = ModuleType("setuptools")
    setuptools.find_packages = lambda include: include
    monkeypatch.setitem(sys.modules, "setuptools", setuptools)
    monkeypatch.setattr(setuptools, "setup", lambda **words: arguments.update(words), raising=False)
    runpy.run_path(str(ROOT / "setup.py"))
    return SimpleNamespace(**arguments)


def project(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_.-]", requirement)[0].lower()


def requirements() -> set[str]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines())
    return {line for line in lines if line}


def test_the_version_has_one_source(distribution: SimpleNamespace) -> None:
    assert distribution.version == trex.__version__


def test_the_extras(distribution: SimpleNamespace) -> None:
    assert set(distribution.extras_require) == {
        "all", "dev", "excel", "fuzz", "gpu", "graphviz", "mcp", "model-explorer", "notebook", "onnx", "parquet", "picture",
        "pycuda", "report", "rtx", "tensorrt",
    }  # fmt: skip


def test_all_is_every_extra_that_installs_anywhere(distribution: SimpleNamespace) -> None:
    extras = distribution.extras_require
    assert not NEEDS_A_GPU_TOOLKIT & {project(line) for line in extras["all"]}
    for name in ("notebook", "report", "onnx", "excel", "parquet", "picture", "graphviz", "gpu", "mcp"):
        assert set(extras[name]) <= set(extras["all"])


def test_requirements_are_the_core_and_all(distribution: SimpleNamespace) -> None:
    assert requirements() == {*distribution.install_requires, *distribution.extras_require["all"]}


def test_what_needs_a_toolkit_is_mentioned_with_the_reason() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    for name in NEEDS_A_GPU_TOOLKIT:
        assert re.search(rf"^# {name}>=\S+ +# \w+", text, re.MULTILINE)


def test_bounds_are_lower_bounds(distribution: SimpleNamespace) -> None:
    """But of TensorRT for RTX, whose libraries and Python module belong together in one version."""
    lines = [
        *distribution.install_requires,
        *(line for extra in distribution.extras_require.values() for line in extra),
    ]
    for line in set(lines) - set(distribution.extras_require["rtx"]):
        assert re.fullmatch(r"[A-Za-z0-9_.-]+>=[0-9.]+", line.partition(";")[0]), line


def test_only_trex_is_packaged(distribution: SimpleNamespace) -> None:
    assert distribution.packages == ["trex", "trex.*"]

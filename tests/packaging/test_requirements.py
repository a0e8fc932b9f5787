"""pyproject.toml and requirements.txt: one list, lower bounds only, and ``all`` installs without a GPU."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
NEEDS_A_GPU_TOOLKIT = {"tensorrt", "pycuda"}
ANYWHERE = {
    "dtale", "excel", "gpu", "graphviz", "mcp", "notebook", "onnx", "parquet", "picture", "report", "store", "sweep",
}  # fmt: skip


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def named(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9_.-]", requirement)[0].lower()


def flat(project: dict[str, Any], extra: str) -> set[str]:
    """The requirements of an extra, with those of the extras that it includes."""
    result: set[str] = set()
    for line in project["optional-dependencies"][extra]:
        if named(line) == project["name"]:
            for included in line.partition("[")[2].rstrip("]").split(","):
                result |= flat(project, included)
        else:
            result.add(line)
    return result


def requirements() -> set[str]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines())
    return {line for line in lines if line}


def test_the_extras(project: dict[str, Any]) -> None:
    apart = {"all", "dev", "docs", "fuzz", "model-explorer", "pycuda", "rtx", "tensorrt"}
    assert set(project["optional-dependencies"]) == ANYWHERE | apart


def test_all_is_every_extra_that_installs_anywhere(project: dict[str, Any]) -> None:
    assert flat(project, "all") == set().union(*(flat(project, extra) for extra in ANYWHERE))
    assert not NEEDS_A_GPU_TOOLKIT & {named(line) for line in flat(project, "all")}


def test_requirements_are_the_core_and_all(project: dict[str, Any]) -> None:
    assert requirements() == {*project["dependencies"], *flat(project, "all")}


def test_what_needs_a_toolkit_is_mentioned_with_the_reason() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    for name in NEEDS_A_GPU_TOOLKIT:
        assert re.search(rf"^# {name}>=\S+ +# \w+", text, re.MULTILINE)


def test_bounds_are_lower_bounds(project: dict[str, Any]) -> None:
    """But of TensorRT for RTX, whose libraries and Python module belong together in one version."""
    lines = set(project["dependencies"]).union(*(flat(project, extra) for extra in project["optional-dependencies"]))
    for line in lines - flat(project, "rtx"):
        assert re.fullmatch(r"[A-Za-z0-9_.-]+>=[0-9.]+", line.partition(";")[0]), line


@pytest.mark.parametrize(
    ("address", "link"), [("", "](images"), ("https://forge.example/org/trex", "](https://forge.example")]
)
def test_an_index_shows_the_readme(monkeypatch: pytest.MonkeyPatch, address: str, link: str) -> None:
    """Its pictures and links lead to the repository, or are left out where nobody said where that is."""
    words: dict[str, Any] = {}
    monkeypatch.setitem(sys.modules, "setuptools", SimpleNamespace(setup=words.update))
    monkeypatch.setenv("TREX_REPOSITORY", address)
    runpy.run_path(str(ROOT / "setup.py"))
    assert (link in words["long_description"]) == bool(address) == bool(words["project_urls"])
    assert not re.search(r"\]\((?!https?:|#|\))", words["long_description"])

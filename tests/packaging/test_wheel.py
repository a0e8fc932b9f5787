"""The wheel, installed in an empty environment: what is in it, what it asks for, and every sub-command at work."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

import pytest

from tests.mocks import write_model, write_trtexec
from tests.timing_caches import cache_bytes, made_entries
from trex.cli.command import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = "example:resnet18-int8"
VERSION = "1.0.0rc0"  # pyproject.toml's, for sources without git

# What each sub-command is run with, and the exit codes that mean it worked.
ARGUMENTS: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {
    "baseline": (("list",), (0,)),
    "bisect": (("11111111", "22222222"), (2,)),
    "cache": (("show", "timing.cache"), (0,)),
    "collector": ((), (0,)),
    "compare": ((EXAMPLE, "example:resnet18-int8-residual"), (0,)),
    "devices": (("L4",), (0,)),
    "doctor": ((EXAMPLE,), (0, 1)),
    "draw": ((EXAMPLE, "--output", "engine.svg"), (0,)),
    "examples": ((), (0,)),
    "explain": (("latency.pct_time",), (0,)),
    "explain-build": (("model.onnx", "--device", "A100", "fp16"), (2,)),  # 2: the extra onnx is not there
    "history": (("net",), (2,)),
    "layers": ((EXAMPLE, "--top", "3"), (0,)),
    "lint": ((EXAMPLE,), (0, 1)),
    "mcp": ((), (2,)),
    "perf": ((EXAMPLE, "--device", "L4"), (0,)),
    "process": (("model.onnx", "out", "fp16", "--trtexec", "./trtexec"), (0,)),
    "qdq": ((EXAMPLE,), (0,)),
    "report": ((EXAMPLE,), (0,)),
    "rules": ((), (0,)),
    "schema": (("summary",), (0,)),
    "store": (("query",), (0,)),
    "serve": ((".", "--json"), (0,)),
    "skill": ((), (0,)),
    "summary": ((EXAMPLE,), (0,)),
    "sweep": (("--dry-run", "--model", "model.onnx", "--backend", "simulated", "--gpu", "A100"), (0,)),
    "tactics": (("build.log",), (0,)),
    "validate": ((), (0,)),
    "watch": (("build.log",), (0,)),
    "whatif": (("model.onnx", "fp16", "--device", "A100", "L4"), (2,)),
}

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


def run(command: Sequence[object], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command that sees neither the checkout nor this environment's settings."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def succeed(command: Sequence[object], cwd: Path) -> str:
    done = run(command, cwd)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wheel")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    """The wheel, built from a copy so that the checkout stays clean and nothing stale gets in.

    The copy has no history with tags, so its version is the one for that case.
    """
    source = folder / "source"
    shutil.copytree(ROOT / "trex", source / "trex", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("utils", "tests", "bin"):  # present as in a checkout, to be left out
        (source / name).mkdir()
        (source / name / "__init__.py").touch()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE.txt"):
        shutil.copy(ROOT / name, source)
    succeed([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "dist", source], folder)
    (built,) = (folder / "dist").iterdir()
    return built


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


@pytest.fixture(scope="module")
def binaries(folder: Path, wheel: Path) -> Path:
    """Where the programs of an empty environment with nothing but the wheel are."""
    home = folder / "environment"
    venv.create(home, with_pip=False)  # with a pip of its own, and all of pandas compiled, it takes twice as long
    succeed([sys.executable, "-m", "pip", "--python", home, "install", "-q", "--no-compile", wheel], folder)
    return home / ("Scripts" if os.name == "nt" else "bin")


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    return tmp_path


def test_every_file_of_the_package_is_in_the_wheel_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    ours = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / "trex").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert names == ours
    assert "trex/py.typed" in names
    assert any(name.endswith(".graph.json") for name in names)


def test_name_version_and_license(wheel: Path, metadata: Message) -> None:
    assert metadata["Name"] == "tensorrt-engine-explorer"
    assert metadata["Version"] == VERSION
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata.get("License-Expression", metadata.get("License")) == "Apache-2.0"
    with zipfile.ZipFile(wheel) as archive:
        (license,) = (name for name in archive.namelist() if name.endswith("LICENSE.txt"))
        assert b"Apache License" in archive.read(license)[:200]


def test_requirements_have_lower_bounds_only(metadata: Message) -> None:
    exact = ("tensorrt-rtx", metadata["Name"])  # the two halves of TensorRT for RTX; extras of extras
    requirements = [line for line in metadata.get_all("Requires-Dist") or [] if not any(map(line.count, exact))]
    assert requirements
    for requirement in requirements:
        bounds = requirement.partition(";")[0]
        assert re.fullmatch(r"[\w.\[\]-]+\s*\(?>=[\d.]+\)?\s*", bounds), requirement


def test_importing_the_package_brings_neither_pandas_nor_numpy(binaries: Path, empty: Path) -> None:
    code = "import sys, json, trex; print(json.dumps([sorted(sys.modules), trex.__file__]))"
    modules, file = json.loads(succeed([binaries / "python", "-c", code], empty))
    assert Path(file).is_relative_to(binaries.parent)
    assert not {"pandas", "numpy", "plotly", "rich", "orjson"} & set(modules)


def test_only_trex_is_installed(binaries: Path, empty: Path) -> None:
    code = (
        "import json; from importlib.metadata import files;"
        "print(json.dumps(sorted({f.parts[0] for f in files('tensorrt-engine-explorer')})))"
    )
    tops = json.loads(succeed([binaries / "python", "-c", code], empty))
    assert [top for top in tops if top != ".." and not top.endswith(".dist-info")] == ["trex"]
    for name in ("utils", "bin", "tests"):
        assert run([binaries / "python", "-c", f"import {name}"], empty).returncode == 1


def test_the_library_works(binaries: Path, empty: Path) -> None:
    code = "import trex; plan = trex.load_example('resnet18-int8'); print(len(plan.df), len(plan.working_layers))"
    rows, layers = succeed([binaries / "python", "-c", code], empty).split()
    assert int(rows) == int(layers) > 10


def test_every_sub_command_is_tried() -> None:
    assert set(ARGUMENTS) == set(COMMANDS.names)


@pytest.mark.parametrize("name", COMMANDS.names)
def test_a_sub_command_runs(binaries: Path, empty: Path, name: str) -> None:
    arguments, codes = ARGUMENTS[name]
    if name == "process":
        write_trtexec(empty, "10.4")
    if "timing.cache" in arguments:
        (empty / "timing.cache").write_bytes(cache_bytes(made_entries()))
    if "build.log" in arguments:
        (empty / "build.log").write_text("[I] Engine built in 3.0 sec.\n", "utf-8")
    if "model.onnx" in arguments:
        write_model(empty / "model.onnx")
    done = run([binaries / "trex", name, *arguments], empty)
    assert done.returncode in codes, done.stdout + done.stderr
    extra = "mcp" if name == "mcp" else "onnx"
    refusal = "no run store" if name in ("bisect", "history") else f"tensorrt-engine-explorer[{extra}]"
    assert done.stdout.strip() if codes != (2,) else refusal in done.stderr
    assert "Traceback" not in done.stderr
    assert f"trex {name}" in succeed([binaries / "trex", name, "--help"], empty)
    if name == "process":
        assert (empty / "out" / "model.onnx.engine.graph.json.svg").is_file()
    if name == "draw":
        assert (empty / "engine.svg").read_text(encoding="utf-8").lstrip().startswith("<")


def test_help_and_version(binaries: Path, empty: Path) -> None:
    help_text = succeed([binaries / "trex", "--help"], empty)
    assert all(name in help_text for name in COMMANDS.names)
    for program in ([binaries / "trex"], [binaries / "python", "-m", "trex"]):
        assert succeed([*program, "--version"], empty).strip() == f"trex {VERSION}"


def test_a_mistake_ends_with_2_and_without_a_traceback(binaries: Path, empty: Path) -> None:
    done = run([binaries / "trex", "summary", "no-such-engine.json"], empty)
    assert done.returncode == 2
    assert "no-such-engine.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_absent_library_names_its_extra(binaries: Path, empty: Path) -> None:
    done = run([binaries / "trex", "layers", EXAMPLE, "--output", "layers.parquet"], empty)
    assert done.returncode == 2
    assert "tensorrt-engine-explorer[parquet]" in done.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("x.png",), "picture"),
        (("x.pdf",), "picture"),
        (("x.onnx",), "onnx"),
        (("x.svg", "--engine", "dot"), "graphviz"),
    ],
)
def test_a_picture_that_needs_an_extra_names_it(
    binaries: Path, empty: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str], extra: str
) -> None:
    monkeypatch.setenv("PATH", str(binaries))  # a system's Graphviz is not seen
    done = run([binaries / "trex", "draw", EXAMPLE, "-o", *words], empty)
    assert done.returncode == 2
    assert f"tensorrt-engine-explorer[{extra}]" in done.stderr
    assert not list(empty.iterdir())


def test_a_notebooks_cell_shows_the_graph_without_a_notebook_installed(binaries: Path, empty: Path) -> None:
    code = "import trex; print(trex.draw(trex.load_example('resnet18-int8'))._repr_html_())"
    assert "<iframe" in succeed([binaries / "python", "-c", code], empty)

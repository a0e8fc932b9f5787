"""What doctor finds on machines of every kind, made of a PATH and packages of our own."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mocks import write_trtexec
from trex.capture import environment as module
from trex.capture import nvml as access
from trex.capture import probe
from trex.capture.environment import BROKEN, EXTRAS, MISSING, WARNING, Check, Environment, examine
from trex.capture.trtexec import find
from trex.capture.trtexec.find import ROOT_VARIABLES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = ("tensorrt", "tensorrt_libs", "cuda", "pycuda", "pynvml", "pygraphviz", "IPython", "onnx", "typst", "pyarrow")
PYNVML = """
class NVMLError(Exception): pass
def nvmlInit(): pass
def nvmlDeviceGetCount(): return 2
def nvmlDeviceGetHandleByIndex(i): return i
def nvmlSystemGetDriverVersion(): return b"550.54.15"
def nvmlSystemGetCudaDriverVersion_v2(): return 12040
def nvmlDeviceGetName(h): return "GPU %d" % h
"""
CUDA = """
def cuInit(flags): return (0,) if {count} else (100,)
def cuDeviceGetCount(): return 0, {count}
"""
TENSORRT = "__version__ = '10.4.0.26'\nclass Builder: pass\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """``package("cuda.bindings.driver", text)`` installs a module."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def install(name: str, text: str) -> None:
        path = folder.joinpath(*name.split("."))
        path.mkdir(parents=True)
        (path / "__init__.py").write_text(text)

    return install


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """A bare machine: an empty PATH, none of the packages; ``programs("dot", script)`` adds a program."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    for name in ROOT_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(find, "_install_folders", lambda environment: iter(()))
    monkeypatch.setattr(access, "_JETSON_RELEASE", tmp_path / "nv_tegra_release")
    monkeypatch.setattr(access, "_JETSON_MODEL", tmp_path / "model")
    for name in [name for name in sys.modules if name.partition(".")[0] in HIDDEN]:
        monkeypatch.delitem(sys.modules, name)  # else a real one that another test imported is environment
    real = probe.find_spec

    def ours(name: str) -> object:
        environment = real(name)
        is_ours = environment is not None and str(tmp_path) in str(
            environment.origin or environment.submodule_search_locations
        )
        return environment if is_ours or name.partition(".")[0] not in HIDDEN else None

    monkeypatch.setattr(probe, "find_spec", ours)

    def add(name: str, text: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)

    return add


def check(environment: Environment, subject: str) -> Check:
    return next(check for check in environment.checks if check.subject == subject)


def test_a_bare_machine(programs: Callable[[str, str], None]) -> None:
    environment = examine()
    assert environment.obstacles == ("driver", "trtexec or TensorRT for Python") and not environment.is_healthy
    missing = {c.subject: c for c in environment.checks if c.status == MISSING}
    assert {"driver", "CUDA for Python", "TensorRT for Python", "trtexec", "Graphviz", "extra gpu"} <= set(missing)
    assert all(c.fix and c.purpose for c in missing.values())
    assert "pip install 'tensorrt-engine-explorer[tensorrt]'" in missing["TensorRT for Python"].fix


def test_a_machine_that_has_everything(
    programs: Callable[[str, str], None], package: Callable[[str, str], None], tmp_path: Path
) -> None:
    package("pynvml", PYNVML)
    package("cuda.bindings.driver", CUDA.format(count=2))
    package("tensorrt", TENSORRT)
    programs("dot", "")
    write_trtexec(tmp_path / "bin", "10.4")
    environment = examine()
    assert not [c for c in environment.checks if c.status == BROKEN]
    assert environment.is_healthy and not environment.obstacles
    assert check(environment, "driver").detail == "550.54.15, up to CUDA 12.4; GPU: GPU 0, GPU 1"
    assert check(environment, "CUDA for Python").detail == "cuda-python; 2 GPU(s)"
    assert check(environment, "TensorRT for Python").detail.startswith("10.4.0.26 (")
    assert check(environment, "trtexec").detail == f"10.4.0 ({tmp_path / 'bin' / 'trtexec'})"
    assert check(environment, "Graphviz").detail == str(tmp_path / "bin" / "dot")
    assert "tensorrt" not in sys.modules or "Builder" in dir(sys.modules["tensorrt"])


def test_a_graphviz_whose_libraries_are_absent_is_broken(
    programs: Callable[[str, str], None], package: Callable[[str, str], None]
) -> None:
    package("pygraphviz", "raise ImportError('libgobject-2.0.so.0: cannot open shared object file')")
    found = check(examine(), "Graphviz")
    assert found.status == BROKEN and "libgobject" in found.detail and "apt-get install graphviz" in found.fix


def test_one_way_to_build_is_enough(
    programs: Callable[[str, str], None], package: Callable[[str, str], None], tmp_path: Path
) -> None:
    programs("nvidia-smi", "echo '535.1, NVIDIA A10'; echo '535.1, NVIDIA A10'")
    elsewhere = write_trtexec(tmp_path / "my TensorRT", "8.6")
    assert "trtexec or TensorRT for Python" in examine().obstacles
    environment = examine(str(elsewhere))
    assert environment.is_healthy
    assert check(environment, "driver").detail == "535.1; GPU: NVIDIA A10, NVIDIA A10 (from nvidia-smi)"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os\nos.abort()", "it died of SIGABRT"),
        ("import time\ntime.sleep(60)", "no answer within 1 s"),
        ("raise ImportError('libnvinfer.so.10: cannot open shared object file')", "libnvinfer.so.10"),
        ("__version__ = '10'", "has no Builder"),
    ],
)
def test_bindings_that_are_broken(
    programs: Callable[[str, str], None],
    package: Callable[[str, str], None],
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    expected: str,
) -> None:
    package("tensorrt", text)
    ask = module.ask_python
    monkeypatch.setattr(module, "ask_python", lambda question: ask(question, 1 if "sleep" in text else 30))
    result = check(Environment(tuple(module._tensorrt())), "TensorRT for Python")
    assert result.status == BROKEN and expected in result.detail and result.fix
    if "libnvinfer" in text:
        assert "LD_LIBRARY_PATH" in result.fix


def test_other_things_that_are_broken(
    programs: Callable[[str, str], None], package: Callable[[str, str], None]
) -> None:
    programs("nvidia-smi", 'echo "couldn\'t communicate with the NVIDIA driver"; exit 9')
    programs("trtexec", "echo hello")
    package("cuda.bindings.driver", CUDA.format(count=0))
    package("tensorrt_lean", "")
    environment = examine()
    broken = {c.subject: c.detail for c in environment.checks if c.status == BROKEN}
    assert set(broken) == {"driver", "trtexec", "CUDA for Python"}
    assert "couldn't communicate" in broken["driver"] and "100" in broken["CUDA for Python"]
    assert "tensorrt_lean" in check(environment, "TensorRT for Python").detail


def test_a_jetson(programs: Callable[[str, str], None]) -> None:
    access._JETSON_RELEASE.write_text("# R36")
    environment = examine()
    assert check(environment, "driver").status == WARNING and "driver" not in environment.obstacles
    assert "jetson_clocks" in check(environment, "driver").fix


def test_the_extras_are_those_of_the_distribution() -> None:
    """Each extra that users install, but for those that are examined apart, and a module for each of its packages."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    apart = {"all", "dev", "docs", "fuzz", "graphviz", "model-explorer", "pycuda", "rtx", "tensorrt"}
    assert set(EXTRAS) == set(extras) - apart
    for extra, (_, modules) in EXTRAS.items():
        included = [name for line in extras[extra] for name in re.findall(r"^tensorrt-engine-explorer\[(.*)\]", line)]
        count = len(extras[extra]) - len(included) + sum(len(extras[name]) for name in included)
        assert len(modules.split()) == count, extra

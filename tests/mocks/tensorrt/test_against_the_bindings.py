"""The mock's names and signatures against NVIDIA's own bindings, where their wheels are at hand.

TREX_TENSORRT_WHEELS names the folder: ``pip download --no-deps -d FOLDER tensorrt_cu12_bindings==10.16.0.72``, and
tensorrt-bindings==8.6.1, tensorrt_cu13_bindings==11.1.0.106. Nothing of them is kept here.
"""

from __future__ import annotations

import enum
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mocks.launcher import REPOSITORY
from tests.mocks.tensorrt import cuda_python_calls
from tests.mocks.tensorrt.module import CLASSES, offer
from tests.mocks.tensorrt.real_bindings import (
    Offered,
    cuda_offered_by,
    cuda_parameters,
    cuda_wheels,
    offered_by,
    parameters,
    run_with,
    unpacked,
    wheels,
)
from tests.mocks.tensorrt.releases import ENUMERATIONS, RANGES

WHEELS = wheels(os.environ.get("TREX_TENSORRT_WHEELS"))


@pytest.fixture(scope="module", params=sorted(WHEELS) or ["none"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Offered]:
    """(what the mock offers, what the bindings of the same release do)."""
    if request.param not in WHEELS:
        pytest.skip("TREX_TENSORRT_WHEELS names no folder with wheels of TensorRT's bindings for this Python")
    environment = unpacked(WHEELS[request.param], tmp_path_factory.mktemp(f"bindings-{request.param}"))
    if environment is None:
        pytest.skip("there is no C compiler for the libraries that the bindings ask for")
    return offer(f"{request.param}.0", {}), offered_by(environment)


def test_enumerations_have_no_member_that_the_release_lacks(both: tuple[dict[str, Any], Offered]) -> None:
    ours, real = both
    for name, value in ours.items():
        if isinstance(value, type) and issubclass(value, enum.IntEnum) and name in ENUMERATIONS:
            assert {member.name for member in value} <= set(real[name]["members"]), name
    for name, members in ENUMERATIONS.items():
        lacking = {member for member in members if member not in getattr(ours.get(name), "__members__", ())}
        assert not lacking & set(real.get(name, {}).get("members", ())), name


def test_classes_have_what_the_release_has_and_lack_what_it_lacks(both: tuple[dict[str, Any], Offered]) -> None:
    ours, real = both
    for offered in CLASSES:
        name = offered.__name__
        assert (name in ours) == (name in real), name
        if name not in ours:
            continue
        attributes = {attribute for attribute in dir(ours[name]) if not attribute.startswith("_")}
        assert attributes <= set(real[name]["attributes"]), name
        lacking = {key.partition(".")[2] for key in RANGES if key.startswith(f"{name}.")} - attributes
        assert not lacking & set(real[name]["attributes"]), name


def test_methods_take_what_those_of_the_release_take(both: tuple[dict[str, Any], Offered]) -> None:
    ours, real = both
    compared = 0
    for name, method, function in methods(ours):
        overloads = parameters(real[name]["attributes"][method])
        own = [parameter for parameter in inspect.signature(function).parameters if parameter != "self"]
        assert own in overloads, f"{name}.{method}{own} is none of {overloads}"
        compared += 1
    assert compared > 40
    plugins = parameters(real["init_libnvinfer_plugins"]["doc"])
    assert list(inspect.signature(ours["init_libnvinfer_plugins"]).parameters) in plugins


def methods(ours: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """(class, method, function) of all that the collector may call or override."""
    for offered in CLASSES:
        value = ours.get(offered.__name__)
        for method, function in vars(value).items() if value else ():
            if inspect.isfunction(function) and (
                not method.startswith("_") or offered.__name__ in ("Builder", "Runtime")
            ):
                yield offered.__name__, method, function


# What the collector derives from the bindings' classes and asks of them before anything needs a GPU.
_PROGRAM = """
import sys
sys.path.insert(0, {repository!r})
import tensorrt_bindings.tensorrt as trt
trt.__version__ = {version!r}
from trex.capture.tensorrt_api.building import progress_monitor
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.layer_times import layer_profiler
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.log import Log
library = Library(trt, Log())
library.load_plugins([])
library.logger.log(trt.ILogger.Severity.INFO, "a message")
profiler = layer_profiler(library)
profiler.report_layer_time("conv", 1.5)
assert profiler.calls == [("conv", 1.5)]
if hasattr(trt, "IProgressMonitor"):
    monitor = progress_monitor(library)
    monitor.phase_start("Build", None, 3)
    assert monitor.step_complete("Build", 0) is True
    monitor.phase_finish("Build")
for kind in ("Builder", "Runtime"):
    try:
        library.create(kind)
    except CollectorError as fault:
        print(fault.message)
"""


@pytest.mark.parametrize("release", sorted(WHEELS) or ["none"])
def test_the_collectors_own_classes_are_made_of_the_bindings(release: str, tmp_path: Path) -> None:
    if release not in WHEELS:
        pytest.skip("TREX_TENSORRT_WHEELS names no folder with wheels of TensorRT's bindings for this Python")
    environment = unpacked(WHEELS[release], tmp_path)
    if environment is None:
        pytest.skip("there is no C compiler for the libraries that the bindings ask for")
    printed = run_with(environment, _PROGRAM.format(repository=str(REPOSITORY), version=f"{release}.0"))
    assert printed.splitlines()[-2:] == [f"TensorRT {release}.0 found no GPU it can use"] * 2


def test_the_wheels_are_found_by_release_and_python(tmp_path: Path) -> None:
    version = "cp" + "".join(map(str, sys.version_info[:2]))
    (tmp_path / f"tensorrt_cu12_bindings-10.16.0.72-{version}-none-any.whl").touch()
    (tmp_path / "tensorrt_cu12_bindings-10.4.0-cp26-none-any.whl").touch()
    assert list(wheels(str(tmp_path))) == ["10.16"]
    assert parameters("set_shape(self: a.B, input: str, min: Dims = (1, 2)) -> None") == [["input", "min"], ["input"]]


CUDA_WHEELS = cuda_wheels(os.environ.get("TREX_TENSORRT_WHEELS"))


@pytest.mark.parametrize("release", sorted(CUDA_WHEELS) or ["none"])
def test_calls_of_cuda_python_are_those_of_its_bindings(release: str, tmp_path: Path) -> None:
    if release not in CUDA_WHEELS:
        pytest.skip("TREX_TENSORRT_WHEELS names no folder with wheels of cuda-bindings for this Python")
    real = cuda_offered_by(CUDA_WHEELS[release], tmp_path)
    for name, value in vars(cuda_python_calls).items():
        if name.startswith("cuda") and inspect.isfunction(value):
            assert list(inspect.signature(value).parameters) == cuda_parameters(real[name]), name
        elif isinstance(value, type) and issubclass(value, enum.IntEnum):
            assert {member.name: int(member) for member in value}.items() <= real[name].items(), name

"""A build through the Python API goes into the archive, with whatever its release offers."""

from __future__ import annotations

import enum
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest.mock import ANY

import pytest

from trex.capture.build_facts import config_facts, null_trt_logger, plan_document, stream_trt_logger
from trex.capture.engine_archive import EngineArchive
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.ingest.files import find_engines

PLAN = b"ftrt" + bytes(20) + bytes([10, 4, 0, 26]) + bytes(100)
GRAPH = '{"Layers": [{"Name": "conv \x1e a", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": ["x"]}'


class Severity(enum.Enum):
    INTERNAL_ERROR, ERROR, WARNING, INFO, VERBOSE = range(5)


class BuilderFlag(enum.Enum):
    FP16, INT8, TF32 = range(3)


class MemoryPoolType(enum.Enum):
    WORKSPACE, DLA_MANAGED_SRAM = range(2)


class Mode(enum.Enum):
    INPUT, OUTPUT = range(2)


class ILogger:
    def __init__(self) -> None:
        self.is_made = True


class Config:
    """As documented: simple attributes, flags, pools; one that raises, as those of another platform do."""

    builder_optimization_level = 3
    profiling_verbosity = Mode.OUTPUT
    int8_calibrator = None
    flags = 0b101

    @property
    def dla_only(self) -> int:
        raise RuntimeError("not here")

    def get_flag(self, flag: BuilderFlag) -> bool:
        return flag is not BuilderFlag.INT8

    def get_memory_pool_limit(self, pool: MemoryPoolType) -> int:
        if pool is MemoryPoolType.WORKSPACE:
            return 1 << 30
        raise RuntimeError("no DLA")

    def get_timing_cache(self) -> Any:
        return SimpleNamespace(serialize=lambda: memoryview(b"cache"))


class Engine:
    """An engine of 8.5 and later."""

    num_layers, num_io_tensors, name, refittable = 1, 2, "Unnamed", False

    def get_tensor_name(self, index: int) -> str:
        return "xy"[index]

    def get_tensor_mode(self, name: str) -> Mode:
        return Mode.INPUT if name == "x" else Mode.OUTPUT

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        return 1, 3, -1

    def create_engine_inspector(self) -> Any:
        return SimpleNamespace(get_engine_information=lambda form: GRAPH)


class TensorRT:
    """Offered as the module ``tensorrt``."""

    ILogger, BuilderFlag, MemoryPoolType = ILogger, BuilderFlag, MemoryPoolType
    LayerInformationFormat = SimpleNamespace(JSON=1)
    plan: ClassVar[bytes | None] = PLAN

    class Builder:
        def __init__(self, logger: Any) -> None:
            assert isinstance(logger, ILogger) and logger.is_made
            self.logger = logger

        def build_serialized_network(self, network: Any, config: Any) -> Any:
            self.logger.log(Severity.VERBOSE, "Tactic: 1")
            self.logger.log(Severity.ERROR, "größe")
            return None if TensorRT.plan is None else memoryview(TensorRT.plan)

    class Runtime:
        def __init__(self, logger: Any) -> None:
            logger.log(Severity.INFO, "unheard")

        def deserialize_cuda_engine(self, plan: Any) -> Any:
            return Engine() if bytes(plan).startswith(b"ftrt") else None


@pytest.fixture
def tensorrt(monkeypatch: pytest.MonkeyPatch) -> type[TensorRT]:
    monkeypatch.setitem(sys.modules, "tensorrt", TensorRT)
    monkeypatch.setattr(TensorRT, "plan", PLAN)
    return TensorRT


def test_an_archive_holds_one_engine(tensorrt: type[TensorRT], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(plan: bytes | None) -> EngineArchive:
        monkeypatch.setattr(tensorrt, "plan", plan)
        with EngineArchive(path) as tea:
            tea.Builder(SimpleNamespace(log=lambda severity, msg: None)).build_serialized_network(object(), Config())
        return tea

    path = tmp_path / "net.tea"
    assert set(build(None).names) == {"build.txt", "build_cfg.json", "timing.cache"}  # a failed build, and no engine
    own = set(build(PLAN).names)
    with EngineArchive(path) as tea:
        tea.writef_txt(
            "net.profile.json", '[{"count": 1}, {"name": "a", "timeMs": 1, "averageMs": 1, "percentage": 1}]'
        )
        tea.writef_txt("mine.md", "text")
    before = {name: tea.readf(name) for name in tea.names}
    assert not build(None).notes
    assert {name: tea.readf(name) for name in tea.names} == before | {"build.failed/build.txt": ANY}
    assert not any("failed" in address for address in find_engines(path)[0].paths)
    again = build(PLAN + b"2")
    assert set(again.names) == own | {"mine.md"} and again.readf("engine.trt") == PLAN + b"2"
    assert any("net.profile.json" in note.message for note in again.notes)
    with EngineArchive(path, override_files=False) as tea, pytest.raises(TrexError, match="already"):
        tea.Builder(SimpleNamespace(log=lambda severity, msg: None))


def test_a_build_is_recorded(tensorrt: type[TensorRT], tmp_path: Path) -> None:
    path = tmp_path / "net.tea"
    heard: list[str] = []
    with EngineArchive(path) as tea:
        builder = tea.Builder(SimpleNamespace(log=lambda severity, msg: heard.append(msg)))
        assert isinstance(builder, TensorRT.Builder)
        assert bytes(builder.build_serialized_network(object(), Config())) == PLAN
    tea = EngineArchive(path)
    assert not tea.notes and heard == ["Tactic: 1", "größe"]
    assert set(tea.names) == {"build.txt", "engine.trt", "build_cfg.json", "plan_cfg.json", "timing.cache"}
    first, second = tea.reader("build.txt").read().splitlines()
    assert first.endswith("] [TRT] [V] Tactic: 1") and second.endswith("] [TRT] [E] größe")
    assert tea.readf("engine.trt") == PLAN and tea.readf("timing.cache") == b"cache"
    config = json.loads(tea.readf("build_cfg.json"))
    assert config.pop("build_duration_s") >= 0
    assert config == {
        "builder_optimization_level": 3,
        "profiling_verbosity": "OUTPUT",
        "flags": ["FP16", "TF32"],
        "memory_pool_limits": {"WORKSPACE": 1 << 30},
    }
    plan = load(path)
    assert [layer.type for layer in plan.working_layers] == ["Reformat"]
    engine = json.loads(tea.readf("plan_cfg.json"))["engine"]
    assert engine["name"] == "Unnamed" and engine["refittable"] is False
    assert engine["io_tensors"][0] == {"name": "x", "mode": "INPUT", "shape": [1, 3, -1]}


def test_a_failed_build_keeps_its_log(tensorrt: type[TensorRT], tmp_path: Path) -> None:
    tensorrt.plan = None
    with EngineArchive(tmp_path / "net.tea") as tea:
        assert tea.Builder(None).build_serialized_network(object(), Config()) is None
    assert set(tea.names) == {"build.txt", "build_cfg.json", "timing.cache"}


def test_what_cannot_be_recorded_is_a_note(tensorrt: type[TensorRT], tmp_path: Path) -> None:
    tensorrt.plan = b"of another release"
    with EngineArchive(tmp_path / "net.tea") as tea:
        plan = tea.Builder(None).build_serialized_network(object(), object())
    assert bytes(plan) == b"of another release" and tea.readf("engine.trt") == b"of another release"
    message = [note.message for note in tea.notes if note.code == "not-archived"]
    assert [message.split()[0] for message in message] == ["timing.cache", "plan_cfg.json"]


def test_loggers(tensorrt: type[TensorRT]) -> None:
    def refuses(severity: Any, msg: str) -> None:
        raise ValueError

    logger = stream_trt_logger(SimpleNamespace(log=refuses))
    logger.log(Severity.WARNING, "careful")
    logger.log(object(), "strange")
    assert [line.partition("[TRT] ")[2] for line in logger.stream.getvalue().splitlines()] == [
        "[W] careful",
        "[I] strange",
    ]
    null_trt_logger().log(Severity.ERROR, "x")


def test_an_engine_of_before_8_5(tensorrt: type[TensorRT]) -> None:
    engine = SimpleNamespace(
        num_layers=1,
        num_bindings=1,
        get_binding_name=lambda index: "x",
        binding_is_input=lambda index: True,
        get_binding_shape=lambda index: (1, 2),
        get_binding_dtype=lambda index: Mode.INPUT,
    )
    document = plan_document(engine)
    assert document["engine"]["io_tensors"] == [{"name": "x", "mode": "INPUT", "shape": [1, 2], "dtype": "INPUT"}]


def test_a_layer_name_that_is_not_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    trt = SimpleNamespace(LayerInformationFormat=SimpleNamespace(JSON=1))
    monkeypatch.setitem(sys.modules, "tensorrt", trt)
    data = GRAPH.encode().replace(b"conv", b"\xff")
    inspector = SimpleNamespace(get_engine_information=lambda form: data.decode())
    document = plan_document(SimpleNamespace(num_layers=1, create_engine_inspector=lambda: inspector))
    assert len(document["Layers"]) == 1


def test_without_tensorrt_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tensorrt", None)
    with EngineArchive(tmp_path / "net.tea") as tea:
        with pytest.raises(TrexError) as caught:
            tea.Builder(None)
        with pytest.raises(TrexError):
            tea.archive_plan_info(PLAN)
    assert "[tensorrt]" in caught.value.hint
    assert not list(tmp_path.iterdir())


def test_facts_need_no_tensorrt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorrt", None)
    config = SimpleNamespace(max_aux_streams=2, plugins=[1], avg_timing=float("nan"), name="x", flag=True)
    facts = {"max_aux_streams": 2, "name": "x", "flag": True}
    assert config_facts(config, 1.23456) == {"build_duration_s": 1.235, **facts}
    assert "build_duration_s" not in config_facts(config, None)


def test_bindings_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tensorrt.py").write_text("raise ImportError('libnvinfer.so.10: cannot open shared object file')")
    monkeypatch.delitem(sys.modules, "tensorrt", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TrexError, match=r"libnvinfer\.so\.10") as caught:
        null_trt_logger()
    assert "trex doctor" in caught.value.hint

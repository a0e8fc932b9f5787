"""Guides: every page is shown as it is written, and its snippets run where that needs no GPU and no framework."""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.mocks import write_model
from tests.mocks.tensorrt import write_tensorrt
from trex.capture.tensorrt_api.arguments import read_arguments
from trex.capture.trtexec.user_options import parse_arguments
from trex.cli.command import COMMANDS
from trex.engine_plan import load
from trex.export.document import RenderStyle, render_document
from trex.views.explanation import explain, explanations_document
from trex.views.guide import GUIDES

SNIPPETS = [(name, snippet) for name, plug in GUIDES.items() for snippet in plug.value]
GRAPH = '{"Layers": [{"Name": "conv", "LayerType": "Convolution", "Inputs": [], "Outputs": []}], "Bindings": []}'


def snippet_of(name: str, word: str) -> str:
    return next(snippet.text for guide, snippet in SNIPPETS if guide == name and word in snippet.text)


def ran(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "snippet", "exec"), names)
    return names


def test_there_is_a_guide_for_each_framework() -> None:
    assert set(GUIDES) >= {f"capture-{name}" for name in ("torch", "onnxruntime", "tensorrt-llm", "polygraphy")}
    assert not GUIDES.broken


@pytest.mark.parametrize("name", GUIDES)
@pytest.mark.parametrize("width", [None, 100])
def test_a_page_shows_its_sources_and_its_code_as_it_is(name: str, width: int | None) -> None:
    (page,) = explain(name.replace("-", "_").upper())
    assert (page.subject, page.kind) == (name, "guide")
    document = explanations_document([page])
    lines = render_document(document, "text", RenderStyle(width=width)).decode().splitlines()
    assert any(line.strip().startswith("Sources:") for line in lines)
    for snippet in GUIDES[name].value:
        code = snippet.text.strip("\n")
        assert all(not line or f"  {line}" in lines for line in code.splitlines())
        assert all(len(line) <= 90 for line in code.splitlines())
        assert code in render_document(document, "markdown").decode(), "one block to copy, with its blank lines"


@pytest.mark.parametrize(("name", "snippet"), SNIPPETS)
def test_every_snippet_is_a_program(name: str, snippet: Any) -> None:
    if snippet.language == "python":
        ast.parse(snippet.text)
        return
    for line in snippet.text.replace("\\\n", " ").splitlines():
        program, *words = shlex.split(line.partition(" > ")[0])
        if program == "trex":
            assert words[0] in COMMANDS.names
        elif program == "python":
            assert words[0] == "collect.py"


def test_graphs_of_a_compiled_torch_module(tmp_path: Path) -> None:
    engine = SimpleNamespace(get_layer_info=lambda: GRAPH)
    modules = [("", SimpleNamespace()), ("_run_on_acc_0", engine), ("_run_on_gpu_1", SimpleNamespace())]
    ran(snippet_of("capture-torch", "get_layer_info"))["write_graphs"](
        SimpleNamespace(named_modules=lambda: modules), tmp_path / "out"
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["_run_on_acc_0.graph.json"]
    assert len(load(tmp_path / "out").layers) == 1


def test_options_of_onnx_runtime_become_words_that_trex_takes() -> None:
    words = ran(snippet_of("capture-onnxruntime", "def trex_words"))["trex_words"]
    options = {
        "trt_fp16_enable": True,
        "trt_int8_enable": "0",
        "trt_builder_optimization_level": 0,
        "trt_auxiliary_streams": -1,
        "trt_engine_cache_enable": True,
        "trt_profile_min_shapes": "x:1x3x224x224",
        "trt_profile_opt_shapes": "x:8x3x224x224",
        "trt_profile_max_shapes": "x:16x3x224x224",
    }
    text = words(options)
    assert text[:2] == ["fp16", "builderOptimizationLevel=0"]
    read = parse_arguments(text, (10, 9))
    assert {option.name for option in read.options} == {"fp16", "builderOptimizationLevel"}
    assert read.profiles[0].optimum == "x:8x3x224x224"


def test_a_session_of_onnx_runtime_gets_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    fake = SimpleNamespace(InferenceSession=lambda model, providers: calls.append((model, providers)))
    monkeypatch.setitem(sys.modules, "onnxruntime", fake)
    ran(snippet_of("capture-onnxruntime", "InferenceSession"))
    (name, options), fallback = calls[0][1]
    assert (name, fallback) == ("TensorrtExecutionProvider", "CUDAExecutionProvider")
    assert all(key.startswith("trt_") for key in options)


def test_the_plugins_of_tensorrt_llm_are_found_without_importing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    library = tmp_path / "tensorrt_llm" / "libs" / "libnvinfer_plugin_tensorrt_llm.so"
    library.parent.mkdir(parents=True)
    library.touch()
    (tmp_path / "tensorrt_llm" / "__init__.py").write_text("raise ImportError('no GPU')")
    monkeypatch.syspath_prepend(str(tmp_path))
    ran(snippet_of("capture-tensorrt-llm", "find_spec"))
    assert capsys.readouterr().out.strip() == str(library)


def test_the_collector_takes_the_words_of_the_tensorrt_llm_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine").mkdir()
    for file in ("engine/rank0.engine", "LIBRARY"):
        (tmp_path / file).touch()
    line = snippet_of("capture-tensorrt-llm", "collect.py engine").replace("\\\n", " ").splitlines()[0]
    job = read_arguments(shlex.split(line)[2:])
    assert (job.engine, job.folder, job.libraries) == ("engine/rank0.engine", "out", ["LIBRARY"])
    assert job.builds_only and job.run_shapes == {"input_ids": (8,), "position_ids": (8,)}


def test_the_graph_of_an_engine_in_python(tmp_path: Path) -> None:
    packages = write_tensorrt(tmp_path / "lib", "10.4")
    model = write_model(tmp_path / "m.onnx", inputs={"x": [-1, 3, 32, 32]})
    build = """
import tensorrt as trt
class Log(trt.ILogger):
    def log(self, severity, msg): pass
log = Log()
builder = trt.Builder(log)
network = builder.create_network(0)
trt.OnnxParser(network, log).parse_from_file(MODEL)
config = builder.create_builder_config()
config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
profile = builder.create_optimization_profile()
profile.set_shape("x", (1, 3, 32, 32), (2, 3, 32, 32), (4, 3, 32, 32))
config.add_optimization_profile(profile)
plan = bytes(builder.build_serialized_network(network, config))
engine = trt.Runtime(log).deserialize_cuda_engine(plan)
write_graph(engine, "x.graph.json", {"x": (2, 3, 32, 32)})
""".replace("MODEL", repr(str(model)))
    program = snippet_of("capture-polygraphy", "def write_graph") + build
    path = os.pathsep.join([str(packages), str(Path(__file__).parents[3])])
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={"PYTHONPATH": path}, check=True, timeout=60)
    plan = load(tmp_path / "x.graph.json")
    assert plan.working_layers[0].inputs[0].shape == (2, 3, 32, 32)

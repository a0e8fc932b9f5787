"""Files of an engine → Completeness: what is missing, and the exact commands."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from trex.engine_plan import find_plans
from trex.export.document import render_document
from trex.views.completeness import Completeness, completeness_document, completeness_of

LAYER = {"Name": "c", "LayerType": "Reformat", "ParameterType": "Reformat", "Origin": "REFORMAT"}
TENSOR = {"Location": "Device", "Dimensions": [1, 4], "Format/Datatype": "Row major linear FP32"}
GRAPH: dict[str, Any] = {
    "Layers": [{**LAYER, "Inputs": [{"Name": "x", **TENSOR}], "Outputs": [{"Name": "y", **TENSOR}]}],
    "Bindings": ["x", "y"],
}
PROFILE: list[dict[str, Any]] = [
    {"count": 2},
    {"name": "c", "timeMs": 2.0, "averageMs": 1.0, "medianMs": 1.0, "percentage": 100.0},
]
TIMING = [{"startEnqMs": 1.0, "endEnqMs": 1.5, "computeMs": 2.0, "latencyMs": 2.5}] * 3
RUN = {"performance_summary": {"Throughput": 5.0}, "device_information": {"Selected Device": "NVIDIA A30"}}


def of(folder, **contents) -> Completeness:
    for name, content in contents.items():
        (folder / f"net.{name.replace('_', '.')}.json").write_text(json.dumps(content))
    (files,) = find_plans(folder)
    return completeness_of(files)


def text_of(completeness: Completeness) -> str:
    return render_document(completeness_document([completeness]), "text").decode()


def parts(completeness: Completeness) -> list[str]:
    return [item.part for item in completeness.missing]


def flags(command: str) -> set[str]:
    return {word.partition("=")[0] for word in shlex.split(command)}


def test_a_complete_engine(tmp_path):
    completeness = of(tmp_path, graph=GRAPH, profile=PROFILE, timing=TIMING, profile_metadata=RUN)
    assert completeness.is_healthy
    assert completeness.commands == completeness.missing == completeness.remarks == ()
    assert [row[0] for row in completeness.files.rows] == [
        "layer information",
        "layer times",
        "query times",
        "metadata of the run",
    ]


def test_times_that_the_gpu_contradicts(tmp_path):
    """As every view of times says: files that agree with one another, in microseconds."""
    names = "abcdef"
    layers = [
        {**LAYER, "Name": name, "Inputs": [{"Name": f"{at}", **TENSOR}], "Outputs": [{"Name": f"{at + 1}", **TENSOR}]}
        for at, name in enumerate(names)
    ]
    records = [{"name": name, "timeMs": 10.0, "averageMs": 5.0, "medianMs": 5.0, "percentage": 16.7} for name in names]
    timing = [{**TIMING[0], "computeMs": 30.0, "latencyMs": 30.5}] * 3
    graph = {"Layers": layers, "Bindings": ["0", "6"]}
    completeness = of(tmp_path, graph=graph, profile=[{"count": 2}, *records], timing=timing, profile_metadata=RUN)
    assert not completeness.is_healthy and "times longer than usual on NVIDIA A30" in text_of(completeness)


def test_one_command_brings_everything_that_is_missing(tmp_path):
    completeness = of(tmp_path, graph=GRAPH)
    assert not completeness.is_healthy
    assert parts(completeness) == ["layer times", "query times", "metadata"]
    (command,) = completeness.commands
    assert {"--exportProfile", "--exportTimes", "--separateProfileRun"} <= flags(command)
    assert "--exportLayerInfo" not in flags(command)
    assert command.endswith("2>&1 | tee net.profile.log")


def test_only_what_is_missing_is_asked_for(tmp_path):
    completeness = of(tmp_path, graph=GRAPH, profile=PROFILE, profile_metadata=RUN)
    assert parts(completeness) == ["query times"]
    assert flags(completeness.commands[0]) & {"--exportProfile", "--exportLayerInfo"} == set()
    assert "tee" not in completeness.commands[0]


def test_names_only_engines_must_be_rebuilt_then_measured(tmp_path):
    completeness = of(tmp_path, graph={"Layers": ["conv1", "relu1"], "Bindings": []}, timing=TIMING)
    assert parts(completeness)[0] == "detailed layer information"
    build, run = completeness.commands
    assert {"--onnx", "--saveEngine", "--profilingVerbosity"} <= flags(build)
    assert {"--exportLayerInfo", "--exportProfile", "--exportTimes"} <= flags(run)
    assert any("ProfilingVerbosity.DETAILED" in remark for remark in completeness.remarks)
    assert any("MODEL.onnx" in remark for remark in completeness.remarks)


def test_the_engine_and_model_that_are_there_are_used(tmp_path):
    from trex.ingest.finding.engine_files import EngineFiles

    graph = tmp_path / "net.graph.json"
    graph.write_text(json.dumps({"Layers": ["conv1"], "Bindings": []}))
    files = EngineFiles("net", graph=str(graph), engine="my plans/net.plan", onnx="net.onnx")
    build, run = completeness_of(files).commands
    assert {"--onnx=net.onnx", "--saveEngine=my plans/net.plan"} <= set(shlex.split(build))
    assert {"--loadEngine=my plans/net.plan", "--exportLayerInfo=my plans/net.graph.json"} <= set(shlex.split(run))


def test_the_profile_of_another_engine_is_an_error_and_missing(tmp_path):
    other = [{"count": 1}, *({**PROFILE[1], "name": f"other{i}"} for i in range(30))]
    layers = [{**GRAPH["Layers"][0], "Name": f"mine{i}"} for i in range(30)]
    completeness = of(tmp_path, graph={"Layers": layers, "Bindings": ["x", "y"]}, profile=other, timing=TIMING)
    assert "another engine" in completeness.error
    assert completeness.layers == 30
    assert "layer times" in parts(completeness)


def test_layers_of_a_build_log_are_layers(tmp_path):
    row = "[V] [TRT] Engine Layer Information:\nLayer(NoOp): a, Tactic: 0x0, x (Half[1]) -> y (Half[1])\n"
    (tmp_path / "net.build.log").write_text(row)
    (files,) = find_plans(tmp_path)
    completeness = completeness_of(files)
    assert completeness.layers == 1
    assert parts(completeness)[0] == "the layers' attributes"
    assert "--exportLayerInfo" in flags(completeness.commands[0])


def test_what_cannot_be_read_is_an_error_and_no_exception(tmp_path):
    completeness = of(tmp_path, graph={"Layers": 3}, profile=PROFILE)
    assert completeness.layers is None
    assert completeness.error
    assert not completeness.is_healthy
    assert completeness.error.splitlines()[0] in " ".join(text_of(completeness).split())


def test_a_log_of_tensorrt_7_is_past_help(tmp_path):
    log = tmp_path / "old.log"
    log.write_text(
        "&&&& RUNNING TensorRT.trtexec # trtexec --onnx=a.onnx\n"
        "[01/02/2020-03:04:05] [I] === Device Information ===\n"
        "[01/02/2020-03:04:05] [I] Selected Device: T4\n"
        "[01/02/2020-03:04:05] [I] TensorRT version: 7.2.1\n"
        "&&&& PASSED TensorRT.trtexec # trtexec --onnx=a.onnx\n"
    )
    (files,) = find_plans(log)
    completeness = completeness_of(files)
    assert completeness.commands == ()
    assert any("8.2 or later" in remark for remark in completeness.remarks)


def test_files_nobody_uses_are_listed(tmp_path):
    from trex.ingest.finding.engine_files import EngineFiles

    graph = tmp_path / "net.graph.json"
    graph.write_text(json.dumps(GRAPH))
    completeness = completeness_of(EngineFiles("net", graph=str(graph), others=("net.backup.json",)))
    assert ("not used", "net.backup.json") in completeness.files.rows


def test_json_contains_what_is_missing(tmp_path):
    data = json.loads(render_document(completeness_document([of(tmp_path, graph=GRAPH)]), "json"))
    assert data["schema"] == "trex.doctor/1"
    section = data["sections"]["engine-1"]
    assert section["tables"]["missing"]["rows"][0] == {
        "part": "layer times",
        "without_it_unknown": "which layers are slow",
    }
    assert section["data"]["folder"] == str(tmp_path) and "--exportProfile" in section["data"]["commands"][0]
    assert section["tables"]["files"]["rows"] == [{"what": "layer information", "file": "net.graph.json"}]


def test_several_engines_have_a_section_each(tmp_path):
    completeness = of(tmp_path, graph=GRAPH)
    document = completeness_document([completeness, completeness])
    assert document.title == "0 of 2 engines complete"
    assert [section.title for section in document.sections] == ["net", "net"]


@pytest.mark.parametrize(
    ("log", "engine", "release_flags"),
    [
        ("trt10.16-trtexec-05.log", "--loadEngine=./model-trained.trt", {"--useSpinWait"}),
        ("trt8.4-mnist-fp16-build-verbose.log", "--loadEngine=model-FP16.plan", {"--separateProfileRun"}),
        ("trt8.6-load-profile-verbose.log", "--loadEngine=./model-FP32.plan", {"--separateProfileRun"}),
    ],
)
def test_the_commands_of_real_logs(shared_logs, log, engine, release_flags):
    (files,) = find_plans(shared_logs / log)
    command = completeness_of(files).commands[-1]
    assert engine in shlex.split(command)
    assert release_flags <= flags(command)
    names = [word.partition("=")[0] for word in shlex.split(command.partition(" 2>&1")[0])]
    assert len(names) == len(set(names))

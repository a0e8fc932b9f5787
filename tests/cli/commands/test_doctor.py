"""The command ``trex doctor``."""

from __future__ import annotations

import json

import pytest

from tests.simulated_examples import SIMULATED
from trex.capture import environment
from trex.capture.environment import Check, Environment


def net(folder, name: str = "net"):
    graph = folder / f"{name}.graph.json"
    graph.write_text(
        '{"Layers": [{"Name": "c", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": []}'
    )
    return graph


def test_a_complete_engine_is_no_finding(trex):
    said = trex("doctor", str(SIMULATED / "resnet18-int8"))
    assert said.code == 0
    assert said.out.splitlines()[1].endswith("layers, complete")


def test_what_is_missing_is_a_finding_with_its_command(trex, tmp_path):
    said = trex("doctor", net(tmp_path))
    assert said.code == 1
    assert "layer times" in said.out and "query times" in said.out
    command = next(line for line in said.out.splitlines() if line.startswith("  trtexec "))
    assert "--separateProfileRun" in command and "--exportProfile=net.profile.json" in command


def test_several_paths_and_engines(trex, tmp_path):
    net(tmp_path, "one")
    net(tmp_path, "two")
    said = trex("doctor", tmp_path, tmp_path / "one.graph.json", str(SIMULATED / "resnet18-int8"), "--json")
    assert said.code == 1
    data = json.loads(said.out)
    assert data["schema"] == "trex.doctor/1"
    engines = [section["data"] for section in data["sections"].values()]
    assert [engine["engine"] for engine in engines] == ["one", "two", "resnet18-int8"]
    assert [engine["healthy"] for engine in engines] == [False, False, True]
    assert all(engine["commands"] for engine in engines[:2])


def test_what_cannot_be_read_is_a_finding(trex, tmp_path):
    (tmp_path / "net.graph.json").write_text('{"Layers": 3}')
    said = trex("doctor", tmp_path / "net.graph.json")
    assert said.code == 1
    assert "cannot be loaded" in said.out


def test_nothing_there_is_the_users_to_mend(trex, tmp_path):
    assert trex("doctor", tmp_path / "none").code == 2


@pytest.mark.parametrize(("status", "code"), [("works", 0), ("broken", 1)])
def test_without_a_path_it_is_the_machine(trex, monkeypatch, status, code):
    found = [Check(subject, status, "x") for subject in ("driver", "trtexec")]
    asked = []

    def examine(trtexec):
        asked.append(trtexec)
        return Environment(tuple(found))

    monkeypatch.setattr(environment, "examine", examine)
    said = trex("doctor", "--trtexec", "/opt/trtexec")
    assert said.code == code and asked == ["/opt/trtexec"]
    verdict = "Engines can be built and" if status == "works" else "Can't build or profile engines here:"
    assert said.out.splitlines()[1].startswith(verdict)
    said = trex("doctor", "--json")
    assert said.code == code
    data = json.loads(said.out)
    data, schema = data["sections"]["machine"]["data"], data["schema"]
    assert schema == "trex.doctor/1" and data["healthy"] is (code == 0)
    assert data["checks"][0] == {"subject": "driver", "status": status, "detail": "x", "fix": "", "purpose": ""}


def test_without_a_gpu_tensorrt_for_rtx_still_builds(trex, monkeypatch):
    checks = (Check("driver", "missing", "x"), Check("TensorRT for RTX", "works", "1.7.1"))
    monkeypatch.setattr(environment, "examine", lambda trtexec: Environment(checks))
    said = trex("doctor")
    assert said.code == 1 and "--backend tensorrt-rtx builds real ones on the CPU" in said.out


def test_a_bundle_is_written_and_read(trex, tmp_path):
    said = trex("doctor", str(SIMULATED / "resnet18-int8"), "--bundle", tmp_path / "bundle.zip", "--json")
    assert said.code == 0
    data = json.loads(said.out)["sections"]["bundle"]["data"]
    assert len(data["packed"]) > 3 and data["leftOut"] == []
    assert trex("doctor", tmp_path / "bundle.zip").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--bundle", "x.zip"),
        ("--model", "m.onnx"),
        ("fp16", "--acceptance", "out"),
        ("--acceptance", "out", "--bundle", "x.zip"),
        ("example:resnet18-fp16", "--trtexec", "/x"),
    ],
)
def test_what_belongs_together(trex, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert trex("doctor", *words).code == 2
    assert not list(tmp_path.iterdir())

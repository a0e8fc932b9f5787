"""The command ``trex sweep``, without a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trex.examples.net import Net

AXES = ("--backend", "simulated", "--gpu", "A100", "T4")


@pytest.fixture
def model(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TREX_STORE", raising=False)
    net = Net("net", weights="random")
    net.output("y", net.node("Relu", net.input("x", (None, 8))), (None, 8))
    path = tmp_path / "net.onnx"
    path.write_bytes(net.model(opset=17, ir_version=8).SerializeToString())
    return path


def test_a_dry_run_prints_the_matrix(trex, model, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    said = trex("sweep", "--model", "net.onnx", "--batch", "1", "8", *AXES, "--dry-run", "--repetitions", "2")
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[:3] == [
        "sweep",
        "8 jobs: 1 model × 2 batch sizes × 2 GPUs × 2 repetitions.",
        "8 to run.",
    ]
    assert "Estimated time: unknown" in said.out and "    8  T4    2  to run" in said.out
    assert all(len(line) <= 80 for line in said.out.splitlines())
    assert sorted(path.name for path in model.parent.iterdir()) == ["net.onnx"]


def test_a_dry_run_as_json(trex, model):
    said = trex("sweep", "--model", "net.onnx", *AXES, "-n", "--json", "--workers", "2")
    matrix = json.loads(said.out)["sections"]["matrix"]
    assert matrix["data"] == {"counts": {"waiting": 2}, "estimated_s": None, "workers": 2}
    assert [row["gpu"] for row in matrix["tables"]["jobs"]["rows"]] == ["A100", "T4"]


def test_the_file_and_its_overrides(trex, model):
    text = 'name = "nightly"\nrepetitions = 3\n[axes]\nmodel = "*.onnx"\nbackend = "simulated"\ngpu = "A100"\n'
    (model.parent / "sweep.toml").write_text(text)
    assert "3 jobs: 1 model × 3 repetitions." in trex("sweep", "sweep.toml", "-n").out
    said = trex("sweep", "run", "sweep.toml", "-n", "--repetitions", "1", "--name", "other")
    assert said.out.startswith("other\n1 job: 1 model.")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "no sweep is named"),
        (("--model", "gone.onnx"), "there is no model gone.onnx"),
        (("sweep.toml", "--batch", "1"), "--batch and a file"),
        (("gone.toml",), "gone.toml: no such file"),
        (("--model", "net.onnx", "--backend", "trtexe"), "no backend 'trtexe'"),
        (("--model", "net.onnx", "--time-limit", "soon"), "'soon' is not a time such as 90 s"),
        (("--model", "net.onnx", "--backend", "simulated"), "needs a GPU to predict for"),
    ],
)
def test_mistakes_are_errors_before_any_work(trex, model, words, problem):
    said = trex("sweep", *words, "--dry-run")
    assert said.code == 2 and problem in said.err and not said.out


def test_a_machine_without_a_gpu_says_so(trex, model, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("trex.sweep.cluster.local_gpus", lambda: ())
    said = trex("sweep", "--model", "net.onnx", "--backend", "trtexec", "simulated", "--gpu", "A100")
    assert said.code == 2 and "NVML reports no GPU" in said.err and "simulated need none" in said.err


@pytest.mark.parametrize(
    "words",
    ["report x --fail-on compute>+3%", "gate x --where batch==8", "compare x --by gpu --commit a", "x.toml --base a"],
)
def test_an_option_that_the_action_ignores_is_an_error(trex, words):
    said = trex("sweep", *words.split())
    assert said.code == 2 and "means nothing to trex sweep" in said.err

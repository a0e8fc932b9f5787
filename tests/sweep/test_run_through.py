"""From the command line to the store and back, with real children."""

from __future__ import annotations

import json
from contextlib import contextmanager
from pathlib import Path

import pytest

from trex.cli.main import main
from trex.examples.net import Net

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("sweep")]  # one cluster, which takes seconds to start


def test_a_sweep_from_its_file_to_its_answer(client, tmp_path: Path, monkeypatch, capfd):
    @contextmanager
    def session_client(*_: object, **__: object):
        yield client

    monkeypatch.setattr("trex.sweep.cluster.client_of", session_client)
    net = Net("net", weights="random")
    net.output("y", net.node("Relu", net.conv(net.input("x", (None, 3, 8, 8)), "conv", (3, 4), 3)), (None, 4, 8, 8))
    (tmp_path / "net.onnx").write_bytes(net.model(opset=17, ir_version=8).SerializeToString())
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    text = 'store = "runs"\n[axes]\nmodel = "*.onnx"\nbackend = "simulated"\ngpu = "A100"\n'
    (tmp_path / "nightly.toml").write_text(text)
    assert main(["sweep", str(tmp_path / "nightly.toml"), "--commit", "abc"]) == 1
    out, err = capfd.readouterr()
    assert "2 jobs: 1 done, 0 from the store, 1 failed" in out and "net.onnx" in out.split("Fastest")[1]
    assert "failed  broken.onnx" in err and "is no ONNX model" in out.replace("not an", "no")
    assert f"trex sweep {tmp_path / 'nightly.toml'}" in out
    assert main(["sweep", str(tmp_path / "nightly.toml"), "--json"]) == 1
    counts = json.loads(capfd.readouterr().out)["sections"]["sweep"]["data"]["counts"]
    assert counts == {"stored": 1, "failed": 1}
    assert main(["store", "query", "SELECT model, commit, labels['sweep'] AS sweep FROM runs", "--store",
                 str(tmp_path / "runs"), "--format", "csv"]) == 0  # fmt: skip
    assert capfd.readouterr().out.splitlines()[1:] == ["net,abc,nightly"]

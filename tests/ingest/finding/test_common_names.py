"""common_names: whether a profile's layers are the graph's."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from trex.ingest.finding.common_names import share_names

NAMES = ("conv", "relu", "pool")


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def graph(*names: str) -> bytes:
    return json.dumps({"Layers": [{"Name": name} for name in names]}).encode()


def profile(*names: str) -> bytes:
    return json.dumps([{"count": 1}, *({"name": name, "averageMs": 1} for name in names)]).encode()


@pytest.mark.parametrize(
    ("layers", "times", "fit"),
    [
        (graph(*NAMES), profile(*NAMES), True),
        (graph(*NAMES), profile("conv", "other"), True),
        (graph(*NAMES), profile("conv", "other", "another"), False),
        (graph(*NAMES), profile("con"), False),
        (graph(*NAMES), profile(), False),
        (graph(*NAMES), json.dumps({"conv": [0.1], "relu": [0.2]}).encode(), True),
        (graph(*NAMES), gzip.compress(profile(*NAMES)), True),
        (b"Layers:\nName: conv, LayerType: gemm, Inputs: []\n", profile("conv"), True),
        (b"", b"", False),
    ],
    ids=["all", "half", "a third", "a part of a name", "none", "samples", "compressed", "inspector text", "nothing"],
)
def test_most_names_must_be_the_graphs(tmp_path: Path, layers: bytes, times: bytes, fit: bool) -> None:
    assert share_names(written(tmp_path / "g", layers), written(tmp_path / "p", times)) is fit


def test_real_pairs_fit_and_strangers_do_not(shared_engines: Path) -> None:
    def of(engine: str, kind: str) -> str:
        (file,) = (shared_engines / engine).glob(f"*.{kind}.json")
        return str(file)

    engines = sorted(path.name for path in shared_engines.iterdir() if any(path.glob("*.profile.json")))
    assert all(share_names(of(engine, "graph"), of(engine, "profile")) for engine in engines)
    assert not share_names(of("trt8.4-resnet18-a100-qat", "graph"), of("trt8.4-resnet18-a100-fp16", "profile"))

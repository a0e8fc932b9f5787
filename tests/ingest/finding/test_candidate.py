"""candidate: the share of a profile's layers in a graph, and the files that a log mentions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from trex.ingest.finding.candidate import Candidate
from trex.ingest.finding.file_kind import Kind
from trex.ingest.finding.matching import FITTING

NAMES = ("conv", "relu", "pool")


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def candidate(path: str) -> Candidate:
    return Candidate(path, Path(path).name, "", Kind.UNKNOWN)


def fits(graph: str, profile: str) -> bool:
    return (candidate(profile).timed_share(candidate(graph)) or 0.0) >= FITTING


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
        (graph("a \x1e b", 'c"d'), b'[{"name" : "a \x1e b"}]', True),
        (json.dumps({"Layers": ["conv", "relu"]}).encode(), profile("conv"), True),
        (graph(*NAMES).decode().encode("utf-16"), profile(*NAMES), True),
        (graph(*NAMES), b'{"conv": 1.5, "relu": 2}', True),
        (b"Layers:\nName: conv, LayerType: gemm, Inputs: []\n", profile("conv"), True),
        (b"", b"", False),
    ],
    ids=[
        "all",
        "half",
        "a third",
        "a part of a name",
        "none",
        "samples",
        "compressed",
        "escapes",
        "names only",
        "wide text",
        "numbers",
        "inspector text",
        "nothing",
    ],
)
def test_most_names_must_be_the_graphs(tmp_path: Path, layers: bytes, times: bytes, fit: bool) -> None:
    assert fits(written(tmp_path / "g", layers), written(tmp_path / "p", times)) is fit


def test_real_pairs_fit_and_strangers_do_not(shared_engines: Path) -> None:
    def of(engine: str, kind: str) -> str:
        (file,) = (shared_engines / engine).glob(f"*.{kind}.json")
        return str(file)

    engines = sorted(path.name for path in shared_engines.iterdir() if any(path.glob("*.profile.json")))
    assert all(fits(of(engine, "graph"), of(engine, "profile")) for engine in engines)
    assert not fits(of("trt8.4-resnet18-a100-qat", "graph"), of("trt8.4-resnet18-a100-fp16", "profile"))


def test_a_log_mentions_files_by_their_last_names(tmp_path: Path) -> None:
    log = written(
        tmp_path / "x.log", b"# trtexec --onnx=/data/my net.onnx --saveEngine='a/b.engine' -- b.engine.txt 1.json"
    )
    assert candidate(log).mentions == {"1.json": ("1",), "b.engine": ("b",), "net.onnx": ("net",)}
    assert candidate(str(tmp_path / "missing")).mentions == {}

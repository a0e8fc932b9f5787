"""Logs → the metadata files of TREx."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trex.capture.log_metadata import BUILD_SECTIONS, PROFILE_SECTIONS, metadata_bytes, metadata_of_log
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.logs.trtexec_log import read_log
from trex.ingest.metadata_json import read_metadata


@pytest.mark.parametrize(
    "name", ["trt8.4-mnist-fp16-build-verbose.log", "trt8.6-build-verbose.log", "trt10.16-trtexec-02.log",
             "trt10.16-trtexec-05.log", "trt8.6-load-profile-verbose.log"],
)  # fmt: skip
def test_metadata_of_a_log_is_written(name: str, shared_logs: Path) -> None:
    whole = read_log((shared_logs / name).read_bytes(), str(shared_logs / name)).runs[-1].metadata
    assert metadata_of_log(shared_logs / name) == whole
    written = read_metadata(metadata_bytes(whole, (*BUILD_SECTIONS, *PROFILE_SECTIONS[:2])))
    for section in ("model_options", "build_options", "inference_options", "device", "milestones"):
        assert dict(getattr(written, section)) == dict(getattr(whole, section))
    assert written.latency == whole.latency
    assert written.tensorrt_version == whole.tensorrt_version


def test_what_is_not_finite_is_null() -> None:
    lines = (
        b"&&&& RUNNING TensorRT.trtexec [TensorRT v8600] # trtexec --onnx=a.onnx",
        b"[I] === Performance summary ===",
        b"[I] Throughput: nan qps",
        b"[I] Latency: min = 1 ms, max = inf ms, mean = 2 ms, median = 2 ms, percentile(99%) = 2 ms",
    )
    metadata = read_log(b"\n".join(lines), "a.log").runs[-1].metadata
    summary = json.loads(metadata_bytes(metadata, PROFILE_SECTIONS))["performance_summary"]
    assert summary == {"Throughput": None, "Latency": [1.0, None, 2.0, 2.0, 2.0]}


def test_what_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(b"\xff\x00 nothing\n" * 3)
    assert metadata_of_log(tmp_path / "x.log") == Metadata()
    with pytest.raises(TrexError, match="cannot be read"):
        metadata_of_log(tmp_path / "none.log")

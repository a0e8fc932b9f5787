"""Logs → the metadata files of TREx."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.capture import log_facts
from trex.capture.log_facts import BUILD_SECTIONS, PROFILE_SECTIONS, metadata_bytes, metadata_of_log
from trex.core.errors import TrexError
from trex.core.metadata import Metadata
from trex.ingest.logs.trtexec_log import read_log
from trex.ingest.metadata_json import read_metadata


@pytest.mark.parametrize(
    "name", ["trt8.4-mnist-fp16-build-verbose.log", "trt8.6-build-verbose.log", "trt10.16-trtexec-02.log",
             "trt10.16-trtexec-05.log", "trt8.6-load-profile-verbose.log"],
)  # fmt: skip
def test_nothing_that_counts_is_chatter(name: str, shared_logs: Path) -> None:
    whole = read_log((shared_logs / name).read_bytes(), str(shared_logs / name)).runs[-1].metadata
    assert metadata_of_log(shared_logs / name) == whole
    written = read_metadata(metadata_bytes(whole, (*BUILD_SECTIONS, *PROFILE_SECTIONS[:2])))
    for section in ("model_options", "build_options", "inference_options", "device"):
        assert dict(getattr(written, section)) == dict(getattr(whole, section))
    assert written.latency == whole.latency
    assert written.tensorrt_version == whole.tensorrt_version


def test_what_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(b"\xff\x00 nothing\n" * 3)
    assert metadata_of_log(tmp_path / "x.log") == Metadata()
    with pytest.raises(TrexError, match="cannot be read"):
        metadata_of_log(tmp_path / "none.log")


CLOCK = "[11/21/2026-21:30:41]"
CHATTER = f"{CLOCK} [V] [TRT] Tactic: 0x0 Time: 0.05"
LINES = (
    "&&&& RUNNING TensorRT.trtexec [TensorRT v101601] # trtexec --onnx=x",
    f"{CLOCK} [I] === Model Options ===", f"{CLOCK} [I] Format: ONNX", CHATTER, "Layer(x): below", "=== not here ===",
    f"{CLOCK} [TRT] [V] the same from Python", f"{CLOCK} [V] [TRT]", "", f"{CLOCK} [I] Model: ünï", "below, kept",
    CHATTER, f"{CLOCK} [W] * GPU compute time is unstable, with coefficient of variance = 28.085%.", CHATTER, CHATTER,
)  # fmt: skip
KEPT = {1, 2, 3, 10, 11, 13}


@pytest.mark.parametrize("block", [1, 7, 64, 100, 1 << 18])
@pytest.mark.parametrize("end", ["\n", ""])
def test_lines_keep_their_numbers_whatever_the_blocks(
    block: int, end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_facts, "_BLOCK", block)
    path = tmp_path / "x.log"
    path.write_text("\n".join(LINES) + end, "utf-8")
    with path.open("rb") as file:
        told = {number: line.decode().rstrip("\n") for number, line in log_facts._telling_lines(file)}
    assert told == {number: LINES[number - 1] for number in KEPT}
    notes = metadata_of_log(path).notes
    assert [note.where for note in notes if note.code == "unstable-gpu-time"] == [f"{path}:13"]


def test_a_last_line_without_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("\n".join(LINES[:3]))
    assert metadata_of_log(tmp_path / "x.log").model_options == {"Format": "ONNX"}


def test_a_line_of_many_megabytes(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes("\n".join(LINES).encode() + b"\n" + b"x" * (5 << 20) + b"\n")
    assert metadata_of_log(tmp_path / "x.log").model_options["Model"] == "ünï"

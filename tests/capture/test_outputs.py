"""Names of the artifacts, and what cannot be a model or an output folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trex.capture.outputs import make_folder, outputs_of
from trex.core.errors import TrexError


def test_names_are_those_of_trex(tmp_path: Path) -> None:
    model = tmp_path / "mödel x.onnx"
    model.write_bytes(b"\x08\x08")
    outputs = outputs_of(str(model), "out")
    names = [
        path.as_posix()
        for path in (
            outputs.engine, outputs.graph, outputs.profile, outputs.times, outputs.build_log, outputs.build_metadata,
            outputs.profile_log, outputs.profile_metadata, outputs.picture, outputs.report, outputs.archive,
            outputs.manifest,
        )
    ]  # fmt: skip
    endings = ["", ".graph.json", ".profile.json", ".timing.json", ".build.log", ".build.metadata.json", ".profile.log",
               ".profile.metadata.json", ".graph.json.svg", ".report.html", ".tea"]  # fmt: skip
    assert names == [*(f"out/mödel x.onnx.engine{ending}" for ending in endings), "out/manifest.json"]
    assert outputs.model == model


@pytest.mark.parametrize(("name", "data"), [("x.engine", b"anything"), ("x.PLAN", b"anything"), ("x", b"ftrt....")])
def test_an_engine_stays_where_it_is(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    outputs = outputs_of(str(tmp_path / name), "out")
    assert outputs.model is None and outputs.engine == tmp_path / name
    assert outputs.graph == Path("out") / f"{name}.graph.json"


def test_what_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "empty.onnx").touch()
    for name, words in (("", "folder"), ("nothing.onnx", "no such model"), ("empty.onnx", "empty file")):
        with pytest.raises(TrexError, match=words):
            outputs_of(str(tmp_path / name), "out")


def test_folders(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b c")
    make_folder(tmp_path / "a" / "b c")
    assert list((tmp_path / "a" / "b c").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(TrexError, match="is a file"):
        make_folder(tmp_path / "file")
    with pytest.raises(TrexError, match="cannot be created"):
        make_folder(tmp_path / "file" / "below")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(TrexError, match="cannot be written to"):
        make_folder(tmp_path)
    tmp_path.chmod(0o755)

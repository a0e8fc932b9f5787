"""Names of the artifacts, and what cannot be a model or an output folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.capture.outputs import check_engine_release, engine_release, make_folder, outputs_of
from trex.core.errors import TrexError
from trex.core.release import Release, release_from_text


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


def plan(path: Path, *version: int) -> Path:
    path.write_bytes(b"ftrt" + bytes(20) + bytes((*version, 9)) + b"rest of the plan")
    return path


@pytest.mark.parametrize(
    ("text", "release"),
    [("10.16.1.11", (10, 16, 1)), ("8.6.1", (8, 6, 1)), ("11.1", (11, 1, 0)), ("", None), ("v10.4", None), ("x", None)],
)
def test_release_from_text(text: str, release: tuple[int, int, int] | None) -> None:
    assert release_from_text(text) == release


def test_releases_compare_by_their_numbers() -> None:
    assert Release(10, 4) < Release(10, 16) and Release(8, 6, 1) >= (8, 6)
    assert str(Release(10, 16, 1)) == "10.16.1" and Release(10, 16, 1).pair == (10, 16)


def test_the_header_of_a_plan(tmp_path: Path) -> None:
    assert engine_release(plan(tmp_path / "a.engine", 10, 4, 0)) == (10, 4, 0)


@pytest.mark.parametrize("data", [b"ptrt" + bytes(60), b"ftrt", b"{}", bytes(40)])
def test_other_files_tell_no_release(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.engine").write_bytes(data)
    assert engine_release(tmp_path / "a.engine") is None
    assert check_engine_release(tmp_path / "a.engine", Release(10, 4)) == ()


@pytest.mark.parametrize("name", ["", "missing", "empty"])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    with pytest.raises(TrexError, match="engine"):
        engine_release(tmp_path / name)


@pytest.mark.parametrize(
    ("built", "ours"), [((10, 4, 0), (8, 6, 1)), ((8, 6, 1), (10, 4, 0)), ((10, 16, 1), (10, 4, 0))]
)
def test_an_engine_of_a_release_that_cannot_run_here(
    built: tuple[int, int, int], ours: tuple[int, int, int], tmp_path: Path
) -> None:
    with pytest.raises(TrexError, match=f"built by TensorRT {Release(*built)}") as raised:
        check_engine_release(plan(tmp_path / "a.engine", *built), Release(*ours))
    assert f"TensorRT {built[0]}.{built[1]}" in raised.value.hint


def test_an_older_engine_may_run(tmp_path: Path) -> None:
    path = plan(tmp_path / "a.engine", 10, 4, 0)
    assert check_engine_release(path, Release(10, 4, 0)) == ()
    (note,) = check_engine_release(path, Release(10, 16, 1))
    assert note.code == "engine-of-another-release" and "10.4.0" in note.hint

"""Finding trtexec and its release."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mocks import RELEASES, write_trtexec
from trex.capture.trtexec import find
from trex.capture.trtexec.find import ask_trtexec, find_trtexec
from trex.core.errors import TrexError
from trex.core.release import Release, release_from_text
from trex.ingest.spelling.trtexec_options import OPTIONS


def program(folder: Path, text: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trtexec"
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_USUAL_ROOTS", (tmp_path / "usr",))


def test_the_path_goes_before_the_install_places(tmp_path: Path) -> None:
    on_path = program(tmp_path / "a folder")
    program(tmp_path / "root" / "bin")
    environment = {"PATH": str(tmp_path / "a folder"), "TENSORRT_ROOT": str(tmp_path / "root")}
    assert find_trtexec("", environment) == str(on_path)


@pytest.mark.parametrize("part", ["bin", "targets/x86_64-linux-gnu/bin", ""])
def test_the_root_that_a_variable_names(part: str, tmp_path: Path) -> None:
    path = program(tmp_path / "root" / part)
    assert find_trtexec("", {"PATH": "", "TENSORRT_ROOT": str(tmp_path / "root")}) == str(path)


def test_the_newest_of_several_archives(tmp_path: Path) -> None:
    program(tmp_path / "usr" / "TensorRT-10.4.0" / "bin")
    newest = program(tmp_path / "usr" / "TensorRT-10.16.1" / "bin")
    assert find_trtexec("", {"PATH": ""}) == str(newest)
    assert find_trtexec("", {"PATH": ""}) != str(program(tmp_path / "usr" / "TensorRT-11.0" / "bin", mode=0o644))


@pytest.mark.parametrize("way", ["file", "folder", "root", "name"])
def test_the_one_that_is_asked_for(way: str, tmp_path: Path) -> None:
    path = program(tmp_path / "r" / "bin")
    wanted = {"file": str(path), "folder": str(path.parent), "root": str(tmp_path / "r"), "name": "trtexec"}[way]
    assert find_trtexec(wanted, {"PATH": str(path.parent)}) == str(path)


def test_the_folder_of_an_unpacked_archive(tmp_path: Path) -> None:
    path = program(tmp_path / "TensorRT-8.6.1" / "targets" / "x86_64-linux-gnu" / "bin")
    assert find_trtexec(str(tmp_path / "TensorRT-8.6.1"), {"PATH": ""}) == str(path)


def test_none_is_found(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="trtexec was not found") as raised:
        find_trtexec("", {"PATH": str(tmp_path)})
    assert "--backend tensorrt" in raised.value.hint


@pytest.mark.parametrize("wanted", ["nowhere/trtexec", "", "no-such-name"])
def test_the_one_that_is_asked_for_is_not_there(wanted: str, tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="there is no trtexec"):
        find_trtexec(wanted or str(tmp_path), {"PATH": ""})


def test_it_may_not_be_executed(tmp_path: Path) -> None:
    path = program(tmp_path, mode=0o644)
    with pytest.raises(TrexError, match="may not be executed"):
        find_trtexec(str(path), {"PATH": ""})


@pytest.mark.parametrize("release", RELEASES)
def test_its_release(release: str, make_trtexec: Callable[..., Path]) -> None:
    trtexec = ask_trtexec(str(make_trtexec(release)))
    assert trtexec.release == release_from_text(RELEASES[release])
    listed = {name for name, option in OPTIONS.items() if option.is_listed_by(trtexec.release)}
    assert trtexec.listed == listed


def test_a_help_text_of_another_release(tmp_path: Path, shared_logs: Path) -> None:
    text = shared_logs / "trt8.5-trtexec-help.txt"
    trtexec = ask_trtexec(str(program(tmp_path, f"#!/bin/sh\ncat '{text}'\n")))
    assert trtexec.release == Release(8, 5, 0) and {"fp16", "help", "h", "heuristic"} <= trtexec.listed


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("#!/bin/sh\necho hello\n", "does not print a TensorRT release"),
        ("#!/bin/sh\nexit 3\n", "does not print a TensorRT release"),
        ("#!/no/such/shell\n", "there is no such program"),
        ("no program at all", "could not be started"),
        ("#!/bin/sh\nkill -SEGV $$\n", "it died of SIGSEGV"),
        ("#!/bin/sh\necho 'x: error while loading shared libraries: libnvinfer.so.10' >&2\nexit 127\n", "libraries"),
        ("#!/bin/sh\necho '&&&& RUNNING TensorRT.trtexec # trtexec --help'\n", "does not print a TensorRT release"),
    ],
)
def test_programs_that_are_no_trtexec(script: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(TrexError, match=message):
        ask_trtexec(str(program(tmp_path, script)))


def test_it_does_not_answer(make_trtexec: Callable[..., Path]) -> None:
    with pytest.raises(TrexError, match=r"no answer within 0\.2 s"):
        ask_trtexec(str(make_trtexec("10.4", fault="hang", at="start")), time_limit_s=0.2)


@pytest.mark.parametrize("wanted", ["trtexec", "./trtexec", "."])
def test_a_relative_path_is_started_where_it_is(wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trtexec(tmp_path, "10.4")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    trtexec = find_trtexec(wanted)
    assert Path(trtexec) == tmp_path / "trtexec"
    assert ask_trtexec(trtexec).release == Release(10, 4, 0)

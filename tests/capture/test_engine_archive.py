"""Archives are read safely, written whole, and never lose what they held."""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path

import pytest

from trex.capture import engine_archive as module
from trex.capture.engine_archive import EngineArchive, member_name, regular_file_reader, regular_file_writer
from trex.core.errors import TrexError


def packed(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return path


def held(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "net.onnx.engine.tea"


def test_what_is_written_is_read(path: Path) -> None:
    with EngineArchive(path) as tea:
        tea.writef_txt("build.txt", "größe\nzwei\n")
        tea.writef_bin("engine.trt", memoryview(b"ftrt\x00"))
        with tea.writer("logs/a.txt") as writer:
            writer.write("1\n")
            writer.writelines([b"\xff2\n", "3\n"])
        assert not path.exists()
        assert tea.readf("engine.trt") == b"ftrt\x00"
        assert tea.names == ("build.txt", "engine.trt", "logs/a.txt")
    assert held(path) == {
        "build.txt": "größe\nzwei\n".encode(),
        "engine.trt": b"ftrt\x00",
        "logs/a.txt": b"1\n\xff2\n3\n",
    }
    tea = EngineArchive(path)
    assert list(tea.reader("build.txt")) == ["größe\n", "zwei\n"]
    assert tea.reader("logs/a.txt").read() == "1\n�2\n3\n"
    assert tea.readf("engine.trt") == b"ftrt\x00" and tea.version == "1.0"
    with zipfile.ZipFile(path) as opened:
        assert opened.getinfo("engine.trt").compress_type == zipfile.ZIP_STORED
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_opening_deletes_nothing(path: Path) -> None:
    packed(path, {"a": b"1", "b": b"2"})
    before = path.read_bytes()
    with EngineArchive(path) as tea:
        assert tea.readf("a") == b"1"
    tea.open()
    tea.close()
    assert path.read_bytes() == before


def test_members_are_replaced_and_the_others_stay(path: Path) -> None:
    packed(path, {"a": b"1", "b": b"2"}, zipfile.ZIP_STORED)
    path.chmod(0o640)
    with EngineArchive(path) as tea:
        tea.writef_txt("a", "first")
        tea.writef_txt("a", "new")
        tea.writef_txt("c", "3")
        assert tea.readf("a") == b"new" and held(path)["a"] == b"1"
    assert held(path) == {"a": b"new", "b": b"2", "c": b"3"}
    assert path.stat().st_mode & 0o777 == 0o640


def test_replacing_may_be_forbidden(path: Path) -> None:
    packed(path, {"a": b"1"})
    with EngineArchive(path, override_files=False) as tea:
        tea.writef_txt("b", "2")
        for name in ("a", "b"):
            with pytest.raises(TrexError, match="already"):
                tea.writef_txt(name, "3")
    assert held(path) == {"a": b"1", "b": b"2"}


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_exception_leaves_the_files_of_an_earlier_run_as_they_were(path: Path, error: type[BaseException]) -> None:
    files = {"m.graph.json": '{"Layers": ["a"]}', "m.profile.json": '[{"count": 1}, {"name": "a", "averageMs": 1.0}]'}
    with EngineArchive(path) as archive:
        for name, text in files.items():
            archive.writef_txt(name, text)
    with pytest.raises(error), EngineArchive(path) as archive:
        archive.writef_txt("m.graph.json", '{"Layers": ["b"]}')
        raise error
    archive = EngineArchive(path)
    assert {name: archive.readf(name).decode() for name in files} == files
    assert archive.readf("build.failed/m.graph.json") == b'{"Layers": ["b"]}'


def test_an_exception_keeps_what_was_written(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), EngineArchive(path) as tea:
        writer = tea.writer("build.txt")
        writer.write("until here")
        raise ZeroDivisionError
    assert held(path) == {"build.txt": b"until here"}
    assert writer.write("too late") == 8  # dropped: a logger may still speak


def test_a_failure_leaves_the_old_archive_and_may_be_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed(path, {"a": b"1"})

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    tea = EngineArchive(path)
    tea.writef_txt("b", "2")
    with monkeypatch.context() as patch:
        patch.setattr(module.shutil, "copyfileobj", full)
        with pytest.raises(TrexError, match="No space left"):
            tea.close()
        with pytest.raises(ZeroDivisionError), tea:
            raise ZeroDivisionError
    assert [note.code for note in tea.notes] == ["archive-not-written"]
    assert held(path) == {"a": b"1"} and list(path.parent.iterdir()) == [path]
    tea.close()
    assert held(path) == {"a": b"1", "b": b"2"}


def test_an_archive_that_cannot_be_rewritten_is_refused_before_the_build(path: Path) -> None:
    packed(path, {"a.txt": b"a"}, zipfile.ZIP_BZIP2)
    with EngineArchive(path) as tea:
        with pytest.raises(TrexError, match="unsupported method"):
            tea.writef_txt("b.txt", "b")
        tea.writef_txt("a.txt", "new")
    assert held(path) == {"a.txt": b"new"}


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "C:\\a", "C:a", "a\\..\\b", "", "a/", "a\x00"])
def test_names_that_lead_outside(path: Path, name: str) -> None:
    with EngineArchive(path) as tea, pytest.raises(TrexError, match="not a name for a member"):
        tea.writer(name)
    assert not path.exists()


def test_unsafe_members_are_neither_read_nor_kept(path: Path) -> None:
    packed(path, {"../evil": b"x", "a": b"1"})
    with EngineArchive(path) as tea:
        assert tea.names == ("a",)
        with pytest.raises(TrexError, match="no such member"):
            tea.readf("../evil")
        tea.writef_txt("b", "2")
    assert held(path) == {"a": b"1", "b": b"2"}
    assert [note.code for note in tea.notes] == ["unsafe-member"]


@pytest.mark.slow
def test_bombs_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed(path, {"bomb": bytes(64 << 20), "a": b"1"})
    before = path.read_bytes()
    tea = EngineArchive(path)
    with pytest.raises(TrexError, match="more than 100 times"):
        tea.readf("bomb")
    tea.writef_txt("b", "2")
    with pytest.raises(TrexError, match="more than 100 times"):
        tea.close()
    assert path.read_bytes() == before and tea.readf("a") == b"1"
    monkeypatch.setattr(module, "_LARGEST_MEMBER", 0)
    with pytest.raises(TrexError, match="larger than 0 GiB"):
        tea.readf("a")


def test_what_is_no_archive_is_left_alone(path: Path) -> None:
    path.write_bytes(b"a user's letter")
    with pytest.raises(TrexError, match="archive cannot be read"):
        EngineArchive(path).open()
    with pytest.raises(TrexError):
        EngineArchive(path).writef_txt("a", "1")
    assert path.read_bytes() == b"a user's letter"


def test_what_is_not_there(path: Path) -> None:
    with pytest.raises(TrexError, match="no such file"):
        EngineArchive(path).readf("a")
    with EngineArchive(path):
        pass
    assert not path.exists()
    packed(path, {"build.txt": b""})
    with pytest.raises(TrexError, match="no such member") as caught:
        EngineArchive(path).readf("build.tx")
    assert "build.txt" in caught.value.hint
    assert EngineArchive(path).readf("build.txt") == b""
    with pytest.raises(TrexError, match="is not writable"):
        EngineArchive(path.parent / "none" / "x.tea").writer("a")


def test_links_are_followed(tmp_path: Path) -> None:
    real = packed(tmp_path / "real.tea", {"a": b"1"})
    link = tmp_path / "link.tea"
    link.symlink_to(real)
    with EngineArchive(link) as tea:
        tea.writef_txt("b", "2")
    assert link.is_symlink() and held(real) == {"a": b"1", "b": b"2"}


def test_large_members_go_by_way_of_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_IN_MEMORY_BYTES", 100)
    with EngineArchive(path) as tea:
        tea.writef_bin("engine.trt", bytes(range(256)) * 8)
        assert list(path.parent.iterdir()) == []  # without a name, gone with the process
    assert held(path)["engine.trt"] == bytes(range(256)) * 8


def test_several_threads_may_write(path: Path) -> None:
    with EngineArchive(path) as tea:
        writer = tea.writer("log")
        line = "x" * 100 + "\n"
        threads = [threading.Thread(target=lambda: [writer.write(line) for _ in range(200)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert held(path)["log"].decode() == line * 800


def test_plain_files(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    with regular_file_writer(file) as writer:
        writer.write("eins\n")
        writer.write(b"\xff\n")
        writer.flush()
    with regular_file_reader(file) as reader:
        assert isinstance(reader, io.TextIOBase) and list(reader) == ["eins\n", "�\n"]
    for function in (regular_file_reader, regular_file_writer):
        with pytest.raises(TrexError):
            function(tmp_path / "none" / "a.log")


@pytest.mark.parametrize(("path", "name"), [("a.log", "a.log"), ("logs/a.log", "logs/a.log"), ("/x/a.log", "a.log")])
def test_members_for_paths(path: str, name: str) -> None:
    assert member_name(path) == name

"""source: bytes of a file, uncompressed within bounds; errors that help."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.ingest import plain_blocks
from trex.ingest.source import Source, read_head, read_source

zstandard = pytest.importorskip("zstandard")

TEXT = b'{"Layers": ["conv1", "relu1"]}' * 50


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_plain_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = written(tmp_path, "x.graph.json", TEXT)
    assert read_source(path) == Source(str(path), TEXT, ())
    assert read_source(str(path)).data == TEXT


@pytest.mark.parametrize("name", ["x.graph.json.gz", "x.graph.json"])
def test_compression_is_known_by_content(tmp_path: Path, name: str) -> None:
    for data in (gzip.compress(TEXT), zstandard.compress(TEXT), gzip.compress(TEXT[:10]) + gzip.compress(TEXT[10:])):
        source = read_source(written(tmp_path, name, data))
        assert source.data == TEXT
        assert source.notes == ()


def test_streamed_zstd_without_a_size_and_several_frames(tmp_path: Path) -> None:
    stream = zstandard.ZstdCompressor().compressobj()
    data = stream.compress(TEXT) + stream.flush() + zstandard.compress(TEXT)
    assert read_source(written(tmp_path, "x.zst", data)).data == TEXT * 2


def test_a_torn_compressed_file_keeps_its_beginning(tmp_path: Path) -> None:
    plain = os.urandom(300_000)
    for data in (gzip.compress(plain)[:-1000], zstandard.compress(plain)[:-1000]):
        source = read_source(written(tmp_path, "x.gz", data))
        assert plain.startswith(source.data)
        assert len(source.data) > 100_000
        assert [note.code for note in source.notes] == ["damaged-compression"]


def test_text_after_gzip_data_is_a_note_and_padding_is_not(tmp_path: Path) -> None:
    source = read_source(written(tmp_path, "x.gz", gzip.compress(TEXT) + b"more"))
    assert source.data == TEXT
    assert [note.code for note in source.notes] == ["damaged-compression"]
    assert read_source(written(tmp_path, "x.gz", gzip.compress(TEXT) + bytes(512))).notes == ()


@pytest.mark.parametrize("data", [b"\x1f\x8bnonsense", b"\x1f\x8b", b"\x28\xb5\x2f\xfdnonsense"])
def test_damage_from_the_start_is_an_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(TrexError) as error:
        read_source(written(tmp_path, "x.gz", data))
    assert "x.gz" in error.value.where


def bomb(size: int) -> bytes:
    squeeze = zlib.compressobj(9, wbits=31)
    piece = bytes(1 << 20)
    return b"".join(squeeze.compress(piece) for _ in range(size >> 20)) + squeeze.flush()


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    for data in (bomb(40 << 20), zstandard.compress(bytes(40 << 20))):
        with pytest.raises(TrexError, match="1000 times"):
            read_source(written(tmp_path, "x.gz", data))
        assert read_head(tmp_path / "x.gz", 1000) == bytes(1000)


def test_a_bomb_is_refused_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_blocks, "MAX_BYTES", 3 << 20)
    with pytest.raises(TrexError, match="the most that is read"):
        read_source(written(tmp_path, "x.gz", bomb(5 << 20)))


def test_zstd_without_its_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "x.json.zst", zstandard.compress(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(TrexError, match="pip install zstandard"):
        read_source(path)


# ---- unreadable files


def test_a_missing_file_suggests_its_neighbors(tmp_path: Path) -> None:
    written(tmp_path, "resnet.graph.json", TEXT)
    with pytest.raises(TrexError) as error:
        read_source(tmp_path / "resnet.grap.json")
    assert str(tmp_path / "resnet.graph.json") in error.value.hint
    with pytest.raises(TrexError) as error:
        read_source(tmp_path / "no folder" / "x.json")
    assert "no folder" in error.value.hint


@pytest.mark.parametrize("data", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_an_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(TrexError, match="empty") as error:
        read_source(written(tmp_path, "x.json", data))
    assert error.value.hint


def test_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="folder"):
        read_source(tmp_path)


def test_strange_paths_are_errors(tmp_path: Path) -> None:
    for path in ("a\0b", "x" * 5000, "", str(tmp_path / "x.json" / "y")):
        with pytest.raises(TrexError):
            read_source(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in this system's file tree")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TrexError, match="pipe"):
        read_source(tmp_path / "pipe")


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, "x.json.gz", gzip.compress(TEXT))
    before = [(p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(tmp_path.iterdir())]
    read_source(path)
    assert [(p.name, p.stat().st_mtime_ns, p.stat().st_size) for p in sorted(tmp_path.iterdir())] == before


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=100), st.sampled_from([b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b""]))
def test_any_compressed_bytes_are_data_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, magic: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "x"
    path.write_bytes(magic + data)
    try:
        read_source(path)
    except TrexError as error:
        assert str(path) in str(error)

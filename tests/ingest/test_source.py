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
from trex.core.note import Note
from trex.ingest.source import Source, read_blocks, read_head, read_source
from trex.ingest.text import encoding_of, without_blank_end

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
    plain = os.urandom(150_000).hex().encode()
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
    piece = b"x" * (1 << 20)
    return b"".join(squeeze.compress(piece) for _ in range(size >> 20)) + squeeze.flush()


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    for data in (bomb(40 << 20), zstandard.compress(b"x" * (40 << 20))):
        with pytest.raises(TrexError, match="100 times"):
            read_source(written(tmp_path, "x.gz", data))
        assert read_head(tmp_path / "x.gz", 1000) == b"x" * 1000


@pytest.mark.parametrize("is_packed", [False, True])
def test_more_than_the_limit_is_refused_and_the_limit_can_be_raised(
    is_packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b'{"a": 1}' * 700_000
    path = written(tmp_path, "x.json", gzip.compress(data) if is_packed else data)
    monkeypatch.setenv("TREX_MAX_MB", "3")
    with pytest.raises(TrexError, match="more than 3 MB of text, the most that is read") as error:
        read_source(path)
    assert "TREX_MAX_MB=6 in the environment" in error.value.hint
    assert b"".join(read_blocks(path, [])) == data, "what is streamed has no limit"
    monkeypatch.setenv("TREX_MAX_MB", "6")
    assert read_source(path).data == data


@pytest.mark.parametrize("written_limit", ["x", "0", "-1", "1e3", "9" * 30, "0" * 12 + "1" * 5000])
def test_a_limit_that_is_no_number_is_an_error(
    written_limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREX_MAX_MB", written_limit)
    with pytest.raises(TrexError, match="TREX_MAX_MB is no number"):
        read_source(written(tmp_path, "x.json", TEXT))


@pytest.mark.parametrize("magic", [b"ftrt\x00\x01", b"\x08\x07\x12\x04", b"PK\x03\x04"])
def test_a_binary_file_of_any_size_is_refused_by_its_first_bytes(magic: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, "x.json", magic)
    os.truncate(path, 10 << 30)
    with pytest.raises(TrexError, match="not JSON"):
        read_source(path)


# ---- a file's end


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("zeros", [0, 1, 2, 3, 4, 5, 100_000, 600_000])
@pytest.mark.parametrize("is_packed", [False, True])
def test_nul_bytes_at_the_end_are_left_out_with_a_note(codec: str, zeros: int, is_packed: bool, tmp_path: Path) -> None:
    text = '{"Layers": ["conv1", "relu1"]}\n' * 20
    data = text.encode(codec) + bytes(zeros)
    source = read_source(written(tmp_path, "x.json", gzip.compress(data) if is_packed else data))
    kept = source.data.decode(codec, "replace").rstrip("\x00\ufffd")
    assert kept == text
    assert len(source.data) <= len(text.encode(codec)) + 3
    left_out = len(data) - len(source.data)
    codes = [note.code for note in source.notes]
    assert codes == (["zeros-at-end"] if left_out else [])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([b"{", b"\x00" * 3, b"  ", b"\n\n", b"a\x00", b"\x00", b" ", b"x\n"]), max_size=12))
def test_without_the_blank_end_nothing_else_is_lost(blocks: list[bytes]) -> None:
    notes: list[Note] = []
    whole, kept = b"".join(blocks), b"".join(without_blank_end(blocks, notes))
    assert whole.startswith(kept)
    assert not whole[len(kept) :].strip(b"\x00 \t\r\n")
    if encoding_of(next((b for b in blocks), b""))[0] == "utf-8":
        assert not kept.endswith(b"\x00")
    assert bool(notes) == (bool(kept) and b"\x00" in whole[len(kept) :])


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

"""Hostile containers: bombs, names that lead outside, links, pipes, loops of folders, files that vanish."""

from __future__ import annotations

import gzip
import io
import os
import random
import stat
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import trex
from tests.fuzz import doors
from tests.fuzz.monsters import document, layer, zipped
from tests.fuzz.time_limit import time_limit
from trex.core.errors import TrexError
from trex.ingest import opening
from trex.ingest.archive import archive_infos
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import find_engines
from trex.ingest.source import read_head, read_source
from trex.views.completeness import completeness_of

pytestmark = pytest.mark.slow

GRAPH = document([layer()], ["x", "y"])
MIB = 1 << 20
OUTSIDE = (
    "../evil.json",
    "a/../../evil.json",
    "..\\evil.json",
    "/etc/evil.json",
    "C:\\evil.json",
    "C:evil.json",
    "\\\\host\\evil.json",
    "//evil.json",
)


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    with time_limit(seconds=60):
        yield


@pytest.fixture(autouse=True)
def _nothing_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test of this file may find anything in the folder it runs in."""
    here = tmp_path.parent / f"{tmp_path.name}-here"
    here.mkdir()
    monkeypatch.chdir(here)
    yield
    assert list(here.iterdir()) == []


def refused(path: Path) -> TrexError:
    with pytest.raises(TrexError) as caught:
        trex.load(path)
    doors.check_error(caught.value)
    return caught.value


def saved(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


# ----------------------------------------------------------------------------------------------------- bombs


def bomb(size: int) -> bytes:
    return gzip.compress(b"[" + b" " * size, compresslevel=9)


def peak_of_refusal(path: Path) -> int:
    tracemalloc.start()
    try:
        refused(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_gzip_bomb(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.graph.json.gz", bomb(100 * MIB))
    assert path.stat().st_size < MIB
    assert peak_of_refusal(path) < 200 * MIB


def test_a_bomb_in_a_bomb(tmp_path: Path) -> None:
    inner = bomb(40 * MIB)
    assert len(gzip.compress(inner)) < 20_000
    refused(saved(tmp_path / "x.graph.json.gz", gzip.compress(inner)))
    refused(saved(tmp_path / "x.tea", zipped({"x.graph.json.gz": inner})))


def test_a_zip_bomb(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.tea", zipped({"x.graph.json": b'{"Layers": [' + b" " * (100 * MIB)}))
    assert path.stat().st_size < MIB
    assert peak_of_refusal(path) < 200 * MIB


def test_a_zip_that_holds_itself_again_and_again(tmp_path: Path) -> None:
    data = GRAPH
    for _ in range(30):
        data = zipped({"x.tea": data})
    refused(saved(tmp_path / "x.tea", data))


def test_a_zip_of_overlapping_members(tmp_path: Path) -> None:
    """Every entry of the directory points to the same member: small on disk, large when all are read."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.json", b"[" + b" " * MIB)
        first = archive.filelist[0]
        for number in range(1, 900):
            copy = zipfile.ZipInfo(f"{number}.json")
            for field in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(copy, field, getattr(first, field))
            archive.filelist.append(copy)
    path = saved(tmp_path / "x.tea", packed.getvalue())
    with doors.refusing():
        trex.load(path)


def test_a_zip_of_too_many_members(tmp_path: Path) -> None:
    assert "members" in refused(saved(tmp_path / "x.tea", zipped({f"{i}.json": b"{}" for i in range(3000)}))).message


# ----------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_out_of_an_archive(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "x.tea", zipped({"x.graph.json": GRAPH, name: GRAPH.replace(b'"a"', b'"evil"')}))
    plan = trex.load(path)
    assert [layer.name for layer in plan.working_layers] == ["a"]
    assert "unsafe-member" in {note.code for note in plan.notes}
    assert [info.filename for info in archive_infos(str(path))[0]] == ["x.graph.json"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["x.tea"]


def test_a_member_without_a_name(tmp_path: Path) -> None:
    data = zipped({"x.graph.json": GRAPH, "Q": GRAPH}).replace(b"Q", b"\x00")  # a name ends at its first zero
    plan = trex.load(saved(tmp_path / "x.tea", data))
    assert "unsafe-member" in {note.code for note in plan.notes}


def test_an_archive_of_nothing_but_unsafe_names(tmp_path: Path) -> None:
    refused(saved(tmp_path / "x.tea", zipped(dict.fromkeys(OUTSIDE, GRAPH))))


def test_a_member_asked_for_by_a_name_that_leads_outside(tmp_path: Path) -> None:
    secret = saved(tmp_path / "secret.json", GRAPH)
    path = saved(tmp_path / "x.tea", zipped({"../secret.json": GRAPH}))
    for member in ("../secret.json", str(secret), "../../../etc/passwd", "x", "\x00", "a" * 10_000):
        with pytest.raises(TrexError) as caught:
            read_source(f"{path}!{member}")
        doors.check_error(caught.value)


def test_a_link_in_an_archive_is_text_and_never_followed(tmp_path: Path) -> None:
    saved(tmp_path / "secret.json", GRAPH)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("x.graph.json")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "secret.json")
    refused(saved(tmp_path / "x.tea", packed.getvalue()))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_one_name(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x.graph.json", b"[broken")
        archive.writestr("x.graph.json", GRAPH)
    plan = trex.load(saved(tmp_path / "x.tea", packed.getvalue()))
    assert "repeated-member" in {note.code for note in plan.notes}


def test_names_that_steer_terminals(tmp_path: Path) -> None:
    nasty = "\x1b[31m</title>\n=1+1"
    for path in (
        saved(tmp_path / "x.tea", zipped({f"{nasty}.graph.json": b"[1, 2]"})),
        saved(tmp_path / "y.tea", zipped({f"{nasty}.graph.json": GRAPH, f"{nasty}.profile.json": b"{"})),
    ):
        with doors.refusing():
            doors.use(trex.load(path))
        with doors.refusing():
            for files in find_engines(path):
                doors.check_notes(completeness_of(files).notes)


@pytest.mark.parametrize("name", ["\x1b[31m.graph.json", "a\nb.graph.json", "=1+1.graph.json", "a!b.tea!c.graph.json"])
def test_strange_names_of_files(name: str, tmp_path: Path) -> None:
    path = saved(tmp_path / name, GRAPH)
    doors.use(trex.load(path))
    doors.use(trex.load(tmp_path))


def test_names_of_files_that_are_not_utf8(tmp_path: Path) -> None:
    try:
        saved(tmp_path / os.fsdecode(b"\xff\xfe.graph.json"), GRAPH)
    except OSError:
        pytest.skip("this file system takes no such names")
    doors.use(trex.load(tmp_path))


@pytest.mark.parametrize(
    "address", ["", "\x00", "a\x00b", "x" * 100_000, "\ud800", "/dev/zero", "/dev/null", "!", "a!", "!a"]
)
def test_addresses_that_are_no_engine(address: str) -> None:
    for door in (trex.load, trex.load_all, trex.EnginePlan, read_source):
        with pytest.raises(TrexError) as caught:
            door(address)
        doors.check_error(caught.value)


# ----------------------------------------------------------------------------------------------------- damage


def test_an_archive_damaged_anywhere(tmp_path: Path) -> None:
    whole = zipped({"x.graph.json": GRAPH, "x.profile.json": b'[{"name": "a", "averageMs": 1}]'})
    generator = random.Random(5)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            data[generator.randrange(len(data))] = generator.randrange(256)
        doors.through(
            doors.archive, bytes(data[: generator.choice((len(data), generator.randrange(len(data))))]), False
        )


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x2000])
def test_an_encrypted_member(flag: int, tmp_path: Path) -> None:
    data = bytearray(zipped({"x.graph.json": GRAPH}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(mark) + offset : data.find(mark) + offset + 2] = flag.to_bytes(2, "little")
    with doors.refusing():
        trex.load(saved(tmp_path / "x.tea", bytes(data)))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 1, 9, 97, 99])
def test_a_method_that_cannot_be_bounded(method: int, tmp_path: Path) -> None:
    data = bytearray(zipped({"x.graph.json": GRAPH}))
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.find(mark) + offset : data.find(mark) + offset + 2] = method.to_bytes(2, "little")
    refused(saved(tmp_path / "x.tea", bytes(data)))


# ----------------------------------------------------------------------------------------------------- folders


needs_links = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes and links in folders")


@needs_links
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.graph.json")
    refused(tmp_path / "x.graph.json")
    refused(tmp_path)
    saved(tmp_path / "y.graph.json", GRAPH)
    os.mkfifo(tmp_path / "y.profile.json")
    doors.use(trex.load(tmp_path / "y.graph.json"))


@needs_links
def test_a_pipe_put_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.graph.json"
    os.mkfifo(path)
    as_file = saved(tmp_path / "y.json", GRAPH).stat()
    monkeypatch.setattr(opening.os, "stat", lambda _: as_file)
    with pytest.raises(TrexError):
        read_source(path)
    assert read_head(path, 100) == b""


@needs_links
def test_links_in_circles_and_to_nowhere(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "a.graph.json").symlink_to("b.graph.json")
    (tmp_path / "b.graph.json").symlink_to("a.graph.json")
    (tmp_path / "c.graph.json").symlink_to("absent")
    for path in (tmp_path, tmp_path / "loop", tmp_path / "a.graph.json", tmp_path / "c.graph.json"):
        refused(path)
    saved(tmp_path / "d.graph.json", GRAPH)
    doors.use(trex.load(tmp_path / "loop/loop/loop"))


def test_a_folder_with_the_name_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.graph.json").mkdir()
    refused(tmp_path)
    refused(tmp_path / "x.graph.json")
    saved(tmp_path / "x.profile.json", b'[{"name": "a", "averageMs": 1}]')
    doors.use(trex.load(tmp_path))


def test_folders_within_folders(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    saved(deep / "x.graph.json", GRAPH)
    refused(tmp_path)


def test_engines_of_one_name_in_two_folders(tmp_path: Path) -> None:
    """Their names hold the folders', which once made a path that cannot be."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        saved(tmp_path / folder / "x.graph.json", GRAPH)
        saved(tmp_path / folder / "x.engine", b"ftrt" + bytes(100))
    reports = [completeness_of(files) for files in find_engines(tmp_path)]
    assert [completeness.name for completeness in reports] == ["a/x", "b/x"]
    assert not any(completeness.error for completeness in reports)


def test_a_folder_of_very_many_files(tmp_path: Path) -> None:
    for number in range(2500):
        (tmp_path / f"{number}.json").touch()
    refused(tmp_path)


def test_files_that_vanish_between_finding_and_reading(tmp_path: Path) -> None:
    paths = [
        saved(tmp_path / "x.graph.json", GRAPH),
        saved(tmp_path / "x.profile.json", b'[{"name": "a", "averageMs": 1}]'),
        saved(tmp_path / "x.tea", zipped({"x.graph.json": GRAPH})),
    ]
    for path in paths:
        content = path.read_bytes()
        (files,) = find_engines(tmp_path if path.suffix != ".tea" else path)
        path.unlink()
        with pytest.raises(TrexError):
            read_artifacts(files)
        assert completeness_of(files).error
        saved(path, content)


def test_a_file_that_becomes_a_folder_or_shrinks(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.graph.json", GRAPH)
    (files,) = find_engines(path)
    saved(path, b"")
    with pytest.raises(TrexError):
        read_artifacts(files)
    path.unlink()
    path.mkdir()
    with pytest.raises(TrexError):
        read_artifacts(files)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    path = saved(tmp_path / "x.graph.json", GRAPH)
    path.chmod(0)
    refused(path)
    refused(tmp_path)


def test_reading_writes_nothing_beside_the_files(tmp_path: Path) -> None:
    saved(tmp_path / "x.graph.json", GRAPH)
    saved(tmp_path / "x.profile.json", b'[{"name": "a", "averageMs": nan}]')
    saved(tmp_path / "y.tea", zipped({"y.graph.json": GRAPH}))
    saved(tmp_path / "z.graph.json.gz", gzip.compress(GRAPH))
    before = {entry: (entry.stat().st_mtime_ns, entry.stat().st_size) for entry in tmp_path.iterdir()}
    for path in [*before, tmp_path]:
        with doors.refusing():
            doors.use(trex.load(path))
    assert {entry: (entry.stat().st_mtime_ns, entry.stat().st_size) for entry in tmp_path.iterdir()} == before

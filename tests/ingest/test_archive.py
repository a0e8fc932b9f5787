"""archive: members are read safely; nothing is written to disk."""

from __future__ import annotations

import gzip
import io
import random
import struct
import zipfile
from pathlib import Path

import pytest

import trex
from trex.core.errors import TrexError
from trex.ingest import archive as archive_module
from trex.ingest import plain_blocks
from trex.ingest.archive import archive_infos, leads_outside, members_in_pieces
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import find_engines
from trex.ingest.source import read_source

GRAPH = b'{"Layers": [{"Name": "conv", "LayerType": "CaskConvolution", "Inputs": [], "Outputs": []}], "Bindings": []}'
PROFILE = b'[\n  { "count" : 1 }\n, { "name" : "conv", "timeMs" : 1, "averageMs" : 1, "percentage" : 100 }\n]\n'
LOG = b"[04/30/2026-18:15:10] [V] [TRT] Original: 20 layers\n[04/30/2026-18:15:11] [I] Engine built in 1 sec.\n"
PLAN = b"ftrt" + bytes(20) + bytes([10, 4, 0, 26]) + bytes(100)

CLASSIC = {
    "build.txt": LOG,
    "engine.trt": PLAN,
    "build_cfg.json": b'{"max_workspace": 1}',
    "plan_cfg.json": GRAPH,
    "timing.cache": bytes(range(40)),
}


def packed(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return path


def test_the_classic_archive(tmp_path: Path) -> None:
    path = packed(tmp_path / "resnet.engine.tea", CLASSIC)
    (files,) = find_engines(path)
    assert files.name == "resnet.engine"
    assert files.graph == f"{path}!plan_cfg.json"
    assert files.build_log == f"{path}!build.txt"
    assert files.engine == f"{path}!engine.trt"
    assert files.archive == str(path)
    assert set(files.others) == {f"{path}!build_cfg.json", f"{path}!timing.cache"}
    assert read_source(files.graph).data == GRAPH
    assert read_source(files.graph).path == files.graph


def test_what_process_engine_stores(tmp_path: Path) -> None:
    members = {"m.engine.graph.json": GRAPH, "m.engine.profile.json.gz": gzip.compress(PROFILE), "plan_cfg.json": GRAPH}
    path = packed(tmp_path / "m.tea", members)
    (files,) = find_engines(path)
    assert files.graph == f"{path}!m.engine.graph.json"
    assert files.profile is not None
    assert read_source(files.profile).data == PROFILE
    assert files.notes == ()
    assert find_engines(f"{path}!m.engine.graph.json") == (files,)
    assert find_engines(tmp_path) == (files,)


def test_folders_of_an_archive_are_engines(tmp_path: Path) -> None:
    parts = {"net.graph.json": GRAPH, "net.profile.json": PROFILE}
    members = {f"{folder}/{name}": data for folder in ("fp16", "int8") for name, data in parts.items()}
    path = packed(tmp_path / "both.zip", {**members, "__MACOSX/fp16/._net.graph.json": b"x"})
    engines = find_engines(path)
    assert [engine.name for engine in engines] == ["fp16/net", "int8/net"]
    assert [engine.profile for engine in engines] == [f"{path}!{name}/net.profile.json" for name in ("fp16", "int8")]
    (int8,) = find_engines(f"{path}!int8/net.graph.json")
    assert (int8.name, int8.graph) == ("net", f"{path}!int8/net.graph.json")
    with pytest.raises(TrexError, match=r"2 engines here; choose one:\n    both\.zip!fp16/net\.graph\.json"):
        trex.load(path)


def test_folders_of_one_engine_are_read_together(tmp_path: Path) -> None:
    members = {"layers/net.graph.json": GRAPH, "times/net.profile.json": PROFILE, "README.md": b"hello"}
    (engine,) = find_engines(packed(tmp_path / "parts.zip", members))
    assert (engine.name, engine.profile) == ("parts.zip", f"{tmp_path / 'parts.zip'}!times/net.profile.json")

    assert not engine.notes


def test_parts_of_other_folders_are_named(tmp_path: Path) -> None:
    times = b'[{"startEnqMs": 1.0, "latencyMs": 2.0, "computeMs": 2.0}]'
    members = {"layers/net.graph.json": GRAPH, "run/net.timing.json": times, "old/net.timing.json": times}
    (engine,) = find_engines(packed(tmp_path / "more.zip", members))
    (note,) = engine.notes
    assert engine.timing is None and note.code == "parts-of-other-folders" and note.severity == "warning"
    assert note.message.endswith(": run/net.timing.json, old/net.timing.json")


def test_engines_of_an_archive_are_kept_apart_by_name(tmp_path: Path) -> None:
    members = {"a-fp32.graph.json": GRAPH, "b-int8.graph.json": GRAPH, "b-int8.profile.json": PROFILE}
    path = packed(tmp_path / "two.tea", members)
    first, second = find_engines(path)
    assert (first.name, first.profile, second.name) == ("a-fp32", None, "b-int8")
    assert [engine.name for engine in find_engines(tmp_path)] == ["two/a-fp32", "two/b-int8"]


@pytest.mark.parametrize(
    "name", ["../evil.json", "/etc/evil.json", "a/../../evil.json", "C:\\evil.json", "..\\evil.json"]
)
def test_names_that_lead_outside_are_left_out(tmp_path: Path, name: str) -> None:
    (tmp_path / "inside").mkdir()
    path = packed(tmp_path / "inside" / "a.tea", {name: GRAPH, "plan_cfg.json": GRAPH})
    before = sorted(tmp_path.rglob("*"))
    (files,) = find_engines(path)
    assert files.graph == f"{path}!plan_cfg.json"
    assert "unsafe-member" in {note.code for note in files.notes}
    with pytest.raises(TrexError):
        read_source(f"{path}!{name}")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.tea"
    with zipfile.ZipFile(path, "w") as opened:
        opened.writestr("plan_cfg.json", b"[]")
        opened.writestr("plan_cfg.json", GRAPH)
    assert read_source(f"{path}!plan_cfg.json").data == GRAPH
    (files,) = find_engines(path)
    assert [note.code for note in files.notes] == ["repeated-member"]


def test_a_missing_member_suggests_others(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.tea", CLASSIC)
    with pytest.raises(TrexError, match=r"plan_cfg\.json"):
        read_source(f"{path}!plan_cgf.json")


@pytest.mark.slow
def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path / "a.tea", {"plan_cfg.json": b" " * (40 << 20)})
    with pytest.raises(TrexError, match="100 times"):
        read_source(f"{path}!plan_cfg.json")
    path = packed(tmp_path / "b.tea", {"plan_cfg.json": b'{"a": 1}' * 200_000})
    monkeypatch.setenv("TREX_MAX_MB", "1")
    with pytest.raises(TrexError, match="the most that is read"):
        read_source(f"{path}!plan_cfg.json")


@pytest.mark.parametrize("is_packed_twice", [False, True])
def test_members_that_expand_too_much_together(
    is_packed_twice: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_blocks, "RATIO_COUNTS_FROM", 100_000)
    log = LOG * 4000
    data = gzip.compress(log) if is_packed_twice else log
    one = {"plan_cfg.json": GRAPH, "engine.trt": PLAN + random.Random(7).randbytes(7000), "0.log": data}
    path = packed(tmp_path / "one.tea", one)
    (files,) = find_engines(path)
    assert files.build_log == f"{path}!0.log" and not files.notes
    assert read_artifacts(files).build_metadata.milestones
    path = packed(tmp_path / "a.tea", {**one, **{f"{number}.log": data for number in range(1, 20)}})
    assert len(log) < 100 * path.stat().st_size
    with pytest.raises(TrexError, match=r"a\.tea: the data expands to more than 100 times its [0-9]+ bytes"):
        find_engines(path)


def test_an_engine_in_an_archive_may_be_all_zeros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its head is read."""
    monkeypatch.setattr(plain_blocks, "RATIO_COUNTS_FROM", 100_000)
    (files,) = find_engines(packed(tmp_path / "a.tea", {"plan_cfg.json": GRAPH, "m.engine": PLAN + bytes(9 << 20)}))
    assert files.graph and files.engine


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "MAX_MEMBERS", 3)
    with pytest.raises(TrexError, match="5 members"):
        find_engines(packed(tmp_path / "a.tea", CLASSIC))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_cannot_be_bounded_are_refused(tmp_path: Path, method: int) -> None:
    with pytest.raises(TrexError, match="deflate"):
        find_engines(packed(tmp_path / "a.tea", {"plan_cfg.json": GRAPH}, method))


def test_an_unreadable_member_does_not_hide_the_others(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.tea", {"plan_cfg.json": GRAPH, "build.txt": b"[V] [TRT] log"}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    for offset in (data.index(b"build.txt") - 24, data.rindex(b"build.txt") - 38):
        data[offset] = 1  # the flag of an encrypted member
    path.write_bytes(data)
    (files,) = find_engines(path)
    assert files.graph == f"{path}!plan_cfg.json" and files.build_log is None
    (note,) = files.notes
    assert note.code == "member-not-read" and note.severity == "problem"
    assert note.message == "build.txt was left out: the member is encrypted" and note.where == f"{path}!build.txt"


def test_encrypted_members_are_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.tea", {"plan_cfg.json": GRAPH})
    data = bytearray(path.read_bytes())
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(magic) + offset
        data[at : at + 2] = struct.pack("<H", 1)
    path.write_bytes(data)
    with pytest.raises(TrexError, match="encrypted"):
        find_engines(path)


def test_what_is_no_archive(tmp_path: Path) -> None:
    for name, data in (("a.tea", b"PK\x03\x04nonsense"), ("b.tea", b"text"), ("c.tea", b"")):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(TrexError, match="cannot be read"):
            archive_infos(str(path))
    with pytest.raises(TrexError, match="no such file"):
        archive_infos(str(tmp_path / "missing.tea"))
    with pytest.raises(TrexError, match="describes an engine's layers"):
        find_engines(packed(tmp_path / "d.tea", {"notes.txt": b"hello"}))


@pytest.mark.slow
def test_damaged_archives_are_data_or_an_error(tmp_path: Path) -> None:
    whole = packed(tmp_path / "whole.tea", {**CLASSIC, "p.json.gz": gzip.compress(PROFILE)}).read_bytes()
    path = tmp_path / "a.tea"
    generator = random.Random(7)
    errors = 0
    for _ in range(250):
        data = bytearray(whole)
        for _ in range(generator.choice([1, 2, 6])):
            data[generator.randrange(len(data))] = generator.randrange(256)
        if generator.random() < 0.2:
            del data[generator.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            for files in find_engines(path):
                read_artifacts(files)
        except TrexError as error:
            errors += 1
            assert str(path) in str(error)
    assert errors


def test_an_archive_in_memory_is_never_unpacked(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        opened.writestr("deep/er/plan_cfg.json", GRAPH)
    path = tmp_path / "a!b.tea"
    path.write_bytes(buffer.getvalue())
    (files,) = find_engines(path)
    assert files.graph == f"{path}!deep/er/plan_cfg.json"
    assert read_source(files.graph).data == GRAPH
    assert [p.name for p in tmp_path.iterdir()] == ["a!b.tea"]


@pytest.mark.slow
def test_members_in_pieces_are_verbatim_and_bounded(tmp_path: Path) -> None:
    members = {"a.gz": gzip.compress(b"verbatim"), "bomb": bytes(64 << 20), "../out": b"x"}
    path = packed(tmp_path / "a.tea", members)
    infos, notes = archive_infos(str(path))
    assert [info.filename for info in infos] == ["a.gz", "bomb"] and [note.code for note in notes] == ["unsafe-member"]
    pieces = members_in_pieces(str(path), infos)
    info, data = next(pieces)
    assert (info.filename, b"".join(data)) == ("a.gz", members["a.gz"])
    with pytest.raises(TrexError, match="more than 100 times"):
        list(next(pieces)[1])


@pytest.mark.parametrize(
    ("name", "leads"), [("a/b", False), ("..a", False), ("../a", True), ("\\a", True), ("C:a", True)]
)
def test_names_that_lead_outside(name: str, leads: bool) -> None:
    assert leads_outside(name) is leads


def test_the_picture_of_a_graph_promises_no_graph(tmp_path: Path) -> None:
    members = {"n.graph.json": GRAPH, "n.graph.json.svg": b"<svg/>", "n.profile.json": b"hello", "manifest.json": b"{}"}
    (files,) = find_engines(packed(tmp_path / "n.tea", members))
    assert [(note.code, note.where.rpartition("!")[2]) for note in files.notes] == [
        ("unrecognized-file", "n.profile.json:1:1")
    ]


@pytest.mark.parametrize("is_zip64", [False, True])
def test_a_long_list_of_members_is_refused_before_it_is_read(tmp_path: Path, is_zip64: bool) -> None:
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", *[0] * 9, 1, *[0] * 6) + b"a"
    count = 400_000 if is_zip64 else 100_000
    listed = entry * count
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(listed), 0, 0)
    if is_zip64:
        record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(listed), 0)
        locator = struct.pack("<4sLQL", b"PK\6\7", 0, len(listed), 1)
        end = record + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    (tmp_path / "a.tea").write_bytes(listed + end)
    assert len(zipfile.ZipFile(tmp_path / "a.tea").infolist()) == count
    with pytest.raises(TrexError, match="list of members takes"):
        archive_infos(str(tmp_path / "a.tea"))

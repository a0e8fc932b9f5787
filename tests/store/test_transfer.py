"""Runs move whole: through an archive, from another store, from another machine."""

from __future__ import annotations

import io
import lzma
import os
import random
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from tests.fuzz.time_limit import time_limit
from tests.store.conftest import Add
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store.adding import AddOptions, add_addresses
from trex.store.artifacts import check_artifact
from trex.store.check import check_store
from trex.store.columns import TABLES
from trex.store.compaction import ORDER, compact
from trex.store.run_store import RunStore
from trex.store.transfer import export_runs, import_runs, is_remote, local_copy


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mock of ssh that runs the command here; ``nowhere`` can't be reached, on ``busy`` files are written."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "ssh"
    program.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\n" "$@" > {tmp_path}/ssh.words\n'
        'while [ "$1" != "--" ]; do shift; done\n'
        'if [ "$2" = user@nowhere ]; then echo "\x1b[31mno route to host" >&2; exit 255; fi\n'
        'sh -c "$3" || exit $?\n'
        'if [ "$2" = user@busy ]; then echo "tar: ./runs: file changed as we read it" >&2; exit 1; fi\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "ssh.words"


def rows(store: RunStore) -> dict[str, list[tuple[object, ...]]]:
    store.refresh()
    return {name: store.queries.rows(f"SELECT * FROM {name} ORDER BY {ORDER[name]}") for name in TABLES}


@pytest.mark.parametrize("source", ["archive", "store", "address", "host"])
def test_what_is_imported_is_the_same(store: RunStore, add: Add, tmp_path: Path, source: str, ssh: Path) -> None:
    add(0.5, 0.25, job_key="k", labels={"a": "b"}, commit="c")
    add(0.75)
    compact(store)
    root = tmp_path / "store"
    if source == "archive":
        assert export_runs(store, tmp_path / "runs.tar") == 2
    addresses = {"archive": str(tmp_path / "runs.tar"), "store": str(root), "address": f"file://{root}",
                 "host": f"user@host:{root}"}  # fmt: skip
    other = RunStore.open(tmp_path / "other", create=True)
    result = import_runs(other, addresses[source])
    assert len(result.added) == 2 and not result.known and not result.failed
    assert rows(other) == rows(store) and other.has_job("k") and not check_store(other).problems
    again = import_runs(other, addresses[source])
    assert not again.added and len(again.known) == 2


def test_chosen_runs_are_exported(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5)
    add(0.75)
    assert export_runs(store, tmp_path / "one.tar", [run.id[:6]]) == 1
    other = RunStore.open(tmp_path / "other", create=True)
    assert import_runs(other, str(tmp_path / "one.tar")).added == (run.id,)


def test_an_archive_that_is_cut_off_is_not_imported(store: RunStore, add: Add, tmp_path: Path) -> None:
    """At any block, also if zeros follow, as in the file of a download that stopped."""
    add(0.5)
    add(0.7)
    archive, part = tmp_path / "all.tar", tmp_path / "part.tar"
    export_runs(store, archive)
    data = archive.read_bytes()
    content = len(data.rstrip(b"\0"))
    starts = range(512, content + 1, 512)
    cut = [data[:start] for start in starts]
    ends_in_zeros = [part + bytes(len(data) - len(part)) for part in cut]
    has_hole = [part[:-512] + bytes(512) + data[len(part) :] for part in cut]
    for number, damaged in enumerate((*cut, *ends_in_zeros, *has_hole)):
        part.write_bytes(damaged)
        try:
            result = import_runs(RunStore.open(tmp_path / str(number), create=True), str(part))
            assert result.failed or len(result.added) == 2  # no run has a hole in a header
        except TrexError as error:
            assert re.search("can't be read|cut off|run store", error.message)


def test_a_damaged_artifact_is_not_exported_and_not_imported(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5)
    digest = run.artifacts[0].sha256
    (tmp_path / "store" / "artifacts" / digest[:2] / f"{digest}.zst").write_bytes(b"damaged")
    with pytest.raises(TrexError, match="damaged"):
        export_runs(store, tmp_path / "runs.tar")
    assert not (tmp_path / "runs.tar").exists()
    other = RunStore.open(tmp_path / "other", create=True)
    ((failed, reason),) = import_runs(other, str(tmp_path / "store")).failed
    assert failed == run.id and "damaged" in reason and other.frame("runs").empty


def test_a_bomb_is_not_expanded(store: RunStore, add: Add, tmp_path: Path) -> None:
    run = add(0.5)
    artifact = run.artifacts[0]
    file = tmp_path / "store" / "artifacts" / artifact.sha256[:2] / f"{artifact.sha256}.zst"
    file.write_bytes(zstandard.compress(bytes(20 << 20)))
    with pytest.raises(TrexError, match="expands to more than"):
        check_artifact(store.storage, replace(artifact, size_bytes=1 << 40))
    add(0.5)
    check_artifact(store.storage, artifact)


def test_a_file_that_begins_with_zeros_is_kept(store: RunStore, tmp_path: Path) -> None:
    """Weights that were never trained: a thousand times smaller at first, not as a whole."""
    folder = write_engine(tmp_path / "engine", layer_ms=(0.5,))
    content = b"ftrt" + bytes(40 << 20) + random.Random(1).randbytes(1 << 20)
    (folder / f"{next(folder.glob('*.graph.json')).name.partition('.graph')[0]}.engine").write_bytes(content)
    run = store.add(folder, keeps_binaries=True)
    (artifact,) = (item for item in run.artifacts if item.name.endswith(".engine"))
    assert artifact.is_kept and artifact.size_bytes == len(content)
    check_artifact(store.storage, artifact)


def test_what_a_link_names_is_not_exported(store: RunStore, add: Add, tmp_path: Path) -> None:
    add(0.5)
    (tmp_path / "key").write_text("secret")
    sessions = tmp_path / "store" / "sweeps" / "nightly" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "1.json").symlink_to(tmp_path / "key")
    with pytest.raises(TrexError, match="a link that leads out of the store"):
        export_runs(store, tmp_path / "out.tar")
    assert not (tmp_path / "out.tar").exists()


def test_a_hostile_archive_writes_nothing_elsewhere(store: RunStore, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "evil.tar", "w") as archive:
        for name in ("../evil", "/tmp/evil-of-trex", "runs/../../evil", "store.json"):
            content = b'{"format": 1}'
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("runs/0123456789abcdef/run.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    result = import_runs(store, str(tmp_path / "evil.tar"))
    assert not result.added and not (tmp_path / "evil").exists() and not Path("/tmp/evil-of-trex").exists()
    zeros, bomb = bytes(1 << 20), io.BytesIO()
    with tarfile.open(fileobj=bomb, mode="w:gz") as archive:
        member = tarfile.TarInfo("store.json")
        member.size = len(zeros)
        archive.addfile(member, io.BytesIO(zeros))
    for content in (b"", b"not a tar", bytes(1024), bomb.getvalue(), lzma.compress(zeros), _sparse_archive()):
        (tmp_path / "bad.tar").write_bytes(content)
        with pytest.raises(
            TrexError, match=r"bad\.tar: the archive (?s:.*)trex store export writes one, not compressed"
        ):
            import_runs(store, str(tmp_path / "bad.tar"))


def test_gigabytes_of_nothing_are_no_archive(store: RunStore, tmp_path: Path) -> None:
    """tarfile would look for an end of xz's padding in them, for minutes."""
    (tmp_path / "zeros.tar").touch()
    os.truncate(tmp_path / "zeros.tar", 1 << 30)
    with time_limit(30), pytest.raises(TrexError, match="the archive has no run store"):
        import_runs(store, str(tmp_path / "zeros.tar"))


def test_a_long_name_is_looked_through_once(store: RunStore, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "long.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("sweeps/" + "a" * 300_000))
    with time_limit(30), pytest.raises(TrexError, match="the archive has no run store"):
        import_runs(store, str(tmp_path / "long.tar"))


def _sparse_archive() -> bytes:
    """A store's file of a TiB of zeros, in a few blocks, as ``tar --sparse`` writes it."""
    member = tarfile.TarInfo("store.json")
    member.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    header[386:482] = bytes(96)
    header[483:495] = b"%011o\0" % (1 << 32)
    header[148:156] = b"%06o\0 " % tarfile.calc_chksums(bytes(header))[0]
    return bytes(header) + bytes(1024)


def test_folders_of_another_machine_are_added(store: RunStore, tmp_path: Path, ssh: Path) -> None:
    """With a space and a quote in the name; links and devices stay behind."""
    folder = write_engine(tmp_path / "it's here", layer_ms=(0.5,))
    (folder / "link.json").symlink_to("/etc/passwd")
    result = add_addresses(store, (f"user@host:{folder}",), AddOptions())
    assert len(result.added) == 1 and not result.failed and result.added[0].layer_sum_ms == 0.5
    assert ssh.read_text().splitlines()[:2] == ["-o", "BatchMode=yes"]
    assert store.add(folder).id == result.added[0].id  # the same files are the same run
    failed = add_addresses(store, ("user@nowhere:x", f"user@host:{tmp_path}/missing"), AddOptions()).failed
    assert "no route to host" in failed[0].message and "\x1b" not in failed[0].message
    assert failed[0].address == "user@nowhere:x" and "missing" in failed[1].message


def test_what_another_machine_sends_leaves_half_of_the_disk(
    tmp_path: Path, ssh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin" / "ssh").write_text("#!/bin/sh\nyes >&2 &\nyes\n")
    monkeypatch.setattr("trex.store.transfer.shutil.disk_usage", lambda _: SimpleNamespace(free=16 << 20))
    with time_limit(60), pytest.raises(TrexError, match="half of the free space"), local_copy("user@host:folder"):
        pass


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
def test_no_header_of_an_archive_is_read_whatever_its_size(kind: bytes, store: RunStore, tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = kind, 3 << 30
    with (tmp_path / "long.tar").open("wb") as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT))
        file.truncate(header.size + 2048)
    with pytest.raises(TrexError, match="a header of"):
        import_runs(store, str(tmp_path / "long.tar"))


def test_stores_of_another_machine(store: RunStore, add: Add, tmp_path: Path, ssh: Path, monkeypatch) -> None:
    """In the home folder, while runs are added there; of a folder that is no store, nothing is sent."""
    add(0.5)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    other = RunStore.open(tmp_path / "other", create=True)
    assert len(import_runs(other, "user@busy:~/store").added) == 1
    for source, reason, hint in (
        ("user@host:photos", "no run store in this folder", "store.json"),
        ("user@host:missing", "missing.*No such file", "folder on that machine"),
        ("user@nowhere:store", "no route to host", "ssh -o BatchMode=yes user@nowhere must work"),
    ):
        with pytest.raises(TrexError, match=reason) as caught:
            import_runs(other, source)
        assert hint in caught.value.hint and caught.value.where == source and "\\n" not in caught.value.message


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("user@host:out", True), ("host.lan:/srv/out", True), ("C:/engines", False), ("s3://bucket/x", False),
     ("example:resnet18-int8", False), ("-oProxyCommand=x:y", False), ("user@-oX:y", False), ("out/", False)],
)  # fmt: skip
def test_which_addresses_are_of_another_machine(text: str, is_one: bool) -> None:
    assert is_remote(text) == is_one


def test_engines_behind_an_address_are_added(store: RunStore, tmp_path: Path) -> None:
    import fsspec

    folder = write_engine(tmp_path / "engine")
    memory = fsspec.filesystem("memory")
    memory.put(f"{folder}/", f"/{tmp_path.name}/net", recursive=True)
    result = add_addresses(store, (f"memory://{tmp_path.name}/net",), AddOptions())
    assert len(result.added) == 1 and result.added[0].id == store.add(folder).id
    (failed,) = add_addresses(store, (f"memory://{tmp_path.name}/none",), AddOptions()).failed
    assert failed.address.endswith("/none")


def test_an_address_that_expands_to_more_than_the_disk_holds(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d/a.graph.json", bytes(3 << 20))
        archive.writestr("d/b.graph.json", bytes(3 << 20))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=8 << 20))
    (failed,) = add_addresses(store, (f"zip://d::{tmp_path}/x.zip",), AddOptions()).failed
    assert "half of the free space" in failed.message and failed.hint


@pytest.mark.parametrize("pax", [{"GNU.sparse.map": "x,y"}, {"GNU.sparse.size": "x", "GNU.sparse.map": "0,1"}])
def test_headers_that_tarfile_cannot_read_are_an_error_of_ours(
    store: RunStore, tmp_path: Path, pax: dict[str, str]
) -> None:
    with tarfile.open(tmp_path / "x.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("trex-store.json")
        member.pax_headers, member.size = pax, 2
        archive.addfile(member, io.BytesIO(b"{}"))
    with pytest.raises(TrexError):
        import_runs(store, str(tmp_path / "x.tar"))


def test_what_a_file_system_raises_is_an_error_of_ours(add: Add, store: RunStore, tmp_path: Path) -> None:
    """A store in a zip with flipped bits."""
    add(0.5)
    packed = tmp_path / "store.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        root = Path(store.storage.where)
        for file in sorted(root.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(root))
    data = bytearray(packed.read_bytes())
    for chance in range(30):
        random.Random(chance).shuffle(numbers := [*range(40, len(data) // 2)])
        damaged = bytearray(data)
        for at in numbers[:6]:
            damaged[at] ^= 0xFF
        packed.write_bytes(damaged)
        with suppress(TrexError):
            other = RunStore.open(f"zip://::{packed}")
            list(other.manifests())
            other.frame("runs")


def test_names_of_a_file_system_lead_nowhere_else(tmp_path: Path) -> None:
    """fsspec before 2026 writes wherever the names lead."""
    packed = tmp_path / "evil.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("d/graph.json", "{}")
        archive.writestr("d/../../escaped.txt", "owned")
    with suppress(TrexError), local_copy(f"zip://d::{packed}") as folder:
        assert {path.name for path in Path(folder).rglob("*")} <= {"graph.json"}
    assert not list(tmp_path.parent.rglob("escaped.txt")) and not (Path(tempfile.gettempdir()) / "escaped.txt").exists()

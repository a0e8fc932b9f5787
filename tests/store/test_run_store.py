"""Runs in a store are the plans that were added."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

import trex
from tests.store.conftest import Add
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.perf.performance import Performance
from trex.store.adding import AddOptions, add_addresses
from trex.store.columns import TABLES
from trex.store.history import history_of
from trex.store.run_store import RunStore
from trex.store.storage import LocalStorage, RemoteStorage


def test_a_run_is_added_once(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine")
    run = store.add(folder, labels={"sweep": "s"}, job_key="k", repetition=2)
    assert store.add(folder, labels={"sweep": "s"}, job_key="k", repetition=2) == run
    assert store.has_job("k") and store.has_job("k", 2)
    assert not store.has_job("k", 1) and not store.has_job("other")
    assert store.run(run.id[:5]) == run
    plan = store.plan(run.id)
    assert run.layer_sum_ms == plan.layers_ms == pytest.approx(store.frame("layers")["time_ms"].sum()) == 0.75
    assert len(store.frame("runs")) == 1
    assert len(store.copy_files(run.id, tmp_path / "files")) == len(run.artifacts) == 3
    assert trex.load(tmp_path / "files").layers_ms == plan.layers_ms
    copied = Path(plan.engine.source)
    assert copied.is_file()
    del plan
    assert not copied.exists()


@pytest.mark.parametrize("given", [{"labels": {"a": "b"}}, {"commit": "c"}, {"job_key": "k"}, {"repetition": 1}])
def test_what_is_another_run(store: RunStore, tmp_path: Path, given: dict[str, object]) -> None:
    """The same files under other labels, of another commit or job are another run; stored once."""
    folder = write_engine(tmp_path / "engine")
    runs = {store.add(folder).id, store.add(folder, **given).id}
    assert len(runs) == 2 == len(store.frame("runs"))
    assert len(list((tmp_path / "store" / "artifacts").rglob("*.zst"))) == 3


def test_a_removed_run_comes_back_when_it_is_added(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine")
    run = store.add(folder, job_key="k")
    assert store.remove(run.id[:6]).id == run.id
    assert all(store.frame(table).empty for table in TABLES) and not store.has_job("k")
    with pytest.raises(TrexError, match="no run"):
        store.run(run.id)
    assert store.add(folder, job_key="k").id == run.id
    assert len(store.frame("runs")) == 1 and store.has_job("k")


def test_a_removal_is_stopped_between_runs(store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C next to its first step leaves nothing for fsck to finish."""
    run = store.add(write_engine(tmp_path / "engine"))
    delete = LocalStorage.delete

    def stopped(storage: LocalStorage, path: str) -> None:
        signal.raise_signal(signal.SIGINT)
        delete(storage, path)

    monkeypatch.setattr(LocalStorage, "delete", stopped)
    with pytest.raises(KeyboardInterrupt):
        store.remove(run.id)
    monkeypatch.undo()
    store.refresh()
    assert not store.run_ids() and all(store.frame(table).empty for table in TABLES)


def test_unknown_is_null_and_sums_skip_it(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine", layer_ms=(0.5, 0.25, 0.125))
    profile = folder / "net.engine.profile.json"
    records = json.loads(profile.read_text())
    profile.write_text(json.dumps([record for record in records if record.get("name") != "conv1"]))
    (folder / "net.engine.timing.json").unlink()
    run = store.add(folder)
    assert (run.gpu_compute_ms, run.throughput_qps, run.gpu, run.engine_bytes, run.build_seconds) == (None,) * 5
    assert (run.layers, run.timed_layers, run.layer_sum_ms) == (3, 2, None)
    ((rows, known, total),) = store.queries.rows("SELECT count(*), count(time_ms), sum(time_ms) FROM layers")
    assert (rows, known, total) == (3, 2, 0.625)
    assert store.frame("samples").empty


def test_facts_of_a_manifest(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine")
    stage = {"name": "profile", "end": "2026-11-21T21:30:41.123Z"}
    engine = {"name": "net.engine", "trex_version": "9.8", "backend": "trtexec", "tensorrt_version": "10.9",
              "model": {"sha256": "ab" * 32}, "engine": {"size_bytes": 1234}, "stages": [stage]}  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [engine]}))
    run = store.add(folder)
    facts = (run.trex, run.backend, run.tensorrt, run.model_hash, run.engine_bytes, run.made_at_from)
    assert facts == ("9.8", "trtexec", "10.9", "ab" * 32, 1234, "manifest")
    assert run.made_at is not None and run.made_at.isoformat() == "2026-11-21T21:30:41.123000"
    assert list((tmp_path / "store/tables/runs/date=2026-11-21/device=unknown").iterdir())


def test_binaries_are_kept_only_if_asked(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine")
    (folder / "net.engine").write_bytes(b"ftrt" + b"\0" * 1000)
    run = store.add(folder)
    (artifact,) = [item for item in run.artifacts if item.name == "net.engine"]
    assert not artifact.is_kept and run.engine_bytes == 1004
    assert store.plan(run.id).layers_ms == run.layer_sum_ms
    kept = store.add(folder, labels={"kept": "yes"}, keeps_binaries=True)
    assert {path.name for path in store.copy_files(kept.id, tmp_path / "files")} >= {"net.engine"}


def test_an_archive_is_one_artifact(store: RunStore, tmp_path: Path) -> None:
    import zipfile

    folder = write_engine(tmp_path / "engine")
    archive = tmp_path / "net.tea"
    with zipfile.ZipFile(archive, "w") as file:
        for path in folder.iterdir():
            file.write(path, path.name)
    run = store.add(archive)
    assert [item.name for item in run.artifacts] == ["net.tea"]
    assert store.plan(run.id).layers_ms == run.layer_sum_ms == 0.75


def test_a_store_of_a_newer_trex_is_refused(tmp_path: Path) -> None:
    RunStore.open(tmp_path, create=True)
    (tmp_path / "store.json").write_text(json.dumps({"format": 99, "written_by": "trex 9\x1b[2J"}))
    with pytest.raises(TrexError, match="format 99") as error:
        RunStore.open(tmp_path)
    assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "1"}', '{"format": true}'])
def test_what_is_no_store_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(TrexError, match="no run store here"):
        RunStore.open(tmp_path)
    (tmp_path / "store.json").write_text(content)
    with pytest.raises(TrexError, match="not the file of a run store"):
        RunStore.open(tmp_path, create=True)


def test_a_folder_with_other_files_becomes_no_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("")
    with pytest.raises(TrexError, match="other files"):
        RunStore.open(tmp_path, create=True)


def test_several_engines_are_not_one_run(store: RunStore, tmp_path: Path) -> None:
    write_engine(tmp_path / "both", "a")
    write_engine(tmp_path / "both", "b")
    with pytest.raises(TrexError, match="2 engines here"):
        store.add(tmp_path / "both")


@pytest.mark.parametrize("make", ["local", "file", "memory"])
def test_a_store_behind_an_address_is_read_only(store: RunStore, add: Add, tmp_path: Path, make: str) -> None:
    import fsspec

    run = add(1.0, 0.5)
    root, address = tmp_path / "store", f"file://{tmp_path}/store"
    if make == "memory":
        memory, address = fsspec.filesystem("memory"), f"memory://{tmp_path.name}/store"
        memory.put(str(root) + "/", address, recursive=True)
    other = trex.Store(str(root) if make == "local" else address)
    assert other.run(run.id[:4]) == run
    assert len(other.runs) == 1 and other.layers["time_ms"].sum() == 1.5
    assert other.plan(run.id).layers_ms == 1.5
    if make != "local":
        for write in (lambda: other.remove(run.id), lambda: other.add(tmp_path / "engine-0", labels={"x": "y"})):
            with pytest.raises(TrexError, match="read-only"):
                write()
        with pytest.raises(TrexError, match="no run store"):
            RunStore.open(f"{address}-other")


def test_a_store_behind_an_address_is_listed_again(store: RunStore, add: Add, tmp_path: Path) -> None:
    """Of a file system that keeps listings, as those of S3 and FTP do."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    class KeptListings(LocalFileSystem):  # type: ignore[misc]
        protocol = "kept"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return path.removeprefix("kept://").rstrip("/")

        def ls(self, path: str, **options: object) -> list[object]:
            path = self._strip_protocol(path)
            if path not in self.dircache:
                self.dircache[path] = super().ls(path, detail=True)
            return self.dircache[path]

        def invalidate_cache(self, path: str | None = None) -> None:
            self.dircache.clear()

    fsspec.register_implementation("kept", KeptListings, clobber=True)
    address = f"kept://{tmp_path}/store"
    first = add(1.0)
    other = RunStore.open(address)
    assert other.run(first.id[:4]) == first and other.snapshot
    second = add(0.5)
    other.refresh()
    assert other.run(second.id[:4]) == second and second.id in str(other.snapshot)


def test_no_file_behind_an_address_is_read_whole(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trex.store.storage.MOST_BYTES", 5)
    with pytest.raises(TrexError, match="more than 5 bytes"):
        RunStore.open(f"file://{tmp_path}/store")


def test_a_file_that_changes_meanwhile_is_not_added(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trex.store.readings import RunReading

    folder = write_engine(tmp_path / "engine")
    rows = RunReading.rows

    def slow_rows(reading: RunReading, run_id: str) -> object:
        (folder / "net.engine.profile.json").write_text("[]")
        return rows(reading, run_id)

    monkeypatch.setattr(RunReading, "rows", slow_rows)
    with pytest.raises(TrexError, match="changed while it was added"):
        store.add(folder)
    assert store.frame("runs").empty


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "trex.run/9"), (("facts",), []), (("facts", "id"), None), (("facts", "layers"), "35"),
        (("facts", "layer_sum_ms"), [1]), (("facts", "made_at"), "yesterday"), (("facts", "labels"), "a"),
        (("facts", "repetition"), True), (("artifacts", 0, "sha256"), "../../../etc/passwd"), (("artifacts",), {}),
        (("artifacts", 0, "name"), "../x"), (("artifacts", 0, "size_bytes"), "1"), (("files",), None),
        (("artifacts", 0, "size_bytes"), 1),
    ],
)  # fmt: skip
def test_a_hostile_manifest_is_refused(store: RunStore, add: Add, path: tuple[str | int, ...], value: object) -> None:
    """Whatever it says, the error is one of ours, and nothing is read or written elsewhere."""
    run = add(0.5)
    file = Path(store.storage.where) / "runs" / run.id / "run.json"
    document = json.loads(file.read_text())
    part = document
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    file.write_text(json.dumps(document))
    with pytest.raises(TrexError):
        store.plan(run.id)


def test_a_home_of_nobody_is_a_folder_that_is_missing() -> None:
    with pytest.raises(TrexError, match="there is no run store here"):
        RunStore.open("~nobody-of-that-name/x")


def test_times_that_the_files_contradict_are_unknown(store: RunStore, tmp_path: Path) -> None:
    """Else a history of them shows a change of the units as one of the engine."""
    for number, factor in enumerate((1.0, 1.001, 1.002, 1000.0)):
        folder = write_engine(tmp_path / str(number), layer_ms=(0.5 * factor, 0.25 * factor))
        if factor > 1.5:  # a profile in microseconds next to times in milliseconds
            folder.joinpath("net.engine.timing.json").write_bytes(
                tmp_path.joinpath("0/net.engine.timing.json").read_bytes()
            )
        run = store.add(folder)
    assert run.problems and run.main_ms is run.p99_ms is run.throughput_qps is None and run.layers == 2
    found = history_of(store, "net")
    assert not found.events and found.is_behind
    assert {len(series.values) for series in found.series if series.metric.kind == "ms"} == {3}
    assert [(note.message, note.hint) for note in found.notes if note.code == "doubted-runs"] == [
        (
            "1 run has no times here: its files have problems",
            f"TREX_STORE={store.storage.where} trex summary store:{run.id[:8]}",
        )
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".trex.run/swap.json", {"source": "x.new", "installed": [], "removed": [], "inode": 1}),
        ("manifest.json", {"schema": "trex.manifest/1", "engines": [
            {"name": "net.engine", "stages": [{"name": "profile", "exit_code": -9, "stopped_by": ""}]}
        ]}),
    ],
)  # fmt: skip
def test_what_the_folder_said_of_its_run_is_kept(store: RunStore, tmp_path: Path, name: str, content: object) -> None:
    """The store has files, and not the folder that they were in."""
    folder = write_engine(tmp_path / "of a run")
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(content))
    run = store.add(folder)
    assert run.main_ms is None and run.problems == 1
    (note,) = Performance(store.plan(run.id)).contradicted
    assert "/" not in note.where


def test_folders_of_failed_runs_are_left_out(store: RunStore, tmp_path: Path) -> None:
    for name in ("out", "out/net.engine.failed"):
        write_engine(tmp_path / name)
    assert len(add_addresses(store, (str(tmp_path),), AddOptions(is_recursive=True)).added) == 1


def test_the_manifests_record_is_of_these_files(store: RunStore, tmp_path: Path) -> None:
    """Of the longest name that fits, and not of files that were written again since."""
    folder = write_engine(tmp_path / "engine", "net.int8")
    output = {"graph": {"path": "/x/net.int8.engine.graph.json", "sha256": "ab" * 32}}
    for outputs, made_at_from, model_hash in (({}, "manifest", "8" * 64), (output, "files", None)):
        engines = [
            {"name": name, "model": {"sha256": sha}, "stages": [{"name": "profile", "end": end, "outputs": outputs}]}
            for name, sha, end in (
                ("net", "1" * 64, "2026-01-01T00:00:00Z"),
                ("net.int8", "8" * 64, "2026-02-02T00:00:00Z"),
            )
        ]
        (folder / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": engines}))
        run = store.add(folder, labels={"of": made_at_from})
        assert (run.made_at_from, run.model_hash) == (made_at_from, model_hash)


def test_a_run_that_turns_out_to_have_failed_is_another(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "engine")
    good = store.add(folder)
    stage = {"name": "profile", "exit_code": 1, "stopped_by": ""}
    document = {"schema": "trex.manifest/1", "engines": [{"name": "net.engine", "stages": [stage]}]}
    (folder / "manifest.json").write_text(json.dumps(document))
    failed = store.add(folder)
    assert failed.id != good.id and failed.main_ms is None


@pytest.mark.parametrize(
    "record",
    [
        {"stages": [{"name": ["x"]}]}, {"stages": [{"name": "profile", "end": "0001-01-01T00:00:00+05:00"}]},
        {"stages": [], "engine": {"size_bytes": True}}, {"stages": [], "engine": {"size_bytes": 1 << 63}},
        {"stages": 1},
    ],
)  # fmt: skip
def test_a_strangers_manifest_adds_nothing(store: RunStore, tmp_path: Path, record: dict[str, object]) -> None:
    folder = write_engine(tmp_path / "engine")
    document = {"schema": "trex.manifest/1", "engines": [{"name": "net.engine", **record}]}
    (folder / "manifest.json").write_text(json.dumps(document))
    run = store.add(folder)
    assert (run.engine_bytes, run.made_at_from) == (None, "files")


def test_a_file_at_an_address_is_a_stream_with_errors_of_the_system(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    (tmp_path / "engine").write_bytes(b"0123456789" * 300_000)
    storage = RemoteStorage(f"file://{tmp_path}")
    with storage.open("engine") as file:
        assert file.read(3) == b"012" and file.seek(-3, 2) == 2_999_997 and file.read() == b"789"
        assert not [*Path(storage.fetched_folder).iterdir()]
    with pytest.raises(FileNotFoundError):
        storage.open("none")

    def closed(*_: object) -> None:
        raise RuntimeError("the session is closed")

    foreign = SimpleNamespace(read=closed, seek=closed, seekable=lambda: True, close=lambda: None)
    storage._system = SimpleNamespace(open=lambda *_: foreign)
    with storage.open("engine") as file, pytest.raises(OSError, match="RuntimeError: the session is closed"):
        file.read()

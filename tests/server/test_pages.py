"""The pages of a folder: what is listed, opened, kept and refused, asked without a browser."""

from __future__ import annotations

import http.client
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from tests.fuzz.monsters import document, layer
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.core.whole_set import RUN_FOLDER
from trex.examples import folder as example_folder
from trex.server.http_server import EngineServer
from trex.server.index_page import index_page
from trex.server.listing import headline_of, listing_document
from trex.server.pages import EnginePages
from trex.views.table import Table

INT8, RESIDUAL = "int8/resnet18-int8.graph.json", "nested/residual/resnet18-int8-residual.graph.json"
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(example_folder("resnet18-int8"), folder / "root" / "int8")
    shutil.copytree(example_folder("resnet18-int8-residual"), folder / "root" / "nested" / "residual")
    (folder / "root" / EVIL).mkdir()
    (folder / "root" / EVIL / f"{EVIL[:9]}.graph.json").write_bytes(document([layer(EVIL)]))
    shutil.copytree(example_folder("resnet18-fp16"), folder / "outside")
    (folder / "root" / "link").symlink_to(folder / "outside")
    (folder / "root" / "stolen").mkdir()
    for file in (folder / "outside").iterdir():
        (folder / "root" / "stolen" / file.name).symlink_to(file)
    return folder / "root"


@pytest.fixture(scope="module")
def pages(root: Path) -> EnginePages:
    return EnginePages(str(root))


def test_it_lists_engines_at_any_depth_but_none_behind_links(pages: EnginePages) -> None:
    assert [(entry.folder, entry.key) for entry in pages.entries().values()] == [
        (EVIL, f"{EVIL}/{EVIL[:9]}.graph.json"),
        ("int8", INT8),
        ("nested/residual", RESIDUAL),
    ]
    page = pages.respond("", {}).body.decode()
    assert "0.6302 to 2.8517 ms" in page and "built on a CPU, not measured" in page and "no times" in page
    assert EVIL not in page and "&lt;img" in page and "<script" not in page


def test_a_list_that_may_be_longer_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def page() -> str:
        return EnginePages(str(root)).respond("", {}).body.decode()

    assert "<p>3 engines. Read-only" in page()
    monkeypatch.setattr("trex.server.listing.MOST_RUNS", 3)
    assert "<p>3 engines (at most 3 runs of a store and 2,000 folders are listed). Read-only" in page()


def test_times_of_many_engines_are_read_some_at_a_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trex.server.pages.MOST_READ", 1)
    pages = EnginePages(str(root))
    entries = pages.entries()
    words = "; times of 2 are not read yet: a reload reads 40 more"
    assert words in str(listing_document("x", entries, pages.headlines(entries)))
    assert "not read" in index_page("x", entries, pages.headlines(entries))
    origins = [headline.origin for headline in pages.headlines(entries).values()]
    assert origins == ["no times", *["built on a CPU, not measured"] * 2]
    monkeypatch.setattr("trex.server.listing.LARGEST_READ", 0)
    large = {headline.origin for headline in EnginePages(str(root)).headlines(entries).values()}
    assert large == {"large: not read here", "not read"}


def test_a_folder_is_not_searched_again_for_each_of_its_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_engine(tmp_path, "a")
    write_engine(tmp_path, "b")
    pages = EnginePages(str(tmp_path))
    entries = pages.entries()
    monkeypatch.setattr("trex.ingest.files._candidates", None)
    assert [headline.origin for headline in pages.headlines(entries).values()] == ["measured"] * 2
    (tmp_path / "b.engine.graph.json").unlink()
    assert headline_of(entries["b.engine.graph.json"]).origin == "unreadable"


def _fail(folder: Path) -> None:
    stage = {"name": "profile", "exit_code": -11, "stopped_by": ""}
    manifest = {"schema": "trex.manifest/1", "engines": [{"name": "net.engine", "stages": [stage]}]}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_times_that_no_gate_believes_are_not_listed_as_measured(tmp_path: Path) -> None:
    write_engine(tmp_path / "a")
    _fail(write_engine(tmp_path / "b"))
    pages = EnginePages(str(tmp_path))
    sound, failed = pages.headlines(pages.entries()).values()
    assert sound.origin == "measured" and (failed.compute_ms, failed.origin) == (None, "contradicted")


def test_a_log_of_any_name_counts_as_it_does_for_the_folder(tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "a")
    run = "TensorRT.trtexec [TensorRT v100700] # trtexec --loadEngine=net.engine"
    (folder / "run.log").write_text(f"&&&& RUNNING {run}\n[11/27/2026-10:00:00] [I] x\n&&&& FAILED {run}\n")
    pages = EnginePages(str(tmp_path))
    (headline,) = pages.headlines(pages.entries()).values()
    assert (headline.compute_ms, headline.origin) == (None, "contradicted")


@pytest.mark.parametrize("replaced_by_a_file", [False, True])
def test_a_folder_that_is_gone_is_a_page(tmp_path: Path, replaced_by_a_file: bool) -> None:
    pages = EnginePages(str(write_engine(tmp_path / "a")))
    assert pages.respond("", {}).status == 200
    shutil.rmtree(tmp_path / "a")
    if replaced_by_a_file:
        (tmp_path / "a").write_text("x")
    response = pages.respond("", {})
    assert response.status == 422 and b"be read" in response.body


def test_a_folder_of_another_user_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As lost+found is; the tests run as root."""
    write_engine(tmp_path / "a")
    (tmp_path / "closed").mkdir()
    real = os.stat

    def refused(path: Any, *more: Any, **named: Any) -> os.stat_result:
        if "closed/" in os.fspath(path) if isinstance(path, str | os.PathLike) else False:
            raise PermissionError(13, "Permission denied", path)
        return real(path, *more, **named)

    monkeypatch.setattr(os, "stat", refused)
    assert b"net.engine" in EnginePages(str(tmp_path)).respond("", {}).body


def test_a_stored_run_without_times_names_its_problems(tmp_path: Path) -> None:
    for package in ("duckdb", "pyarrow"):
        pytest.importorskip(package, reason="pip install -e '.[store]'")
    from trex.store.run_store import RunStore

    _fail(write_engine(tmp_path / "b"))
    RunStore.open(tmp_path / "store", create=True).add(tmp_path / "b")
    (stored,) = EnginePages(str(tmp_path / "store")).entries().values()
    assert stored.headline is not None and (stored.headline.compute_ms, stored.headline.origin) == (None, "1 problem")


def test_folders_without_engines_use_up_no_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, file in (("a", "note.txt"), ("b", "b.graph.json"), ("c", "c.graph.json")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_bytes(b"x" if name == "a" else document([layer("l")]))
    monkeypatch.setattr("trex.server.sources.folder.MOST_FOLDERS", 1)
    assert [entry.folder for entry in EnginePages(str(tmp_path)).entries().values()] == ["b"]


def test_it_opens_reports_graphs_and_comparisons_and_keeps_them(pages: EnginePages) -> None:
    pytest.importorskip("plotly")
    graph = pages.respond("graph", {"engine": INT8})
    assert graph.status == 200 and b"conv1" in graph.body
    assert pages.respond("graph", {"engine": INT8}).body is graph.body
    comparison = pages.respond("compare", {"base": INT8, "new": RESIDUAL})
    assert comparison.status == 200 and "either may" in comparison.body.decode()
    assert b"What to do" in pages.respond("report", {"engine": INT8}).body


def test_errors_are_pages(pages: EnginePages) -> None:
    for view, query in (("x", {}), ("graph", {}), ("graph", {"engine": "../outside"}), ("compare", {"base": INT8})):
        response = pages.respond(view, query)
        assert response.status == 404 and b"There is no such" in response.body
    with pytest.raises(TrexError):
        EnginePages(str(pages.root) + "/int8/resnet18-int8.graph.json")


def test_nothing_is_written_not_even_a_repair(tmp_path: Path) -> None:
    shutil.copytree(example_folder("resnet18-int8"), tmp_path / "engine")
    run = tmp_path / "engine" / RUN_FOLDER
    (run / "x.new").mkdir(parents=True)
    (run / "swap.json").write_text(json.dumps({"source": "x.new", "installed": [], "removed": ["x"]}), "utf-8")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    pages = EnginePages(str(tmp_path))
    assert pages.respond("", {}).status == 200 and pages.respond("graph", {"engine": next(iter(pages.entries()))}).body
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}


def test_an_engine_that_changed_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "x.graph.json").write_bytes(document([layer("before")]))
    pages = EnginePages(str(tmp_path))
    assert b"before" in pages.respond("graph", {"engine": "x.graph.json"}).body
    (tmp_path / "x.graph.json").write_bytes(document([layer("afterwards")]))
    os.utime(tmp_path / "x.graph.json", (1, 1))
    assert b"afterwards" in pages.respond("graph", {"engine": "x.graph.json"}).body


def test_requests_that_waited_share_one_look_at_the_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages, looks = EnginePages(str(root)), list[int]()

    def entries() -> dict[str, Any]:
        looks.append(1)
        return {}

    monkeypatch.setattr(pages, "entries", entries)
    arrival = monotonic()
    for _ in range(3):
        assert pages._respond("", {}, arrival).status == 200
    assert len(looks) == 1
    pages.respond("", {})
    assert len(looks) == 2


def test_runs_of_a_store_are_listed_and_opened(tmp_path: Path) -> None:
    for package in ("duckdb", "pyarrow"):
        pytest.importorskip(package, reason="pip install -e '.[store]'")
    from trex.store.layout import run_file
    from trex.store.run_store import RunStore

    store = RunStore.open(tmp_path / "runs-store", create=True)
    run = store.add(example_folder("resnet18-int8"), labels={"batch": "32"})
    other = store.add(example_folder("resnet18-int8-residual"))
    pages = EnginePages(str(tmp_path))
    entries = pages.entries()
    assert list(entries) == [f"runs-store/run:{one.id}" for one in sorted((run, other), key=lambda one: one.id)]
    page = pages.respond("", {}).body.decode()
    assert "0.6302 to 2.8517 ms" in page and "batch=32" in page and "predicted" in page
    for root in (tmp_path, tmp_path / "runs-store"):
        pages = EnginePages(str(root))
        base, new = pages.entries()
        assert pages.respond("graph", {"engine": base}).status == 200
        assert pages.respond("compare", {"base": base, "new": new}).status == 200
    # A damaged run, and then a damaged store, hide no other.
    (tmp_path / "runs-store" / run_file(run.id)).write_text('{"id"', "utf-8")
    pages = EnginePages(str(tmp_path))
    damaged, whole = sorted(pages.entries().values(), key=lambda entry: bool(entry.parts))
    assert (damaged.name, whole.name) == (run.id, other.name)
    assert "unreadable" in pages.respond("", {}).body.decode()
    assert pages.respond("report", {"engine": damaged.key}).status == 422
    (tmp_path / "runs-store" / "store.json").write_text("{", "utf-8")
    assert [entry.name for entry in pages.entries().values()] == ["runs-store"]


def test_dates_and_names_that_are_odd_hide_no_engine(tmp_path: Path) -> None:
    for name in (b"a\xe9.graph.json", b"a\\udce9.graph.json"):
        try:
            (tmp_path / os.fsdecode(name)).write_bytes(document([layer("l")]))
        except (OSError, UnicodeError):
            pytest.skip("no such names here")
    pages = EnginePages(str(tmp_path))
    entries = pages.entries()
    assert len(entries) == 2
    assert all(pages.respond("graph", {"engine": key}).status == 200 for key in entries)
    late = {key: replace(entry, changed=3e11) for key, entry in entries.items()}
    table = listing_document("x", late, {}).sections[0].blocks[1]
    assert isinstance(table, Table) and table.rows[0][7] == "–"
    assert "<td" in index_page("x", late, {})


@pytest.fixture(scope="module")
def server(pages: EnginePages) -> Iterator[EngineServer]:
    with EngineServer(pages) as running:
        Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield running
        running.shutdown()


def asked(server: EngineServer, path: str, method: str = "GET", host: str = "") -> SimpleNamespace:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{server.server_port}"})
    answer = connection.getresponse()
    result = SimpleNamespace(status=answer.status, headers=dict(answer.headers), body=answer.read())
    connection.close()
    return result


def test_only_its_address_and_its_hosts_are_answered(server: EngineServer) -> None:
    address = f"/{server.token}/"
    listed = asked(server, address)
    assert listed.status == 200 and b"nested/residual" in listed.body
    assert asked(server, address, host=f"localhost:{server.server_port}").status == 200
    for host in ("evil.example", f"evil.example:{server.server_port}", "127.0.0.1", "127.0.0.1:1"):
        forged = asked(server, address, host=host)
        assert forged.status == 421 and b"residual" not in forged.body
    for path in (
        "/",
        "//",
        f"/{server.token}",
        f"/{server.token[:-1]}/",
        f"{address}../x",
        "/x/",
        "*",
        "http://[",
        "x:y",
    ):
        assert asked(server, path).status == 404
    assert asked(server, address + "compare?" + "a=1&" * 9).status == 404
    assert {asked(server, address, method).status for method in ("POST", "PUT", "DELETE", "OPTIONS")} == {501}
    assert asked(server, address, "HEAD").body == b""


def test_a_bug_is_a_page_too(
    server: EngineServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(EnginePages, "respond", lambda *_: 1 / 0)
    answer = asked(server, f"/{server.token}/")
    assert answer.status == 500 and b"bug of trex" in answer.body and b"ZeroDivisionError" not in answer.body
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_headers_forbid_requests_frames_and_referrers(server: EngineServer) -> None:
    headers = asked(server, f"/{server.token}/").headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'") and "script-src" not in policy
    assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
    assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
    assert server.server_address[0] == "127.0.0.1" and len(server.token) >= 24


def test_it_starts_without_a_resolver(pages: EnginePages, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_answer(_: str) -> None:
        raise AssertionError("the resolver may ask the network")

    monkeypatch.setattr("socket.gethostbyaddr", no_answer)
    with EngineServer(pages) as server:
        assert server.address.startswith("http://127.0.0.1:") and server.server_port


def test_a_port_in_use_is_an_error(pages: EnginePages, server: EngineServer) -> None:
    with pytest.raises(TrexError, match="can't be used"):
        EngineServer(pages, server.server_port)

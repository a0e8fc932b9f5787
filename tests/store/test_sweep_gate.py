"""The gate of a sweep: new runs against the latest ones like them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.conftest import Add
from tests.store.small_engines import write_engine
from trex.cli.command import FINDINGS, INCONCLUSIVE
from trex.cli.sweep_gate import gate as gate_command
from trex.compare.condition import conditions_of
from trex.compare.gate import GateStatus
from trex.core.errors import TrexError
from trex.store.check import check_store, repair_store
from trex.store.columns import TABLES
from trex.store.queries import StoreQueries
from trex.store.run_store import RunStore
from trex.store.sweep_cells import sweep_cells
from trex.store.sweep_gate import Conditions, SweepGate, gate_of_sweep, worst
from trex.store.transfer import export_runs, import_runs
from trex.views.sweep_gate import gate_document

OLD, NEW = "a" * 40, "b" * 40


def each(texts: Sequence[str] = ()) -> Conditions:
    """The same conditions for every engine."""
    return lambda engine: conditions_of(texts)


def test_each_configuration_is_judged(store: RunStore, add: Add) -> None:
    """One got slower, one did not, one is new, one has no new run."""

    def run(clock: str, commit: str, *ms: float) -> None:
        labels = {"sweep": "ci", "model": "net", "clock": clock}
        for repetition, one in enumerate(ms):
            add(one, labels=labels, job_key=f"{clock}-{commit}", repetition=repetition, commit=commit)

    run("low", OLD, 0.50, 0.501, 0.502)
    run("low", NEW, 0.60, 0.601, 0.602)
    run("high", OLD, 0.40)
    run("high", NEW, 0.40)
    run("boost", NEW, 0.30)
    run("base", OLD, 0.45)
    gate = gate_of_sweep(store, "ci", NEW[:8], OLD, each(["compute>+3%"]))
    gated = gate.gated
    by_name = {one.name: one for one in gated}
    assert set(by_name) == {"net · low", "net · high", "net · boost"}
    assert by_name["net · low"].status is GateStatus.FAILED
    assert by_name["net · low"].change_pct == pytest.approx(20.0, abs=1.0)
    assert by_name["net · high"].status is GateStatus.PASSED
    assert by_name["net · boost"].status is None and by_name["net · boost"].reason
    assert [one.name for one in worst(gated)] == ["net · low", "net · boost", "net · high"]
    assert (gate.unknown, gate.unchanged) == (1, 0)
    assert [note.code for note in gate_document("ci", gate).notes] == ["no-record", "no-run"]
    base = by_name["net · low"].base
    assert base is not None and base.commit == OLD


def test_runs_that_were_added_by_hand_are_repetitions_on_both_sides(store: RunStore, add: Add) -> None:
    for commit, factor in ((OLD, 1.0), (NEW, 1.06)):
        for ms in (0.50, 0.501, 0.52):
            add(ms * factor, labels={"sweep": "ci", "model": "net"}, commit=commit)
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.change_pct == pytest.approx(6.0, abs=0.5) and judged.status is GateStatus.FAILED


def test_a_base_that_was_measured_with_other_streams_is_not_none(store: RunStore, tmp_path: Path) -> None:
    def run(number: int, streams: int, commit: str, ms: float) -> None:
        folder = write_engine(tmp_path / str(number), "net", (ms,))
        options = {"inference_options": {"Inference Streams": str(streams)}}
        (folder / "net.engine.profile.metadata.json").write_text(json.dumps(options))
        store.add(folder, labels={"sweep": "ci", "model": "net"}, commit=commit)

    run(1, 1, OLD, 0.5)
    run(2, 4, "c" * 40, 0.5)
    run(3, 4, NEW, 1.0)
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.INCONCLUSIVE and "inference streams differ (1 vs. 4)" in judged.results[0].words
    (judged,) = gate_of_sweep(store, "ci", NEW, "", each(["compute>+3%"])).gated
    assert judged.status is GateStatus.FAILED and judged.base is not None and judged.base.commit == "c" * 40


def test_a_store_that_fails_is_not_without_a_base(store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **more: object) -> None:
        raise TrexError("the store can't be read")

    add(0.5, labels={"sweep": "ci"}, commit=NEW)
    monkeypatch.setattr("trex.store.sweep_gate.latest_base", fail)
    with pytest.raises(TrexError, match="can't be read"):
        gate_of_sweep(store, "ci", NEW, OLD, each())


def test_what_is_asked_of_a_configuration_does_not_grow_with_the_sweep(
    store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that were added by hand: their repetitions are looked for, too."""
    asked = list[int]()

    def rows(queries: StoreQueries, sql: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        found = answer(queries, sql, parameters)
        asked.append(len(parameters) + len(found))
        return found

    first = add(0.4, labels={"sweep": "ci"})
    _, files = store.manifest(first.id)
    answer, count = StoreQueries.rows, 24
    tables = {name: list[object]() for name in TABLES}
    for number in range(count):
        labels = {"sweep": "ci", "batch": str(number // 2)}
        run = replace(first, id=f"{number:016x}", commit=(OLD, NEW)[number % 2], labels=labels)
        store.commit(store.writable(), run, files, tables)
    monkeypatch.setattr(StoreQueries, "rows", rows)
    gate = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"]))
    assert [one.status for one in gate.gated] == [GateStatus.PASSED] * (count // 2)
    assert sorted(asked)[-4] < count // 2  # the rows of either commit, and all configurations, are read once


def test_a_lost_quantization_is_no_other_configuration(store: RunStore, tmp_path: Path) -> None:
    """What came of a configuration, as its precision, is what the gate judges; later runs are no base."""
    other = {
        "Channel major FP16 format where channel % 8 == 0": "Thirty-two wide channel vectorized row major Int8 format",
        "f16f16_f16f16_f16": "i8i8_i8i32_f32",
        '"Half"': '"Int8"',
    }
    commits = [letter * 40 for letter in "abc"]
    for number, (commit, ms) in enumerate(zip(commits, (0.5, 0.9, 0.88), strict=True)):
        for repetition in range(3):
            folder = write_engine(tmp_path / f"{number}-{repetition}", "net", (ms * (1.0 + 0.001 * repetition),))
            graph = folder / "net.engine.graph.json"
            for half, byte in other.items() if number == 0 else ():
                graph.write_text(graph.read_text().replace(half, byte))
            for path in folder.iterdir():
                os.utime(path, (1.7e9 + number, 1.7e9 + number))
            store.add(folder, labels={"sweep": "ci"}, job_key=commit[:8], repetition=repetition, commit=commit)
    assert len({row[0] for row in store.queries.rows("SELECT precision FROM runs")}) == 2
    for base, used in ((commits[0], commits[0]), ("", commits[0]), ("d" * 40, commits[0]), (commits[2], commits[2])):
        (judged,) = gate_of_sweep(store, "ci", commits[1], base, each(["compute>+3%"])).gated
        assert judged.base is not None and judged.base.commit == used
        assert judged.status is (GateStatus.FAILED if used == commits[0] else GateStatus.PASSED)
        notes = gate_document("ci", SweepGate("b", base, (judged,))).notes
        assert [note.code for note in notes] == ["other-base"] * (base == "d" * 40)


def test_the_commit_is_that_of_the_latest_run(store: RunStore, add: Add) -> None:
    add(0.5, labels={"sweep": "ci"}, commit=NEW)
    gate = gate_of_sweep(store, "ci", "", "", each())
    assert gate.commit == NEW and [note.code for note in gate_document("ci", gate).notes][:1] == ["no-condition"]
    for sweep, commit in (("ci", OLD), ("cd", "")):
        with pytest.raises(TrexError, match="has no run"):
            gate_of_sweep(store, sweep, commit, "", each())


def record_of_one(store: RunStore, commit: str, number: int, run: str) -> None:
    record(store, commit, number, **{"": run})


def record(store: RunStore, commit: str, number: int, **jobs: str) -> None:
    """A session of the sweep. jobs: the configuration's run, or why it failed, or "" for one that waits; of several
    repetitions with commas.
    """
    folder = Path(store.storage.where, "sweeps", "ci", "sessions")
    folder.mkdir(parents=True, exist_ok=True)
    states = [
        {
            "labels": {"model": "net", **({"clock": clock} if clock else {})},
            "kind": ["net", "trtexec", ""],
            "repetition": repetition,
        }
        | ({"status": "stored", "run": text} if len(text) == 16 else {"status": "failed" if text else "waiting"})
        | {"reason": text}
        for clock, texts in jobs.items()
        for repetition, text in enumerate(texts.split(","))
    ]
    (folder / f"{number}.json").write_text(json.dumps({"commit": commit, "jobs": states}))


def test_what_the_sweep_had_at_each_commit_counts(store: RunStore, add: Add) -> None:
    """Two pushes of a pull request: what the first made slower is not unchanged at the second, nor is what failed."""

    def run(clock: str, commit: str, ms: float) -> str:
        return add(ms, labels={"sweep": "ci", "model": "net", "clock": clock}, job_key=clock + commit, commit=commit).id

    main, first, second = "a" * 40, "b" * 40, "c" * 40
    old = {clock: run(clock, main, 0.4) for clock in ("low", "high", "boost", "base")}
    slow, again = run("low", first, 0.6), run("high", second, 0.4)
    record(store, main, 1, **old, broken="no such op", gone=old["low"])
    record(store, first, 2, **old | {"low": slow, "boost": "out of memory"}, broken="no such op")
    record(store, second, 3, low=slow, high=again, boost="out of memory", base=old["base"], broken="!", late="")
    conditions = each(["compute>+3%"])

    def statuses(commit: str, base: str) -> dict[str, str | None]:
        gate = gate_of_sweep(store, "ci", commit, base, conditions)
        assert "other-base" not in [note.code for note in gate_document("ci", gate).notes]
        kept = {name: getattr(gate, name) for name in ("unchanged", "unknown", "gone")}
        return {run.name.removeprefix("net · "): run.status and run.status.value for run in gate.gated} | kept

    failed, passed, none = GateStatus.FAILED.value, GateStatus.PASSED.value, None
    rest = {"broken": none, "unknown": 0}
    judged = {"low": failed, "boost": failed, "high": passed, "late": GateStatus.INCONCLUSIVE.value}
    assert statuses(second, main) == judged | rest | {"unchanged": 1, "gone": 1}
    to_first = {"boost": none, "high": passed, "late": judged["late"], "unchanged": 2, "gone": 0}
    assert statuses(second, "") == statuses(second, first) == to_first | rest
    assert statuses(first, main) == {"low": failed, "boost": failed, "unchanged": 2, "gone": 1} | rest


def test_a_kept_run_is_not_unchanged_without_a_record_of_the_base(store: RunStore, add: Add) -> None:
    labels = {"sweep": "ci", "model": "net", "clock": "low"}
    for number, (commit, ms) in enumerate((("a" * 40, 0.4), ("b" * 40, 0.6))):
        run = add(ms, labels=labels, job_key=commit, commit=commit)
        record(store, commit, number, low=run.id)
    record(store, "c" * 40, 3, low=run.id)
    record(store, "d" * 40, 4, low="no memory")
    conditions = each(["compute>+3%"])
    unknown = GateStatus.INCONCLUSIVE
    for commit, base, status in (("bbbb", "e", GateStatus.FAILED), ("cccc", "e", unknown), ("cccc", "dddd", unknown)):
        gate = gate_of_sweep(store, "ci", commit, base, conditions)
        assert [one.status for one in gate.gated] == [status]
        assert [note.code for note in gate_document("ci", gate).notes] == ["other-base"]
    assert gate_of_sweep(store, "ci", "cccc", "aaaa", conditions).gated[0].status is GateStatus.FAILED
    assert gate_of_sweep(store, "ci", "cccc", "bbbb", conditions).unchanged == 1
    record(store, "ccccb" * 8, 4, low=run.id)
    for one in (("cccc", "aaaa"), ("bbbb", "cccc")):
        with pytest.raises(TrexError, match="2 commits begin with 'cccc'"):
            gate_of_sweep(store, "ci", *one, conditions)


def test_a_session_that_cannot_be_read_passes_no_gate(store: RunStore, add: Add) -> None:
    """It may have jobs that failed."""
    run = add(0.4, labels={"sweep": "ci", "model": "net", "clock": "low"}, job_key=NEW, commit=NEW)
    record(store, NEW, 1, low=run.id, high="out of memory")
    (path,) = Path(store.storage.where).rglob("sessions/*.json")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TrexError, match="a session can't be read"):
        gate_of_sweep(store, "ci", NEW, "", each(["compute>+3%"]))
    assert list(sweep_cells(store, "ci").cells["run_id"]) == [run.id]
    for check in (check_store(store), repair_store(store)):
        assert [problem.path for problem in check.problems] == ["sweeps/ci/sessions/1.json"]
    assert path.exists()


def test_a_job_that_failed_fails_the_gate_wherever_the_store_is(store: RunStore, add: Add, tmp_path: Path) -> None:
    """Behind an address, imported, from an archive; without the record it is inconclusive."""
    run = add(0.4, labels={"sweep": "ci", "model": "net", "clock": "low"}, job_key=NEW, commit=NEW)
    record(store, NEW, 1, low=run.id, high="out of memory")
    root = store.storage.where
    export_runs(store, tmp_path / "all.tar")
    export_runs(store, tmp_path / "some.tar", [run.id])
    for source in ("all.tar", "store", "some.tar"):
        other = RunStore.open(tmp_path / f"from-{source}", create=True)
        import_runs(other, str(tmp_path / source))
    codes = {
        where: gate_command("ci", where, NEW, "", ["compute>+3%"], is_short=True)[1]
        for where in (
            root,
            f"file://{root}",
            *(str(tmp_path / f"from-{one}") for one in ("all.tar", "store", "some.tar")),
        )
    }
    assert list(codes.values()) == [FINDINGS] * 4 + [INCONCLUSIVE]


def test_a_report_shows_what_the_sweep_has_not_the_newest_run(store: RunStore, add: Add) -> None:
    """A commit is undone: the runs of before it are what the sweep has again."""
    commits, times = ("a" * 40, "b" * 40), (0.4, 0.2)
    runs = [
        add(ms, labels={"sweep": "ci", "model": "net"}, job_key=commit, commit=commit)
        for commit, ms in zip(commits, times, strict=True)
    ]
    for number, (commit, run) in enumerate(zip((*commits, "c" * 40), (*runs, runs[0]), strict=True)):
        record_of_one(store, commit, number, run.id)
    for commit, run in (("", runs[0]), ("cccc", runs[0]), ("bbbb", runs[1]), ("aaaa", runs[0])):
        assert list(sweep_cells(store, "ci", commit=commit).cells["run_id"]) == [run.id], commit
    with pytest.raises(TrexError, match="no run at commit dddd"):
        sweep_cells(store, "ci", commit="dddd")
    with pytest.raises(TrexError, match="no run of the file's jobs"):
        sweep_cells(store, "ci", job_keys=["other"])


@pytest.mark.parametrize("damage", ["new file", "old file", "new run", "old run"])
@pytest.mark.parametrize("is_kept", [False, True])
def test_what_cannot_be_read_passes_nothing(damage: str, is_kept: bool, store: RunStore, add: Add) -> None:
    runs = {}
    for number, (side, commit, ms) in enumerate((("old", OLD, 0.4), ("new", NEW, 0.6))):
        runs[side] = add(ms, labels={"sweep": "ci", "model": "net"}, job_key=commit, commit=commit)
        record_of_one(store, commit, number, runs[side].id)
    record_of_one(store, "c" * 40, 3, runs["new"].id)
    side, what = damage.split()
    root = Path(store.storage.where)
    if what == "run":
        shutil.rmtree(root / "runs" / runs[side].id)
    else:
        for artifact in runs[side].artifacts:
            for path in (root / "artifacts").rglob(f"{artifact.sha256}*"):
                path.write_bytes(b"")
    (judged,) = gate_of_sweep(RunStore.open(root), "ci", "cccc" if is_kept else NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.INCONCLUSIVE and judged.reason


def test_runs_that_both_commits_have_are_unchanged_whichever_made_them(store: RunStore, add: Add) -> None:
    """OLD ran the sweep after NEW, as main does after a merge, and kept NEW's run."""
    labels = {"sweep": "ci", "model": "net"}
    for number, (commit, ms) in enumerate((("e" * 40, 0.4), (NEW, 0.6))):
        run = add(ms, labels=labels, job_key=commit, commit=commit)
        record_of_one(store, commit, number, run.id)
    record_of_one(store, OLD, 3, run.id)
    for commit, base in ((NEW, OLD), (OLD, NEW)):
        gate = gate_of_sweep(store, "ci", commit, base, each(["compute>+3%"]))
        assert (gate.gated, gate.unchanged) == ((), 1) and not gate_document("ci", gate).notes


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("fast,stop", "slow,stop", GateStatus.FAILED),
        ("slow,stop", "fast,stop", GateStatus.PASSED),
        ("fast,stop", "fast,stop", "unchanged"),
        ("fast,fast", "slow,stop", GateStatus.FAILED),
        ("slow,stop", "stop,stop", GateStatus.FAILED),
        ("slow,slow,stop", "fast,stop,stop", GateStatus.FAILED),
        ("slow,stop", "fast,", GateStatus.INCONCLUSIVE),
        ("stop,stop", "stop,", GateStatus.INCONCLUSIVE),
        ("stop,stop", "stop,stop", None),
        ("stop,stop", "fast,stop", None),
    ],
)
def test_a_repetition_that_failed_at_both_commits_hides_no_other(
    old: str, new: str, status: GateStatus | str | None, store: RunStore, add: Add
) -> None:
    runs = {
        name: add(ms, labels={"sweep": "ci", "model": "net"}, job_key=name, commit=commit).id
        for name, commit, ms in (("slow", NEW, 0.6), ("fast", NEW, 0.4))
    }
    for number, (commit, texts) in enumerate(((OLD, old), (NEW, new))):
        record_of_one(store, commit, number, ",".join(runs.get(text, text) for text in texts.split(",")))
    gate = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"]))
    assert [one.status for one in gate.gated] == ([] if status == "unchanged" else [status])
    assert gate.unchanged == (status == "unchanged")
    reasons = [one.reason for one in gate.gated if one.diff is not None]
    assert reasons == ["a repetition failed here and at the base: stop"] * len(reasons)


def test_each_engine_has_its_own_conditions(store: RunStore, add: Add) -> None:
    for commit, ms in ((OLD, 0.4), (NEW, 0.6)):
        for name in ("net", "other"):
            add(ms, name=name, labels={"sweep": "ci", "clock": name}, job_key=name + commit, commit=commit)
    gate = gate_of_sweep(
        store, "ci", NEW, OLD, lambda engine: conditions_of(["compute>+3%"] if engine.startswith("net") else [])
    )
    assert {one.status for one in gate.gated if one.new and one.new.name.startswith("net")} == {GateStatus.FAILED}
    assert {one.status for one in gate.gated if one.new and one.new.name.startswith("other")} == {None}
    data = gate_document("ci", gate).sections[0].data
    assert data is not None and (data["not_judged"], data["without_base"], data["passed"]) == (1, 0, 0)
    assert gate.has_conditions and not gate_of_sweep(store, "ci", NEW, OLD, each()).has_conditions


def test_runs_of_an_older_job_at_the_commit_are_no_repetitions(store: RunStore, add: Add) -> None:
    """The commit was run again with another release: what it has is the newest job, on either side."""
    for job, commit, ms in (("1", OLD, 0.4), ("2", NEW, 0.2), ("3", NEW, 0.6)):
        for repetition in range(2):
            add(ms, labels={"sweep": "ci"}, job_key=job, repetition=repetition, commit=commit)
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.FAILED and judged.change_pct == pytest.approx(50.0, abs=1.0)


def test_a_run_of_the_base_with_other_options_is_the_base(store: RunStore, tmp_path: Path) -> None:
    ids = []
    for number, (commit, level) in enumerate(((OLD, 3), (NEW, 5))):
        folder = write_engine(tmp_path / commit[:3], "net", (0.4,))
        (folder / "net.engine.build.metadata.json").write_text(
            json.dumps({"command": "", "model_options": {}, "build_options": {"builderOptimizationLevel": level}})
        )
        run = store.add(folder, labels={"sweep": "ci", "model": "net"}, job_key=commit, commit=commit)
        record_of_one(store, commit, number, run.id)
        ids.append(run)
    assert ids[0].options != ids[1].options
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.PASSED and judged.is_recorded


def test_repetitions_of_another_engine_are_not_judged(store: RunStore, add: Add, tmp_path: Path) -> None:
    for commit in (OLD, NEW):
        add(0.5, 0.25, labels={"sweep": "ci"}, job_key=commit, commit=commit)
    other = write_engine(tmp_path / "other", layer_ms=(0.5, 0.25, 0.1))
    for file in other.iterdir():
        file.write_text(file.read_text().replace("conv", "attention").replace("[1, 64, 8, 8]", "[1, 48, 5, 5]"))
    store.add(other, labels={"sweep": "ci"}, job_key=NEW, repetition=1, commit=NEW)
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.INCONCLUSIVE and "not runs of one engine" in judged.reason


@pytest.mark.parametrize("copied_by", [OLD, NEW])
def test_copied_times_are_no_measurement(copied_by: str, store: RunStore, tmp_path: Path) -> None:
    """A job that left the files of an earlier one, whether of the base or of a repetition."""
    for commit in (OLD, NEW):
        folder = write_engine(tmp_path / commit, layer_ms=(0.5, 0.25 if commit == OLD else 0.2499), distinct=8)
        store.add(folder, labels={"sweep": "ci"}, job_key=commit, commit=commit)
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.PASSED
    stale = tmp_path / copied_by
    store.add(stale, labels={"sweep": "ci"}, job_key=NEW, repetition=1, commit=NEW)
    (judged,) = gate_of_sweep(store, "ci", NEW, OLD, each(["compute>+3%"])).gated
    assert judged.status is GateStatus.INCONCLUSIVE and "one of them was not measured" in judged.reason


def test_the_times_of_a_configuration_whose_last_job_failed_are_of_an_earlier_session(
    store: RunStore, add: Add
) -> None:
    def run(clock: str, commit: str, ms: float) -> str:
        return add(ms, labels={"sweep": "ci", "model": "net", "clock": clock}, job_key=clock + commit, commit=commit).id

    record(store, OLD, 1, low=run("low", OLD, 0.3), high=run("high", OLD, 0.2))
    assert not sweep_cells(store, "ci").notes
    record(store, NEW, 2, low="out of memory", high=run("high", NEW, 0.4))
    earlier, _ = sweep_cells(store, "ci").notes
    assert earlier.code == "run-of-earlier-session" and earlier.severity == "warning"
    assert "1 configuration has" in earlier.message and f"commit {OLD[:12]}" in earlier.message
    assert not sweep_cells(store, "any", job_keys=["high" + NEW, "low" + OLD]).notes  # a job's key is that of its model
    (missing,) = sweep_cells(store, "any", job_keys=["high" + NEW, "low" + NEW]).notes
    assert missing.message == "1 of 2 jobs of the file have no run"


def test_a_configuration_of_which_every_job_failed_is_noted(store: RunStore, add: Add) -> None:
    labels = {"sweep": "ci", "model": "net", "clock": "high"}
    high = add(0.2, labels=labels, job_key="high", commit=NEW).id
    record(store, NEW, 1, high=high, low="out of memory,out of memory")
    (failed,) = sweep_cells(store, "ci").notes
    assert failed.code == "configuration-failed" and "1 configuration has no run" in failed.message
    assert "clock low, model net (out of memory)" in failed.message
    record(store, NEW, 2, low=add(0.3, labels={**labels, "clock": "low"}, job_key="low", commit=NEW).id)
    assert not sweep_cells(store, "ci").notes

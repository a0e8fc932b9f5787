"""Sweeps: configurations, fronts, the best one, columns of the user."""

from __future__ import annotations

import csv
import gzip
import os
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.store.run_rows import Tables, row
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.ingest import plain_blocks
from trex.run_store import Store
from trex.store.run_store import RunStore
from trex.store.sweep_cells import MAIN, RATE, SweepCells, sweep_cells, with_columns
from trex.store.sweep_reading import MOST_OF_MATRIX, SweepReading, frame_of

TIMES = {("fp16", "low"): 0.5, ("fp16", "high"): 0.4, ("fp32", "low"): 0.9, ("fp32", "high"): 1.0}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> RunStore:
    """2 × 2 configurations, three repetitions each, 1 % apart; and a run of another sweep."""
    folder = tmp_path_factory.mktemp("sweep")
    store = RunStore.open(folder / "store", create=True)
    for number, ((precision, clock), ms) in enumerate(TIMES.items()):
        labels = {"sweep": "nightly", "precision": precision, "clock": clock, "model": "net"}
        for repetition in range(3):
            engine = write_engine(folder / f"{number}-{repetition}", layer_ms=(ms * (1.0 + 0.01 * repetition),))
            store.add(engine, labels=labels, job_key=f"{number:064x}", repetition=repetition)
    store.add(write_engine(folder / "other"), labels={"sweep": "other", "precision": "fp16"})
    return store


@pytest.fixture(scope="module")
def sweep(store: RunStore) -> SweepCells:
    return sweep_cells(store, "nightly")


def test_repetitions_are_one_configuration(store: RunStore, sweep: SweepCells) -> None:
    assert len(Store(store.storage.where).sweep("nightly")) == 4
    assert Store(store.storage.where).history("net").count == 13
    assert sweep.axes == ("precision", "clock") and sweep.constant == {"model": "net"} and sweep.runs == 12
    cells = sweep.cells.set_index(["precision", "clock"])
    for key, ms in TIMES.items():
        assert cells.loc[key, MAIN] == pytest.approx(0.9 * ms * 1.01, rel=0.01) and cells.loc[key, "runs"] == 3
    keys = {f"{0:064x}", f"{1:064x}"}
    assert set(sweep_cells(store, "any name", job_keys=keys).cells["runs"]) == {3}
    with pytest.raises(TrexError, match="no run of the sweep 'nightli'") as error:
        sweep_cells(store, "nightli")
    assert "nightly" in error.value.hint


def test_what_is_best(sweep: SweepCells) -> None:
    (best,) = SweepReading(sweep).best
    reading = SweepReading(sweep, f"{MAIN} >= 0.42", MAIN)
    (slower,) = reading.best
    assert sweep.named(SweepReading(sweep).row(best.index or 0)) == "fp16 · high" and best.is_close is False
    assert slower.index is not None and sweep.named(reading.row(slower.index)) == "fp16 · low" and slower.fitting == 3
    (none,) = SweepReading(sweep, "p99_ms < 0").best
    assert none.index is None and none.fitting == 0
    assert frame_of(reading)["fits"].sum() == 3
    with pytest.raises(TrexError, match="items_per_h"):
        SweepReading(sweep, best_by="items_per_h")


def test_speedups_and_effects(sweep: SweepCells) -> None:
    reading = SweepReading(sweep)
    (matrix,) = reading.matrices
    assert matrix.values == ("fp16", "fp32") and matrix.counts == ((0, 2), (2, 0))
    assert matrix.speedups[1][0] == pytest.approx((0.9 / 0.5 * 1.0 / 0.4) ** 0.5, rel=0.01)
    assert reading.effects.effects[0].axis == "precision" and not reading.notes


def test_columns_of_the_user(store: RunStore, sweep: SweepCells, tmp_path: Path) -> None:
    file = tmp_path / "accuracy.csv"
    file.write_text("precision,accuracy,note\nfp32,71.5,full\nfp16,71.4,half\nint8,70,unused\n")
    added = sweep_cells(store, "nightly", file)
    assert added.columns == ("accuracy", "note")
    assert dict(zip(added.cells["precision"], added.cells["accuracy"], strict=True)) == {"fp16": 71.4, "fp32": 71.5}
    assert [note.code for note in added.notes] == ["row-not-used"]
    reading = SweepReading(added)
    assert [one.column for one in reading.objectives][-1] == "accuracy" and reading.is_higher_better("accuracy")
    assert not SweepReading(added, lower=frozenset(["accuracy"])).is_higher_better("accuracy")
    (front,) = reading.front.values()  # both precisions: one is faster, the other more accurate
    assert {added.cells["precision"][index] for index in front} == {"fp16", "fp32"}
    with pytest.raises(TrexError, match="no column 'acuracy'"):
        SweepReading(added, lower=frozenset(["acuracy"]))
    for text in (
        "a,b\n1,2\n",
        "precision,accuracy\nfp16,1\nfp16,2\n",
        "precision\nfp16\n",
        f"precision,{RATE}\nfp16,1\n",
        "",
        "\x00",
    ):
        file.write_text(text)
        with pytest.raises(TrexError):
            sweep_cells(store, "nightly", file)


@cache
def two_configurations() -> SweepCells:
    return sweep_cells(Tables([row(n, 1.0 + n, labels={"sweep": "s", "b": str(n)}, commit=None) for n in (1, 2)]), "s")


def column_cells(data: bytes, file: Path) -> SweepCells:
    """Two configurations with the columns of a file of these bytes."""
    file.write_bytes(data)
    return with_columns(two_configurations(), file)


def test_a_compressed_file_of_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_blocks, "RATIO_COUNTS_FROM", 50_000)
    file = tmp_path / "columns.csv"
    for name in ("columns.csv.xz", "columns.zip"):
        added = column_cells(gzip.compress(b"b,acc\n1,3\n2,NaN\n"), tmp_path / name)
        assert added.cells["acc"].tolist() == [3.0, pytest.approx(float("nan"), nan_ok=True)] and not added.notes
    whole = gzip.compress(b"b,acc\n1,3\n" + random.Random(0).randbytes(4000).hex().encode() + b"\n")
    assert [note.code for note in column_cells(whole[:-9], file).notes][:1] == ["damaged-compression"]
    for data, expected in (
        (whole[:12], "damaged"),
        (gzip.compress(b"b,acc\n" + bytes(200_000)), "expands to more than 100 times"),
        (b"PK\x03\x04" + bytes(99), "zip"),
        (b"\xfd7zXZ\x00\x00\x04" + bytes(range(99)), "binary"),
    ):
        with pytest.raises(TrexError, match=expected):
            column_cells(data, file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_of_columns_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(TrexError, match="regular file"):
        with_columns(two_configurations(), tmp_path / "pipe.csv")


def test_columns_are_unique_and_few(tmp_path: Path) -> None:
    file = tmp_path / "columns.csv"
    added = column_cells(b"b, acc ,\n1,2\n\n2,+4,x\n", file)
    assert added.cells["acc"].tolist() == [2.0, 4.0] and added.columns == ("acc", "column 3")
    many = ",".join(f"c{number}" for number in range(99))
    assert len(column_cells(f"b,{many}\n1{',7' * 99}\n".encode(), file).columns) == 99
    for text, expected in (
        ("b,ACC,acc\n1,2,3\n", "two columns are named 'ACC'"),
        ("b,B,acc\n1,2,3\n", "two columns are named 'b'"),
        (f"b,{many},more\n", "101 columns"),
        ("b,acc\n1,71,5\n", "3 values for 2 columns"),
    ):
        with pytest.raises(TrexError, match=expected):
            column_cells(text.encode(), file)


def test_a_value_that_the_parser_refuses_has_an_address(tmp_path: Path) -> None:
    limit = csv.field_size_limit(1 << 17)  # other tests raise it, for the process
    try:
        with pytest.raises(TrexError, match="no CSV"):
            column_cells(f"b,acc\n1,{'x' * 140_000}\n".encode(), tmp_path / "columns.csv")
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize("value", ["76%", "1e400", "-inf"])
def test_a_column_with_a_value_that_is_no_number(tmp_path: Path, value: str) -> None:
    text = f"b,top1,top5,kind\n1,{value},9,large\n2,75,99999999999999999999,small\n"
    added = column_cells(text.encode(), tmp_path / "a.csv")
    (note,) = added.notes
    assert note.code == "column-is-text" and "top1" in note.message and repr(value) in note.message
    assert [one.column for one in SweepReading(added).objectives][-1] == "top5"


@pytest.mark.parametrize(("name", "expected"), [("model", "'model' is no number"), ("items", "there is no column")])
def test_only_numbers_have_a_best(name: str, expected: str) -> None:
    with pytest.raises(TrexError, match=expected):
        SweepReading(two_configurations(), best_by=name)


def test_older_jobs_are_no_repetitions(tmp_path: Path) -> None:
    """The model has changed: one configuration has a new job."""
    store = RunStore.open(tmp_path / "store", create=True)
    runs = (("low", 0.5, "a"), ("low", 0.51, "a"), ("high", 0.4, "b"), ("low", 0.7, "c"))
    for number, (clock, ms, job) in enumerate(runs):
        engine = write_engine(tmp_path / str(number), layer_ms=(ms,))
        for file in engine.iterdir():
            os.utime(file, (1.78e9 + number,) * 2)
        store.add(engine, labels={"sweep": "nightly", "clock": clock}, job_key=job * 64, commit=job * 40)
    newer = sweep_cells(store, "nightly")
    assert newer.cells.set_index("clock")["runs"].to_dict() == {"low": 1, "high": 1}
    earlier, older = newer.notes
    assert (earlier.code, earlier.severity, older.code) == ("run-of-earlier-session", "warning", "older-runs")
    assert "1 configuration has" in earlier.message and "commit bbbb" in earlier.message
    assert len(sweep_cells(store, "nightly", commit="aaaaaaa").cells) == 1


def test_machines_that_no_label_names_are_apart() -> None:
    rows = [
        row(number, ms, gpu=gpu, labels={"sweep": "s"}) for number, (gpu, ms) in enumerate((("A100", 1.0), ("T4", 3.0)))
    ]
    cells = sweep_cells(Tables(rows), "s")
    assert cells.axes == ("gpu",) and cells.cells.set_index("gpu")[MAIN].to_dict() == {"A100": 1.0, "T4": 3.0}


@pytest.mark.parametrize(
    ("axis", "facts"),
    [
        ("model", {"model": "bert"}), ("batch", {"batch": 1.0}), ("precision", {"precision": "INT8"}),
        ("inference streams", {"options": {"inference streams": "4"}}),
    ],
)  # fmt: skip
def test_engines_that_no_label_names_are_apart(axis: str, facts: dict[str, Any]) -> None:
    more: tuple[dict[str, Any], ...] = ({}, facts)
    rows = [row(n, ms, labels={"sweep": "s"}, commit=None, **more[n]) for n, ms in enumerate((1.0, 9.0))]
    cells = sweep_cells(Tables(rows), "s")
    assert cells.axes == (axis,) and sorted(cells.cells[MAIN]) == [1.0, 9.0]
    assert [note.code for note in cells.notes] == ["unnamed-axis"] and axis in cells.notes[0].message
    assert cells.named({axis: "4"}) == ("4" if axis in facts and axis != "batch" else f"{axis} 4")


@pytest.mark.parametrize("axis, known", [("precision", "FP16"), ("batch", 8.0), ("shapes", "x:8x3")])
def test_what_is_unknown_of_a_run_is_no_repetition(axis: str, known: object) -> None:
    rows = [
        row(n, ms, labels={"sweep": "s"}, commit=None, **{axis: value})
        for n, (ms, value) in enumerate(((1.0, known), (9.0, None)))
    ]
    cells = sweep_cells(Tables(rows), "s")
    assert cells.axes == (axis,) and sorted(cells.cells[MAIN]) == [1.0, 9.0]
    assert [note.code for note in cells.notes] == ["unnamed-axis"]


@pytest.mark.parametrize("name", ["layers", "findings", "provenance", "id", "runs", "main_ms", "batch", "is_on_front"])
def test_a_label_replaces_no_figure(name: str) -> None:
    rows = [
        row(n, ms, labels={"sweep": "s", name: f"v{n}"}, layers=7.0, commit=None) for n, ms in enumerate((3.0, 1.0))
    ]
    reading = SweepReading(sweep_cells(Tables(rows), "s"))
    (best,) = reading.best
    assert best.index == 1 and reading.sweep.is_measured
    assert reading.sweep.cells[MAIN].tolist() == [3.0, 1.0] and set(reading.sweep.cells["layers"]) == {7.0}
    assert [row["run_id"][-1] for row in reading.sweep.cells.to_dict("records")] == ["0", "1"]


def test_times_of_two_batches_are_compared_as_they_are() -> None:
    rows = [
        row(
            4 * batch + n, batch + 0.01 * n, labels={"sweep": "s", "batch": str(batch)}, batch=float(batch), commit=None
        )
        for batch in (1, 8)
        for n in range(3)
    ]
    (best,) = SweepReading(sweep_cells(Tables(rows), "s"), best_by=MAIN).best
    assert best.ratio == pytest.approx(8.0, rel=0.02) and best.is_close is False


def test_scaling_is_of_one_origin() -> None:
    rows = [
        row(
            n,
            1.0 * batch,
            labels={"sweep": "s", "batch": str(batch)},
            batch=float(batch),
            provenance=origin,
            commit=None,
        )
        for n, (batch, origin) in enumerate(((1, "measured"), (2, "measured"), (8, "simulated")))
    ]
    (curve,) = SweepReading(sweep_cells(Tables(rows), "s")).scaling
    assert curve.batches == (1.0, 2.0) and "measured" in curve.name


def test_rates_are_of_one_kind() -> None:
    every = ((1.0, 1500.0), (0.9, None), (2.0, 400.0))
    rows = [
        row(n, ms, throughput_qps=rate, labels={"sweep": "s", "a": str(n)}, commit=None)
        for n, (ms, rate) in enumerate(every)
    ]
    mixed, alone = sweep_cells(Tables(rows), "s"), sweep_cells(Tables([rows[0], rows[2]]), "s")
    assert mixed.cells[RATE].tolist() == [8000.0, pytest.approx(8000.0 / 0.9), 4000.0]
    assert [note.code for note in mixed.notes] == ["no-throughput"]
    assert alone.cells[RATE].tolist() == [12000.0, 3200.0] and not alone.notes


def test_versions_and_names_are_no_numbers(tmp_path: Path) -> None:
    every = (("10.1", "007", "8"), ("10.10", "7", "8"), ("10.10", "007", "1048577"))
    labels = [{"sweep": "s", "tensorrt": release, "id": name, "batch": batch} for release, name, batch in every]
    tables = Tables([row(number, 1.0, labels=one) for number, one in enumerate(labels)])
    cells = sweep_cells(tables, "s")
    assert {cells.named(one) for one in cells.cells.to_dict("records")} == {
        "10.1 · 007 · batch 8", "10.10 · 7 · batch 8", "10.10 · 007 · batch 1048577",
    }  # fmt: skip
    (file := tmp_path / "a.csv").write_text("tensorrt,batch,accuracy\n10.1,8.0,1\n10.10,8,2\n10.10,1048577,3\n")
    added = sweep_cells(tables, "s", file).cells
    assert set(zip(added["tensorrt"], added["accuracy"], strict=True)) == {("10.1", 1), ("10.10", 2), ("10.10", 3)}


def test_a_thousand_configurations_with_two_repetitions() -> None:
    labels = [{"sweep": "s", "a": str(number // 2 % 100), "b": str(number // 200)} for number in range(2_000)]
    rows = [row(n, 1.0 + n % 97 * 0.01, labels=one, commit=None) for n, one in enumerate(labels)]
    reading = SweepReading(sweep_cells(Tables(rows), "s"))
    assert len(reading.sweep.cells) == 1_000 and set(reading.sweep.cells["runs"]) == {2}
    assert reading.best[0].index is not None and len(reading.front[""]) >= 1


def test_what_the_runs_say_of_their_machines_is_noted() -> None:
    facts: tuple[dict[str, Any], ...] = (
        {"clock_mhz": 1400.0}, {"clock_mhz": 1000.0, "throttled": True}, {"problems": 2}
    )  # fmt: skip
    rows = [row(n, 1.0 + n, labels={"sweep": "s", "b": str(n)}, **one) for n, one in enumerate(facts)]
    notes = {note.code: note.message for note in sweep_cells(Tables(rows), "s").notes}
    assert notes["throttled-runs"] == "1 run was throttled"
    assert notes["doubted-runs"] == "1 run counts although its files have problems"
    assert "mixed-clocks" in notes


def test_a_matrix_is_of_few_values() -> None:
    for count, matrices in ((MOST_OF_MATRIX, 1), (MOST_OF_MATRIX + 1, 0)):
        rows = [row(n, 1.0 + n, labels={"sweep": "s", "tensorrt": f"10.{n}"}) for n in range(count)]
        reading = SweepReading(sweep_cells(Tables(rows), "s"))
        assert len(reading.matrices) == matrices
        assert ("too-many-values" in {note.code for note in reading.notes}) is not bool(matrices)

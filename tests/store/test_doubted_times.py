"""Runs whose times the store has, though a finding doubts them."""

from __future__ import annotations

import pytest

from tests.store.run_rows import Tables, row
from trex.compare.gate import GateStatus
from trex.store.history import history_of
from trex.store.run import StoredRun
from trex.store.sweep_cells import sweep_cells
from trex.store.sweep_gate import GatedRun, _without_shared


def test_doubtful_times_are_said_where_runs_are_compared() -> None:
    rows = [row(number, 1.0, labels={"sweep": "s", "batch": str(number)}) for number in range(3)]
    first = rows[0]["id"]
    tables = Tables(rows, doubted={first: "18 layers were faster than the limit", "of another model": "as well"})
    for notes in (sweep_cells(tables, "s").notes, history_of(tables, "net").notes):
        (note,) = [note for note in notes if note.code == "doubted-times"]
        assert note.severity == "warning" and note.message.startswith(f"1 run has doubtful times ({first[:8]}: 18")
    assert "doubted-times" not in [note.code for note in sweep_cells(Tables(rows), "s").notes]


@pytest.mark.parametrize(
    ("batches", "count", "noted"), [((1, 8), 3, True), ((1, 8), 1, False), ((8, 8), 3, False), ((None, 8), 3, False)]
)
def test_two_batch_sizes_do_not_have_the_same_times(batches: tuple[int | None, int], count: int, noted: bool) -> None:
    times = dict(zip(("gpu_compute_ms", "latency_ms", "throughput_qps"), (1.25, 1.5, 790.0)))
    shared = dict([*times.items()][:count])
    rows = [
        row(number, 1.0, labels={"sweep": "s", "b": str(number)}, batch=batch, **{**dict.fromkeys(times), **shared})
        for number, batch in enumerate(batches)
    ]
    notes = [note.code for note in sweep_cells(Tables(rows), "s").notes]
    assert ("shared-times" in notes) is noted


@pytest.mark.parametrize(
    ("facts", "is_other"),
    [({"batch": 8.0}, True), ({"precision": "INT8"}, True), ({"batch": None}, False), ({}, False)],
)
def test_a_gate_does_not_judge_a_run_with_the_times_of_another(facts: dict[str, object], is_other: bool) -> None:
    def gated(name: str, **facts: object) -> GatedRun:
        times = {"gpu_compute_ms": 3.231, "latency_ms": 3.5, "p99_ms": 3.9}
        run = StoredRun(id=name * 16, provenance="measured", **{"batch": 4.0, "precision": "FP16", **times, **facts})
        return GatedRun(name, run, of_job=GateStatus.PASSED)

    judged = list(_without_shared([gated("a"), gated("b", **facts), GatedRun("c", None, of_job=GateStatus.FAILED)]))
    assert [one.name for one in judged] == ["a", "b", "c"]
    assert [one.of_job for one in judged[:2]] == [GateStatus.INCONCLUSIVE if is_other else GateStatus.PASSED] * 2
    assert is_other == ("times of a to the last digit" in judged[1].reason)


@pytest.mark.parametrize(("axis", "noted"), [("precision", True), ("infStreams", False)])
def test_runs_that_were_measured_in_two_ways(axis: str, noted: bool) -> None:
    rows = [
        row(number, 1.0, labels={"sweep": "s", axis: str(number)}, options={"inference streams": str(number)})
        for number in (1, 2)
    ]
    notes = [note for note in sweep_cells(Tables(rows), "s").notes if note.code == "runs-measured-differently"]
    assert len(notes) == noted and all("inference streams (1, 2)" in note.message for note in notes)

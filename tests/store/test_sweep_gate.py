"""The gate of a sweep: new runs against the latest ones like them."""

from __future__ import annotations

import pytest

from tests.store.conftest import Add
from trex.compare.condition import conditions_of
from trex.compare.gate import GateStatus
from trex.core.errors import TrexError
from trex.store.run_store import RunStore
from trex.store.sweep_gate import gated_runs, unchanged, worst

OLD, NEW = "a" * 40, "b" * 40


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
    gated = gated_runs(store, "ci", NEW[:8], OLD, conditions_of(["compute>+3%"]))
    by_name = {one.name: one for one in gated}
    assert set(by_name) == {"net · low", "net · high", "net · boost"}
    assert by_name["net · low"].status is GateStatus.FAILED
    assert by_name["net · low"].change_pct == pytest.approx(20.0, abs=1.0)
    assert by_name["net · high"].status is GateStatus.PASSED
    assert by_name["net · boost"].status is None and by_name["net · boost"].reason
    assert [one.name for one in worst(gated)] == ["net · low", "net · boost", "net · high"]
    assert unchanged(store, "ci", gated) == 1
    base = by_name["net · low"].base
    assert base is not None and base.commit == OLD


def test_a_store_that_fails_is_not_without_a_base(store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise TrexError("the store can't be read")

    add(0.5, labels={"sweep": "ci"}, commit=NEW)
    monkeypatch.setattr("trex.store.sweep_gate.latest_base", fail)
    with pytest.raises(TrexError, match="can't be read"):
        gated_runs(store, "ci", NEW, OLD, ())


def test_the_commit_is_that_of_the_latest_run(store: RunStore, add: Add) -> None:
    add(0.5, labels={"sweep": "ci"}, commit=NEW)
    assert [one.new.commit for one in gated_runs(store, "ci", "", "", ())] == [NEW]
    for sweep, commit in (("ci", OLD), ("cd", "")):
        with pytest.raises(TrexError, match="has no run"):
            gated_runs(store, sweep, commit, "", ())

"""Bisection → Document: figures that belong together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from trex.store.bisect import Bisection
from trex.views.bisect import _answer


def test_times_and_percentage_are_of_all_runs_at_both_ends() -> None:
    ids = {0: ["x", "y"], 1: ["q"], 2: ["z", "w"]}
    bisection = Bisection(["a1", "b2", "c3"], {0: [1.0, 0.9], 1: [1.2], 2: [1.2, 1.5]}, ids)
    metric = SimpleNamespace(column="gpu_compute_ms", label="GPU compute", unit="ms", kind="ms", name="compute")
    good, bad = SimpleNamespace(gpu_compute_ms=1.0, model="m"), SimpleNamespace(gpu_compute_ms=1.2)
    runs: Any = SimpleNamespace(good=good, bad=bad, metric=metric, axis="driver", values=("a1", "b2", "c3"))
    first: Any = next(iter(_answer(runs, bisection, None, "", 0, "")))
    assert "GPU compute 0.9487 → 1.342 ms (+41.4 %)" in first.lines[0]

"""Layers of one run beside the queries of another, seen by the other runs of a series."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.store.run_rows import Tables, row
from trex.store.history import history_of
from trex.store.unshared_growth import unshared_growth


def runs(newest: int, layers: float = 1.0, compute: float = 1.0, **facts: Any) -> list[dict[str, Any]]:
    """Twelve, the newest ones with other times."""
    rows = []
    for number in range(12):
        is_new = number >= 12 - newest
        ms = 1.0 + 0.004 * (number % 3)
        known = {
            "timed_layers": 20,
            "enqueue_ms": 0.1,
            "layer_sum_ms": 1.06 * ms * (layers if is_new else 1.0),
            **facts,
        }
        rows.append(row(number, ms * (compute if is_new else 1.0), **known))
    return rows


@pytest.mark.parametrize(
    ("newest", "layers", "compute", "facts", "words"),
    [
        (4, 1.3, 1.0, {}, "newest 4 runs, the layers"),
        (1, 1.3, 1.0, {}, "newest run, the layers"),
        (4, 1.0, 1.3, {}, "newest 4 runs, GPU compute"),
        (4, 1.3, 1.3, {}, ""),
        (4, 1.08, 1.0, {}, ""),
        (0, 1.0, 1.0, {}, ""),
        (4, 1.3, 1.0, {"enqueue_ms": 0.9}, ""),
        (4, 1.3, 1.0, {"enqueue_ms": None}, ""),
        (4, 1.3, 1.0, {"timed_layers": None}, ""),
        (4, 1.3, 1.0, {"options": {"inference streams": "2"}}, ""),
        (4, 1.3, 1.0, {"provenance": "simulated"}, ""),
    ],
)
def test_growth_of_layers_or_queries_alone(
    newest: int, layers: float, compute: float, facts: dict[str, Any], words: str
) -> None:
    rows = runs(newest, layers, compute, **facts)
    (*notes,) = unshared_growth(pd.DataFrame(rows), "A100")
    assert [words in note.message for note in notes] == [True] * bool(words)
    history = history_of(Tables(rows), "net")
    assert (notes == [note for note in history.notes if note.code == "times-of-two-runs"]) or not words
    assert not words or history.is_behind


def test_too_few_runs_show_nothing() -> None:
    assert not list(unshared_growth(pd.DataFrame(runs(1, 1.3)).iloc[:0], "A100"))


def test_the_cost_of_few_layers_says_little_of_many() -> None:
    rows = [*runs(0)[:11], {**runs(0)[11], "layer_sum_ms": 1.3, "timed_layers": 80}]
    rows = [{**one, "timed_layers": 2} if index < 11 else one for index, one in enumerate(rows)]
    assert not list(unshared_growth(pd.DataFrame(rows), "A100"))

"""Runs of several networks in one series."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.store.run_rows import Tables, row
from trex.store.alternating_networks import alternating_networks
from trex.store.history import history_of
from trex.views.history import _answer

SMALL, LARGE = {"layers": 55, "weights_bytes": 7_000_000}, {"layers": 24, "weights_bytes": 23_000_000}


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ([SMALL, LARGE] * 6, "7,000,000, 23,000,000 bytes of weights alternate"),
        ([{**SMALL, "weights_bytes": None}, {**LARGE, "weights_bytes": None}] * 6, "24, 55 layers alternate"),
        ([SMALL] * 6 + [LARGE] * 6, ""),
        ([SMALL] * 4 + [LARGE] * 4 + [SMALL] * 4, ""),  # a change that was taken back
        ([{"weights_bytes": size * 10_000_000} for size in (1, 2, 4, 8) for _ in range(5)], ""),
        ([SMALL] * 10 + [LARGE] + [SMALL] * 10 + [LARGE] + [SMALL] * 10, ""),  # odd ones
        ([{"weights_bytes": None, "layers": 60 + 80 * (n % 2), "tensorrt": f"8.{n % 2}"} for n in range(12)], ""),
        ([SMALL, {**SMALL, "layers": 57, "weights_bytes": 8_000_000}] * 6, ""),
        ([{"layers": None, "weights_bytes": None}] * 12, ""),
        ([{"layers": 0, "weights_bytes": 0}, SMALL] * 6, ""),
    ],
)
def test_networks_that_alternate_are_noted(kinds: list[dict[str, Any]], words: str) -> None:
    rows = [row(number, 1.0, **kind) for number, kind in enumerate(kinds)]
    notes = list(alternating_networks(pd.DataFrame(rows), "A100"))
    assert [words in note.message for note in notes] == [True] * bool(words)
    history = history_of(Tables(rows), "net")
    assert history.is_behind is bool(words)
    answer = " ".join(str(block) for block in _answer(history, (), 3))
    assert ("as far as the notes leave it certain" in answer) is bool(words)
    assert [note for note in history.notes if note.code == "several-networks"] == notes


def test_no_runs() -> None:
    assert not list(alternating_networks(pd.DataFrame([row(0, 1.0, **SMALL)]).iloc[:0], "A100"))

"""Tables of a build."""

from __future__ import annotations

import pandas as pd

from trex.views.tactic_tables import candidates


def test_candidates_of_a_layer_contain_little_of_its_long_name() -> None:
    size = 50
    rows = pd.DataFrame(
        {
            "layer": pd.Categorical(["q" * 5000] * size),
            "operation": pd.Categorical([""] * size),
            "formats": pd.Categorical(["Float(1)"] * size),
            "time_ms": [1.0] * size,
            "slower_pct": [0.0] * size,
            "is_chosen": [False] * size,
            "kernel": [""] * size,
            "runner": ["r"] * size,
            "tactic": [f"{number:#x}" for number in range(size)],
        }
    )
    table = candidates(rows)
    assert len(table.rows) == size
    assert {(len(row[0]), row[1], row[2]) for row in table.rows} == {(1000, None, "Float(1)")}

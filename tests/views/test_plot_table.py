"""The numbers behind every kind of chart, one row per mark."""

from __future__ import annotations

import pytest

from trex.views.plot import Axis, Bars, Histogram, Lines, Pies, Plot, Points, Slices, Tree
from trex.views.plot_table import plot_table

MS, BYTES = Axis("time", "ms"), Axis("size", "bytes")


@pytest.mark.parametrize(
    ("plot", "headings", "rows"),
    [
        (Bars(["a", "b"], [1.0, None], Axis("layer"), MS), ["layer", "time (ms)"], [("a", 1.0), ("b", None)]),
        (
            Bars(["a"], [1.0], Axis("layer"), MS, keys=["FP16"], key_title="precision"),
            ["layer", "precision", "time (ms)"],
            [("a", "FP16", 1.0)],
        ),
        (
            Bars(["a"], [1.0], Axis("layer"), MS, shades=[7.0], shade_axis=BYTES),
            ["layer", "time (ms)", "size"],
            [("a", 1.0, 7.0)],
        ),
        (
            Bars(["a"], [-1.0], Axis("cause"), MS, starts=[3.0]),
            ["cause", "time (ms)", "begins at (ms)"],
            [("a", -1.0, 3.0)],
        ),
        (Histogram([1.0, 2.0], MS, keys=["a", "b"], key_title="type"), ["type", "time (ms)"], [("a", 1.0), ("b", 2.0)]),
        (Pies([Slices("c", ["x"], [2.0], "ms")]), ["of", "part", "value (ms)"], [("c", "x", 2.0)]),
        (
            Points([1.0], [2.0], MS, BYTES, z=[3.0], z_axis=Axis("depth"), texts=["n"], keys=["k"], key_title="kind"),
            ["name", "kind", "time (ms)", "size", "depth"],
            [("n", "k", 1.0, 2.0, 3.0)],
        ),
        (
            Lines([0.0, 1.0], {"a": [1.0, 2.0], "b": [3.0, None]}, Axis("query"), MS),
            ["query", "a (ms)", "b (ms)"],
            [(0.0, 1.0, 3.0), (1.0, 2.0, None)],
        ),
        (Tree([("a", "b")], [1.0], "ms"), ["part", "value (ms)"], [("a › b", 1.0)]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Plot) else "",
)
def test_rows_are_the_marks(plot: Plot, headings: list[str], rows: list[tuple[object, ...]]) -> None:
    table = plot_table(plot)
    assert [column.heading for column in table.columns] == headings
    assert list(table.rows) == rows

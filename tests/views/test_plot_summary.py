"""The sentence on a chart: its count, ranges with units, and the largest where they have names."""

from __future__ import annotations

import math

from trex.views.plot import Axis, Bars, Histogram, Lines, Pies, Points, Slices, Tree
from trex.views.plot_summary import plot_summary

MS = Axis("time", "ms")


def test_each_kind_of_plot_is_summed_up() -> None:
    bars = Bars(("a", "b", "c", "d"), (1.0, 3.0, None, 2.0), Axis("layer"), MS)
    assert plot_summary(bars) == "4 values. time: 1.0000 to 3.0000 ms, largest: b (3.0000), d (2.0000), a (1.0000)."
    assert plot_summary(Histogram((2.0, 2.0), MS)) == "2 values. time: 2.0000 ms."
    same = Bars(("a", "a"), (1.0, 3.0), Axis("layer"), MS)
    assert "largest" not in plot_summary(same), "names that repeat name nothing"
    pies = Pies((Slices("layers", ("x", "y"), (3, 1)),))
    assert plot_summary(pies) == "2 values. value: 1 to 3, largest: layers x (3), layers y (1)."
    points = Points((1.0, 2.0), (5.0, math.nan), Axis("size", "bytes"), MS, texts=("p", "q"))
    assert plot_summary(points) == "2 values. size: 1 B to 2 B, largest: q (2 B), p (1 B); time: 5.0000 ms."
    assert plot_summary(Lines((0.0, 1.0), {"live": (1.0, 4.0)}, Axis("layer"), Axis("bytes", "bytes"))).startswith(
        "2 val"
    )
    tree = Tree((("m", "a"), ("m", "b")), (1.0, 2.0), "ms")
    assert "largest: m › b (2.0000), m › a (1.0000)" in plot_summary(tree)


def test_nothing_known_is_no_sentence() -> None:
    assert plot_summary(Bars(("a",), (None,), Axis("layer"), MS)) == ""

"""The table as a text file."""

from __future__ import annotations

from trex.engine_plan import load_example
from trex.export.frames.table import render


def test_names_are_whole_and_units_told():
    frame = load_example("resnet18-int8").df[["Name", "latency.avg_time"]]
    lines = render(frame).decode().splitlines()
    assert lines.pop(0).startswith("simulated: ") and set(lines.pop(0)) == {"-"}
    assert lines[0].split() == ["Name", "latency.avg_time", "(ms)"]
    assert len(lines) == len(frame) + 1
    assert all(name in line for name, line in zip(frame["Name"], lines[1:], strict=True))

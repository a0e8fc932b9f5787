"""Case: one small engine's files and what must come out of them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.synthetic.description import Description
from tests.synthetic.measurements import Row


@dataclass(frozen=True)
class Expect:
    """What a reader must find.

    layer_count, roles: over every layer of every optimization profile, None if unknown. row_count: rows of the frame
    for profile 0 (layers that do work, and others the profile timed above zero). latency_ms: sum of average times
    joined to profile 0, None without a profile. precision: layer name → label, where beyond dispute. sizes: activation
    → stored bytes, None for unknown. inputs, outputs, weights_bytes: None where the file cannot tell. unprofiled: names
    of rows without a time. notes: codes of Notes that must be there. partial: the file was cut, ``layer_count``
    layers are whole and at most one more can be saved in part. error: a TrexError is the right answer.
    """

    layer_count: int | None = 0
    roles: Mapping[str, int] = field(default_factory=dict)
    row_count: int | None = None
    latency_ms: float | None = None
    precision: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int | None] = field(default_factory=dict)
    inputs: tuple[str, ...] | None = None
    outputs: tuple[str, ...] | None = None
    weights_bytes: int | None = None
    profiles: tuple[int, ...] = (0,)
    unprofiled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    partial: bool = False
    error: bool = False


@dataclass(frozen=True)
class Case:
    """One engine's files. main: the file to load. needs: optional packages without which it cannot be read."""

    name: str
    files: Mapping[str, bytes]
    main: str
    expect: Expect
    needs: tuple[str, ...] = ()

    def write(self, folder: Path) -> Path:
        """The file to load. Skips the test where a package is missing."""
        missing = [package for package in self.needs if importlib.util.find_spec(package) is None]
        if missing:
            import pytest  # absent where the mock trtexec runs

            pytest.skip(f"needs {', '.join(missing)}")
        for name, data in self.files.items():
            (folder / name).write_bytes(data)
        return folder / self.main


def expected(description: Description, rows: Iterable[Row] | None = None, **changes: Any) -> Expect:
    """What the description alone says; ``rows``: the profile that lies beside it."""
    first = [step for step in description.steps if step.profile == 0]
    timed = {name for name, average, _ in rows or () if average > 0}
    shown = [s for s in first if s.role == "kernel" or (s.role != "constant" and s.name in timed)]
    expect = Expect(
        layer_count=len(description.steps),
        roles=description.roles,
        row_count=len(shown),
        latency_ms=None if rows is None else sum(average for _, average, _ in rows),
        precision=description.precisions,
        sizes=description.sizes,
        inputs=tuple(region.name for region in description.inputs),
        outputs=tuple(region.name for region in description.outputs),
        weights_bytes=replace(description, steps=tuple(first)).weights_bytes,
        profiles=tuple(sorted({step.profile for step in description.steps})),
    )
    return replace(expect, **changes)

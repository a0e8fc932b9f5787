"""Which real engines constants are fitted to, and which times are compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.simulator import real_engines
from trex.simulator.real_engines import measured_of, real_plans
from trex.simulator.validation import real_engine

NAME = "trt10.4-net-a100"


def whole(folder: Path) -> None:
    pass


def in_seconds(folder: Path) -> None:
    file = folder / "net.engine.timing.json"
    queries = json.loads(file.read_text())
    file.write_text(json.dumps([{key: ms / 1000 for key, ms in query.items()} for query in queries]))


def cut(folder: Path) -> None:
    file = folder / "net.engine.profile.json"
    file.write_text(file.read_text()[:-30])


def partial(folder: Path) -> None:
    file = folder / "net.engine.profile.json"
    file.write_text(json.dumps(json.loads(file.read_text())[:-1]))


@pytest.mark.parametrize(
    "damage, reason, has_times",
    [
        (whole, "", True),
        (in_seconds, "its times can't be trusted (times-contradict)", False),
        (cut, "its times can't be trusted (truncated)", False),
        (partial, "1 of 3 layers without a time", True),
    ],
)
def test_only_whole_engines_with_times_that_can_be_trusted(
    tmp_path: Path, damage: Callable[[Path], None], reason: str, has_times: bool
) -> None:
    damage(write_engine(tmp_path / NAME, layer_ms=(0.5, 0.25, 0.125)))
    plans = real_plans(tmp_path)
    measured, left_out = measured_of(plans)
    assert [engine.engine for engine in measured] == ([] if reason else [NAME])
    assert left_out == ([f"{NAME}: left out, {reason}"] if reason else [])
    real = real_engine(plans[NAME])
    assert (any(real.times_ms), real.compute_ms is not None) == (has_times, has_times)


def test_engines_that_test_the_constants_are_none_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_engines, "HELD_OUT", {NAME})
    write_engine(tmp_path / NAME)
    assert measured_of(real_plans(tmp_path)) == ([], [f"{NAME}: left out, held out of the fit to test it"])

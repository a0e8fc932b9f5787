"""Effects of options: right, with intervals, and withheld if they can't be separated."""

from __future__ import annotations

import itertools
import math
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from trex.store.effects import FITTED, MOST_AXES, MOST_VALUES, PAIRED, effects_of


def design(noise: float = 0.0) -> pd.DataFrame:
    """Every combination: fp16 halves the time, batch 8 takes 0.3 of the time per item, level does nothing."""
    random = np.random.default_rng(0)
    rows = [
        {"precision": precision, "batch": batch, "level": level, "ms": 4.0
         * (0.5 if precision == "fp16" else 1.0) * (0.3 if batch == 8 else 1.0) * math.exp(random.normal(0.0, noise))}
        for precision, batch, level in itertools.product(("fp16", "fp32"), (1, 8), ("0", "3", "5"))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_paired_effects_are_exact_without_noise() -> None:
    effects = effects_of(design(), ("precision", "batch", "level"), "ms")
    by_axis = {(one.axis, one.before, one.after): one for one in effects.effects}
    assert by_axis["precision", "fp16", "fp32"].ratio == pytest.approx(2.0)
    assert by_axis["batch", "1", "8"].ratio == pytest.approx(0.3)
    assert by_axis["level", "0", "5"].ratio == pytest.approx(1.0)
    assert {one.method for one in effects.effects} == {PAIRED} and not effects.confounded
    assert effects.effects[0].axis == "batch" and effects.shares["level"] == pytest.approx(0.0, abs=1e-9)
    assert sum(effects.shares.values()) == pytest.approx(1.0)


def test_intervals_cover_and_nothing_is_found_in_noise() -> None:
    effects = effects_of(design(0.02), ("precision", "batch", "level"), "ms").effects
    precision = next(one for one in effects if one.axis == "precision")
    assert precision.low is not None and precision.high is not None
    assert precision.low < 2.0 < precision.high and precision.is_significant and precision.count == 6
    assert not any(one.is_significant for one in effects if one.axis == "level")


def test_an_incomplete_design_is_fitted() -> None:
    """No two configurations differ in the precision alone."""
    rows = [("fp16", 1, "a"), ("fp32", 2, "a"), ("fp16", 2, "b"), ("fp32", 1, "b"), ("fp32", 2, "c"), ("fp16", 1, "c")]
    frame = pd.DataFrame(rows, columns=["precision", "batch", "gpu"])
    frame["ms"] = frame["precision"].map({"fp16": 1.0, "fp32": 2.0}) * frame["batch"] * 1.0
    effects = effects_of(frame, ("precision", "batch", "gpu"), "ms")
    fitted = [one for one in effects.effects if one.method == FITTED]
    assert fitted
    assert next(one for one in fitted if one.axis == "precision").ratio == pytest.approx(2.0)


def test_fitted_intervals_cover_in_few_decompositions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a half of all combinations. Where one configuration alone decides about a value, its interval is unknown."""
    rows = [(a, b, c, (a + b + c) % 2) for a, b, c in itertools.product(range(4), range(3), range(2)) if a or b]
    frame = pd.DataFrame([*rows, (0, 0, 0, 2)], columns=["a", "b", "c", "precision"])
    mocks = {name: Mock(side_effect=getattr(np.linalg, name)) for name in ("svd", "lstsq", "matrix_rank")}
    for name, mock in mocks.items():
        monkeypatch.setattr(np.linalg, name, mock)
    random, covered = np.random.default_rng(0), []
    for _ in range(20):
        noise = random.normal(0.0, 0.05, len(frame)) * (1 + frame["a"] % 2)
        frame["ms"] = np.exp(0.2 * frame["a"] + math.log(2.0) * frame["precision"] + noise)
        effects = effects_of(frame, ("a", "b", "c", "precision"), "ms").effects
        known, alone = (next(one for one in effects if (one.axis, one.after) == ("precision", to)) for to in "12")
        assert known.low is not None and known.high is not None and 1.5 < known.ratio < 2.7
        covered.append(known.low < 2.0 < known.high)
        assert (alone.low, alone.high) == (None, None) and not alone.is_significant
    assert sum(covered) >= 18 and sum(mock.call_count for mock in mocks.values()) < 20 * 30


@pytest.mark.parametrize("count", [12, 13, 40])
@pytest.mark.parametrize("is_paired", [True, False])
def test_an_axis_with_many_values_stays_in_all_pairs_and_fits(count: int, is_paired: bool) -> None:
    """fp16 halves the time of every model. Unpaired, the clock differs, too; one model has no run of fp16."""
    rows = [
        {"model": f"m{number}", "precision": precision, "clock": clock, "ms": (1.0 + number) * factor / clock}
        for number in range(count)
        for precision, factor, clock in (
            ("fp32", 2.0, 1 + number % 2), ("fp16", 1.0, 1 + (number + (not is_paired)) % 2), ("fp32", 2.0, 3)
        )
        if number or precision == "fp32"
    ]  # fmt: skip
    effects = effects_of(pd.DataFrame(rows), ("model", "precision", "clock"), "ms")
    assert effects.large == (("model",) if count > 12 else ())
    (precision,) = (one for one in effects.effects if one.axis == "precision")
    assert precision.ratio == pytest.approx(2.0) and precision.method == (PAIRED if is_paired else FITTED)
    assert precision.count == (count - 1 if is_paired else len(rows)) and not effects.confounded
    assert 0.0 < effects.shares["precision"] < 0.5


def test_axes_with_many_values_are_not_among_the_too_many() -> None:
    count = MOST_VALUES + 1
    frame = pd.DataFrame({f"x{n}": [row % 2 for row in range(count)] for n in range(MOST_AXES + 1)})
    frame["model"], frame["ms"] = range(count), 1.0
    axes = [name for name in frame if name != "ms"]
    assert effects_of(frame, axes, "ms").too_many == MOST_AXES + 1
    assert effects_of(frame, axes[1:], "ms").too_many == 0 and len(axes[1:]) > MOST_AXES


def test_axes_that_vary_together_are_confounded() -> None:
    frame = design()
    frame["gpu"] = frame["precision"].map({"fp16": "A100", "fp32": "T4"})
    effects = effects_of(frame, ("precision", "gpu", "batch"), "ms")
    assert dict(effects.confounded) == {"precision": ("gpu",), "gpu": ("precision",)}
    assert {one.axis for one in effects.effects} == {"batch"}
    alone = pd.DataFrame([{"model": f"m{n}", "precision": ("fp16", "fp32")[n % 2], "ms": 1.0 + n} for n in range(20)])
    assert effects_of(alone, ("model", "precision"), "ms").confounded == (("precision", ("model",)),)


def test_many_confounded_axes_take_few_decompositions(monkeypatch: pytest.MonkeyPatch) -> None:
    random, axes = np.random.default_rng(0), [f"{name}{number}" for number in range(8) for name in "ab"]
    columns = {axis: random.integers(0, 2, 40).astype(str) for axis in axes[::2]}
    columns |= {axis.replace("a", "b"): column for axis, column in columns.items()}
    svd = Mock(side_effect=np.linalg.svd)
    monkeypatch.setattr(np.linalg, "svd", svd)
    effects = effects_of(pd.DataFrame({**columns, "ms": 1.0 + np.arange(40)}), axes, "ms")
    assert dict(effects.confounded) == {axis: (axis.translate({97: "b", 98: "a"}),) for axis in axes}
    assert svd.call_count == 1 + len(axes)


@pytest.mark.parametrize("rows", [0, 1])
def test_too_little_shows_nothing(rows: int) -> None:
    assert not effects_of(design().head(rows), ("precision",), "ms").effects


def test_times_beyond_any_real_one_are_no_crash() -> None:
    """As in a damaged or a made-up file."""
    rows = [{"a": str(n % 2), "b": str(n // 3), "ms": (1e-308, 1e308)[n % 2] * (1.0 + n / 9)} for n in range(6)]
    for count in (2, 6):
        effects = effects_of(pd.DataFrame(rows[:count]), ("a", "b"), "ms").effects
        assert effects and all(math.isfinite(effect.ratio) and effect.ratio > 0.0 for effect in effects)

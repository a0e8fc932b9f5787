"""Echoed shape options, in every spelling trtexec has used."""

from __future__ import annotations

import pytest

from trex.core.engine import Engine
from trex.core.metadata import Metadata
from trex.core.tensor import Binding, ShapeRange
from trex.ingest.spelling.shape_options import build_ranges, run_shapes, with_build_ranges


def ranges(**options: str):
    return build_ranges(Metadata(build_options={key.replace("_", " "): value for key, value in options.items()}))


RANGE = ShapeRange((1, 3), (4, 3), (8, 3))


@pytest.mark.parametrize("key", ["Input build shape", "Input build shapes", "Input build shape (profile 0)"])
def test_minimum_optimum_and_maximum(key: str) -> None:
    shape_ranges = build_ranges(Metadata(build_options={key: "x=1x3+4x3+8x3"}))
    assert shape_ranges == {"x": {0: RANGE}}


def test_profiles_are_distinguished() -> None:
    options = {f"Input build shape (profile {n})": f"x={n}x3+{n}x3+{n}x3" for n in (0, 1, 11)}
    shape_ranges = build_ranges(Metadata(build_options=options))
    assert {profile: r.minimum for profile, r in shape_ranges["x"].items()} == {0: (0, 3), 1: (1, 3), 11: (11, 3)}


@pytest.mark.parametrize("separator", [",", ", "])
def test_several_inputs(separator: str) -> None:
    value = separator.join(["x=1x3+4x3+8x3", "y:0=2+2+2", "a=b/c=1", "with, comma=7x1x1x1"])
    shape_ranges = ranges(Input_build_shape=value)
    assert set(shape_ranges) == {"x", "y:0", "a=b/c", "with, comma"}
    assert shape_ranges["x"][0] == RANGE
    assert shape_ranges["a=b/c"][0] == ShapeRange((1,), (1,), (1,))


def test_other_options_are_no_shapes() -> None:
    for value in ("model", "", "x=", "x=1x", "x=axb", "=", "x=1x3+4x3", "x=" + "1x" * 20 + "1", "x=-1x3"):
        assert build_ranges(Metadata(build_options={"Input build shape": value})) == {}, value
    assert build_ranges(Metadata(build_options={"Input build shape": 7, "Input calibration shapes": "x=1"})) == {}


def test_a_bad_entry_does_not_hide_its_neighbor() -> None:
    assert set(ranges(Input_build_shape="x=-1x3,y=2x3+2x3+2x3")) == {"y"}


@pytest.mark.parametrize("key", ["Input inference shape", "Input inference shape ", "Input inference shapes"])
def test_shapes_of_the_run(key: str) -> None:
    assert run_shapes(Metadata(inference_options={key: "x=4x1x28x28,y=3"})) == {"x": (4, 1, 28, 28), "y": (3,)}


@pytest.mark.parametrize("value", ["a" * 400_000, "," * 400_000, "a=" * 200_000, "x=1x" * 100_000, "1+" * 200_000])
def test_very_long_values_are_read(value: str) -> None:
    assert isinstance(ranges(Input_build_shape=value), dict)


def test_ranges_complete_bindings_that_have_none() -> None:
    own = (ShapeRange((9,), (9,), (9,)),)
    engine = Engine((), (Binding("x", True, None), Binding("y", True, None, own), Binding("z", False, None)))
    metadata = Metadata(
        build_options={
            "Input build shape (profile 2)": "x=1x3+4x3+8x3,y=1",
            "Input build shape (profile 0)": "x=1x3+4x3+8x3",
        }
    )
    x, y, z = with_build_ranges(engine, metadata)
    assert x.profiles == (RANGE, ShapeRange(None, None, None), RANGE)
    assert y.profiles == own
    assert z.profiles == ()


def test_a_far_profile_does_not_fill_memory() -> None:
    engine = Engine((), (Binding("x", True, None),))
    metadata = Metadata(build_options={"Input build shape (profile 9999)": "x=1"})
    assert len(with_build_ranges(engine, metadata)[0].profiles) <= 4096


def test_far_profiles_of_many_bindings_do_not_fill_memory() -> None:
    names = [f"x{number}" for number in range(200)]
    engine = Engine((), tuple(Binding(name, True, None) for name in [*names, "near"]))
    shapes = ",".join(f"{name}=1" for name in names)
    options = {"Input build shape (profile 255)": shapes, "Input build shape (profile 0)": "near=1"}
    *far, near = with_build_ranges(engine, Metadata(build_options=options))
    assert sum(len(binding.profiles) for binding in far) <= 20_480
    assert len(far[0].profiles) == 256 and len(near.profiles) == 1

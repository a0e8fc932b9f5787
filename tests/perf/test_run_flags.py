"""Options as trtexec prints them, and malformed ones."""

from __future__ import annotations

from trex.core.tensor import Binding, ShapeRange
from trex.perf.run_flags import RunFlags, run_flags, shapes_off_optimum


def test_of_a_log():
    options = {
        "Batch": "Explicit",
        "Input inference shape": "x=32x3x224x224,y=8",
        "Sleep time": "0ms",
        "Idle time": "2.5ms",
        "Inference Streams": "2",
        "Data transfers": "Disabled",
        "Spin-wait": "Enabled",
        "Multithreading": "Disabled",
        "CUDA Graph": "Enabled",
        "Separate profiling": "Disabled",
    }
    result = run_flags(options)
    assert result == RunFlags(True, True, False, False, False, 2, 0.0, 2.5, {"x": "32x3x224x224", "y": "8"})


def test_unknown_is_not_no():
    assert run_flags({}) == RunFlags()
    odd = {
        "Streams": "many",
        "CUDA Graph": "maybe",
        "Sleep time": None,
        "Input inference shapes": "model",
        "Spin-wait": 3,
    }
    assert run_flags(odd) == RunFlags() == run_flags({"Streams": float("inf"), "Idle time": 10**400})
    assert run_flags({"Streams": 4, "Data transfers": True, "Sleep time": 1}).streams == 4


def test_shapes_off_the_optimum_of_the_profile_that_ran():
    flags = run_flags({"Input inference shape ": "x=8x3,y=1"})
    x = [ShapeRange((1, 3), optimum, (32, 3)) for optimum in ((8, 3), (16, 3), (None, 3))]
    bindings = [Binding("x", True, None, tuple(x)), Binding("y", True, None, (ShapeRange(None, None, None),))]
    assert [shapes_off_optimum(flags, bindings, profile) for profile in (0, 1, 2, 3)] == [
        (),
        (("x", "8x3", "16x3"),),
        (),
        (),
    ]
    assert shapes_off_optimum(RunFlags(), bindings, 1) == ()

"""Options as trtexec prints them, and malformed ones."""

from __future__ import annotations

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


def test_shapes_off_the_optimum():
    flags = run_flags({"Input inference shape ": "x=8x3x224x224,y=1"})
    build = {"Input build shape (profile 0)": "x=1x3x224x224+16x3x224x224+32x3x224x224", "Input build shape": "y=1+1+2"}
    assert shapes_off_optimum(flags, build) == (("x", "8x3x224x224", "16x3x224x224"),)
    assert shapes_off_optimum(flags, {"Input build shapes": "model", "Input build shape": 5}) == ()
    assert shapes_off_optimum(RunFlags(), build) == ()

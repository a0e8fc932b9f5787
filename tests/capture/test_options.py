"""CaptureOptions as a command line."""

from __future__ import annotations

import argparse

import pytest

from trex.capture.options import CaptureOptions
from trex.cli.command import add_options
from trex.core.options import option_fields


def parsed(*words: str) -> CaptureOptions:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_options(parser, CaptureOptions)
    return CaptureOptions(**vars(parser.parse_args(words)))


def test_the_classic_command_line() -> None:
    options = parsed("model.onnx", "outdir", "int8", "fp16", "shapes=input.1:32x3x224x224")
    assert (options.model, options.outdir) == ("model.onnx", "outdir")
    assert list(options.trtexec_args) == ["int8", "fp16", "shapes=input.1:32x3x224x224"]
    assert not options.build_engine and not options.dont_lock_clocks and options.memory_clk_freq == "max"


def test_the_classic_flags() -> None:
    options = parsed(
        "m.onnx", "out", "-b", "-p", "-d", "--memory-clk-freq=1215", "--compute-clk-freq", "1410", "--power-limit=250",
        "--dev", "1", "--dont-lock-clocks", "--monitor", "--print-only", "--archive",
    )  # fmt: skip
    assert options.build_engine and options.profile_engine and options.draw_engine
    assert (options.memory_clk_freq, options.compute_clk_freq, options.power_limit, options.dev) == (
        "1215",
        "1410",
        250,
        1,
    )
    assert options.dont_lock_clocks and options.monitor and options.print_only and options.archive


@pytest.mark.parametrize(
    "words",
    [("--compute-clk-freq", "fast"), ("--dev", "-1"), ("--timeout", "-3"), ("--timeout", "inf"), ("--backend", "onnx")],
)
def test_what_is_no_choice(words: tuple[str, str]) -> None:
    with pytest.raises((argparse.ArgumentError, SystemExit)):
        parsed("m.onnx", "out", *words)


@pytest.mark.parametrize(
    ("words", "number"),
    [((), 2), (("device=1",), 1), (("--device=0", "fp16"), 0), (("device",), 2), (("fp16",), 2)],
)
def test_the_gpu_is_the_one_of_the_words(words: tuple[str, ...], number: int) -> None:
    assert CaptureOptions("m.onnx", "out", words, dev=2).gpu == number


def test_every_option_says_what_it_is_for() -> None:
    fields = list(option_fields(CaptureOptions))
    assert all(field.help for field in fields)
    assert len({flag for field in fields for flag in (field.flag, *field.flags)}) == sum(
        1 + len(f.flags) for f in fields
    )

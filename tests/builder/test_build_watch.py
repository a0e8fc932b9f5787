"""A build that is watched ends with what its whole log says, wherever its bytes are cut; estimates say what from."""

from __future__ import annotations

import math
import re

import pytest

from tests.build_log_text import EARLY, MODERN
from trex.builder.build_watch import (
    DONE,
    GENERATED,
    GENERATING,
    IMPORTING,
    OPTIMIZING,
    TIMING,
    TIMING_REFORMATS,
    BuildWatch,
)
from trex.core.build_log import CACHED, TIMED
from trex.ingest.build_log.build_log import BuildLogReader, read_build_log
from trex.ingest.build_log.messages import messages
from trex.ingest.logs.raw_lines import RawLines


def watched(text: str, earlier: str = "") -> BuildWatch:
    before = watched(earlier).as_earlier("before.log") if earlier else None
    watch = BuildWatch("x.log", before)
    watch.read(messages(RawLines(text.encode())))
    return watch


def layers(numbers: range, total: int = 10, seconds: float = 2.0) -> str:
    """A build that times layers of equal cost; the clock follows. Written by us after the wording of 10.x."""
    lines = [f"[01/02/2026-03:00:00] [V] [TRT] Original: {total + 5} layers"]
    lines.append(f"[01/02/2026-03:00:00] [V] [TRT] After concat removal: {total} layers")
    for number in numbers:
        clock = f"[01/02/2026-03:{int(number * seconds) // 60:02}:{int(number * seconds) % 60:02}] [V] [TRT] "
        lines += [
            f"{clock}=============== Computing costs for conv{number}",
            f"{clock}*************** Autotuning format combination: Float(1) -> Float(1) ***************",
            f"{clock}--------------- Timing Runner: conv{number} (CaskConvolution[0x80000009])",
            f"{clock}Tactic: 0x0000000000000001 Time: 0.5",
            f"{clock}conv{number} (CaskConvolution[0x80000009]) profiling completed in {seconds} seconds. "
            "Fastest Tactic: 0x0000000000000001 Time: 0.5",
        ]
    return "\n".join(lines) + "\n"


def test_every_phase_in_turn() -> None:
    cuts = {
        "Original": OPTIMIZING,
        "=============== Computing costs for Conv": TIMING,
        "*************** Autotuning Reformat": TIMING_REFORMATS,
        "Formats and tactics selection": GENERATING,
        "[I] [TRT] Engine generation": GENERATED,
        "Building graph using backend strategy 3": OPTIMIZING,
        "&&&& PASSED": DONE,
    }
    assert watched(MODERN.partition("Original")[0]).progress().phase == IMPORTING
    for mark, phase in cuts.items():
        end = MODERN.index("\n", MODERN.index(mark))
        assert watched(MODERN[: end + 1]).progress().phase == phase, mark


def test_what_is_being_timed() -> None:
    progress = watched(MODERN[: MODERN.index("Tactic Name: sm80_b")]).progress()
    assert (progress.layer_number, progress.layers, progress.layer, progress.runner) == (
        1, 7, "Conv_0 + Relu_1", "CaskConvolution",
    )  # fmt: skip
    assert progress.formats == "Float(4,1:4,1) -> Half(4,1)" and not progress.is_over
    progress = watched(MODERN[: MODERN.index(" (foreignNode) Sorted")]).progress()
    assert (progress.layer_number, progress.operation) == (2, "m: 0")


def test_the_end() -> None:
    progress = watched(MODERN).progress()
    assert progress.is_over and progress.passed and progress.name == "m.onnx" and not progress.layer
    assert (progress.timings, progress.skipped, progress.timed, progress.cached) == (6, 1, 3, 1)
    assert [(spent.layer, spent.timings) for spent in progress.slowest] == [
        ("Conv_0 + Relu_1", 2), ("{ForeignNode[m]}", 1), ("", 1),
    ]  # fmt: skip
    assert progress.timing_s == pytest.approx(0.61) and progress.strategies == 2


def test_a_build_without_a_last_line_ends_when_nothing_follows() -> None:
    text = MODERN[: MODERN.index("[01/02/2026-03:04:07] [V] [TRT] Use backend")]
    assert not watched(text).progress(1.0).is_over and watched(text).progress(20.0).is_over
    assert watched(text).progress(is_closed=True).is_over
    running = MODERN[: MODERN.index("Tactic Name: sm80_b")]
    assert not watched(running).progress(600.0, is_closed=True).is_over and watched(running).progress(7200.0).is_over


def test_several_builds_show_the_last() -> None:
    progress = watched(MODERN + MODERN.replace("m.onnx", "n.onnx")).progress()
    assert (progress.builds, progress.name, progress.timings, progress.skipped) == (2, "n.onnx", 6, 1)


def test_a_run_that_loads_an_engine_is_no_build() -> None:
    text = "[I] [TRT] Deserialization required 1000 microseconds.\n[I] Engine deserialized in 0.1 sec.\n"
    assert not watched(text).has_build
    assert watched("[I] [TRT] Local timing cache in use.\n").has_build


def test_logs_without_durations_use_clocks_of_long_builds_only() -> None:
    lines = EARLY.replace("CaskConvolution", "CaskPooling").splitlines() + EARLY.splitlines()[1:]
    short, long = (
        "\n".join(
            f"[01/02/2026-03:{int(n * step) // 60:02}:{int(n * step) % 60:02}] {line}" for n, line in enumerate(lines)
        )
        for step in (0.1, 30)
    )
    assert math.isnan(watched(short).progress().timing_s) and not watched(short).progress().slowest
    assert watched(long).progress().timing_s > 100 and watched(long).progress().slowest[0].layer == "conv"


def test_time_left_by_the_layers_so_far() -> None:
    progress = watched(layers(range(5))).progress()
    # Four of ten layers in 8 s: six are left.
    assert progress.left_s == pytest.approx(12.0) and progress.left_from.startswith("the mean of the first 4 layers")
    assert math.isnan(watched(layers(range(2))).progress().left_s), "one layer says too little"
    assert math.isnan(watched(layers(range(12))).progress().left_s), "more layers than announced"
    # A layer that takes long makes it longer.
    assert watched(layers(range(5))).progress(quiet_s=8.0).left_s == pytest.approx(24.0)


def test_time_left_by_an_earlier_build() -> None:
    earlier = layers(range(10)) + "[V] [TRT] Engine generation completed in 25.0 seconds.\n"
    progress = watched(layers(range(5)), earlier).progress()
    # The fifth layer is being timed, and 2 of its 2 s are spent; then five more, and 5 s of other work.
    assert progress.left_s == pytest.approx(15.0)
    assert progress.left_from == "before.log, where 40 % of the timing was done at this point"
    half = watched(layers(range(5), seconds=1.0), earlier).progress()
    assert half.left_s == pytest.approx(10.0), "as fast as the layers so far"
    other = watched(layers(range(5)), earlier.replace("conv", "gemm")).progress()
    assert math.isnan(other.left_s) and other.left_from == "before.log timed other layers"
    first = watched(layers(range(1)), earlier.replace("conv", "gemm")).progress()
    assert math.isnan(first.left_s) and first.left_from == "before.log timed other layers"


def test_only_a_build_that_finished_is_an_earlier_one() -> None:
    failed = layers(range(10)) + "&&&& FAILED TensorRT.trtexec [TensorRT v100700] # trtexec --onnx=x.onnx\n"
    assert watched(layers(range(10))).as_earlier("cut.log") is watched(failed).as_earlier("failed.log") is None
    progress = watched(failed + layers(range(5))).progress()
    assert progress.left_from.startswith("the mean of the first 4 layers")


LOGS = (
    "trt8.4-mnist-fp16-build-verbose.log",
    "trt8.6-build-verbose.log",
    "trt10.16-trtexec-02.log",
    "trtrtx1.7.1-resnet18-fp32-cpu-build-verbose.log",
)


@pytest.mark.parametrize("name", LOGS)
def test_a_real_log_in_pieces_is_the_same_as_at_once(shared_logs, name) -> None:
    data = (shared_logs / name).read_bytes()
    log = read_build_log(shared_logs / name)
    at_once = BuildWatch(name)
    at_once.read(messages(RawLines(data)))
    in_pieces = BuildWatch(name)

    def pieces():
        yield data[:5000]
        yield b""
        for start in range(5000, len(data), 7919):
            in_pieces.progress()
            yield data[start : start + 7919]

    in_pieces.read(messages(RawLines(pieces())))
    progress = in_pieces.progress(is_closed=True)
    assert progress == at_once.progress(is_closed=True) and progress.is_over
    assert progress.timings == len(log.times) + len(log.myelin_times)
    statuses = [row.status for row in log.autotuned]
    assert (progress.timed, progress.cached) == (statuses.count(TIMED), statuses.count(CACHED))
    assert progress.skipped == len(log.skipped)
    printed = re.findall(rb"profiling completed in ([\d.e-]+) seconds", data)
    if printed:
        assert progress.timing_s == pytest.approx(sum(map(float, printed)))


def test_what_was_taken_is_forgotten() -> None:
    reader = BuildLogReader("x.log")
    for number, clock, text in messages(RawLines((MODERN * 3).encode())):
        reader.read(number, clock, text)
        reader.take()
    rest = reader.finish()
    assert not rest.autotuned and not len(rest.times) and not rest.edits and len(rest.builds) == 3
    assert len(rest.operations) <= 1 and len(rest.myelin_times) <= 1

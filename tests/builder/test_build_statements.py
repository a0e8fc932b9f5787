"""What is said of a build agrees with what one counts in its log by other means."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests.build_log_text import EARLY, MODERN
from trex.builder.build_statements import (
    accumulation_words,
    duration,
    engine_choices,
    fp16_accumulation,
    memory_skips,
    phases,
    reformat_share,
    reproducibility,
    seconds_words,
    slower_than_fp32,
    statements,
    time_by_layer,
    time_by_runner,
)
from trex.builder.tactics import Tactics
from trex.ingest.build_log.build_log import parse_build_log, read_build_log

KEPT = MODERN.replace("Chose this engine", "Skip this engine")
ENGINE = """\
Layer(CaskConvolution): Conv_0 + Relu_1, Tactic: 0x00000000000000aa, x (Float[4,1:4]) -> y (Half[4])
Layer(Myelin): {ForeignNode[m]}, Tactic: 0x0000000000000000, y (Half[4]) -> z (Half[4])
"""


def tactics(text: str) -> Tactics:
    return Tactics(parse_build_log(text.encode(), "x.log"))


def with_engine(text: str) -> str:
    return text.replace("&&&& PASSED", ENGINE + "&&&& PASSED")


def test_sums_of_unknown_durations_are_unknown() -> None:
    build = tactics(EARLY)
    for frame in (build.build_time, time_by_layer(build, 0), time_by_runner(build, 0)):
        assert frame[["seconds", "share_pct"]].isna().all(axis=None) and list(frame["timings"]) == [1]


def test_statements_of_a_build() -> None:
    build = tactics(with_engine(KEPT))
    assert statements(build, 0) == [
        "Built in 1.5 s, 6 tactics timed in 0.61 s (41 %).",
        "2 of 2 chosen tactics had a runner-up within 2 %: builds may differ; record them with "
        "trex process --record-tactics.",
    ]
    share = reformat_share(build, 0)
    assert share is not None and share.words == "2 % of the timing is reformats of 1 tensor."
    chosen, is_of_engine = engine_choices(build, 0)
    assert is_of_engine and list(chosen["operation"]) == ["", "m: 0", ""]
    # Without the engine's layers every choice counts, in every combination of formats.
    again = reproducibility(tactics(KEPT), 0)
    assert again is not None and "choices (one for each layer" in again.words


def test_reads_the_type_that_the_engine_reads():
    half = ENGINE.replace("x (Float", "x (Half")
    build = tactics(KEPT.replace("&&&& PASSED", half + "&&&& PASSED"))
    assert list(engine_choices(build, 0)[0]["layer"]) == ["{ForeignNode[m]}"] * 2


def test_accumulation_and_its_price():
    named = KEPT.replace(" k_f16f16", " sm80_xmma_gemm_f16f16").replace(":0xbd1, 0.0131", ":0xad1, 0.0130")
    frame = fp16_accumulation(tactics(named), 0)
    assert accumulation_words(frame) == (
        "1 chosen kernel accumulates in FP16, by its name; accumulating in FP32 takes 0.77 % longer (0.0001 ms in all)."
    )
    assert accumulation_words(fp16_accumulation(tactics(KEPT), 0)) == ""


def test_skips_name_the_flag():
    (skips,) = memory_skips(tactics(KEPT), 0)
    assert skips.flag == "--memPoolSize=workspace:1024" and "7,527 bytes" in skips.words
    (early,) = memory_skips(tactics(EARLY), 0)
    assert early.flag == "" and early.words.endswith("(up to 538 MiB, available 166 MiB)")


def test_clocks_of_a_few_seconds_are_not_divided():
    next_runner = "[V] [TRT] --------------- Timing Runner: conv (CublasConvolution)\n"
    lines = [*EARLY.splitlines(keepends=True), next_runner]
    for step, share in ((1, None), (9, 0.0)):
        clocks = (divmod(second * step, 60) for second in range(len(lines)))
        text = "".join(
            f"[01/02/2026-03:{minute:02}:{second:02}] {line}"
            for (minute, second), line in zip(clocks, lines, strict=True)
        )
        spent = duration(tactics(text), 0)
        assert math.isnan(spent.timing_s) is (share is None), spent
        assert ("in about" in spent.words) is (share is not None)


def test_durations_in_words():
    assert [seconds_words(value) for value in (0.438, 14.73, 725, 36_720)] == [
        "0.438 s",
        "14.7 s",
        "12 min 5 s",
        "10 h 12 min",
    ]


@pytest.mark.parametrize("name", ["trt10.16-trtexec-02.log", "trt8.6-build-verbose.log"])
def test_time_of_real_builds(shared_logs, name):
    """Sums of ``profiling completed in … seconds`` by a regular expression."""
    text = (shared_logs / name).read_text(errors="replace")
    rows = re.findall(r"\] (.*) \((\w+)\[\w+\]\) profiling completed in ([\d.e-]+) seconds", text)
    build = Tactics(read_build_log(shared_logs / name))
    whole = sum(float(row[2]) for row in rows)
    reformats = [row for row in rows if row[1] == "Reformat"]
    share = reformat_share(build, 0)
    assert share is not None and share.share_pct == pytest.approx(100 * sum(float(row[2]) for row in reformats) / whole)
    assert share.tensors == len({row[0] for row in reformats})
    assert duration(build, 0).timing_s == pytest.approx(whole)
    for table in (time_by_layer(build, 0), time_by_runner(build, 0)):
        assert table["seconds"].sum() == pytest.approx(whole)
    generation = sum(map(float, re.findall(r"Engine generation completed in ([\d.e-]+)", text)))
    frame = phases(build, 0).set_index("phase")
    assert frame["seconds"]["Engine generation"] == pytest.approx(generation)
    assert frame["seconds"]["Timing tactics"] == pytest.approx(whole)
    outer = frame[frame["within"] == ""].drop("Engine generation")["share_pct"].dropna()
    assert 50 < outer.sum() <= 100.5


def test_half_precision_was_slower(shared_logs):
    """By hand, lines of the log: the convolution took 7.13448 µs in FP32, 14.9943 µs in FP16."""
    frame = slower_than_fp32(Tactics(read_build_log(shared_logs / "trt8.4-mnist-fp16-build-verbose.log")), 0)
    row = frame[frame["layer"] == "Conv-1 + ReLU-2"].iloc[0]
    assert (row["time_ms"], row["fp32_ms"]) == (0.0149943, 0.00713448)


def test_a_log_that_is_cut_has_no_build_time(shared_logs: Path) -> None:
    lines = (shared_logs / "trt8.6-build-verbose.log").read_bytes().splitlines(keepends=True)[:1500]
    cut = duration(Tactics(parse_build_log(b"".join(lines), "cut.log")), 0)
    assert math.isnan(cut.seconds) and cut.timings == 801 and "Build time unknown" in cut.words

"""Entries in the sections of trtexec's log: options, statistics, inputs and outputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.metadata import LatencySummary
from trex.ingest.logs.log_sections import (
    LogBinding,
    add_milestone,
    add_option,
    add_performance,
    add_polygraphy_run,
    joined,
    parse_binding,
    section_name,
)


def test_section_names() -> None:
    assert section_name("=== Device Information === ") == "Device Information"
    assert section_name("=== Profile (7 iterations ) ===") == "Profile (7 iterations )"
    assert section_name("=============== Computing costs for x") is None


def options(*lines: str) -> dict[str, str]:
    values: dict[str, list[str]] = {}
    for line in lines:
        add_option(values, line)
    return joined(values)


def test_options_keep_their_keys_and_values() -> None:
    assert options(
        "Dump refittable layers:Disabled",
        "Tempfile Controls: { in_memory: allow, temporary: allow }",
        '  Device 0: "NVIDIA X" UUID: GPU-1',
        "Output:",
        "Some new option of 12.0: yes",
        "not an option",
    ) == {
        "Dump refittable layers": "Disabled",
        "Tempfile Controls": "{ in_memory: allow, temporary: allow }",
        "Device 0": '"NVIDIA X" UUID: GPU-1',
        "Output": "",
        "Some new option of 12.0": "yes",
    }


def test_a_key_per_input_and_the_files_of_inputs() -> None:
    values = options(
        "Input inference shape : a=1x3", "Input inference shape : b=2", "Inputs:", "x:0<-x.bin", "y<-y.bin"
    )
    assert values == {"Input inference shape": "a=1x3, b=2", "Inputs": "x:0<-x.bin, y<-y.bin"}


@pytest.mark.parametrize(
    ("line", "binding"),
    [
        ("Created input binding for x with dimensions 1x3x8", LogBinding("x", True, (1, 3, 8))),
        ("Output binding for a b with dimensions 4 is created.", LogBinding("a b", False, (4,))),
        (
            "Input binding for x with dimensions -1x3 and type fp32 is created.",
            LogBinding("x", True, (None, 3), "fp32"),
        ),
        ("Input binding for s with dimensions  is created.", LogBinding("s", True, ())),
        (
            "Output binding for y is dynamic and will be created during execution using OutputAllocator.",
            LogBinding("y", False, None),
        ),
        ("Using random values for input x", None),
    ],
)
def test_bindings(line: str, binding: LogBinding | None) -> None:
    assert parse_binding(line) == binding


def test_milestones() -> None:
    milestones: dict[str, float] = {}
    for line in (
        "Engine built in 15.1 sec.",
        "Created engine with size: 6.5 MiB",
        "Timing trace has 9 queries over 3 s",
    ):
        add_milestone(milestones, line)
    assert milestones == {"engine_built_s": 15.1, "engine_size_mib": 6.5, "queries": 9}


def test_layers_with_sparse_weights_are_counted() -> None:
    milestones: dict[str, float] = {}
    add_milestone(milestones, "(Sparsity) Layers eligible for sparse math: a [Convolution], b, c")
    add_milestone(milestones, "(Sparsity) TRT inference plan picked sparse implementation for layers:")
    assert milestones == {"sparsity_eligible_layers": 3, "sparsity_picked_layers": 0}


@given(st.text(alphabet="&RUNIG Tensor.[]v0123b#:<-=%()msinax,", max_size=80))
def test_any_text_is_an_entry_or_nothing(text: str) -> None:
    parse_binding("Input binding for " + text)
    add_performance({}, {}, text)
    add_option({}, text)
    add_milestone({}, "Engine built in " + text)
    section_name("=== " + text)


def test_statistics_with_any_percentiles() -> None:
    performance: dict[str, Any] = {}
    latency: dict[str, LatencySummary] = {}
    for line in (
        "Throughput: 6207.5 qps",
        "Latency: min = 0.1 ms, max = 0.5 ms, mean = 0.2 ms, median = 0.15 ms, percentile(90%) = 0.3 ms, "
        "percentile(99.9%) = 4e-01 ms",
        "End-to-End Host Latency: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.4 ms, percentile(99%) = nan ms",
        "Total Host Walltime: 3 s",
        "New Figure: 12 things per day",
        "Explanations of the performance metrics are printed in the verbose logs.",
    ):
        add_performance(performance, latency, line)
    assert latency["Latency"] == LatencySummary(0.1, 0.5, 0.2, 0.15, {90.0: 0.3, 99.9: 0.4})
    assert performance["Latency"] == [0.1, 0.5, 0.2, 0.15, 0.3, 0.4]
    assert performance["Throughput"] == 6207.5
    assert performance["Total Host Walltime"] == 3.0
    assert performance["New Figure"] == "12 things per day"
    assert list(latency) == ["Latency", "End-to-End Host Latency"]
    assert len(performance) == 5


def test_the_average_time_of_a_run_of_polygraphy() -> None:
    line = "trt-runner-N0-18:00:00   | Completed 100 iteration(s) in 123 ms | Average inference time: 1.234 ms."
    milestones: dict[str, float] = {}
    add_polygraphy_run(milestones, line.replace("trt-", "onnxrt-"))
    assert milestones == {}
    assert add_polygraphy_run(milestones, line) == ""
    assert add_polygraphy_run(milestones, line.replace("N0", "N1").replace("1.234", "5")) == "trt-runner-N1-18:00:00"
    assert milestones == {"polygraphy_average_ms": 1.234, "polygraphy_iterations": 100.0}


def test_a_number_with_a_decimal_comma_is_not_cut() -> None:
    milestones: dict[str, float] = {}
    add_milestone(milestones, "Engine built in 2,893 sec.")
    assert milestones == {}
    add_milestone(milestones, "Engine built in 2.893 sec.")
    add_milestone(milestones, "Finished parsing network model. Parse time: 0.35.")
    assert milestones == {"engine_built_s": 2.893, "model_parsed_s": 0.35}


@pytest.mark.parametrize(
    ("text", "figure", "is_left"),
    [
        ("1,155.6 qps", 1155.6, False), ("1,234,567.25 ms", 1234567.25, False), ("1155.6 qps", 1155.6, False),
        ("1,155 ms", "1,155 ms", True), ("1155,6 qps", "1155,6 qps", True), ("1.155,6 qps", "1.155,6 qps", True),
        ("12,34.5 ms", "12,34.5 ms", False), ("2 of 3,000", "2 of 3,000", False),
    ],
)  # fmt: skip
def test_a_comma_separates_thousands_only_where_a_decimal_point_follows(
    text: str, figure: object, is_left: bool
) -> None:
    performance: dict[str, Any] = {}
    assert add_performance(performance, {}, f"Throughput: {text}") == is_left
    assert performance == {"Throughput": figure}


def test_statistics_with_thousands_separators() -> None:
    latency: dict[str, LatencySummary] = {}
    line = (
        "Latency: min = 1,001.5 ms, max = 2,000.25 ms, mean = 1,155 ms, median = 1,200.5 ms, percentile(90%) = 3.5 ms"
    )
    assert add_performance({}, latency, line)
    assert latency["Latency"] == LatencySummary(1001.5, 2000.25, None, 1200.5, {90.0: 3.5})
    milestones: dict[str, float] = {}
    assert not add_milestone(milestones, "Engine built in 1,002.893 sec.")
    assert add_milestone(milestones, "Engine loaded in 2,893 sec.")
    assert milestones == {"engine_built_s": 1002.893}

"""What the mock prints against what trtexec printed for the same command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mocks.arguments import Release, parse
from tests.mocks.echo import device_lines, option_lines
from tests.mocks.trtexec import title
from trex.ingest.logs.banner import parse_banner

PREFIX = re.compile(r"\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\] \[([VIWEF])\](?: (.*))?$")
LOGS = {
    "trt8.4-mnist-fp16-build-verbose.log": (8, 4), "trt8.4-mnist-load-profile-verbose.log": (8, 4),
    "trt8.6-build-verbose.log": (8, 6), "trt8.6-load-profile-verbose.log": (8, 6),
    "trt10.16-trtexec-01.log": (10, 16), "trt10.16-trtexec-02.log": (10, 16), "trt10.16-trtexec-03.log": (10, 16),
    "trt10.16-trtexec-04.log": (10, 16), "trt10.16-trtexec-05.log": (10, 16), "trt10.16-trtexec-08.log": (10, 16),
}  # fmt: skip
# 8.6.1 prints these, and the log is of 8.6.0.
LATER_IN_8_6 = ("ONNX Native InstanceNorm", "Build DLA standalone loadable", "Allow GPU fallback for DLA")


def log_lines(file: Path) -> Iterator[tuple[str, str]]:
    """(severity, message) of the prefixed lines."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        if match := PREFIX.match(line):
            yield match[1], (match[2] or "").rstrip()


def options_part(file: Path) -> list[str]:
    lines = [message for severity, message in log_lines(file) if severity == "I"]
    start = lines.index("=== Model Options ===")
    return lines[start : lines.index("=== Device Information ===")]


def command_of(file: Path) -> list[str]:
    with file.open(encoding="utf-8") as lines:
        banner = parse_banner(next(lines).rstrip("\n"))
    assert banner is not None
    return banner.command_line.split()


@pytest.mark.parametrize(("name", "release"), LOGS.items())
def test_the_options_are_echoed_line_by_line(name: str, release: Release, shared_logs: Path) -> None:
    file = shared_logs / name
    parsed = parse(command_of(file)[1:], release)
    assert not parsed.unknown
    ours = [line.rstrip() for line in option_lines(parsed, release)]
    assert [line for line in ours if release != (8, 6) or not line.startswith(LATER_IN_8_6)] == options_part(file)


@pytest.mark.parametrize(("name", "release"), LOGS.items())
def test_the_device_section_has_the_same_keys(name: str, release: Release, shared_logs: Path) -> None:
    lines = [message for _, message in log_lines(shared_logs / name)]
    real = lines[lines.index("=== Device Information ===") : next(
        index for index, line in enumerate(lines) if line.startswith("TensorRT version")
    )]  # fmt: skip
    assert [line.partition(":")[0] for line in device_lines(release)] == [line.partition(":")[0] for line in real]


def test_an_8_5_log_without_a_banner(shared_logs: Path) -> None:
    real = [message for _, message in log_lines(shared_logs / "trt8.5-superbench-profile.log")]
    model = next(line for line in real if line.startswith("Model: ")).removeprefix("Model: ").rstrip()
    words = [f"--onnx={model}", "--explicitBatch", "--iterations=2048", "--percentile=99", "--fp16",
             "--memPoolSize=workspace:8192", "--shapes=input:32x3x224x224"]  # fmt: skip
    parsed = parse(words, (8, 5))
    end = real.index("=== Trace details ===") - 1
    assert [line.rstrip() for line in option_lines(parsed, (8, 5))][:-1] == real[:end]


@pytest.mark.parametrize("name", LOGS)
def test_banners(name: str, shared_logs: Path) -> None:
    with (shared_logs / name).open(encoding="utf-8") as lines:
        first = next(lines).rstrip("\n")
    versions = {"8401": (8, 4, 1), "8600": (8, 6, 0), "101600": (10, 16, 0)}
    number = re.search(r"v(\d+)", first)
    assert number is not None
    assert first == f"&&&& RUNNING {title(versions[number[1]], command_of(shared_logs / name))}"


def test_severities_of_the_real_logs_go_where_ours_do(shared_logs: Path) -> None:
    """Nothing but V, I, W and E is printed: those are what the mock's console has."""
    assert {severity for name in LOGS for severity, _ in log_lines(shared_logs / name)} == {"V", "I", "W"}

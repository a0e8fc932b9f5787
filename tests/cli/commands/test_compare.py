"""The command ``trex compare``."""

from __future__ import annotations

import json

import pytest

BASE, NEW = "example:resnet18-int8", "example:resnet18-int8-residual"


def test_it_tells_verdict_causes_and_layers(trex):
    said = trex("compare", BASE, NEW)
    assert said.code == 0
    for words in ("faster by 41.5 %", "reformats added or removed", "Layer groups by difference"):
        assert words in said.out


@pytest.mark.parametrize(
    "ending, start",
    [
        ("json", '{\n "schema": "trex.compare/1"'),
        ("md", "# resnet18"),
        ("txt", "resnet18-int8 →"),
        ("junit.xml", "<?xml"),
        ("annotations", "::notice title=trex compare"),
    ],
)
def test_the_ending_chooses_the_format(trex, tmp_path, ending, start):
    file = tmp_path / f"x.{ending}"
    said = trex("compare", BASE, NEW, "-o", file)
    assert (said.code, said.out) == (0, f"{file}\n")
    assert file.read_text(encoding="utf-8").startswith(start)


def test_an_ending_that_no_format_has(trex, tmp_path):
    said = trex("compare", BASE, NEW, "-o", tmp_path / "x.docx")
    assert said.code == 2 and "known" not in said.out and ".md" in said.err


def test_a_format_is_named_for_the_terminal(trex):
    said = trex("compare", NEW, BASE, "--format", "github", "--fail-on", "latency>+3%")
    assert said.code == 1 and "::error title=failed%3A latency>+3%25::" in said.out


def test_json_is_plain(trex):
    said = trex("compare", BASE, NEW, "--json", "--explain", "--fail-on", "latency>+3%")
    data = json.loads(said.out, parse_constant=lambda word: pytest.fail(word))
    assert data["gate"][0]["judgement"] == "passed"


def test_what_is_slower_and_real_fails(trex):
    assert trex("compare", BASE, NEW, "--fail-on", "latency>+3%").code == 0
    said = trex("compare", NEW, BASE, "--fail-on", "latency>+3%", "layer:no such layer>+1%")
    assert said.code == 1
    assert "failed" in said.out and "cannot tell" in said.out


def test_what_nobody_can_tell_is_no_pass(trex):
    said = trex("compare", BASE, NEW, "--fail-on", "layer:no such layer>+1%")
    assert said.code == 2 and "cannot tell" in said.out


def test_a_condition_that_cannot_be_read(trex):
    said = trex("compare", BASE, NEW, "--fail-on", "latency")
    assert said.code == 2 and "no condition" in said.err and said.out == ""


def test_unlike_runs_are_named_and_refused_when_strict(trex):
    assert trex("compare", BASE, NEW, "--strict").code == 0
    unlike = ("compare", "example:resnet18-fp16", "example:transformer-fp16")
    said = trex(*unlike)
    assert said.code == 0 and "The runs are not alike: input shapes" in said.out
    said = trex(*unlike, "--strict")
    assert said.code == 2 and "input shapes" in said.err and said.out == ""

"""The command ``trex perf``."""

from __future__ import annotations

import json

import pytest

from tests.simulated_examples import SIMULATED

EXAMPLE = str(SIMULATED / "resnet18-fp16")


def test_sections_that_are_asked_for(trex):
    said = trex("perf", EXAMPLE, "--section", "weather")
    assert said.code == 2
    assert "weather" in said.err


def test_the_section_of_kernels_has_the_name_of_its_title_too(trex):
    said = trex("perf", EXAMPLE, "--section", "kernels")
    assert said.code == 0 and "\nKernels\n" in said.out
    assert (
        said.out == trex("perf", EXAMPLE, "-s", "tactics").out == trex("perf", EXAMPLE, "-s", "tactics", "kernels").out
    )


def test_a_terminal_shows_one_line_per_section_unless_asked_for_more(trex):
    brief, whole = trex("perf", EXAMPLE).out, trex("perf", EXAMPLE, "-v").out
    assert "Roofline  " in brief and "\nRoofline\n" not in brief and "--section roofline" in brief
    assert "\nRoofline\n" in whole and "\nRoofline\n" in trex("perf", EXAMPLE, "-f", "text").out


@pytest.mark.parametrize(
    "ending, start", [("json", '{\n "schema": "trex.perf/1"'), ("md", "# resnet18"), ("txt", "resnet18-fp16")]
)
def test_the_ending_chooses_the_format(trex, tmp_path, ending, start):
    file = tmp_path / f"x.{ending}"
    said = trex("perf", EXAMPLE, "-o", str(file))
    assert (said.code, said.out) == (0, f"{file}\n")
    assert file.read_text(encoding="utf-8").startswith(start)


def test_rows_that_a_file_of_rows_alone_leaves_out_are_counted(trex, tmp_path):
    file = str(tmp_path / "x.csv")
    key = "where_time_could_be_saved"
    assert (
        "more rows left out: trex perf --top N" in trex("perf", EXAMPLE, "-o", file, "--fields", key, "--top", "2").err
    )
    assert trex("perf", EXAMPLE, "-o", file, "--fields", key, "--top", "99").err == ""


def test_shapes_of_an_engine_without_dynamic_dimensions(trex):
    assert trex("perf", EXAMPLE, "--shapes", "max").out == trex("perf", EXAMPLE).out


def test_json_is_plain(trex):
    said = trex("perf", EXAMPLE, "--json", "--explain")
    assert json.loads(said.out, parse_constant=lambda word: pytest.fail(word))["title"] == "resnet18-fp16"

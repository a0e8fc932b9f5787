"""The migration page: its recipes give the numbers that TREx is known to print, and its names exist."""

from __future__ import annotations

import builtins
import inspect
import re
from pathlib import Path

import pytest

import trex
from tests.launchers import script

PAGE = Path(__file__).resolve().parents[2] / "docs" / "migrating-from-trex.md"
# What TREx's own tests expect of the MobileNet V2 with quantization that came with it.
KNOWN = {"Activations": "15.9 MB", "Weights": "3.3 MB"}


def recipe(fact: str) -> str:
    (line,) = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| `summary_dict`: {fact}")]
    return re.findall(r"`([^`]+)`", line)[-1]


@pytest.mark.parametrize("fact", KNOWN)
def test_recipes_give_the_old_numbers(fact: str, shared_engines: Path) -> None:
    plan = trex.load(shared_engines / "trt8.4-mobilenetv2-qat")
    assert f"{eval(recipe(fact), {'plan': plan}):.1f} MB" == KNOWN[fact]
    facts = trex.summary_dict(plan)
    assert facts["Inputs"] == "input1: [1, 3, 224, 224]xFP32 NCHW"
    assert (facts["Average time"], facts["Layers"]) == ("0.470 ms", "72")


@pytest.mark.parametrize("fact", KNOWN)
def test_recipes_run_on_every_engine(fact: str, address: str) -> None:
    assert eval(recipe(fact), {"plan": trex.load(address)}) >= 0


def test_no_false_alarm_of_idle_tensor_cores(shared_engines: Path) -> None:
    assert not trex.ConvLinter(trex.load(shared_engines / "trt8.2-resnet50-rtx3090-fp16")).tc_lint()


def test_names_on_the_page_exist() -> None:
    for name in re.findall(r"`(?:trex\.)?([a-z_]+)\(", PAGE.read_text("utf-8")):
        files = [getattr(trex, file) for file in ("report_card", "compare_engines", "notebook", "graphing")]
        places = (trex, trex.EnginePlan, *files, script("draw_engine"), builtins)
        assert any(hasattr(place, name) for place in places), name


def test_arguments_on_the_page_are_those_of_the_functions() -> None:
    drawing = script("draw_engine")
    listed = re.findall(r"^\| `(\w+)\((.*?)\)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = [(name, arguments) for name, arguments in listed if name in drawing.__all__]
    assert {name for name, _ in listed} == set(drawing.__all__) - {"draw_engine"}
    for name, arguments in listed:
        parameters = inspect.signature(getattr(drawing, name)).parameters.values()
        assert ", ".join(str(one).partition(":")[0] for one in parameters) == arguments, name

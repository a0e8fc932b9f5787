"""``summary_dict`` and ``summary``: TREx's keys and formats first, over every engine."""

from __future__ import annotations

import math
import re

import pytest

import trex
from tests.simulated_examples import load_simulated

KEYS = ["Inputs", "Outputs", "Average time", "Layers", "Weights", "Activations"]
BINDING = r"[^\n]*: (\[-?\d*(, -?\d+)*\]|\?)x[^\n]+"


def test_the_classic_facts_of_every_engine(address: str) -> None:
    plan = trex.load(address)
    facts = trex.summary_dict(plan)
    assert type(facts) is dict and list(facts)[:6] == KEYS
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in facts.items())
    assert facts["Layers"] == str(len(plan.df))
    for key, value, unit in (
        ("Average time", plan.total_runtime, "ms"),
        ("Weights", plan.total_weights_size / 2**20, "MB"),
        ("Activations", plan.total_act_size / 2**20, "MB"),
    ):
        digits = 3 if unit == "ms" else 1
        assert facts[key] == ("unknown" if math.isnan(value) else f"{value:.{digits}f} {unit}")
    for side, tensors in zip(("Inputs", "Outputs"), plan.get_bindings()):
        assert bool(tensors) == bool(facts[side]) == bool(re.fullmatch(BINDING, facts[side]))


def test_inputs_are_in_the_words_of_trex() -> None:
    plan = load_simulated("resnet18-int8")
    tensor = plan.get_bindings()[0][0]
    wanted = f"{tensor.name}: {list(tensor.shape or ())}xFP32 NCHW"
    assert trex.summary_dict(plan)["Inputs"] == wanted


def test_the_summary_has_the_classic_sections_first(capsys: pytest.CaptureFixture[str]) -> None:
    plan = load_simulated("resnet18-int8")
    plan.summary()
    printed = capsys.readouterr().out
    titles = [line for line in printed.splitlines() if line.endswith(":") and not line.startswith(("\t", " "))]
    wanted = {"Device Properties": plan.device_properties, "Builder Configuration": plan.builder_cfg}
    wanted["Performance Summary"] = plan.performance_summary
    assert titles[: 1 + sum(map(bool, wanted.values()))] == [
        "Model:",
        *(f"{key}:" for key, facts in wanted.items() if facts),
    ]
    assert printed.startswith("Model:\n\tInputs: ") and f"\tLayers: {len(plan.layers)}\n" in printed
    assert "Where time goes" in printed

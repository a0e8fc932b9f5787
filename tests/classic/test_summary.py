"""``summary_dict`` and ``summary``: TREx's keys and formats first, over every engine."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import trex
from tests.factories import conv, engine, t
from tests.simulated_examples import load_simulated
from trex.classic.summary import classic_facts
from trex.core.timings import LayerTime, LayerTimes
from trex.plan.engine_plan import EnginePlan

KEYS = ["Inputs", "Outputs", "Average time", "Layers", "Weights", "Activations"]
BINDING = r"[^\n]*: (\[-?\d*(, -?\d+)*\]|\?)x[^\n]+"


def test_the_classic_facts_of_every_engine(address: str) -> None:
    plan = trex.load(address)
    facts = trex.summary_dict(plan)
    assert type(facts) is dict and list(facts)[:6] == KEYS
    assert all(isinstance(key, str) and isinstance(value, str) for key, value in facts.items())
    assert facts["Layers"] == str(len(plan.df))
    unknown = plan.unknown_sizes
    for key, value, unit, is_partial in (
        ("Average time", plan.total_runtime, "ms", None in plan.layer_ms),
        ("Weights", plan.total_weights_size / 2**20, "MB", bool(unknown["weights"])),
        ("Activations", plan.total_act_size / 2**20, "MB", bool(unknown["activations"])),
    ):
        number = f"{value:.{3 if unit == 'ms' else 1}f} {unit}"
        if facts[key] != "unknown":
            assert facts[key].startswith(number) and is_partial == bool(re.search(" layer| tensor", facts[key]))
    for side, tensors in zip(("Inputs", "Outputs"), plan.get_bindings()):
        assert bool(tensors) == bool(facts[side]) == bool(re.fullmatch(BINDING, facts[side]))


def test_partial_sums_and_unknown_sizes_say_so() -> None:
    layers = [conv("a", [t("x")], [t("y")]), conv("b", [t("y")], [t("z", None)])]
    some = engine(*layers, inputs=("x",), outputs=("z",))
    facts = classic_facts(EnginePlan(some, LayerTimes((LayerTime("a", 0, 1.0, 0.25, 0.25, 100.0),))))
    assert facts["Average time"] == "0.250 ms in 1 of 2 layers"
    assert re.fullmatch(r"\d+\.\d MB \+ 1 tensor of unknown size", facts["Activations"])
    facts = classic_facts(EnginePlan(replace(some, verbosity="log")))
    assert facts["Average time"] == facts["Weights"] == "unknown"
    assert classic_facts(load_simulated("resnet18-int8"))["Average time"].endswith(" ms (predicted)")


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

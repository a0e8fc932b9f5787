"""Plots of several engines: of every engine, with the plans' sums, and sentences for what is missing."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from tests.simulated_examples import SIMULATED
from tests.synthetic import CASES
from trex.core.note import Note
from trex.engine_plan import EnginePlan, load, summary_dict
from trex.export.figures.figure import described
from trex.plan.engine_plan import EnginePlan as Plan
from trex.views.diagram.doubts import doubtful
from trex.views.engines.names import plan_names
from trex.views.engines.plots import overview
from trex.views.engines.tables import facts_of_engines
from trex.views.plot import Bars, Empty

READABLE = [name for name, case in CASES.items() if not case.expect.error and not case.needs]
EXAMPLES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")


@pytest.mark.parametrize("name", READABLE)
def test_every_plot_of_every_engine_beside_another(name: str, tmp_path: Path) -> None:
    plans = [load(CASES[name].write(tmp_path)), load(str(SIMULATED / "resnet18-int8"))]
    for title, make in overview(plans).items():
        plot = make()
        assert described(plot)["layout"]
        if isinstance(plot, Bars):
            assert plot.title == title and len(plot.names) == len(plot.values)
            assert all(value is not None and value >= 0 for value in plot.values)


def test_sums_are_those_of_the_plans() -> None:
    plans = [load(f"example:{name}") for name in EXAMPLES]
    result = overview(plans)
    for words in ("type", "precision"):
        for unit, expected in (("ms", [plan.total_runtime for plan in plans]), ("%", [100.0] * 3)):
            plot = result[f"Latency per layer {words} ({unit})"]()
            assert isinstance(plot, Bars)
            sums: dict[str, float] = defaultdict(float)
            for engine, value in zip(plot.names, plot.values, strict=True):
                sums[engine] += value or 0.0
            assert list(sums) == [plan.provenance.titled(plan.name) for plan in plans]
            assert list(sums.values()) == pytest.approx(expected)
    throughput = result["Throughput"]()
    assert isinstance(throughput, Bars)
    texts = [float(plan.performance_summary["Throughput"]) for plan in plans]
    assert list(throughput.values) == pytest.approx([32 * item for item in texts])


def test_what_is_missing_is_said() -> None:
    bare = EnginePlan([{"Name": "a", "LayerType": "kgen", "Inputs": [], "Outputs": []}], name="bare")
    result = overview([bare])
    for title in ("Latency per layer type (ms)", "Latency", "Latency per item of the batch", "Throughput"):
        assert isinstance(result[title](), Empty)
    item = overview([bare, load(str(SIMULATED / "resnet18-int8"))])
    for title in ("Latency", "Throughput"):
        plot = item[title]()
        assert isinstance(plot, Bars) and "bare" in plot.note
    times = item["Latency per layer type (ms)"]()
    assert isinstance(times, Bars) and "1 layer without a time" in times.note


def test_names_are_told_apart_whatever_they_are() -> None:
    def named(*names: str) -> list[str]:
        plans = [EnginePlan([{"Name": "a", "LayerType": "b"}], name=name) for name in names]
        return plan_names(plans)

    assert named("a", "b") == ["a", "b"]
    assert named("a", "a", "a (1)") == ["a (2)", "a (3)", "a (1)"]
    assert named("a", "a", "b") == ["a (1)", "a (2)", "b"]


def test_engines_whose_files_contradict_each_other_are_marked() -> None:
    sound = load("example:resnet18-int8")
    note = Note("run-failed", "trtexec reports that the run failed", severity="problem")
    failed = Plan(sound.engine, sound.layer_times, sound.query_times, sound.metadata, notes=(note,))
    plot = overview([sound, failed])["Latency"]()
    assert isinstance(plot, Bars) and {name.endswith("times in doubt") for name in map(str, plot.names)} == {
        True,
        False,
    }
    table = facts_of_engines([sound, failed], "vertical", summary_dict)
    assert list(table.loc["Problems"]) == ["–", note.message]


@pytest.mark.parametrize(("code", "words"), [("names-only-engine", ""), ("truncated", "layers missing")])
def test_only_problems_of_times_and_lost_layers_mark_an_engine(code: str, words: str) -> None:
    """Names alone, the default of TensorRT, say nothing against the times; the row of problems has them."""
    layers = EnginePlan([{"Name": "a", "LayerType": "b"}]).engine
    plan = Plan(layers, notes=(Note(code, "wrong", severity="problem"),), name="net")
    plot = overview([plan])["Count per layer type"]()
    assert isinstance(plot, Bars) and set(plot.names) == {doubtful("net", words)}
    assert list(facts_of_engines([plan], "vertical", summary_dict).loc["Problems"]) == ["wrong"]

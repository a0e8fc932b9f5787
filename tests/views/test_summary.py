"""EnginePlan → Document: the facts a person wants first."""

from __future__ import annotations

import json
import math
import re
from array import array
from dataclasses import replace

import pytest

from tests.factories import conv, engine, layer, t, time
from tests.simulated_examples import load_simulated
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import LayerTime, LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.export.documents.json import document_dict
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document
from trex.views.summary import engine_facts, summary_document, tactics_table
from trex.views.table import Table, byte_size


def net(*layers, times=(), **more) -> EnginePlan:
    profile = LayerTimes(tuple(times)) if times else None
    return EnginePlan(engine(*layers, inputs=["x"], outputs=["z"]), profile, **more)


def pair() -> tuple:
    a = conv("a", [t("x", (1, 8, 4, 4))], [t("y", (1, 8, 4, 4))], (3, 3))
    return a, layer("b", "Reformat", ["y"], ["z"])


def facts(plan: EnginePlan) -> dict:
    return {fact.label: fact for fact in engine_facts(plan)}


def tables(document: Document) -> dict[str, Table]:
    return {table.title: table for section in document.sections for table in section.tables}


def table(plan: EnginePlan, title: str, top: int = 10) -> Table:
    return tables(summary_document(plan, top))[title]


def test_what_the_log_tells_of_the_build():
    text = {"engine_built_s": 15.12, "engine_generation_s": 14.73, "model_parsed_s": 0.0211, "engine_size_mib": 6.374}
    plan = net(*pair(), build_metadata=Metadata(milestones={**text, "peak_gpu_mib": 1037.0, "loaded_engine_mib": 6.0}))
    result = facts(plan)
    assert result["Build time"].text == "15.12 s (model import 0.0211 s, builder 14.73 s)"
    assert result["Build time"].value == 15.12
    assert (result["Engine size"].text, result["Engine size"].value) == ("6.374 MiB", 6.374)
    assert result["Peak build memory"].text == "1,037 MiB of the GPU"
    only = facts(
        net(*pair(), build_metadata=Metadata(milestones={"engine_generation_s": 3.0, "engine_size_mib": math.nan}))
    )
    assert only["Build time"].text == "3 s" and "Engine size" not in only
    assert "Build time" not in facts(net(*pair()))


def test_time_by_type_adds_up():
    plan = net(*pair(), times=[time("a", 3.0), time("b", 1.0)])
    rows = table(plan, "Where time goes").records()
    assert [(row["type"], row["layers"], row["median"], row["time"]) for row in rows] == [
        ("Convolution", 1, 3.0, 75.0),
        ("Reformat", 1, 1.0, 25.0),
    ]


def test_the_slowest_layers_carry_the_engines_own_numbers():
    plan = net(*pair(), times=[time("a", 1.0), time("b", 3.0)])
    rows = table(plan, "Slowest layers").records()
    assert [(row["#"], row["layer"]) for row in rows] == [(1, "b"), (0, "a")]
    assert len(table(plan, "Slowest layers", 1).rows) == 1


def test_a_layer_without_a_record_has_no_time():
    plan = net(*pair(), times=[time("a", 3.0), time("b", None)])
    rows = {row["type"]: row for row in table(plan, "Where time goes").records()}
    assert rows["Reformat"]["median"] is None
    assert [row["layer"] for row in table(plan, "Slowest layers").records()] == ["a"]


@pytest.mark.parametrize(
    ("batches", "words"),
    [
        ((1, 1, None), "+ 1 tensor of unknown size"),
        ((1, None, None), "+ 2 tensors of unknown size"),
        ((None, None, None), "3 tensors of unknown size"),
    ],
)
def test_sizes_say_how_many_tensors_they_lack(batches, words):
    x, y, z = (t(name, (batch, 8, 4, 4)) for name, batch in zip("xyz", batches, strict=True))
    activations = facts(net(layer("a", "kgen", [x], [y]), layer("b", "kgen", [y], [z])))["Activations"]
    assert activations.text.endswith(words)
    assert not activations.text.startswith("0")


def test_without_a_profile_there_are_no_times_at_all():
    document = summary_document(net(*pair()))
    assert set(tables(document)) == {"Layers by type", "Layers by precision"}
    assert "not measured" in facts(net(*pair()))["Layer times"].text
    assert document.section("headline").statements == (
        "Not measured (add a layer profile: trex doctor PATH prints the command), 2 layers",
    )
    for item in tables(document).values():
        assert {column.name for column in item.for_people().columns} & {"average", "median", "time"} == set()


def test_measured_latency():
    gpu = LatencySummary(1.0, 3.0, 2.0, 2.0, {})
    whole = LatencySummary(2.0, 4.0, 3.0, 3.0, {})
    plan = net(*pair(), times=[time("a", 3.0), time("b", 1.0)], metadata=Metadata(latency={"GPU Compute Time": gpu}))
    (overhead,) = summary_document(plan).section("types").statements
    assert overhead == "Layer times add up to 4.0000 ms, 2.00× GPU compute (more than profiling costs)."
    assert summary_document(plan).section("headline").statements == ("GPU compute 2.0000 ms, 2 layers",)
    assert "Latency" not in facts(plan)
    both = net(*pair(), metadata=Metadata(latency={"GPU Compute Time": gpu, "Latency": whole}))
    assert facts(both)["Latency"].value == 3.0
    alone = net(*pair(), metadata=Metadata(latency={"Latency": whole}))
    assert "transfers included" in facts(alone)["Latency"].text
    same = net(*pair(), metadata=Metadata(latency={"GPU Compute Time": gpu, "Latency": gpu}))
    assert "Latency" not in facts(same)


def test_queries_of_several_streams_share_the_gpu():
    metadata = Metadata(
        latency={"GPU Compute Time": LatencySummary(1.0, 3.0, 2.0, 2.0, {})}, inference_options={"Streams": "4"}
    )
    document = summary_document(net(*pair(), times=[time("a", 0.3), time("b", 0.2)], metadata=metadata))
    assert document.subtitle.endswith("4 inference streams")
    (overhead,) = document.section("types").statements
    assert overhead == (
        "Layer times add up to 0.5000 ms, 0.25× GPU compute (queries on 4 inference streams share the GPU)."
    )


def test_many_bindings_are_not_all_listed():
    outputs = [t(f"o{i}", (1, 2)) for i in range(20)]
    whole = engine(layer("a", inputs=["x"], outputs=outputs), inputs=["x"], outputs=[o.name for o in outputs])
    fact = facts(EnginePlan(whole))["Outputs"]
    assert len(fact.text.split("\n")) == 9
    assert "and 12 more" in fact.text
    assert len(fact.value) == 20


def test_an_engine_without_layers_reports_none():
    plan = EnginePlan(engine())
    assert facts(plan)["Layers"].text == "not reported"
    json.dumps(document_dict(summary_document(plan)), allow_nan=False)


def test_problems_come_first_and_once():
    notes = (Note("a-a", "fine", severity="info"), Note("b-b", "lost", severity="problem"), Note("c-c", "odd"))
    plan = net(*pair(), notes=(*notes, notes[0]))
    assert [note.code for note in summary_document(plan).notes] == ["b-b", "c-c", "a-a"]


def test_simulated_data_is_said_to_be():
    assert "simulated" in summary_document(load_simulated("resnet18-int8")).statement
    assert summary_document(net(*pair())).statement == ""


def test_tactics_are_summed_not_averaged():
    """A tactic's share is the sum over its layers: 30 % and 70 %, not their mean."""
    layers = [layer(f"l{i}", tactic="t1" if i < 2 else "t2", inputs=[f"x{i}"], outputs=[f"x{i + 1}"]) for i in range(3)]
    plan = EnginePlan(engine(*layers), LayerTimes((time("l0", 1.5), time("l1", 1.5), time("l2", 7.0))))
    rows = tactics_table(plan, "id").records()
    assert [(row["tactic"], row["layers"], row["time"]) for row in rows] == [("t1", 2, 30.0), ("t2", 1, 70.0)]
    assert [row["tactic"] for row in tactics_table(plan, "latency").records()] == ["t2", "t1"]
    assert [row["tactic"] for row in tactics_table(plan, "count").records()] == ["t1", "t2"]
    assert [row["#"] for row in tactics_table(plan, "latency", group=False).records()] == [2, 0, 1]
    assert [row["#"] for row in tactics_table(plan, "count", group=False).records()] == [0, 1, 2]


def test_the_dictionary_is_json_with_a_schema():
    plan = net(*pair(), times=[time("a", math.nan), time("b", 1.0)])
    data = json.loads(json.dumps(document_dict(summary_document(plan)), allow_nan=False))
    assert data["schema"] == "trex.summary/1"
    assert set(data["sections"]) == {"headline", "types", "slowest", "details"}
    facts = data["sections"]["details"]["facts"]
    assert facts["inputs"] == [{"name": "x", "shape": [1, 8, 4, 4], "precision": "FP16", "format": "NCHW"}]
    assert data["sections"]["slowest"]["tables"]["slowest_layers"]["rows"][0]["time_ms"] == 1.0


@pytest.mark.parametrize(
    ("folder", "layers", "sum_ms", "reformats"),
    [
        ("trt8.4-resnet18-a100-fp32", 24, 2.124, 1),
        ("trt8.4-resnet18-a100-fp16", 25, 1.017, 2),
        ("trt8.4-resnet18-a100-qat", 35, 1.096, 12),
        ("trt8.4-resnet18-a100-qat-residual", 25, 0.731, 3),
        ("trt8.4-resnet18-a100-qat-residual-qgap", 23, 0.673, 1),
    ],
)
def test_the_published_story_of_resnet18(shared_engines, folder, layers, sum_ms, reformats):
    plan = load(shared_engines / folder)
    assert facts(plan)["Layers"].value == layers
    assert facts(plan)["Sum of layer times"].value == pytest.approx(sum_ms, abs=5e-4)
    by_type = {row["type"]: row["layers"] for row in table(plan, "Where time goes").records()}
    assert by_type["Reformat"] == reformats


def test_the_work_that_no_engine_judged_is_named_next_to_the_error_bar() -> None:
    document = summary_document(load_simulated("transformer-fp16"))
    (headline, *_) = document.sections
    assert re.search(r"^\d+ % of the predicted time is in work that no measured .*: FP16 GEMM", headline.statements[1])
    judged = summary_document(load_simulated("resnet18-int8"))
    assert len(judged.sections[0].statements) == 1


def queries(warm_up: int | None = None) -> QueryTimes:
    """1.00 … 1.99 ms of compute, after slow ones of the warm-up."""
    compute = [9.0] * (warm_up or 0) + [1 + n / 100 for n in range(100)]
    columns = {"computeMs": array("d", compute), "latencyMs": array("d", [ms + 0.5 for ms in compute])}
    return QueryTimes(columns, warm_up)


@pytest.mark.parametrize("warm_up", [None, 3])
def test_query_times_give_the_latency_that_no_summary_gives(warm_up) -> None:
    plan = net(*pair(), query_times=queries(warm_up))
    result = facts(plan)
    assert result["GPU compute time"].value == 1.495 and result["Latency"].value == 1.995
    (headline,) = summary_document(plan).sections[0].statements
    assert headline.startswith("GPU compute 1.4950 ms (p99 1.9800)")
    measured = LatencySummary(2.0, 2.0, 2.0, 2.0, {99.0: 2.0})
    printed = net(*pair(), query_times=queries(), metadata=Metadata(latency={"GPU Compute Time": measured}))
    assert facts(printed)["GPU compute time"].value == 2.0


def test_query_times_without_layers_are_shown_as_a_table() -> None:
    plan = EnginePlan(engine(), query_times=queries())
    assert [row[0] for row in table(plan, "Times of an inference").rows] == ["latency", "GPU compute"]
    assert "Times of an inference" not in tables(summary_document(net(*pair(), query_times=queries())))


MEMORY = {"activation_bytes": 125440, "weights_bytes": 13100672}


def test_sizes_that_only_the_log_has_are_shown() -> None:
    log = EnginePlan(replace(engine(), verbosity="log"), build_metadata=Metadata(memory=MEMORY))
    assert facts(log)["Weights"].text == f"{byte_size(13100672)} by TensorRT's log"
    assert facts(log)["Activations"].text == f"{byte_size(125440)} by TensorRT's log, shared"
    assert facts(log)["Activations"].value == {"reported_bytes": 125440}
    middle = t("y", (None, 8, 4, 4))
    layers = conv("a", [t("x", (1, 8, 4, 4))], [middle]), layer("b", "Reformat", [middle], [t("z", (1, 8, 4, 4))])
    text = facts(net(*layers, build_metadata=Metadata(memory=MEMORY)))["Activations"].text
    assert text.startswith(f"{byte_size(125440)} by TensorRT's log, shared (") and "1 tensor of unknown size" in text


def test_sizes_that_the_layers_have_are_theirs() -> None:
    known = facts(net(*pair(), build_metadata=Metadata(memory=MEMORY)))["Activations"]
    assert known == facts(net(*pair()))["Activations"]


def test_a_sum_over_some_layers_says_of_how_many():
    a, b = pair()
    two = conv("c", [t("y", (1, 8, 4, 4))], [t("z", (1, 8, 4, 4))], (3, 3))
    plan = net(a, two, b, times=[time("a", 2.0), time("b", 1.0)])
    assert summary_document(plan).section("headline").statements == (
        "Layer times add up to 3.0000 ms in 2 of 3 layers",
    )
    assert [row[2:5] for row in tables(summary_document(plan))["Where time goes"].rows] == [(2, 1, 2.0), (1, 1, 1.0)]
    assert "timed" in [column.name for column in tactics_table(plan).for_people().columns]
    whole = net(a, b, times=[time("a", 2.0), time("b", 1.0)])
    assert summary_document(whole).section("headline").statements == ("Layer times add up to 3.0000 ms, 2 layers",)
    assert "timed" not in [column.name for column in tactics_table(whole).for_people().columns]


def test_a_disturbed_profile_says_which_sum_it_is() -> None:
    times = LayerTimes((LayerTime("a", 0, None, 2.0, 1.0, None), LayerTime("b", 0, None, 1.0, 1.0, None)))
    plan = EnginePlan(engine(layer("a"), layer("b")), times)
    (words,) = summary_document(plan).section("headline").statements
    assert words == "Layer times add up to 2.0000 ms by their medians, 3.0000 ms on average, 2 layers"

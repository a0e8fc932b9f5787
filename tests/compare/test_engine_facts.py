"""Facts of one engine in a series, and unique names."""

from __future__ import annotations

from dataclasses import replace

from tests.compare.profiled import chained, made
from tests.factories import engine, layer, t
from trex.compare.engine_facts import facts_of, short_names, unique_names
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan


def test_an_example():
    found = facts_of(Performance(made("resnet18-int8")), "a")
    assert (found.batch, found.shapes, found.precision, found.layers) == (32, "3x224x224", "INT8", 35)
    assert found.gpu and found.compute_ms and found.latency_ms and found.throughput
    assert found.images_per_s == found.throughput * 32


def test_unknown_facts():
    found = facts_of(Performance(EnginePlan(engine())), "a")
    assert (found.batch, found.precision, found.version, found.gpu, found.layers) == (None, None, None, None, 0)
    assert (found.layers_ms, found.images_per_s) == (None, None)


def test_different_leading_dimensions_are_no_batch():
    made = layer("a", inputs=[t("x", [8, 3]), t("m", [1, 77])], outputs=["y"])
    found = facts_of(Performance(EnginePlan(engine(made, inputs=["x", "m"]))), "a")
    assert (found.batch, found.shapes) == (None, "1x77, 8x3")


def test_dynamic_inputs_are_unknown():
    made = layer("a", inputs=[t("x", [None, 3])], outputs=["y"])
    found = facts_of(Performance(EnginePlan(engine(made, inputs=["x"]))), "a")
    assert (found.batch, found.shapes) == (None, None)


def test_only_layers_were_timed():
    found = facts_of(Performance(chained([0.1, 0.2])), "a")
    assert found.layers_ms == 0.1 + 0.2
    assert (found.compute_ms, found.latency_ms) == (None, None)


def test_unique_names():
    plan = chained([0.1], name="resnet.engine")
    sources = ("/a/fp16/x.json", "/a/int8/x.json", "/a/int8/x.json")
    plans = [EnginePlan(replace(plan.engine, source=source), name=plan.name) for source in sources]
    assert unique_names(plans) == ("fp16/resnet.engine", "int8/resnet.engine", "int8/resnet.engine (2)")
    bare = EnginePlan(replace(plan.engine, source=""), name="a")
    assert unique_names([bare, bare]) == ("a", "a (2)")


def test_shared_suffixes_are_cut():
    assert short_names(("a.onnx.engine", "b.onnx.engine")) == ("a", "b")
    assert short_names(("a.onnx.engine", "b.engine")) == ("a.onnx", "b")
    assert short_names(("a", "b.engine")) == ("a", "b.engine")
    assert short_names(("x", "x")) == ("x", "x")
    assert short_names(("", "")) == ("", "")

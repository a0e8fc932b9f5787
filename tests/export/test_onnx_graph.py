"""ONNX for Netron: loads and checks, every value written once, every type known, attributes that can be read."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from tests.factories import conv, engine, layer, t
from tests.simulated_examples import load_simulated
from tests.synthetic import CASES
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.diagram import Drawing, render_diagram
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.style import DiagramStyle

onnx = pytest.importorskip("onnx")

from trex.export.onnx_graph import MAX_TEXT, OnnxGraph, make_onnx_tensor, onnx_type  # noqa: E402


def plan_of(*layers, inputs=(), outputs=(), **changes):
    return EnginePlan(replace(engine(*layers, inputs=inputs, outputs=outputs), **changes))


def checked(plan, tmp_path, forking=False):
    """The model as it comes back from its file, its values checked to be written once and before they are read."""
    path = OnnxGraph(plan, forking).save(tmp_path / "x.onnx")
    model = onnx.load(path)
    written = [name for node in model.graph.node for name in node.output if name]
    assert len(written) == len(set(written))
    infos = [value.name for value in (*model.graph.input, *model.graph.output, *model.graph.value_info)]
    assert not {value.name for value in model.graph.value_info} & {v.name for v in model.graph.output}
    assert len({v.name for v in model.graph.value_info}) == len(model.graph.value_info)
    assert set(written) <= set(infos)
    assert {node.domain for node in model.graph.node} <= {"tensorrt"}
    assert [each.domain for each in model.opset_import] == ["tensorrt"]
    return model


def cut_name(name):
    return f"{name[:MAX_TEXT]}… {len(name) - MAX_TEXT} characters more"


def attributes(node):
    return {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}


def test_layers_are_nodes(tmp_path):
    first = conv("c", [t("x", (1, 3, None, 8))], [t("y", (1, 16, None, 8))], (3, 3), bias="FP32", Names=["p", "q"])
    deep = layer("d", "kgen", ["y"], ["z"], Nested={"a": [1, {"b": None}]}, Ratio=0.5, Flag=True, Huge=1 << 70)
    model = checked(plan_of(first, deep, inputs=["x"], outputs=["z"]), tmp_path)
    assert [node.op_type for node in model.graph.node] == ["Convolution", "kgen"]
    assert [(node.name, list(node.input), list(node.output)) for node in model.graph.node] == [
        ("c", ["x"], ["y"]),
        ("d", ["y"], ["z"]),
    ]
    found = attributes(model.graph.node[0])
    assert found["Weights"].decode() == "Half ×432"
    assert found["Bias"].decode() == "Float ×16"
    assert found["Kernel"] == [3, 3]
    assert found["Names"] == [b"p", b"q"]
    found = attributes(model.graph.node[1])
    assert found["Nested"].decode() == '{"a": [1, {"b": null}]}'
    assert (found["Ratio"], found["Flag"], found["Huge"].decode()) == (0.5, 1, str(1 << 70))
    (value,) = model.graph.input
    dims = value.type.tensor_type.shape.dim
    assert [dim.dim_value or dim.dim_param for dim in dims] == [1, 3, "dim_2", 8]
    assert value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT16


def test_a_node_of_several_layers_names_them():
    plan = load_simulated("transformer-fp16")
    for style in (DiagramStyle(fold=True), DiagramStyle(group_by="module", close_groups="all")):
        model = onnx.load_from_string(render_diagram(Drawing(plan, style), "onnx"))
        several = [attributes(node) for node in model.graph.node if "repeats" in attributes(node)]
        assert several and all(len(facts["layers"]) > 1 for facts in several)
        drawn = [name for node in model.graph.node for name in attributes(node).get("layers", [node.name.encode()])]
        assert len(drawn) == len(plan.working_layers)


ONNX_NAMES = {"FP64": "DOUBLE", "FP32": "FLOAT", "FP16": "FLOAT16", "BF16": "BFLOAT16", "FP8": "FLOAT8E4M3FN"}
ONNX_NAMES |= {"FP4": "FLOAT4E2M1", "E8M0": "FLOAT8E8M0", "Unknown": "UNDEFINED"}


@pytest.mark.parametrize("data_type", DataType, ids=lambda each: each.label)
def test_every_data_type(data_type):
    name = ONNX_NAMES.get(data_type.label, data_type.label)
    number = onnx_type(data_type)
    # An older package lacks the names of newer types, but their numbers are the same.
    assert number == getattr(onnx.TensorProto, name, number)
    assert (number == 0) is (not data_type.is_known)
    value = make_onnx_tensor(t("x", (2, None), data_type.label))
    assert value.type.tensor_type.elem_type == number


def test_the_numbers_of_the_types_are_all_different():
    assert len({onnx_type(data_type) for data_type in DataType}) == len(DataType)


@pytest.mark.parametrize("data_type", DataType, ids=lambda each: each.label)
def test_a_tensor_of_every_type_is_a_valid_model(data_type, tmp_path):
    tensors = t("x", (2, None), data_type.label), t("y", (2, 3), data_type.label)
    model = checked(plan_of(layer("a", "A", tensors[:1], tensors[1:]), inputs=["x"], outputs=["y"]), tmp_path)
    versions = {"FP8": 9, "INT4": 10, "FP4": 11, "E8M0": 12}
    assert model.ir_version == versions.get(data_type.label, 8)
    if model.ir_version <= onnx.IR_VERSION:
        onnx.checker.check_model(model)


def test_unknown_ranks_have_no_shape():
    assert not make_onnx_tensor(t("x", None)).type.tensor_type.HasField("shape")


def test_names_that_are_used_again_are_told_apart(tmp_path):
    layers = (
        layer("a", inputs=["x"], outputs=["y"]),
        layer("b", inputs=["y"], outputs=["y"]),
        layer("c", inputs=["y"], outputs=["z"]),
    )
    model = checked(plan_of(*layers, inputs=["x"], outputs=["z"]), tmp_path)
    a, b, c = model.graph.node
    assert list(b.input) == list(a.output)
    assert list(c.input) == list(b.output) != list(a.output)
    assert [value.name for value in model.graph.output] == ["z"]


def test_a_layer_writes_a_tensor_once(tmp_path):
    model = checked(plan_of(layer("c", "kgen", ["x"], ["y", "y", "z"]), inputs=["x"], outputs=["y"]), tmp_path)
    assert list(model.graph.node[0].output) == ["y", "", "z"]


def test_forking_regions(tmp_path):
    layers = (layer("a"), layer("b", inputs=["y"], outputs=["z"]), layer("c", inputs=["y"], outputs=["w"]))
    plan = plan_of(*layers, inputs=["x"], outputs=["z", "w"])
    assert len(checked(plan, tmp_path).graph.node) == 3
    model = checked(plan, tmp_path, forking=True)
    (region,) = (node for node in model.graph.node if node.op_type == "Region")
    assert list(region.input) == ["y"]
    assert sum(list(node.input) == list(region.output) for node in model.graph.node) == 2
    onnx.checker.check_model(model)  # among others, that values are written before they are read


@pytest.mark.parametrize("name", ["", "half \ud83d", "a\x00b\x1e", "x" * 50_000, '</script>\\"', "🙂"])
def test_any_name(name, tmp_path):
    odd = layer(name, name, [t(name)], [t(f"{name}'s")], tactic=name, Key=name, List=[name])
    model = checked(plan_of(odd, inputs=[name], outputs=[f"{name}'s"], name=name), tmp_path)
    assert len(model.graph.node) == 1
    assert len(model.graph.node[0].name) < MAX_TEXT + 40
    assert model.graph.node[0].op_type


def test_records_nested_without_end_are_cut(tmp_path):
    nested: list = []
    for _ in range(100_000):
        nested = [nested]
    odd = layer("a", "A", ["x"], ["y"], Deep=nested)
    assert "…" in attributes(checked(plan_of(odd), tmp_path).graph.node[0])["Deep"].decode()
    while nested:
        nested = nested.pop()


@pytest.mark.parametrize("name", [case.name for case in CASES.values() if not case.expect.error])
def test_every_engine_of_the_catalog(name, tmp_path):
    case = CASES[name]
    plan = load(case.write(tmp_path))
    model = checked(plan, tmp_path)
    assert [node.name for node in model.graph.node if node.op_type != "Merge"] == [
        each.name if len(each.name) <= MAX_TEXT else cut_name(each.name) for each in plan.working_layers
    ]
    checked(plan, tmp_path, forking=True)


def test_the_extra_is_named_where_onnx_is_absent(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(TrexError) as caught:
        OnnxGraph(plan_of(layer("a")))
    assert "[onnx]" in caught.value.hint


def test_real_engines(shared_engines, tmp_path):
    for folder in sorted(each for each in shared_engines.iterdir() if each.is_dir()):
        plan = load(folder)
        assert len(checked(plan, tmp_path).graph.node) >= len(plan.working_layers)

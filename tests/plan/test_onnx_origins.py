from dataclasses import replace

import pytest

import trex
from tests.factories import conv, engine, layer, noop, t
from tests.simulated_examples import SIMULATED
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.core.model import Model
from trex.core.operator import Operator, Value
from trex.core.tensor import Binding
from trex.ingest.spelling.layer_names import parse_name
from trex.plan.engine_plan import EnginePlan
from trex.plan.onnx_origins import find_origins, input_shapes_of, names_of, origins_notes

pytest.importorskip("onnx")

from tests.onnx_models import Net, convolution, resnet18


def model_of(*names, stored=()):
    """A chain of operators: each reads what the one before writes."""
    operators = [Operator(i, name, "Relu", "", (f"v{i}",), (f"v{i + 1}",)) for i, name in enumerate(names)]
    values = {name: Value(name, (1,), t("x").data_type, is_stored=True) for name in stored}
    return Model(tuple(operators), values, source="m.onnx")


def from_name(name, **facts):
    """A layer without metadata: its origins come from its name."""
    return replace(layer(name, **facts), name_parts=parse_name(name))


def names(origins, index):
    return [operator.name for operator in origins.operators[index]]


def test_origins_are_found_in_the_model():
    origins = find_origins([layer("l", origins=("a", "b")), layer("r")], model_of("a", "b", "c"))
    assert names(origins, 0) == ["a", "b"] and names(origins, 1) == []
    assert origins.complete == (True, False)  # r is a node's name that the model has not
    assert (origins.named, origins.matched, origins.missing) == (3, 2, ("r",))


def test_a_missing_origin_leaves_its_layer_incomplete():
    origins = find_origins([layer("l", origins=("a", "x"))], model_of("a"))
    assert names(origins, 0) == ["a"] and origins.complete == (False,)
    assert origins.share == 0.5 and origins.is_same_model


def test_a_name_of_two_nodes_is_ambiguous():
    origins = find_origins([layer("l", origins=("a",))], model_of("a", "a"))
    assert origins.operators == ((),) and origins.complete == (False,) and origins.matched == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("conv1.weight + /q/QuantizeLinear + Conv_9 + Relu_10", ("/q/QuantizeLinear", "Conv_9", "Relu_10")),
        ("PWN(PWN(Sigmoid_905), Mul_906)", ("Sigmoid_905", "Mul_906")),
        ("a || b", ("a", "b")),
        ("Reformatting CopyNode for Input Tensor 0 to a + b", ()),
        ("Reshape_896 + (Unnamed Layer* 1053) [Shuffle]", ("Reshape_896",)),
        ("reshape_after_Gemm_910_copy_input", ()),
        ("__myl_MulSum_myl7_3", ()),
        ("{ForeignNode[a + b...c]}", ("a", "b", "c")),
    ],
)
def test_without_metadata_the_name_gives_the_nodes(name, expected):
    assert names_of(from_name(name), model_of("x", stored=["conv1.weight"])) == expected


def test_signals_and_stations_come_from_no_node():
    assert names_of(from_name("[trainStation1]", role=Role.TRAIN_STATION), model_of("x")) == ()


# ---- Regions


def test_a_region_has_what_lies_between_its_ends():
    model = model_of("a", "b", "c", "d", "e")
    layers = [
        layer("first", origins=("a",)),
        from_name("{ForeignNode[b...d]}", outputs=("v4",)),
        layer("e", origins=("e",)),
    ]
    origins = find_origins(layers, model)
    assert names(origins, 1) == ["b", "c", "d"]
    assert origins.regions == {1} and origins.complete[1]


def test_of_two_regions_the_second_stops_where_the_first_ends():
    model = model_of("a", "b", "c", "d", "e", "f")
    regions = [from_name("{ForeignNode[a...c]}"), from_name("{ForeignNode[d...f]}")]
    origins = find_origins(regions, model)
    assert names(origins, 0) == ["a", "b", "c"] and names(origins, 1) == ["d", "e", "f"]


def test_a_region_with_an_end_that_the_model_lacks_is_not_guessed():
    origins = find_origins([layer("x", origins=("a", "b", "c")), from_name("{ForeignNode[d...zz]}")], model_of(*"abcd"))
    assert not origins.complete[1] and origins.regions == frozenset()


def test_a_region_whose_metadata_list_all_its_nodes_is_believed():
    region = from_name("{ForeignNode[a...d]}", origins=("a", "b", "d"))
    assert names(find_origins([region], model_of(*"abcd")), 0) == ["a", "b", "d"]


# ---- Notes


def test_another_engines_model_is_noted_with_the_share():
    origins = find_origins([layer("l", origins=("a", "x", "y", "z"))], model := model_of("a"))
    (note,) = origins_notes(origins, model)
    assert not origins.is_same_model
    assert note.code == "model-of-another-engine" and note.severity == "problem"
    assert "1 of 4 origins" in note.message and "25%" in note.message and "'x', 'y', 'z'" in note.message


def test_a_few_missing_origins_are_noted():
    origins = find_origins([layer("l", origins=("a", "b", "c", "x"))], model := model_of(*"abc"))
    (note,) = origins_notes(origins, model)
    assert note.code == "model-lacks-origins" and note.severity == "info"


def test_no_origins_at_all_are_noted():
    origins = find_origins([from_name("__myl_Mul_myl0_1")], model := model_of("a"))
    (note,) = origins_notes(origins, model)
    assert note.code == "no-onnx-origins" and origins.share == 0


def test_hostile_names_are_shown_escaped():
    origins = find_origins([layer("l", origins=("\x1b[31m" + "x" * 3000, "y"))], model := model_of("a"))
    (note,) = origins_notes(origins, model)
    assert "\x1b" not in str(note) and len(str(note)) < 2_000


# ---- The plan's model


def border(plan):
    """Shapes of the model's first input and first output."""
    model = plan.model
    return model.inputs[0].shape, model.outputs[0].shape


def share(plan):
    return plan.onnx_origins.share


def test_a_plan_has_no_model_unless_one_is_given():
    plan = EnginePlan(engine(layer("l")))
    assert plan.model is None and plan.onnx_origins is None


def small_net(batch="N"):
    net = Net()
    net.output(convolution(net, net.input("x", (batch, 8, 16, 16)), 8, 4, 3, "/conv"))
    return net


def small_engine(batch=2):
    step = conv("/conv", [t("x", (batch, 8, 16, 16))], [t("y", (batch, 4, 16, 16))], (3, 3))
    return engine(step, inputs=["x"], outputs=["y"])


def test_the_model_takes_the_engines_input_shapes(tmp_path):
    path = small_net().save(tmp_path / "m.onnx")
    plan = EnginePlan(small_engine(), onnx_file=path)
    assert border(plan)[1] == (2, 4, 16, 16)
    assert share(plan) == 1.0
    assert [note.code for note in plan.notes] == ["model-external-data"]


def test_an_engine_of_another_batch_is_noted(tmp_path):
    path = small_net(1).save(tmp_path / "m.onnx")
    assert "model-input-differs" in {note.code for note in EnginePlan(small_engine(), onnx_file=path).notes}


def test_a_dynamic_engine_leaves_the_model_open_until_it_is_evaluated(tmp_path):
    path = small_net().save(tmp_path / "m.onnx")
    plan = EnginePlan(small_engine(None), onnx_file=path)
    assert border(plan)[1] == (None, 4, 16, 16)
    assert "model-shapes-dynamic" in {note.code for note in plan.notes}
    fixed = plan.at_shapes({"x": (5, 8, 16, 16)})
    assert border(fixed)[1] == (5, 4, 16, 16)
    assert "model-shapes-dynamic" not in {note.code for note in fixed.notes}
    assert sum(note.code == "model-external-data" for note in fixed.notes) == 1
    assert border(plan)[1] == (None, 4, 16, 16)


def test_inputs_without_a_shape_fill_nothing():
    one = engine(layer("l", inputs=[t("x", None)]), inputs=["x"])
    assert input_shapes_of(one) == {}
    assert input_shapes_of(small_engine()) == {"x": (2, 8, 16, 16)}
    assert input_shapes_of(replace(one, bindings=(Binding("x", None, None),))) == {}


def test_noops_keep_their_nodes():
    step = noop("/Reshape", "x", "y")
    assert names_of(step, model_of("/Reshape")) == ("/Reshape",)


def test_load_takes_a_model(tmp_path):
    path = resnet18("batch").save(tmp_path / "r.onnx")
    plan = trex.load(str(SIMULATED / "resnet18-fp16"), onnx=path)
    assert border(plan)[0] == (32, 3, 224, 224)
    assert share(plan) == 1.0
    with pytest.raises(TrexError, match=r"none\.onnx"):
        trex.load(str(SIMULATED / "resnet18-fp16"), onnx=tmp_path / "none.onnx")


def test_an_engine_plan_of_files_takes_a_model(tmp_path):
    path = resnet18("batch").save(tmp_path / "r.onnx")
    graph = trex.load(str(SIMULATED / "resnet18-fp16")).engine.source
    assert border(trex.EnginePlan(graph, onnx_file=path))[0] == (32, 3, 224, 224)

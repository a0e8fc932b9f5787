import gzip

import pytest

from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.operator import Subgraph
from trex.ingest import onnx_child
from trex.ingest.onnx_model import input_shapes, read_model

onnx = pytest.importorskip("onnx")

from onnx import TensorProto, helper  # noqa: E402

from tests.onnx_models import Net, infer_here, resnet18, transformer  # noqa: E402


@pytest.fixture(autouse=True)
def without_a_process_of_its_own(monkeypatch):
    monkeypatch.setattr("trex.ingest.onnx_shapes.inferred", infer_here)


def codes(model):
    return [note.code for note in model.notes]


def small(batch="N"):
    net = Net()
    x = net.input("x", (batch, 3, 32, 32))
    y = net.node("Conv", x, net.weight(8, 3, 3, 3, name="kernel"), name="/conv/Conv", pads=[1] * 4, group=1)
    net.output(net.node("Relu", y, name="/relu/Relu"))
    return net


def test_a_model_is_read_as_facts(tmp_path):
    model = small(2).read(tmp_path)
    assert [operator.name for operator in model.operators] == ["/conv/Conv", "/relu/Relu"]
    conv = model.operators[0]
    assert (conv.type, conv.domain, conv.inputs, conv.outputs) == (
        "Conv",
        "",
        ("x", "kernel"),
        ("/conv/Conv_output_0",),
    )
    assert conv.attributes == {"pads": (1, 1, 1, 1), "group": 1}
    assert model.values["/conv/Conv_output_0"].shape == (2, 8, 32, 32)
    kernel = model.values["kernel"]
    assert (kernel.shape, kernel.data_type, kernel.is_stored, kernel.size_bytes) == (
        (8, 3, 3, 3),
        DataType.FP32,
        True,
        864,
    )
    assert [value.name for value in model.inputs] == ["x"] and model.inputs[0].shape == (2, 3, 32, 32)
    assert model.outputs[0].shape == (2, 8, 32, 32)
    assert model.source.endswith("net.onnx")


def test_symbols_stay_unknown_until_they_are_given(tmp_path):
    open_model = small().read(tmp_path)
    assert open_model.outputs[0].shape == (None, 8, 32, 32)
    assert "model-shapes-dynamic" in codes(open_model)
    closed = small().read(tmp_path, {"x": (4, 3, 32, 32)})
    assert closed.outputs[0].shape == (4, 8, 32, 32)
    assert codes(closed) == ["model-external-data"]


def test_a_symbol_has_one_size_everywhere(tmp_path):
    net = Net()
    x, y = net.input("x", ("batch", 4)), net.input("y", ("batch", 4))
    net.output(net.node("Add", x, y))
    model = net.read(tmp_path, {"x": (8, 4)})
    assert model.values["y"].shape == (8, 4) and model.outputs[0].shape == (8, 4)


def test_shapes_follow_from_constants_and_other_shapes(tmp_path):
    """Shape → Gather → Concat → Reshape, as exporters write a view: data propagation evaluates it."""
    net = Net()
    x = net.input("x", ("N", 6, 4))
    batch = net.node("Gather", net.node("Shape", x), net.constant([0]))
    shape = net.node("Concat", batch, net.constant([-1]), axis=0)
    net.output(net.node("Reshape", x, shape))
    assert net.read(tmp_path, {"x": (5, 6, 4)}).outputs[0].shape == (5, 24)


def test_nodes_without_a_name_are_called_as_the_parser_calls_them(tmp_path):
    net = Net()
    y = net.node("Relu", net.input("x", (1,)), name="")
    net.output(y)
    assert net.read(tmp_path).operators[0].name == f"node_of_{y}"


def test_numbers_of_small_constants_are_kept_and_large_data_are_not(tmp_path):
    net = Net()
    large = helper.make_tensor("large", TensorProto.FLOAT, [2000], bytes(8000), raw=True)
    net.initializers.append(large)
    axes = net.constant([2, 3])
    half = net.constant([1.5], (), TensorProto.FLOAT16)
    floats = net.node("Constant", value_floats=[0.5, 0.25])
    integers = net.node("Constant", value=helper.make_tensor("t", TensorProto.INT8, [2], [3, -4]))
    many = net.node("Constant", value=large)
    net.output(net.node("Sum", "large", many))
    model = net.read(tmp_path)
    assert model.values[axes].numbers == (2, 3)
    assert model.values[half].numbers == (1.5,)
    assert model.values["large"].numbers is None and model.values["large"].size_bytes == 8000
    assert model.values[floats].numbers == (0.5, 0.25)
    assert model.values[integers].numbers == (3, -4) and model.values[integers].data_type is DataType.INT8
    assert model.values[many].shape == (2000,) and model.values[many].numbers is None
    assert model.outputs[0].shape == (2000,)


def test_weights_elsewhere_are_not_needed(tmp_path):
    model = small(1).read(tmp_path)
    assert model.values["kernel"].location == "weights.bin" and model.values["kernel"].numbers is None
    (note,) = model.notes
    assert note.code == "model-external-data" and note.severity == "info"


def test_an_initializer_that_is_listed_as_input_is_none(tmp_path):
    net = small(1)
    net.input("kernel", (8, 3, 3, 3))
    assert [value.name for value in net.read(tmp_path).inputs] == ["x"]


def branches():
    inner = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"], "inner")], "then", [], [helper.make_tensor_value_info("r", 1, None)]
    )
    other = helper.make_graph(
        [helper.make_node("Neg", ["x"], ["n"], "other")], "else", [], [helper.make_tensor_value_info("n", 1, None)]
    )
    net = Net()
    net.input("x", (3,))
    net.input("c", (), TensorProto.BOOL)
    net.output(net.node("If", "c", then_branch=inner, else_branch=other, name="/If"))
    return net


def test_subgraphs_stay_closed_with_a_note(tmp_path):
    model = branches().read(tmp_path)
    (operator,) = model.operators
    assert operator.attributes["then_branch"] == Subgraph("then", 1, ("x",))
    assert operator.reads == ("c", "x")
    (note,) = [note for note in model.notes if note.code == "model-subgraphs-closed"]
    assert "1 operator (If)" in note.message and "2 operators" in note.message


def test_all_steps_have_one_time_limit(tmp_path, monkeypatch):
    net = Net(own=1)
    net.functions.append(helper.make_function("own", "F", ["a"], ["b"], [], [helper.make_opsetid("", 20)]))
    net.output(net.node("F", net.input("x", (4,)), domain="own"))
    spent = onnx_child.OnnxChildResult(problem="late", seconds=onnx_child.TIME_LIMIT_S)
    monkeypatch.setattr("trex.ingest.onnx_model.inlined", lambda data: spent)
    monkeypatch.setattr("trex.ingest.onnx_shapes.inferred", onnx_child.inferred)
    (note,) = [note for note in net.read(tmp_path).notes if note.code == "model-inference-failed"]
    assert f"longer than {onnx_child.TIME_LIMIT_S:g} s" in note.message


def test_own_functions_are_inlined(tmp_path):
    net = Net(own=1)
    body = [helper.make_node("Mul", ["a", "a"], ["b"]), helper.make_node("Relu", ["b"], ["c"])]
    opsets = [helper.make_opsetid("", 20)]
    net.functions.append(helper.make_function("own", "Square", ["a"], ["c"], body, opsets))
    net.output(net.node("Square", net.input("x", (4,)), domain="own"))
    model = net.read(tmp_path)
    assert [operator.type for operator in model.operators] == ["Mul", "Relu"]
    assert model.outputs[0].shape == (4,)
    assert "model-functions-inlined" in codes(model)


def test_functions_that_double_without_end_stay_closed(tmp_path, monkeypatch):
    net = Net(own=1)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("own", 1)]
    body = [helper.make_node("Relu", ["a"], ["b"])]
    for index in range(12):
        net.functions.append(helper.make_function("own", f"f{index}", ["a"], ["b"], body, opsets))
        ends = (["a"], ["t"]), (["t"], ["b"])
        body = [helper.make_node(f"f{index}", *end, domain="own") for end in ends]
    net.output(net.node("f11", net.input("x", (4,)), domain="own"))
    monkeypatch.setattr("trex.ingest.onnx_model._MOST_INLINED_BYTES", 1000)
    model = net.read(tmp_path)
    assert [operator.type for operator in model.operators] == ["f11"]
    assert any(note.code == "model-functions-closed" and "they grow" in note.message for note in model.notes)


def test_shapes_that_cannot_be_inferred_stay_unknown_with_a_note(tmp_path):
    net = Net(my_plugins=1)
    y = net.node("Mine", net.input("x", (1, 4)), domain="my.plugins")
    net.output(net.node("Relu", y))
    model = net.read(tmp_path)
    assert model.outputs[0].shape is None
    (note,) = model.notes
    assert note.code == "model-shapes-unknown" and "2 of 2 values" in note.message


def test_written_shapes_carry_over_what_cannot_be_inferred(tmp_path):
    net = Net(my_plugins=1)
    y = net.node("Mine", net.input("x", (1, 4)), domain="my.plugins")
    net.infos.append(helper.make_tensor_value_info(y, TensorProto.FLOAT, (1, 7)))
    net.output(net.node("Relu", y))
    assert net.read(tmp_path).outputs[0].shape == (1, 7)


def test_contradicting_operands_are_a_note_with_the_reason(tmp_path):
    net = Net()
    net.output(net.node("MatMul", net.input("x", (2, 3)), net.input("y", (4, 5)), name="/bad/MatMul"))
    model = net.read(tmp_path)
    assert model.outputs[0].shape is None
    assert "/bad/MatMul" in model.notes[0].message


def test_a_library_that_crashes_is_only_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr("trex.ingest.onnx_shapes.inferred", onnx_child.inferred)
    monkeypatch.setattr("trex.ingest.onnx_child._INFER", "import os\ndef run(data):\n    os.abort()  # {is_strict}\n")
    model = small(1).read(tmp_path)
    assert [operator.name for operator in model.operators] == ["/conv/Conv", "/relu/Relu"]
    assert model.inputs[0].shape == (1, 3, 32, 32) and model.outputs[0].shape is None
    (note,) = [note for note in model.notes if note.code == "model-inference-failed"]
    assert "crashed (SIGABRT)" in note.message


def test_an_operator_set_that_is_not_imported_is_a_note(tmp_path):
    net = small(1)
    net.output(net.node("Mine", "x", domain="never.imported"))
    (note,) = [note for note in net.read(tmp_path).notes if note.code == "model-inference-failed"]
    assert "never.imported" in note.message


@pytest.mark.parametrize("change", [{"ir_version": 99}, {}], ids=["format", "operators"])
def test_a_model_of_the_future_is_read_as_far_as_it_is_known(tmp_path, change):
    net = small(1)
    if not change:
        net.opsets[""] = 99
    proto = net.proto()
    proto.ir_version = change.get("ir_version", proto.ir_version)
    (tmp_path / "f.onnx").write_bytes(proto.SerializeToString())
    assert read_model(tmp_path / "f.onnx").operators[0].type == "Conv"


# ---- Given shapes


def test_a_shape_for_no_input_is_a_mistake(tmp_path):
    with pytest.raises(TrexError, match=r"no input 'y'[\s\S]*its inputs are x"):
        small().read(tmp_path, {"y": (1,)})


@pytest.mark.parametrize("size", [2**63, 10**20, 10**400])
def test_a_size_beyond_64_bits_is_a_mistake_or_a_note(tmp_path, size):
    with pytest.raises(TrexError, match=r"of the input 'x' is too large for ONNX[\s\S]*at most 9223372036854775807"):
        small().read(tmp_path, {"x": (size, 3, 32, 32)})
    (path,) = tmp_path.glob("*.onnx")
    model = read_model(path, {"x": (size, 3, 32, 32)}, is_asked=False)
    assert [note.code for note in model.notes].count("model-input-differs") == 1


def test_a_shape_of_another_rank_is_a_mistake(tmp_path):
    with pytest.raises(TrexError, match=r"does not match the input 'x'[\s\S]*\?x3x32x32"):
        small().read(tmp_path, {"x": (1, 3)})


def test_a_person_may_change_what_the_model_fixes(tmp_path):
    model = small(1).read(tmp_path, {"x": (8, 3, 16, 16)})
    assert model.outputs[0].shape == (8, 8, 16, 16)
    assert "model-shape-changed" in codes(model)


def test_an_engine_may_only_fill_what_the_model_leaves_open(tmp_path):
    path = small(1).save(tmp_path / "a.onnx")
    model = read_model(path, {"x": (8, 3, 32, 32), "unheard of": (1,)}, is_asked=False)
    assert model.outputs[0].shape == (1, 8, 32, 32)
    (note,) = [note for note in model.notes if note.code == "model-input-differs"]
    assert "1x3x32x32 in the model and 8x3x32x32 in the engine" in note.message
    path = small().save(tmp_path / "b.onnx")
    assert read_model(path, {"x": (8, 3, 32, 32)}, is_asked=False).outputs[0].shape == (8, 8, 32, 32)


def test_unknown_dimensions_of_a_given_shape_fill_nothing(tmp_path):
    assert small().read(tmp_path, {"x": (None, 3, 32, 32)}).outputs[0].shape == (None, 8, 32, 32)


# ---- Bad files


@pytest.mark.parametrize(
    "data",
    [b"a text about networks\n", b'{"Layers": []}', b"ir_version: 7\ngraph {\n}\n", b"\0" * 256, b"\x08\x07"],
    ids=["text", "json", "prototxt", "binary", "empty model"],
)
def test_what_is_no_model_is_refused_with_its_address(tmp_path, data):
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(TrexError, match=r"m\.onnx: this is not an ONNX model") as caught:
        read_model(path)
    assert "give the .onnx file" in str(caught.value)


def test_a_model_that_was_cut_off_is_refused(tmp_path):
    whole = resnet18().proto().SerializeToString()
    path = tmp_path / "cut.onnx"
    for size in range(1, len(whole), len(whole) // 25):
        path.write_bytes(whole[:size])
        with pytest.raises(TrexError, match="not an ONNX model"):
            read_model(path)


def test_a_missing_file_and_an_empty_one(tmp_path):
    with pytest.raises(TrexError, match=r"absent\.onnx"):
        read_model(tmp_path / "absent.onnx")
    (tmp_path / "empty.onnx").write_bytes(b"")
    with pytest.raises(TrexError, match="empty"):
        read_model(tmp_path / "empty.onnx")


def test_a_compressed_model_is_read(tmp_path):
    path = tmp_path / "m.onnx.gz"
    path.write_bytes(gzip.compress(small(1).proto().SerializeToString()))
    assert len(read_model(path).operators) == 2


def test_more_than_protobuf_reads_is_refused_before_it_is_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr("trex.ingest.onnx_model._MAX_BYTES", 100)
    with pytest.raises(TrexError, match="2 GiB that protobuf reads") as caught:
        small().read(tmp_path)
    assert "save_as_external_data" in caught.value.hint


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    path = small().save(tmp_path / "m.onnx")
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(TrexError, match=r"tensorrt-engine-explorer\[onnx\]"):
        read_model(path)


def test_names_that_are_no_text_and_dimensions_that_are_no_sizes(tmp_path):
    net = Net()
    x = net.input("x", (1, -5, 1 << 60))
    y = net.node("Relu", x, name="\x1b[31mred\n" + "n" * 5000)
    net.output(net.node("Relu", y, name="swap-me"))
    data = net.proto().SerializeToString().replace(b"swap-me", b"sw\xff\xfe-me")
    path = tmp_path / "hostile.onnx"
    path.write_bytes(data)
    model = read_model(path)
    assert model.operators[0].name.startswith("\x1b[31mred\n")  # kept: it is a fact, and joined on; shown escaped
    assert model.operators[1].name == "sw��-me"
    assert model.inputs[0].shape == (1, None, None)


def test_data_that_contradict_their_shape_are_no_numbers(tmp_path):
    net = Net()
    net.initializers.append(TensorProto(name="c", dims=[4], data_type=TensorProto.FLOAT, raw_data=b"abc"))
    net.initializers.append(TensorProto(name="d", dims=[1], data_type=77, raw_data=b"abc"))
    net.initializers.append(TensorProto(name="e", dims=[1] * 500, data_type=1, raw_data=b"abcd"))
    net.output(net.node("Relu", "c"))
    model = net.read(tmp_path)
    assert model.values["c"].numbers is None
    assert model.values["d"].data_type is DataType.UNKNOWN
    assert model.values["e"].shape is None


@pytest.mark.parametrize("net", [resnet18(), transformer()], ids=["resnet18", "transformer"])
def test_networks_have_every_shape(tmp_path, net):
    model = net.read(tmp_path)
    assert codes(model) == ["model-external-data"]
    assert all(
        value.size_bytes is not None for operator in model.operators for value in model.outputs_of(operator) if value
    )


def test_written_shapes_of_inputs(tmp_path):
    kinds = TensorProto
    inputs = [
        helper.make_tensor_value_info("x", kinds.FLOAT, ["batch", 3, None, 32]),
        helper.make_tensor_value_info("w", kinds.FLOAT, [3, 3]),
        helper.make_tensor_value_info("unknown", kinds.FLOAT, None),
        helper.make_tensor_sequence_value_info("several", kinds.FLOAT, None),
    ]
    weights = helper.make_tensor("w", kinds.FLOAT, [3, 3], [0.5] * 9)
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", kinds.FLOAT, None)], [weights])
    onnx.save(helper.make_model(graph), tmp_path / "m.onnx")
    assert input_shapes(tmp_path / "m.onnx") == {"x": (None, 3, None, 32), "unknown": None, "several": None}
    (tmp_path / "m.onnx").write_bytes(b"ftrt" + bytes(40))
    with pytest.raises(TrexError, match="not an ONNX model"):
        input_shapes(tmp_path / "m.onnx")

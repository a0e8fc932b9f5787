from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator, Subgraph, Value


def value(name, shape=(2,), is_stored=False):
    return Value(name, shape, DataType.FP32, is_stored)


def model(*operators, values=()):
    numbered = [Operator(index, *parts) for index, parts in enumerate(operators)]
    return Model(tuple(numbered), {value.name: value for value in values})


def test_operators_are_found_by_name_and_by_value():
    one = model(
        ("a", "Relu", "", ("x",), ("y",)), ("b", "Add", "", ("y", "y"), ("z",)), ("a", "Relu", "", ("z",), ("u",))
    )
    assert [operator.index for operator in one.by_name["a"]] == [0, 2]
    assert one.producers["z"].name == "b"
    assert [operator.index for operator in one.consumers["y"]] == [1]  # once, though it reads it twice
    assert "x" not in one.producers


def test_of_two_writers_of_a_value_the_first_is_its_producer():
    one = model(("a", "Relu", "", ("x",), ("y",)), ("b", "Relu", "", ("x",), ("y",)))
    assert one.producers["y"].name == "a"


def test_left_out_inputs_and_outputs_are_nobodys():
    one = model(("a", "Clip", "", ("x", "", "high"), ("y", "")))
    assert "" not in one.consumers and "" not in one.producers
    assert one.inputs_of(one.operators[0]) == (None, None, None)


def test_what_a_subgraph_reads_is_consumed():
    operator = Operator(0, "if", "If", "", ("c",), ("y",), {"then_branch": Subgraph("t", 1, ("x",))})
    assert Model((operator,), {}).consumers["x"] == (operator,)


def test_constants_follow_from_constants_only():
    one = model(
        ("q", "QuantizeLinear", "", ("w", "s"), ("wq",)),
        ("d", "DequantizeLinear", "", ("wq", "s"), ("wd",)),
        ("c", "Conv", "", ("x", "wd"), ("y",)),
        ("k", "Constant", "", (), ("k",)),
        values=[value("w", is_stored=True), value("s", is_stored=True), value("x")],
    )
    assert one.constants == {"w", "s", "wq", "wd", "k"}
    assert [value.name for value in one.initializers] == ["w", "s"]


def test_a_shape_is_constant_where_its_value_is_static():
    parts = ("s", "Shape", "", ("x",), ("shape",)), ("g", "Gather", "", ("shape", "i"), ("dim",))
    stored = value("i", is_stored=True)
    assert {"shape", "dim"} <= model(*parts, values=[value("x", (2, 3)), stored]).constants
    assert "shape" not in model(*parts, values=[value("x", (None, 3)), stored]).constants


def test_chance_plugins_and_branches_are_not_constant():
    one = model(
        ("r", "RandomNormal", "", (), ("r",)),
        ("p", "Mine", "my.plugins", ("w",), ("p",)),
        ("e", "DequantizeLinear", "com.microsoft", ("w",), ("e",)),
        values=[value("w", is_stored=True)],
    )
    assert one.constants == {"w", "e"}
    branch = Operator(0, "if", "If", "", ("w",), ("y",), {"then_branch": Subgraph("t", 1)})
    assert "y" not in Model((branch,), {"w": value("w", is_stored=True)}).constants

"""Names in the sentences of findings."""

from __future__ import annotations

from tests.factories import layer
from tests.rules.cases import analyzed, findings, half, work
from trex.rules.wording import layer_name, main_operation, names_of


def test_layers_of_one_name_have_numbers() -> None:
    engine = analyzed(layer("Sum"), layer("Conv_1"), layer("Sum"), layer("Sum"), ms=[1.0, 2.0, 3.0, 4.0])
    assert [layer_name(each) for each in engine.layers] == ["Sum", "Conv_1", "Sum #2", "Sum #3"]
    assert main_operation(engine.layers[2]) == "Sum #2"
    assert names_of([0, 2, 3], engine) == "Sum, Sum #2 and Sum #3"
    assert engine.times == [1.0, 2.0, 3.0, 4.0], "times join by name and occurrence"


def test_a_chain_of_two_layers_of_one_name_is_two() -> None:
    engine = analyzed(
        work("Sum", "ElementWise", [half("x")], half("a")),
        work("Sum", "ElementWise", [half("a")], half("y")),
        ms=[1, 1],
    )
    (found,) = findings("unfused-pointwise", engine)
    assert (
        found.message.startswith("2 adjacent pointwise kernels did not fuse, 2 ms")
        and "Sum and Sum #2" in found.message
    )

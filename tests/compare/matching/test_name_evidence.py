"""Which names are trusted, which words they contain, and the order of data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.factories import chain, layer
from tests.traced_memory import peak_bytes
from trex.compare.matching.dataflow import Dataflow
from trex.compare.matching.name_evidence import NameEvidence, is_conversion, is_minor, is_view, unnamed_kind
from trex.core.layer import Layer, NameParts
from trex.core.tensor import Tensor


def named(name: str, *operations: str, tokens: tuple[str, ...] = (), **more: object) -> Layer:
    fusion = "myelin" if "_myl" in name else "none"
    made = layer(name, **more)
    return replace(made, name_parts=NameParts(operations, fusion=fusion, tokens=tokens))


def told(left: list[Layer], right: list[Layer]) -> NameEvidence:
    return NameEvidence((*left, *right), len(left))


def test_numbers_are_trusted_if_shapes_agree():
    def side(numbers: list[int]) -> list[Layer]:
        shapes = [[1, 8 * place, 4, 4] for place in range(1, len(numbers) + 1)]
        return [
            replace(named(f"Conv_{number}", f"Conv_{number}"), outputs=(replace(tensor(), shape=tuple(shape)),))
            for number, shape in zip(numbers, shapes, strict=True)
        ]

    assert told(side([1, 2, 3, 4]), side([1, 2, 3, 4])).trusts_numbers
    anew = told(side([1, 2, 3, 4]), side([2, 3, 4, 1]))
    assert not anew.trusts_numbers and anew.nodes == [()] * 8


def test_nodes_of_one_layer_share_the_shapes_of_its_outputs():
    size = 100
    outputs = tuple(replace(tensor(), shape=(1, number)) for number in range(1, size + 1))
    wide = replace(named("wide", *(f"Conv_{number}" for number in range(size))), outputs=outputs)
    assert told([wide], [wide]).trusts_numbers
    assert peak_bytes(lambda: told([wide], [wide])) < 2000 * size


def test_each_weight_is_looked_up_among_the_origins_once():
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    size = 100
    origins = [Counted(f"n{number}") for number in range(size)]
    fused = replace(named("fused", *(f"{number}.weight" for number in range(size))), origins=tuple(origins))
    assert len(told([fused], [fused]).nodes[0]) == 2 * size
    assert Counted.compared < 20 * size


def tensor() -> Tensor:
    return layer("x").outputs[0]


def test_numbers_of_myelin_are_no_names():
    generated = named("__myl_AddMul_myl0_5", tokens=("Add", "Mul"), outputs=["/a/Add_output_0'.1_7_myl0"])
    scratch = named("__myl_AddMul_myl0_6", tokens=("Add", "Mul"), outputs=["__myln_k_arg__bb1_3_myl0"])
    found = told([generated, scratch], [generated, scratch])
    assert found.name(0) == () and found.tensors(1) == ()
    assert "/a/Add_output_0" in found.tensors(0)


def test_only_words_of_both_sides_count():
    left = [named("/a/Conv + /a/Relu", "/a/Conv", "/a/Relu"), named("odd", "odd")]
    right = [named("Conv_3 + Relu_4", "Conv_3", "Relu_4"), named("__myl_ReluMul_myl0_1", tokens=("Relu", "Mul"))]
    found = told(left, right)
    assert [dict(found.words(place)) for place in range(4)] == [
        {"conv": 1, "relu": 1}, {}, {"conv": 1, "relu": 1}, {"relu": 1},
    ]  # fmt: skip
    assert found.similarity(0, 2) == 1.0 and 0.0 < found.similarity(0, 3) < 1.0 and found.similarity(1, 2) == 0.5


def test_a_kernel_that_only_casts_is_a_conversion():
    assert is_conversion(named("__myl_Cast_myl0_1", tokens=("Cast",)))
    assert not is_conversion(named("__myl_CastMul_myl0_1", tokens=("Cast", "Mul")))
    assert is_conversion(layer("r", "Reformat"))


@pytest.mark.parametrize(
    ("node", "minor", "view"), [("/a/Reshape_1", True, True), ("Cast_3", True, False), ("Conv_1", False, False)]
)
def test_views_move_and_casts_convert(node, minor, view):
    assert (is_minor(node), is_view(node)) == (minor, view)


def test_the_order_of_data_ignores_execution_order():
    first = layer("a", "Convolution", ["x"], ["t"])
    long = [layer("b", "Convolution", ["t"], ["u"]), layer("c", "Convolution", ["u"], ["v"])]
    short = layer("d", "Convolution", ["t"], ["w"])
    last = layer("e", "ElementWise", ["w", "v"], ["y"])
    orders = []
    for layers in ((first, *long, short, last), (first, short, *long, last)):
        flow = Dataflow(chain(*layers), len(layers))
        orders.append([layers[place].name for place in flow.order])
    assert orders[0] == orders[1] == ["a", "b", "c", "d", "e"]


def test_layer_names_only_are_a_chain():
    layers = [layer(name, inputs=(), outputs=()) for name in "abc"]
    flow = Dataflow(chain(*layers), 3)
    assert (flow.before, flow.after) == ([[], [0], [1]], [[1], [2], []])


def test_the_kind_of_an_unnamed_layer() -> None:
    assert unnamed_kind("(Unnamed Layer* 7) [Convolution]") == "convolution"
    assert unnamed_kind("/layer1/conv1/Conv") == unnamed_kind("(Unnamed Layer* 7) [") == ""
    assert unnamed_kind("(Unnamed Layer* 1) [" * 100_000) == ""  # in linear time

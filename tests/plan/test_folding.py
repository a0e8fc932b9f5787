"""Folding keeps every edge: who wrote what a layer reads is the same before and after."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories import chain, conv, layer, noop, t
from trex.core.layer import Layer, Role
from trex.plan.folding import LONGEST_NAME, fold_no_ops


def edges(layers: tuple[Layer, ...]) -> list[tuple[str, str, str]]:
    return [
        (layer.name, ",".join(i.name for i in layer.inputs), ",".join(o.name for o in layer.outputs))
        for layer in layers
    ]


def test_the_reader_of_a_view_reads_what_is_viewed_and_keeps_its_own_shape() -> None:
    layers = chain(
        conv("a", ["x"], [t("t", [1, 256, 6, 6])]),
        noop("view", t("t", [1, 256, 6, 6]), t("u", [1, 9216, 1, 1])),
        conv("b", [t("u", [1, 9216, 1, 1])], [t("y", [1, 10, 1, 1])]),
    )
    before = deepcopy(layers)
    folded = fold_no_ops(layers, ["x", "y"])
    assert edges(folded) == [("a", "x", "t"), ("b", "t", "y")]
    assert folded[1].inputs[0].shape == (1, 9216, 1, 1)
    assert folded[1].raw["Inputs"] == [{**layers[2].raw["Inputs"][0], "Name": "t"}]
    assert folded[1].inputs[0].raw["Name"] == "t"
    assert folded[0] is layers[0]
    assert layers == before


def test_a_view_that_is_a_binding_leaves_the_other_readers_their_edge() -> None:
    layers = chain(
        layer("conv", inputs=["x"], outputs=["t"]), noop("n", "t", "y"), layer("relu", inputs=["t"], outputs=["z"])
    )
    folded = fold_no_ops(layers, ["x", "y", "z"])
    assert edges(folded) == [("conv", "x", "y"), ("relu", "y", "z")]
    assert folded[0].raw["Outputs"][0]["Name"] == "y"


def test_readers_of_the_binding_itself_keep_their_edge() -> None:
    layers = chain(
        layer("conv", inputs=["x"], outputs=["t"]), noop("n", "t", "y"), layer("relu", inputs=["y"], outputs=["z"])
    )
    assert edges(fold_no_ops(layers, ["x", "y", "z"])) == [("conv", "x", "y"), ("relu", "y", "z")]


def test_a_view_from_binding_to_binding_stays() -> None:
    layers = chain(noop("n", "x", "y"))
    assert fold_no_ops(layers, ["x", "y"]) == layers
    assert fold_no_ops(chain(noop("n", "x", "t"), noop("m", "t", "y")), ["x", "y"])[0].name == "m"


def test_two_bindings_of_one_value_keep_both_names() -> None:
    layers = chain(layer("a", inputs=["x"], outputs=["t"]), noop("n", "t", "y"), noop("m", "t", "z"))
    assert edges(fold_no_ops(layers, ["x", "y", "z"])) == [("a", "x", "y"), ("m", "y", "z")]


def test_no_readers_get_a_very_long_name() -> None:
    for size, is_folded in ((LONGEST_NAME, True), (LONGEST_NAME + 1, False)):
        long = "q" * size
        for source, view, read, bindings in ((long, "v", "v", ()), ("t", long, "t", (long,))):
            writer, view_layer = layer("a", inputs=["x"], outputs=[source]), noop("n", source, view)
            readers = [layer(f"b{number}", inputs=[read], outputs=[f"y{number}"]) for number in range(3)]
            folded = fold_no_ops(chain(writer, view_layer, *readers), bindings)
            assert [each.inputs[0].name for each in folded[-3:]] == [long if is_folded else read] * 3
            assert len(folded) == 5 - is_folded


def test_chains_fold_to_their_beginning() -> None:
    layers = chain(
        layer("a", inputs=["x"], outputs=["t"]),
        noop("n", "t", "u"),
        noop("m", "u", "v"),
        layer("b", inputs=["v"], outputs=["y"]),
    )
    assert edges(fold_no_ops(layers, ["x", "y"])) == [("a", "x", "t"), ("b", "t", "y")]


def test_a_reused_name_is_rewired_only_until_it_is_written_again() -> None:
    layers = chain(
        layer("a", inputs=["x"], outputs=["t"]),
        noop("n", "t", "u"),
        layer("b", inputs=["u"], outputs=["v"]),
        layer("c", inputs=["v"], outputs=["u"]),
        layer("d", inputs=["u"], outputs=["y"]),
    )
    assert edges(fold_no_ops(layers, ["x", "y"]))[1:] == [("b", "t", "v"), ("c", "v", "u"), ("d", "u", "y")]


def test_a_view_stays_when_its_source_is_written_again_before_the_last_reader() -> None:
    layers = chain(
        layer("a", inputs=["x"], outputs=["t"]),
        noop("n", "t", "u"),
        layer("b", inputs=["x"], outputs=["t"]),
        layer("c", inputs=["u"], outputs=["y"]),
    )
    assert edges(fold_no_ops(layers, ["x", "y"])) == edges(layers)
    assert edges(fold_no_ops((*layers[:2], layers[3], layers[2]), ["x", "y"]))[1] == ("c", "t", "y")


def test_several_inputs_are_distinguished_by_size_or_the_layer_stays() -> None:
    data, sizes, view = t("data", [2, 8]), t("sizes", [2], "INT64"), t("u", [16])
    reshape = layer("n", "NoOp", [sizes, data], [view], role=Role.NOOP)
    reader = layer("b", inputs=[view], outputs=["y"])
    assert edges(fold_no_ops(chain(reshape, reader), ["y"])) == [("b", "data", "y")]
    joined = layer("n", "NoOp", [data, t("more", [2, 8])], [t("u", [4, 8])], role=Role.NOOP)
    assert len(fold_no_ops(chain(joined, reader), ["y"])) == 2
    unknown = layer("n", "NoOp", [data, t("more", [None])], [t("u", [None])], role=Role.NOOP)
    assert len(fold_no_ops(chain(unknown, reader), ["y"])) == 2


def test_layers_to_keep_are_kept() -> None:
    layers = chain(noop("n", "x", "u"), layer("b", inputs=["u"], outputs=["y"]))
    assert fold_no_ops(layers, ["x", "y"], keep={0}) == layers


def test_a_noop_without_outputs_goes_and_one_without_inputs_stays() -> None:
    nothing = layer("n", "NoOp", ["x"], [], role=Role.NOOP)
    source = layer("m", "NoOp", [], ["u"], role=Role.NOOP)
    assert [item.name for item in fold_no_ops(chain(nothing, source), [])] == ["m"]


def test_stored_operands_stay_in_the_record() -> None:
    layers = chain(noop("n", "x", "u"), layer("g", "gemm", ["u"], ["y"]))
    weights = {"Name": "w", "Dimensions": [8, 8], "Format/Datatype": "Half"}
    layers[1].raw["Inputs"] = [*layers[1].raw["Inputs"], weights, {"Name": ["odd"]}, 3]
    inputs = fold_no_ops(layers, ["x", "y"])[0].raw["Inputs"]
    assert [inputs[0]["Name"], *inputs[1:]] == ["x", weights, {"Name": ["odd"]}, 3]


NAMES = st.sampled_from("abcdxyz")
STEP = st.tuples(st.booleans(), st.lists(NAMES, min_size=1, max_size=2), NAMES)


def provenance(layers: tuple[Layer, ...]) -> tuple[dict[tuple[int, int], str], dict[str, str]]:
    """Who truly wrote what each working layer reads, seen through NoOps; and what each name holds in the end."""
    holds: dict[str, str] = {}
    seen: dict[tuple[int, int], str] = {}
    for item in layers:
        if item.role is Role.NOOP:
            value = holds.get(item.inputs[0].name, f"outside {item.inputs[0].name}")
        else:
            value = f"layer {item.index}"
            for position, tensor in enumerate(item.inputs):
                seen[item.index, position] = holds.get(tensor.name, f"outside {tensor.name}")
        for tensor in item.outputs:
            holds[tensor.name] = value
    return seen, holds


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(STEP, max_size=12), st.sets(st.sampled_from("axyz")))
def test_folding_changes_no_dataflow(steps: list[tuple[bool, list[str], str]], bindings: set[str]) -> None:
    layers = chain(
        *(
            noop(f"n{i}", inputs[0], output) if is_noop else layer(f"l{i}", inputs=inputs, outputs=[output])
            for i, (is_noop, inputs, output) in enumerate(steps)
        )
    )
    folded = fold_no_ops(layers, bindings)
    seen, holds = provenance(layers)
    seen_after, holds_after = provenance(folded)
    assert seen_after == seen
    for name in bindings:
        assert holds_after.get(name, f"outside {name}") == holds.get(name, f"outside {name}")
    for item in folded:
        assert [record["Name"] for record in item.raw["Inputs"]] == [tensor.name for tensor in item.inputs]


@pytest.mark.slow
def test_a_long_engine_folds() -> None:
    layers = []
    for i in range(10_000):
        layers += [layer(f"l{i}", inputs=["s"], outputs=["t"]), noop(f"n{i}", "t", "s")]
    numbered = chain(*layers)
    folded = fold_no_ops(numbered, [f"b{i}" for i in range(10_000)])
    assert len(folded) >= 10_000

"""Bytes of activations and weights: each value once, and what is unknown apart."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.factories import chain, conv, engine, gemm, layer, noop, stored, t
from trex.core.layer import NameParts, Role, Weights
from trex.plan.memory import Bytes, activation_bytes, weights_bytes

SIZE = 8 * 4 * 4 * 2  # of a tensor that is given by nothing but its name


def activations(*layers, inputs=("x",), outputs=("y",)) -> tuple[int, int]:
    size = activation_bytes(engine(*layers, inputs=inputs, outputs=outputs))
    return size.known, size.unknown_count


def test_what_is_written_and_read_counts_once() -> None:
    assert activations(layer("a", outputs=["t"]), layer("b", inputs=["t"]), layer("c", inputs=["t"])) == (4 * SIZE, 0)


def test_an_input_read_by_many_counts_once() -> None:
    assert activations(*(layer(name, outputs=[name]) for name in "abc")) == (4 * SIZE, 0)


def test_a_reused_name_counts_as_often_as_it_holds_another_value() -> None:
    layers = (
        layer("a", outputs=["s"]),
        layer("b", inputs=["s"], outputs=["t"]),
        layer("c", inputs=["t"], outputs=["s"]),
        layer("d", inputs=["s"]),
    )
    assert activations(*layers) == (5 * SIZE, 0)


def test_reuse_with_another_size() -> None:
    layers = (
        layer("a", outputs=[t("s", [4])]),
        layer("b", inputs=[t("s", [4])], outputs=["t"]),
        layer("c", inputs=["t"], outputs=[t("s", [100])]),
        layer("d", inputs=[t("s", [100])]),
    )
    assert activations(*layers) == (SIZE + 8 + SIZE + 200 + SIZE, 0)


def test_parts_of_a_concatenation_add_up() -> None:
    layers = (
        layer("sin", outputs=[t("both", [1, 160])]),
        layer("cos", outputs=[t("both", [1, 160])]),
        layer("fc", inputs=[t("both", [1, 320])]),
    )
    assert activations(*layers) == (SIZE + 640 + SIZE, 0)


def test_branches_write_one_value() -> None:
    layers = (layer("then", outputs=["b"]), layer("else", outputs=["b"]), layer("after", inputs=["b"]))
    assert activations(*layers) == (3 * SIZE, 0)


def test_parts_without_a_reader_add_up() -> None:
    assert activations(layer("a", outputs=["y"]), layer("b", outputs=["y"])) == (3 * SIZE, 0)


def test_a_reader_of_a_part_does_not_shrink_the_whole() -> None:
    layers = (layer("a", outputs=[t("s", [100])]), layer("b", inputs=[t("s", [50])]))
    assert activations(*layers) == (SIZE + 200 + SIZE, 0)


def test_views_write_nothing() -> None:
    layers = (layer("a", outputs=["t"]), noop("n", "t", "u"), layer("b", inputs=["u"]))
    assert activations(*layers) == (3 * SIZE, 0)


def test_constants_are_weights() -> None:
    layers = (layer("c", "Constant", [], ["w"], role=Role.CONSTANT), layer("a", inputs=["x", "w"]))
    assert activations(*layers) == (2 * SIZE, 0)
    assert weights_bytes(engine(*layers)) == Bytes(SIZE, 0)


def test_stored_inputs_are_weights() -> None:
    w = t("w", [8, 8])
    layers = (gemm("g", t("x", [4, 8]), w, t("y", [4, 8])),)
    assert activations(*layers) == (64 + 64, 0)
    assert weights_bytes(engine(*layers)) == Bytes(128, 0)


def test_unknown_sizes_are_counted_not_summed() -> None:
    layers = (layer("a", outputs=[t("t", [None, 8])]), layer("b", inputs=[t("t", [None, 8])], outputs=[t("y", None)]))
    assert activations(*layers) == (SIZE, 2)


def test_one_part_of_unknown_size_makes_the_whole_unknown() -> None:
    layers = (layer("a", outputs=["b"]), layer("b", outputs=[t("b", [None])]), layer("c", inputs=["b"]))
    assert activations(*layers) == (2 * SIZE, 1)


def test_layers_of_which_only_the_name_is_known() -> None:
    bare = replace(layer("a", inputs=[], outputs=[]), raw={"Name": "a"})
    assert activations(bare, bare) == (0, 2)


def test_tensors_without_a_name_count_where_they_are_written() -> None:
    layers = (layer("a", outputs=[t("")]), layer("b", inputs=[t("")], outputs=[t("")]))
    assert activations(*layers) == (3 * SIZE, 0)


def test_weights_add_up() -> None:
    layers = (
        conv("a", ["x"], ["t"], (3, 3), bias="FP32"),
        conv("b", ["t"], ["y"], weights="INT8"),
        layer("c", weights=[Weights("weights", stored("weights", "FP16", 1).data_type, None, None)]),
    )
    assert weights_bytes(engine(*layers)) == Bytes(8 * 8 * 9 * 2 + 8 * 4 + 64, 1)


def named(region: int | None, name: str):
    item = layer(f"g_{region}", "gemm", weights=[replace(stored("input", "FP16", 64), name=name)])
    return replace(item, name_parts=NameParts((item.name,), region=region))


@pytest.mark.parametrize(
    ("layers", "total"),
    [
        ([named(0, "w"), named(0, "w")], 128),
        ([named(0, "w"), named(0, "v")], 256),
        ([named(0, "w"), named(1, "w")], 256),
        ([named(None, "w"), named(None, "w")], 128),
    ],
)
def test_shared_weights_count_once_per_region(layers: list, total: int) -> None:
    assert weights_bytes(engine(*chain(*layers))) == Bytes(total, 0)


def test_a_total_of_nothing_known_is_unknown() -> None:
    assert Bytes(0, 0).total == 0
    assert Bytes(5, 3).total == 5
    assert math.isnan(Bytes(0, 3).total)


def test_a_constant_of_the_first_profile_is_no_activation_of_the_second() -> None:
    first = [
        layer("w", "Constant", [], ["w"], role=Role.CONSTANT),
        layer("a", inputs=["x", "w"], outputs=["y"]),
    ]
    second = [replace(first[1], name="a again", profile=1)]
    whole = engine(*first, *second)
    zero, one = (whole.for_profile(profile) for profile in (0, 1))
    assert activation_bytes(one) == activation_bytes(zero) == Bytes(2 * SIZE, 0)
    assert weights_bytes(one) == weights_bytes(zero) == Bytes(SIZE, 0)

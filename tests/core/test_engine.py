"""Engine: indexes with repeated names, tensors written several times, and several profiles."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.layer import NO_PRECISION, Layer, NameParts, Role
from trex.core.tensor import Binding, Tensor
from trex.core.tensor_format import UNKNOWN_FORMAT


def layer(
    index: int, name: str, reads: str = "", writes: str = "", profile: int = 0, role: Role = Role.KERNEL
) -> Layer:
    def tensors(names: str) -> tuple[Tensor, ...]:
        return tuple(Tensor(n, (1,), DataType.FP32, UNKNOWN_FORMAT, 4, "", {}) for n in names.split())

    return Layer(
        index=index, name=name, occurrence=0, type="Any", subtype="Any", role=role, inputs=tensors(reads),
        outputs=tensors(writes), weights=(), compute=NO_PRECISION, tactic="", tactic_value=None, stream=None,
        profile=profile, origins=(), name_parts=NameParts((name,)), module="", raw={},
    )  # fmt: skip


def names(layers: tuple[Layer, ...]) -> list[int]:
    return [layer.index for layer in layers]


def test_a_reused_tensor_name_has_its_producers_in_execution_order() -> None:
    engine = Engine((layer(0, "a", "", "t"), layer(1, "b", "t", "u"), layer(2, "c", "u", "t"), layer(3, "d", "t")))
    assert names(engine.producers["t"]) == [0, 2]
    assert names(engine.consumers["t"]) == [1, 3]


def test_branches_may_write_one_tensor() -> None:
    engine = Engine((layer(0, "then", "x", "y"), layer(1, "else", "x", "y")))
    assert names(engine.producers["y"]) == [0, 1]


def test_a_layer_that_reads_a_tensor_twice_is_one_consumer() -> None:
    engine = Engine((layer(0, "square", "x x", "y"), layer(1, "mixed", "x y x", "z")))
    assert names(engine.consumers["x"]) == [0, 1]


def test_repeated_layer_names_are_all_kept() -> None:
    engine = Engine((layer(0, "a"), layer(1, "b"), layer(2, "a")))
    assert names(engine.by_name["a"]) == [0, 2]
    assert "c" not in engine.by_name


def test_indexes_are_built_once() -> None:
    engine = Engine((layer(0, "a", "x", "y"),))
    assert engine.producers is engine.producers
    assert engine.by_name is engine.by_name


def test_constants_and_bindings() -> None:
    constant = layer(0, "w", "", "w", role=Role.CONSTANT)
    engine = Engine((constant, layer(1, "a", "w", "y")), (Binding("y", False, None),))
    assert engine.constants == (constant,)
    assert engine.binding_by_name["y"].is_input is False


def test_an_empty_engine_is_an_engine() -> None:
    engine = Engine(())
    assert engine.profiles == ()
    assert engine.by_name == engine.producers == engine.consumers == {}
    assert engine.for_profile(0).layers == ()


def test_one_profile_of_twelve() -> None:
    engine = Engine(tuple(layer(i, f"l{i}", profile=i) for i in range(12)))
    assert engine.profiles == tuple(range(12))
    assert names(engine.for_profile(0).layers) == [0]
    assert names(engine.for_profile(11).layers) == [11]
    assert engine.for_profile(99).layers == ()


def test_a_constant_of_one_profile_is_part_of_those_that_read_it() -> None:
    def constant(index: int, output: str, profile: int) -> Layer:
        return layer(index, f"constant of {output}", "", output, profile, Role.CONSTANT)

    engine = Engine(
        (
            constant(0, "w", 0),
            constant(1, "unread", 0),
            layer(2, "a", "w", "y"),
            layer(3, "a1", "w", "y", profile=1),
            constant(4, "w", 2),
            layer(5, "a2", "w", "y", profile=2),
        )
    )
    parts = [engine.for_profile(profile) for profile in engine.profiles]
    assert [names(part.layers) for part in parts] == [[0, 1, 2], [0, 3], [4, 5]]
    assert [part.profiles for part in parts] == [(0,), (1,), (2,)]


def test_an_engine_of_one_profile_is_that_profile() -> None:
    engine = Engine((layer(0, "a"),))
    assert engine.for_profile(0) is engine


def test_a_change_gives_a_new_engine_with_fresh_indexes() -> None:
    engine = Engine((layer(0, "a", "x", "y"), layer(1, "b", "y", "z")), name="net", source="net.json")
    assert set(engine.producers) == {"y", "z"}
    part = engine.with_layers(engine.layers[:1])
    assert set(part.producers) == {"y"}
    assert set(engine.producers) == {"y", "z"}
    assert (part.name, part.source) == ("net", "net.json")


def test_an_engine_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Engine(()).layers = ()  # type: ignore[misc]

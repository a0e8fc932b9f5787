"""Lifetimes of tensor values that need memory of their own."""

from __future__ import annotations

from dataclasses import replace

from tests.factories import engine, layer, noop, t
from trex.core.layer import Role
from trex.plan.lifetimes import lifetimes_of


def lives(*layers, inputs=("x",), outputs=("y",)) -> dict[str, tuple[int, int, str]]:
    values = lifetimes_of(engine(*layers, inputs=inputs, outputs=outputs)).all
    result = {}
    for value in values:
        name = value.name
        while name in result:
            name += "'"
        result[name] = (value.first, value.last, value.memory)
    return result


def test_a_value_lives_from_its_writer_to_its_last_reader() -> None:
    spans = lives(
        layer("a", outputs=["t"]), layer("b", inputs=["t"], outputs=["u"]), layer("c", inputs=["t", "u"])
    )  # x and y are the caller's, so they are there all the time
    assert spans == {"x": (0, 2, "caller"), "t": (0, 2, "device"), "u": (1, 2, "device"), "y": (0, 2, "caller")}


def test_a_reused_name_is_another_value() -> None:
    spans = lives(
        layer("a", outputs=["s"]),
        layer("b", inputs=["s"], outputs=["t"]),
        layer("c", inputs=["t"], outputs=["s"]),
        layer("d", inputs=["s"]),
    )
    assert spans["s"] == (0, 1, "device")
    assert spans["s'"] == (2, 3, "device")


def test_a_view_keeps_what_it_views() -> None:
    spans = lives(
        layer("a", outputs=["t"]), noop("v", "t", "u"), noop("w", "u", "z"), layer("b"), layer("c", inputs=["z"])
    )
    assert spans["t"] == (0, 4, "device")
    assert "u" not in spans
    assert "z" not in spans


def test_what_a_view_gives_to_the_caller_is_the_callers() -> None:
    assert lives(layer("a", outputs=["t"]), noop("v", "t", "y"))["t"] == (0, 1, "caller")


def test_a_view_of_several_things_keeps_them_all() -> None:
    both = replace(noop("v", "s", "u"), inputs=(t("s"), t("t")))
    spans = lives(layer("a", outputs=["s"]), layer("b", outputs=["t"]), both, layer("c", inputs=["u"]))
    assert spans["s"] == (0, 3, "device")
    assert spans["t"] == (1, 3, "device")


def test_a_view_into_a_concatenation_is_a_part_of_its_own() -> None:
    layers = (
        layer("a", outputs=[t("s", [1, 8])]),
        noop("v", t("s", [1, 8]), t("both", [1, 8])),
        layer("b", outputs=[t("both", [1, 8])]),
        layer("c", inputs=[t("both", [1, 16])]),
    )
    sizes = {value.name: value.size_bytes for value in lifetimes_of(engine(*layers, inputs=["x"], outputs=["y"])).all}
    assert sizes["s"] == 16
    assert sizes["both"] == 16
    assert lives(*layers)["s"] == (0, 3, "device")


def test_what_constants_write_is_stored_with_the_engine() -> None:
    constant = layer("k", "Constant", inputs=[], outputs=["w"], role=Role.CONSTANT)
    assert "w" not in lives(constant, layer("a", inputs=["x", "w"]))
    assert "w" not in lives(layer("a", inputs=["x", "w"]), constant)
    assert "w" not in lives(constant, noop("v", "w", "u"), layer("a", inputs=["x", "u"]))


def test_the_host_is_no_device_memory() -> None:
    shape = replace(t("n", [4], "INT32"), location="Host")
    assert lives(layer("a", outputs=[shape]), layer("b", inputs=[shape]))["n"][2] == "host"


def test_a_value_of_the_last_run_is_kept_all_the_time() -> None:
    spans = lives(layer("a", inputs=["state"]), layer("b", outputs=["state"]), layer("c", inputs=["x"]))
    assert spans["state"] == (0, 2, "device")


def test_data_that_no_layer_writes_is_given_from_outside() -> None:
    assert lives(layer("a", inputs=["x", "given"]))["given"] == (0, 0, "given")


def test_tensors_without_a_name_and_layers_without_tensors() -> None:
    bare = replace(layer("b", inputs=[], outputs=[]), raw={"Name": "b"})
    values = lifetimes_of(engine(layer("a", outputs=[t("")]), bare, inputs=["x"]))
    assert values.unnamed == 1
    assert values.unlisted_layers == 1
    silent = layer("a", inputs=["x"], outputs=[])
    for one, count in ((silent, 1), (replace(silent, type="DeviceToShapeHost"), 0)):
        assert lifetimes_of(engine(one, inputs=["x"])).unlisted_layers == count
    assert [(value.first, value.last) for value in values.all if not value.name] == [(0, 0)]


def test_an_engine_without_layers_has_no_values() -> None:
    assert lifetimes_of(engine()).all == ()


def test_what_a_layer_uses_is_seen_through_views() -> None:
    built = engine(
        layer("a", outputs=["t"]),
        noop("v", "t", "u"),
        layer("b", inputs=["u"], outputs=["t"]),
        layer("c", inputs=["t"]),
        inputs=["x"],
        outputs=["y"],
    )
    values = lifetimes_of(built)
    names = [(value.name, value.first) for value in values.all]
    used = [
        {names[number] for number in values.used_at(layer, position)} for position, layer in enumerate(built.layers)
    ]
    assert used == [
        {("x", 0), ("t", 0)},
        {("t", 0)},
        {("t", 0), ("t", 2)},
        {("t", 2), ("y", 0)},
    ]


def test_a_long_chain_of_views_is_followed_to_its_end() -> None:
    views = [noop(f"v{number}", f"t{number}", f"t{number + 1}") for number in range(3000)]
    spans = lives(layer("a", outputs=["t0"]), *views, layer("b", inputs=["t3000"]))
    assert spans["t0"] == (0, 3001, "device")
    assert len(spans) == 3

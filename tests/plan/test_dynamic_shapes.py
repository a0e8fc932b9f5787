"""Dynamic engines at given shapes: what follows from them, and nothing more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.factories import engine, layer, t, time
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.layer import NameParts
from trex.core.metadata import Metadata
from trex.core.tensor import ShapeRange, Tensor
from trex.core.timings import LayerTimes
from trex.plan.dynamic_shapes import _outer_stride, at_shapes, input_shapes
from trex.plan.engine_plan import EnginePlan


def dynamic(*names: str, dims=(None, 8)) -> list:
    return [t(name, dims) for name in names]


def batched() -> Engine:
    x, s, y = dynamic("x", "s", "y")
    return engine(layer("a", inputs=[x], outputs=[s]), layer("b", inputs=[s], outputs=[y]), inputs=["x"], outputs=["y"])


def strided(tensor: Tensor, *strides: int) -> Tensor:
    return replace(tensor, raw={**tensor.raw, "Strides": list(strides)})


def with_range(source: Engine, *ranges: ShapeRange) -> Engine:
    return replace(source, bindings=tuple(replace(b, profiles=ranges if b.is_input else ()) for b in source.bindings))


def shapes_of(source: Engine) -> dict[str, object]:
    return {tensor.name: tensor.shape for item in source.layers for tensor in (*item.inputs, *item.outputs)}


def test_a_batch_goes_through_the_engine() -> None:
    resolved, notes = at_shapes(batched(), {"x": (4, 8)})
    assert shapes_of(resolved) == {"x": (4, 8), "s": (4, 8), "y": (4, 8)}
    assert {tensor.size_bytes for item in resolved.layers for tensor in item.outputs} == {64}
    assert [b.tensor.shape for b in resolved.bindings if b.tensor] == [(4, 8), (4, 8)]
    (note,) = notes
    assert note.code == "evaluated-at-shapes"
    assert "x 4x8" in note.message
    assert "first dimensions were propagated" in note.message


def test_the_engine_given_is_not_changed() -> None:
    source = batched()
    at_shapes(source, {"x": (4, 8)})
    assert shapes_of(source) == {"x": (None, 8), "s": (None, 8), "y": (None, 8)}


def test_other_dimensions_stay_unknown() -> None:
    x, s = t("x", [None, 3, None, None]), t("s", [None, 8, None, None])
    source = engine(layer("a", inputs=[x], outputs=[s]), inputs=["x"])
    resolved, notes = at_shapes(source, {"x": (1, 3, 224, 224)})
    assert shapes_of(resolved) == {"x": (1, 3, 224, 224), "s": (None, 8, None, None)}
    assert resolved.layers[0].inputs[0].size_bytes == 3 * 224 * 224 * 2
    assert resolved.layers[0].outputs[0].size_bytes is None
    assert [note.code for note in notes] == ["evaluated-at-shapes", "still-dynamic"]


@pytest.mark.parametrize(
    ("kind", "tokens"), [("Shuffle", ()), ("Reformat", ()), ("kgen", ("Tran", "Resh")), ("NoOp", ()), ("reshape", ())]
)
def test_a_reshape_keeps_the_number_of_elements(kind: str, tokens: tuple[str, ...]) -> None:
    """Heads folded into the batch: the first dimension is no batch any more, and stays so downstream."""
    x, s, y = t("x", [None, 12, 64, 64]), t("s", [None, 64, 64]), t("y", [None, 64, 8])
    moved = replace(layer("r", kind, [x], [s]), name_parts=NameParts(("r",), tokens=tokens))
    source = engine(moved, layer("b", "gemm", [s], [y]), inputs=["x"], outputs=["y"])
    resolved, _ = at_shapes(source, {"x": (2, 12, 64, 64)})
    assert shapes_of(resolved) == {"x": (2, 12, 64, 64), "s": (24, 64, 64), "y": (24, 64, 8)}


def test_a_reshape_of_an_unknown_number_of_elements_stays_unknown() -> None:
    x, s = t("x", [None, None, 8]), t("s", [None, 8])
    source = engine(
        layer("e", inputs=[x], outputs=[t("u", [None, None, 8])]), layer("r", "Shuffle", [t("u", [None, None, 8])], [s])
    )
    source = replace(source, bindings=engine(layer("a", inputs=[x]), inputs=["x"]).bindings)
    resolved, notes = at_shapes(source, {"x": (2, 5, 8)})
    assert shapes_of(resolved)["s"] == (None, 8)
    assert "still-dynamic" in [note.code for note in notes]


def test_a_reader_may_see_its_tensor_in_another_shape() -> None:
    x, seen = t("x", [None, 64, 7, 7]), t("x", [None, 3136])
    source = engine(layer("g", "gemm", [seen], [t("y", [None, 10])]), inputs=["x"])
    source = replace(source, bindings=(replace(source.bindings[0], tensor=x),))
    resolved, _ = at_shapes(source, {"x": (4, 64, 7, 7)})
    assert shapes_of(resolved) == {"x": (4, 3136), "y": (4, 10)}


def test_a_reused_name_has_the_shape_of_its_time() -> None:
    x, s, small = t("x", [None, 4]), t("s", [None, 4]), t("s", [2, 2])
    source = engine(
        layer("a", inputs=[x], outputs=[s]),
        layer("b", inputs=[s], outputs=[small]),
        layer("c", inputs=[small], outputs=[t("y", [None, 2])]),
        inputs=["x"],
    )
    resolved, _ = at_shapes(source, {"x": (4, 4)})
    assert [item.inputs[0].shape for item in resolved.layers] == [(4, 4), (4, 4), (2, 2)]
    assert resolved.layers[2].outputs[0].shape == (None, 2)


def test_two_inputs_that_differ_are_no_batch() -> None:
    a, b, y = dynamic("a", "b", "y")
    source = engine(layer("add", inputs=[a, b], outputs=[y]), inputs=["a", "b"], outputs=["y"])
    assert shapes_of(at_shapes(source, {"a": (4, 8), "b": (1, 8)})[0])["y"] == (None, 8)
    assert shapes_of(at_shapes(source, {"a": (4, 8)})[0])["y"] == (None, 8)
    assert shapes_of(at_shapes(source, {"a": (4, 8), "b": (4, 8)})[0])["y"] == (4, 8)


def test_padding_is_counted_at_the_new_shape() -> None:
    x = t("x", [None, 3, 4, 4], "INT8", "NC/32HW32")
    resolved, _ = at_shapes(engine(layer("a", inputs=[x], outputs=["y"]), inputs=["x"]), {"x": (2, 3, 4, 4)})
    assert resolved.layers[0].inputs[0].size_bytes == 2 * 32 * 16


def test_numbers_of_other_libraries_are_numbers() -> None:
    resolved, _ = at_shapes(batched(), {"x": np.array([4, 8])})
    assert shapes_of(resolved)["x"] == (4, 8)
    assert type(resolved.layers[0].inputs[0].size_bytes) is int
    assert shapes_of(at_shapes(batched(), {"x": [4, 8]})[0])["x"] == (4, 8)


@pytest.mark.parametrize("wrong", [(-1, 8), (2**70, 8), "48", 4, None, (None, 8), (1.5, 8), ("4", "8")])
def test_what_is_no_shape_is_refused(wrong: object) -> None:
    with pytest.raises(TrexError, match="not a shape") as caught:
        at_shapes(batched(), {"x": wrong})  # type: ignore[dict-item]
    assert caught.value.hint


@pytest.mark.parametrize("wrong", [(4, 9), (4,), (4, 8, 1)])
def test_a_shape_that_does_not_fit_is_refused(wrong: tuple) -> None:
    with pytest.raises(TrexError, match="does not fit input 'x'"):
        at_shapes(batched(), {"x": wrong})


@pytest.mark.parametrize("name", ["X", "y", "s", "inptu", ""])
def test_a_name_that_is_no_input_is_refused(name: str) -> None:
    with pytest.raises(TrexError, match="no input") as caught:
        at_shapes(batched(), {name: (4, 8)})
    assert "x" in caught.value.hint


def test_a_static_engine_stays_as_it_is() -> None:
    source = engine(layer("a"), inputs=["x"], outputs=["y"])
    assert at_shapes(source, {"x": (1, 8, 4, 4)}) == (source, ())
    assert at_shapes(source, {}) == (source, ())


def test_the_shapes_of_a_profile() -> None:
    source = with_range(batched(), ShapeRange((1, 8), (4, 8), (16, 8)), ShapeRange((32, 8), (64, 8), (128, 8)))
    assert [input_shapes(source, point)["x"] for point in ("min", "opt", "max")] == [(1, 8), (4, 8), (16, 8)]
    assert input_shapes(source, "opt", 1) == {"x": (64, 8)}


def test_unknown_shapes_are_an_error() -> None:
    for source in (batched(), with_range(batched(), ShapeRange(None, None, (16, 8)))):
        with pytest.raises(TrexError, match="opt shape of input 'x'") as caught:
            input_shapes(source, "opt")
        assert caught.value.hint
    assert input_shapes(with_range(batched(), ShapeRange(None, None, (16, 8))), "max") == {"x": (16, 8)}
    with pytest.raises(TrexError, match="not a point"):
        input_shapes(batched(), "average")


def test_static_inputs_need_no_range() -> None:
    assert input_shapes(engine(layer("a"), inputs=["x"], outputs=["y"]), "opt") == {}


def test_a_plan_at_shapes() -> None:
    plan = EnginePlan(with_range(batched(), ShapeRange((1, 8), (4, 8), (16, 8))))
    assert plan.df["total_io_size_bytes"].isna().all()
    resolved = plan.at_shapes("opt")
    assert type(resolved) is EnginePlan
    assert resolved.total_act_size == 3 * 64
    assert resolved.df["total_io_size_bytes"].tolist() == [128, 128]
    assert plan.df["total_io_size_bytes"].isna().all()
    assert plan.at_shapes("max").total_act_size == 4 * resolved.total_act_size
    assert resolved.at_shapes({}).total_act_size == resolved.total_act_size


@pytest.mark.parametrize(("ran", "is_known"), [("x=4x8", True), ("model", False)])
def test_times_of_a_run_at_unknown_shapes_are_noted(ran: str, is_known: bool) -> None:
    source = with_range(batched(), ShapeRange((1, 8), (4, 8), (16, 8)))
    metadata = Metadata(inference_options={"Input inference shapes": ran})
    timed = EnginePlan(source, LayerTimes((time("a", 1.0),)), metadata=metadata).at_shapes("opt")
    noted = {note.code for note in timed.notes}
    assert ("run-shape-unknown" in noted) is not is_known
    assert not any(note.code == "run-shape-unknown" for note in EnginePlan(source).at_shapes("opt").notes)


def test_a_plan_at_the_shapes_of_its_own_profile() -> None:
    source = with_range(batched(), ShapeRange((1, 8), (4, 8), (16, 8)), ShapeRange((32, 8), (64, 8), (128, 8)))
    both = source.with_layers(
        (*source.layers, *(replace(item, profile=1, index=item.index + 2) for item in source.layers))
    )
    assert EnginePlan(both, profile_id=1).at_shapes("opt").total_act_size == 3 * 64 * 8 * 2
    assert EnginePlan(both).at_shapes("opt").total_act_size == 3 * 64


def test_a_view_of_a_part_of_each_row_has_as_many_rows() -> None:
    """Query, key and value of one GEMM: 64 of 192 columns, at a stride of 192."""
    whole, part = (strided(t("s", [None, size]), 192, 1) for size in (192, 64))
    layers = layer("a", inputs=[t("x", [None, 8])], outputs=[whole]), layer("b", inputs=[part], outputs=[t("y", [4])])
    resolved, _ = at_shapes(engine(*layers, inputs=["x"]), {"x": (6, 8)})
    assert resolved.layers[1].inputs[0].shape == (6, 64)


def test_a_kernel_that_reshapes_too_has_no_batch() -> None:
    heads = layer("__myl_AddReshTran_myl0_1", "kgen", [t("x", [None, 8])], [t("y", [None, 2, 4])])
    heads = replace(heads, name_parts=NameParts((), tokens=("Add", "Resh", "Tran")))
    resolved, notes = at_shapes(engine(heads, inputs=["x"]), {"x": (6, 8)})
    assert resolved.layers[0].outputs[0].shape == (None, 2, 4)
    assert "still-dynamic" in [note.code for note in notes]


@pytest.mark.parametrize("stride", [None, "x", {}, 1.5])
def test_a_stride_that_is_no_integer_says_nothing(stride: object) -> None:
    tensor = replace(t("x", [None, 3]), raw={"Strides": [stride, 1]})
    assert _outer_stride(tensor) is None

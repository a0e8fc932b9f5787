"""Shapes that a build would refuse are refused before it, and the mock refuses them as trtexec does."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mocks import write_model
from trex.capture.model_shapes import ProfileShapes, check_order, check_with_model
from trex.capture.options import CaptureOptions
from trex.capture.trtexec.command_line import command_line
from trex.core.errors import TrexError
from trex.ingest.onnx_inputs import OnnxInput, onnx_inputs

Make = Callable[..., Path]
IMAGE = OnnxInput("input.1", (-1, 3, 32, 32))
WRONG = [
    ("shapes=input.1:2x3x32", "input.1 2x3x32, and the model has -1x3x32x32 there; -1 is any size",
     "shapes=input.1:1x3x32x32", "number of dimensions is 4 but profile 0 has 3"),
    ("shapes=input.1:2x4x32x32", "2x4x32x32, and the model has -1x3x32x32", "shapes=input.1:2x3x32x32",
     "dimension number 1 in profile 0 does not match network definition (got min=4, opt=4, max=4)"),
    ("shapes=input.1:2x3x0x32", "the model has -1x3x32x32", "shapes=input.1:2x3x32x32", "dimension number 2"),
    ("shapes=input:2x3x32x32", "the model has no input input", "did you mean input.1", "Cannot find input tensor"),
    ("optShapes=x:1", "the model has no input x", "its inputs: input.1:-1x3x32x32", "Cannot find input tensor"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "message", "hint", "trtexec_says"), WRONG)
def test_shapes_that_the_model_does_not_take(
    word: str, message: str, hint: str, trtexec_says: str, tmp_path: Path, make_trtexec: Make
) -> None:
    model = write_model(tmp_path / "m.onnx", inputs={"input.1": [-1, 3, 32, 32]})
    with pytest.raises(TrexError) as caught:
        command_line(CaptureOptions(str(model), "out", (word,)), (10, 4))
    assert message in caught.value.message and hint in caught.value.hint and caught.value.where == word
    said = subprocess.run(
        [str(make_trtexec("10.4")), f"--onnx={model}", f"--{word}", "--skipInference"], capture_output=True, text=True
    )
    assert said.returncode == 1 and trtexec_says in said.stderr


def test_nothing_is_measured_of_nothing() -> None:
    for option in ("shapes", "optShapes", "maxShapes"):
        with pytest.raises(TrexError, match="of which nothing can be measured"):
            check_with_model([(option, "input.1:0x3x32x32")], [IMAGE])
    check_with_model([("minShapes", "input.1:0x3x32x32"), ("optShapes", "input.1:1x3x32x32")], [IMAGE])


def test_a_model_of_fixed_shapes_takes_none(tmp_path: Path, make_trtexec: Make) -> None:
    model = write_model(tmp_path / "m.onnx", inputs={"x": [1, 3], "y": [1]})
    options = CaptureOptions(str(model), "out", ("shapes=x:1x3",))
    with pytest.raises(TrexError, match=r"fixed shapes \(x:1x3, y:1\), and trtexec builds no such model with shapes"):
        command_line(options, (10, 4))
    words = [str(make_trtexec("10.4")), f"--onnx={model}", "--shapes=x:1x3", "--skipInference"]
    said = subprocess.run(words, capture_output=True, text=True)
    assert said.returncode == 1 and "Static model does not take explicit shapes" in said.stderr
    inputs = onnx_inputs(model)
    assert inputs is not None
    check_with_model([("shapes", "x:1x3")], inputs, takes_fixed=True)
    with pytest.raises(TrexError, match=r"x 2x3, and the model has 1x3 there\n"):
        check_with_model([("shapes", "x:2x3")], inputs, takes_fixed=True)


def test_what_the_model_does_not_tell_is_not_judged() -> None:
    sizes, unknown = OnnxInput("sizes", (2,), may_hold_sizes=True), OnnxInput("u", None)
    check_with_model([("shapes", "sizes:64x64,u:1x2x3")], [sizes, unknown])


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (("x:2x8", "x:1x8", "x:4x8"), "minShapes gives x 2x8, optShapes gives it 1x8, which is less"),
        (("x:1x8", "x:4x8", "x:2x8"), "optShapes gives x 4x8, maxShapes gives it 2x8, which is less"),
        (("x:1x8", "x:2", "x:2x8"), "minShapes gives x 1x8, optShapes gives it 2: not as many dimensions"),
    ],
)
def test_sizes_grow_from_minimum_to_maximum(
    sides: tuple[str, str, str], message: str, tmp_path: Path, make_trtexec: Make
) -> None:
    with pytest.raises(TrexError, match=message):
        check_order(ProfileShapes(None, *sides))
    words = tuple(f"{name}Shapes={text}" for name, text in zip(("min", "opt", "max"), sides, strict=True))
    with pytest.raises(TrexError, match=message):
        command_line(CaptureOptions(str(tmp_path / "not-read.onnx"), "out", words), (10, 4))
    model = write_model(tmp_path / "m.onnx", inputs={"x": [-1, 8]})
    command = [str(make_trtexec("10.4")), f"--onnx={model}", *(f"--{word}" for word in words), "--skipInference"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 1 and "must satisfy MIN<=OPT<=MAX" in said.stderr


def test_the_minimum_alone_and_equal_sizes_are_in_order() -> None:
    check_order(ProfileShapes(None, optimum="x:1x8"))
    check_order(ProfileShapes(0, "x:2x8,y:", "x:2x8,y:", "x:2x8,z:1"))

"""Shapes that a build would refuse late or obscurely are refused before it; the mock refuses them as trtexec does."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mocks import write_model
from trex.capture.options import CaptureOptions
from trex.capture.process import process
from trex.capture.trtexec.command_line import command_line
from trex.capture.trtexec.shapes import check_with_model
from trex.core.errors import TrexError
from trex.ingest.onnx_inputs import OnnxInput

Make = Callable[..., Path]
WRONG = [
    ("shapes=input.1:2x3x32", "input.1 2x3x32, but the model has -1x3x32x32; -1 is any size",
     "shapes=input.1:1x3x32x32", "number of dimensions is 4 but profile 0 has 3"),
    ("shapes=input.1:2x4x32x32", "2x4x32x32, but the model has -1x3x32x32", "shapes=input.1:2x3x32x32",
     "dimension number 1 in profile 0 does not match network definition (got min=4, opt=4, max=4)"),
    ("shapes=input:2x3x32x32", "the model has no input input", "did you mean input.1", "Cannot find input tensor"),
    ("optShapes=x:1", "the model has no input x", "its inputs: input.1:-1x3x32x32", "Cannot find input tensor"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message", "hint", "trtexec_error"), WRONG)
def test_shapes_that_do_not_fit_the_model(
    text: str, message: str, hint: str, trtexec_error: str, tmp_path: Path, make_trtexec: Make
) -> None:
    model = write_model(tmp_path / "m.onnx", inputs={"input.1": [-1, 3, 32, 32]})
    with pytest.raises(TrexError) as raised:
        command_line(CaptureOptions(str(model), "out", (text,)), (10, 4))
    assert message in raised.value.message and hint in raised.value.hint and raised.value.where == text
    command = [str(make_trtexec("10.4")), f"--onnx={model}", f"--{text}", "--skipInference"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and trtexec_error in done.stderr


def test_inputs_of_unknown_shape_are_not_checked() -> None:
    sizes, unknown = OnnxInput("sizes", (2,), may_hold_sizes=True), OnnxInput("u", None)
    check_with_model([("shapes", "sizes:64x64,u:1x2x3")], [sizes, unknown])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("shapes=x:1x8",), "Static model does not take explicit shapes", "leave the shapes out"),
        (("minShapes=x:2x8", "optShapes=x:1x8", "maxShapes=x:4x8"), "must satisfy MIN<=OPT<=MAX", "in the log"),
        (("minShapes=x:1x8",), "Must specify only --optShapes or all of --minShapes", "in the log"),
    ],
)
def test_what_trtexec_refuses_itself_is_reported_in_its_words(
    arguments: tuple[str, ...], message: str, hint: str, tmp_path: Path, make_trtexec: Make
) -> None:
    model = write_model(tmp_path / "m.onnx", inputs={"x": [1 if arguments[0].startswith("shapes") else -1, 8]})
    options = CaptureOptions(
        str(model), str(tmp_path / "out"), arguments, trtexec=str(make_trtexec("10.4")), dont_lock_clocks=True
    )
    failure = process(options).failure
    assert failure is not None and message in failure.message and hint in failure.hint

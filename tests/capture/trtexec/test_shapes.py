"""Shapes that trtexec refuses itself; the mock refuses them as trtexec does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mocks import write_model
from trex.capture.options import CaptureOptions
from trex.capture.process import process

Make = Callable[..., Path]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (("shapes=x:1x8",), "Static model does not take explicit shapes", "leave the shapes out"),
        (("minShapes=x:2x8", "optShapes=x:1x8", "maxShapes=x:4x8"), "must satisfy MIN<=OPT<=MAX", "in the log"),
        (("optShapes=x:1x2x8",), "number of dimensions is 2 but profile 0 has 3", "in the log"),
        (("optShapes=y:1x8",), "Cannot find input tensor", "in the log"),
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

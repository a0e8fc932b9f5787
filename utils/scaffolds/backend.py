"""A way to build and profile engines: ``trex process --backend NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="capture/backends",
    plug='''\
"""$title: one sentence on how it builds and profiles an engine, and what it needs."""

from __future__ import annotations

from trex.capture.backend import Backend, CaptureJob
from trex.capture.options import CaptureOptions
from trex.core.errors import TrexError


def is_available(options: CaptureOptions) -> bool:
    """Whether what the backend needs is on this machine; cheap, without importing it."""
    return False


def prepare(options: CaptureOptions) -> CaptureJob:
    """Finds what the backend needs and checks the options. Raises TrexError where one of them is missing."""
    hint = "pip install it, or use --backend auto"
    raise TrexError("the program of the backend $name is not installed", hint)


BACKEND = Backend("$name", is_available, prepare)
''',
    test='''\
"""The backend ``$name``."""

from __future__ import annotations

import pytest

from trex.capture.backend import BACKENDS, prepare_backend
from trex.capture.options import CaptureOptions
from trex.core.errors import TrexError


def test_without_its_program_it_says_what_to_install() -> None:
    assert not BACKENDS["$name"].value.is_available(CaptureOptions("model.onnx", "out"))
    with pytest.raises(TrexError, match="is not installed") as caught:
        prepare_backend(CaptureOptions("model.onnx", "out", backend="$name"))
    assert "pip install" in caught.value.hint
''',
    related=("tests/capture/test_options.py",),
)

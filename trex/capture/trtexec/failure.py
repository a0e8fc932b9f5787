"""trtexec's output and exit code → why it failed, in one sentence, and the next step.

The first error is the reason; later ones (``Engine set up failed``) only say that there was one.
"""

from __future__ import annotations

import re

from trex.capture.child import ChildResult
from trex.capture.probe import signal_name

_PREFIX = re.compile(r"^(?:\[[^\]]{0,30}\] ?)?(?:\[TRT\] )?\[[VIWEF]\](?: \[TRT\])? ?", re.ASCII)
_LIBRARY_PREFIX = re.compile(r"\[libprotobuf [A-Z]+ [^\]\s]{1,200}\] ?", re.ASCII)
_MAX_ERRORS = 6
_MAX_CHARS = 600
# Printed after the reason of any failure.
_CONSEQUENCES = (
    "Failed to parse onnx file",
    "Parsing model failed",
    "Failed to create engine from model or file",
    "Engine set up failed",
    "Engine could not be created from network",
    "Building engine failed",
    "Network And Config setup failed",
    "Inference set up failed",
    "Got invalid engine",
    "Engine deserialization failed",
    "Error occurred during inference",
)
# Reasons that are not marked as errors: the loader's, and trtexec's own without a GPU.
_UNMARKED = ("error while loading shared libraries", "Cannot find device ID", "Cuda failure: ")
_IN_LOG = "the whole output is in the log"
_HINTS = (
    (("Saving engine to file failed", "No space left"), f"is there space left? {_IN_LOG}"),
    (
        ("ModelProto", "Failed to parse ONNX", "Could not parse the ONNX"),
        f"is it a complete ONNX model? onnx.checker reports what is wrong with it; {_IN_LOG}",
    ),
    (
        ("Cannot find device ID", "invalid device ordinal"),
        "nvidia-smi -L lists the GPUs, --dev N chooses one (CUDA_VISIBLE_DEVICES renumbers them)",
    ),
    (("Static model does not take explicit shapes",), "leave the shapes out, or export the model with dynamic axes"),
    (("Unknown option",), f"trtexec --help lists its options; {_IN_LOG}"),
)
_SIGNALS = {
    4: "an illegal instruction: is it built for this processor?",
    6: "it aborted",
    9: "it was killed, as the system does when memory runs out",
    11: "it crashed",
    15: "it was asked to end",
}


class ErrorLines:
    """Collects the errors in the output of one run."""

    def __init__(self) -> None:
        self._errors: list[str] = []
        self._last = ""

    def add(self, line: str) -> None:
        if "[E]" not in line[:40] and "[F]" not in line[:40]:
            if len(self._errors) < _MAX_ERRORS and any(text in line for text in _UNMARKED):
                self._errors.append(_message(line))
            return
        text = _message(line)
        if not text:
            return
        self._last = text
        if len(self._errors) < _MAX_ERRORS and text not in self._errors and not text.startswith(_CONSEQUENCES):
            self._errors.append(text)

    def reason(self, result: ChildResult) -> str:
        """The first error, with the one that it announces; without any error, the meaning of the exit code."""
        if self._errors:
            first, *others = self._errors
            return f"{first} {others[0]}" if first.endswith(":") and others else first
        if self._last:
            return self._last
        number = -result.exit_code if result.exit_code < 0 else result.exit_code - 128
        if number in _SIGNALS:
            return _SIGNALS[number]
        last_line = next(filter(None, map(_message, reversed(result.last_lines))), "")
        return f"it gave no reason; its last output was: {last_line}" if last_line else "it printed nothing"


def end_words(exit_code: int) -> str:
    """``ended with 1``, ``died of SIGSEGV``."""
    return f"died of {signal_name(-exit_code)}" if exit_code < 0 else f"ended with {exit_code}"


def next_step(reason: str) -> str:
    return next((hint for texts, hint in _HINTS if any(text in reason for text in texts)), _IN_LOG)


def _message(line: str) -> str:
    """A line without its prefix; "" for banners."""
    if line.startswith("&&&&"):
        return ""
    return _LIBRARY_PREFIX.sub("", _PREFIX.sub("", line), count=1).strip()[:_MAX_CHARS]

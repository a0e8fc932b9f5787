"""trtexec's output and exit code → the reason of its failure, in one sentence.

The first error is the reason; the last ones (``Engine set up failed``) only say that there was one.
"""

from __future__ import annotations

import re

from trex.capture.child import Ended

_PREFIX = re.compile(r"^(?:\[[^\]]{0,30}\] ?)?(?:\[TRT\] )?\[[VIWEF]\](?: \[TRT\])? ?", re.ASCII)
_SPEAKER = re.compile(r"\[libprotobuf [A-Z]+ [^\]\s]{1,200}\] ?", re.ASCII)
_KEPT = 6
_KEPT_CHARS = 600
# Told after the reason, on every way to fail.
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
# Reasons that do not come as errors: the loader's, and trtexec's own of a GPU that is not there.
_UNMARKED = ("error while loading shared libraries", "Cannot find device ID", "Cuda failure: ")
_SIGNALS = {
    4: "an illegal instruction: is it built for this processor?",
    6: "it aborted",
    9: "it was killed, as the system does when memory runs out",
    11: "it crashed",
    15: "it was told to end",
}


class Complaints:
    """Takes the lines of one run; ``reason`` is what to tell of it."""

    def __init__(self) -> None:
        self._errors: list[str] = []
        self._last = ""

    def add(self, line: str) -> None:
        if "[E]" not in line[:40] and "[F]" not in line[:40]:
            if len(self._errors) < _KEPT and any(words in line for words in _UNMARKED):
                self._errors.append(_message(line))
            return
        text = _message(line)
        if not text:
            return
        self._last = text
        if len(self._errors) < _KEPT and text not in self._errors and not text.startswith(_CONSEQUENCES):
            self._errors.append(text)

    @property
    def has_errors(self) -> bool:
        return bool(self._last)

    def reason(self, ended: Ended) -> str:
        """The first error, with the one that it announces; what the exit code says when there was none."""
        if self._errors:
            first, *others = self._errors
            return f"{first} {others[0]}" if first.endswith(":") and others else first
        if self._last:
            return self._last
        number = -ended.exit_code if ended.exit_code < 0 else ended.exit_code - 128
        if ended.exit_code < 0 or number in _SIGNALS:
            return f"it died of signal {number}" + (f": {_SIGNALS[number]}" if number in _SIGNALS else "")
        said = next(filter(None, map(_message, reversed(ended.last_lines))), "")
        return f"it gave no reason; the last it said was: {said}" if said else "it said nothing at all"


def _message(line: str) -> str:
    """What a line says; "" for banners."""
    return "" if line.startswith("&&&&") else _SPEAKER.sub("", _PREFIX.sub("", line), count=1).strip()[:_KEPT_CHARS]

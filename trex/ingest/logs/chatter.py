"""Which of the library's messages are chatter: told by their bytes, before anything is decoded.

Nearly all of a verbose log is the library telling what it tries. Of that, only lines that begin with the words of
``TELLING`` matter to a LogRun; the others are passed over at some hundred megabytes a second.
"""

from __future__ import annotations

from trex.ingest.logs.memory_lines import MEMORY_STARTS

ENGINE_LAYERS_HEADER = "Engine Layer Information:"
BORDER_STARTS = ("Adding network input: ", "Marking ")
BUILD_STARTS = (*BORDER_STARTS, "Original: ")
"""What the library says first of a network: how its import begins, and how its optimization does."""
SPARSITY_STARTS = ("(Sparsity) Layers eligible", "(Sparsity) TRT inference plan picked")
"""How the library says which layers could, and which do, make use of sparse weights; the names follow a colon."""
INSUFFICIENT_SCRATCH = " skipped. Scratch requested"

# What stands in columns 20 to 32 of ``[MM/DD/YYYY-HH:MM:SS] [V] [TRT] text``, as trtexec and as trt.Logger order it.
_HEADS = frozenset((b"] [V] [TRT] ", b"] [TRT] [V] ", b"] [I] [TRT] ", b"] [TRT] [I] "))
_HEAD_START, _HEAD_END = 20, 32
# Without a clock, as TensorRT for RTX writes.
_BARE_HEAD = b"[V] "
# trtexec's own: a line for each ten runs.
_AVERAGE = b"] [I] Averag"
_WORD = 6

TELLING = (
    ENGINE_LAYERS_HEADER,
    *BUILD_STARTS,
    *MEMORY_STARTS,
    "Engine generation completed",
    "Loaded engine size",
    "[MemUsageStats] Peak",
    "Could not ",
    "Some tactics",
    "Layers:",
    "Layer Information:",
    "Layer(",
    "Engine information",
    "Name: ",
    "=== ",
    "TensorRT version:",
    *SPARSITY_STARTS,
)
"""How the messages of the library begin that are read; those that tell a tactic was skipped are read, too."""

_TELLING_WORDS = frozenset(start.encode()[:_WORD] for start in TELLING)
_SECTION = b"=== "
_TACTIC = b"Tactic"
_SKIPPED = INSUFFICIENT_SCRATCH.encode()
_CENTURY = b"/20"  # of a clock in the middle of the line: another line ran into this one


def is_chatter(line: bytes) -> bool:
    """True for a line that tells nothing which is read; False when in doubt."""
    head = line[_HEAD_START:_HEAD_END]
    if head in _HEADS:
        start = _HEAD_END
    elif line.startswith(_BARE_HEAD):
        start = len(_BARE_HEAD)
    elif head == _AVERAGE:
        return line.find(_CENTURY, _HEAD_END) < 0
    else:
        return False
    word = line[start : start + _WORD]
    if word in _TELLING_WORDS or len(word) < _WORD or word.startswith(_SECTION):
        return False
    if word == _TACTIC and _SKIPPED in line:
        return False
    return line.find(_CENTURY, start) < 0

"""Chatter: messages of the library that no reader needs, recognized by their bytes before decoding.

Nearly all of a verbose log reports what the builder tries. Of these lines, a LogRun needs only those that begin with
``READ_STARTS``; the others are skipped at some hundred megabytes per second.
"""

from __future__ import annotations

from trex.ingest.logs.memory_lines import MEMORY_STARTS

ENGINE_LAYERS_HEADER = "Engine Layer Information:"
BINDING_STARTS = ("Adding network input: ", "Marking ")
BUILD_STARTS = (*BINDING_STARTS, "Original: ")
"""First messages about a network: the beginning of its import, and of its optimization."""
SPARSITY_STARTS = ("(Sparsity) Layers eligible", "(Sparsity) TRT inference plan picked")
"""Messages that list, after a colon, the layers that could use sparse weights, and those that do."""
INSUFFICIENT_SCRATCH = " skipped. Scratch requested"

# Columns 20 to 32 of ``[MM/DD/YYYY-HH:MM:SS] [V] [TRT] text``, as trtexec and trt.Logger order them.
_HEADS = frozenset((b"] [V] [TRT] ", b"] [TRT] [V] ", b"] [I] [TRT] ", b"] [TRT] [I] "))
_HEAD_START, _HEAD_END = 20, 32
# Without a clock, as in TensorRT for RTX, or where a program removed it; the longer ones first.
_BARE_HEADS = (b"[V] [TRT] ", b"[TRT] [V] ", b"[V] ")
# trtexec prints this line every ten runs.
_AVERAGE = b"] [I] Averag"
_WORD = 6

READ_STARTS = (
    ENGINE_LAYERS_HEADER,
    *BUILD_STARTS,
    *MEMORY_STARTS,
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
"""First words of the library's messages that are read. Messages about skipped tactics are read as well."""

_READ_WORDS = frozenset(start.encode()[:_WORD] for start in READ_STARTS)
_SECTION = b"=== "
_TACTIC = b"Tactic"
_SKIPPED = INSUFFICIENT_SCRATCH.encode()
_CENTURY = b"/20"  # of a second clock: another line was written into this one


def bare_head(line: bytes) -> int:
    """Length of the head of a verbose message without a clock; 0 for any other line."""
    if not line.startswith(_BARE_HEADS):
        return 0
    return next(len(head) for head in _BARE_HEADS if line.startswith(head))


def is_chatter(line: bytes) -> bool:
    """Whether no reader needs the line; False if in doubt."""
    head = line[_HEAD_START:_HEAD_END]
    if head in _HEADS:
        start = _HEAD_END
    elif bare := bare_head(line):
        start = bare
    elif head == _AVERAGE:
        return line.find(_CENTURY, _HEAD_END) < 0
    else:
        return False
    word = line[start : start + _WORD]
    if word in _READ_WORDS or len(word) < _WORD or word.startswith(_SECTION):
        return False
    if word == _TACTIC and _SKIPPED in line:
        return False
    return line.find(_CENTURY, start) < 0

"""Tactic timings in a verbose log → TacticTrials and FormatTimings: the fastest tactics of each layer.

For each combination of formats that the builder tries for a layer, TensorRT 8.4 to 10.16 prints::

    *************** Autotuning format combination: Float(784,784,28,1) -> Float(25088,784,28,1) ***************
    --------------- Timing Runner: Conv-1 + ReLU-2 (CaskConvolution[0x80000009])
    Tactic Name: ampere_scudnn_128x64_relu_small_nn_v1 Tactic: 0x3f243c490d502deb Time: 0.0103641
    >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x5b8bf1b8028629d9

These lines are most of a large log. They are read as bytes, and only the two fastest are kept.
"""

from __future__ import annotations

import math
import re

from trex.core.data_type import DataType
from trex.core.format_timing import FormatTiming
from trex.core.tactic_trial import TacticTrial
from trex.ingest.logs.chatter import bare_head
from trex.ingest.logs.myelin_trials import MYELIN, MyelinTrials
from trex.ingest.spelling.data_types import data_type_of

_TEXT_AT = 32  # after ``[MM/DD/YYYY-HH:MM:SS] [V] [TRT] ``
_TIME = b" Time: "
_TIME_WIDTH = len(_TIME)
_CENTURY = b"/20"  # of a second clock: another line was written into this one
_INFINITE = math.inf
_TACTIC = b"Tactic: "
_HEAD_AT, _TRIED_TO = 20, _TEXT_AT + 6
_TRIED = b"Tactic"  # ``Fastest Tactic`` and ``profiling completed`` repeat these lines
_TRIED_HEADS = frozenset((b"] [V] [TRT] Tactic", b"] [TRT] [V] Tactic"))
_HEAD = b" " * _HEAD_AT + b"] [V] [TRT] "
_BEGINS, _RUNNER, _CHOSEN = b"*", b"-", b">"
_MYELIN_AT = 64
_FORMATS = b" Autotuning format combination: "
_NAME = b" Timing Runner: "
_CHOSE = b" Chose Runner Type: "
_REFORMAT = b"Optimizer Reformat("
_COMPLETED = re.compile(rb" \(Reformat[^)]{0,20}\) profiling completed in ([0-9.e+-]{1,24}) seconds")
_MOST_TRIALS = 20_000
_LONGEST_S = 1e9
_MOST_TENSORS = 100_000
_MOST_TIMINGS = 100_000
_TYPE = re.compile(rb"(?<![\w.])([A-Za-z][A-Za-z0-9]*)\(")  # symbolic strides in the parentheses begin with (


class TacticLines:
    """Takes the chatter of a log line by line; ``take`` returns the trials since its last call, ``take_timings`` the
    timings, ``take_reformats`` the time of reformats.
    """

    def __init__(self) -> None:
        self._timings: dict[tuple[bytes, bytes], FormatTiming] = {}
        self._trials: dict[tuple[bytes, bytes, DataType], TacticTrial] = {}
        self._myelin = MyelinTrials()
        self._reformats_s = 0.0
        self._tensors: set[int] = set()
        self._close()

    def _close(self) -> None:
        self._name = self._formats = b""
        self._reads: DataType | None = None
        self._is_open = False
        self._first_ms = self._second_ms = math.inf
        self._first = self._second = b""
        self._tried = 0

    def is_time(self, line: bytes) -> bool:
        """Reads the line and returns True if it is only the time of a tried tactic.

        Most lines of a verbose log are: this check comes first.
        """
        if line[_HEAD_AT:_TRIED_TO] not in _TRIED_HEADS or not self._is_open or line.find(_CENTURY, _TEXT_AT) >= 0:
            return False
        at = line.rfind(_TIME)
        try:
            ms = float(line[at + _TIME_WIDTH :])
        except ValueError:
            return False
        if at < 0 or not 0.0 <= ms < _INFINITE:
            return False
        self._tried += 1
        if ms < self._second_ms:
            self._keep(ms, line[:at])
        return True

    def add(self, line: bytes) -> None:
        if bare := bare_head(line):
            line = _HEAD + line[bare:]
        if self.is_time(line) or line.startswith(_TRIED, _TEXT_AT):
            return
        if (at := line.find(MYELIN, 0, _MYELIN_AT)) >= 0:
            self._myelin.add(line[at + len(MYELIN) :], self._name, self._read_type())
            return
        if line.startswith(_REFORMAT, _TEXT_AT):
            self._add_reformat(line)
            return
        mark = line[_TEXT_AT : _TEXT_AT + 1]
        if mark == _BEGINS:
            self._close()
            self._is_open = _FORMATS in line
            self._formats = line.partition(_FORMATS)[2].rstrip(b"* \r\n")
        elif mark == _RUNNER and self._is_open and _NAME in line:
            self._name = line.partition(_NAME)[2].rpartition(b" (")[0]
        elif mark == _CHOSEN and self._is_open and _CHOSE in line:
            self._choose(line.partition(_TACTIC)[2].strip())
            self._close()

    def _add_reformat(self, line: bytes) -> None:
        """``Optimizer Reformat(TENSOR -> <out>) (Reformat[0x80000006]) profiling completed in 0.01 seconds. …``"""
        spent = _COMPLETED.search(line)
        if spent is None:
            return
        try:
            seconds = float(spent[1])
        except ValueError:
            return
        if not 0.0 <= seconds < _LONGEST_S:
            return
        self._reformats_s += seconds
        tensor = line[line.find(_REFORMAT) : spent.start()]
        if len(self._tensors) < _MOST_TENSORS:
            self._tensors.add(hash(tensor))

    def _keep(self, ms: float, text: bytes) -> None:
        if ms < self._first_ms:
            self._second_ms, self._second = self._first_ms, self._first
            self._first_ms, self._first = ms, text
        else:
            self._second_ms, self._second = ms, text

    def _choose(self, chosen: bytes) -> None:
        first, second = _id(self._first), _id(self._second)
        if self._name and first is not None:
            self._time_formats(first)
        if not self._name or first is None or second is None or _id(_TACTIC + chosen) != first:
            return  # a single tactic is no choice; a slower one was chosen for another reason
        type_ = self._read_type()
        trial = TacticTrial(
            self._name.decode("utf-8", "replace"), first, self._first_ms, second, self._second_ms, self._tried, type_
        )
        key = (self._name, chosen, type_)
        known = self._trials.get(key)
        # The same tactic with other layouts: the engine does not say which, so the largest margin wins.
        if (known is None and len(self._trials) < _MOST_TRIALS) or (known and known.margin_pct < trial.margin_pct):
            self._trials[key] = trial

    def _read_type(self) -> DataType:
        """Of the combination's first input; many lines of Myelin may follow one combination."""
        if self._reads is None:
            reads = _types(self._formats.partition(b" -> ")[0])
            self._reads = reads[0] if reads else DataType.UNKNOWN
        return self._reads

    def _time_formats(self, tactic: int) -> None:
        """Keeps the fastest of all combinations of the same types, whatever their layouts."""
        reads, writes = (_types(side) for side in self._formats.partition(b" -> ")[::2])
        key = (self._name, b",".join(type_.label.encode() for type_ in (*reads, *writes)))
        known = self._timings.get(key)
        if (known is None and len(self._timings) < _MOST_TIMINGS) or (known and self._first_ms < known.fastest_ms):
            name = self._name.decode("utf-8", "replace")
            self._timings[key] = FormatTiming(name, reads, writes, tactic, self._first_ms)

    def take_reformats(self) -> tuple[float, int]:
        """How many seconds the builder timed reformats, and of how many tensors."""
        spent = self._reformats_s, len(self._tensors)
        self._reformats_s, self._tensors = 0.0, set()
        return spent

    def take_timings(self) -> tuple[FormatTiming, ...]:
        timings = tuple(self._timings.values())
        self._timings = {}
        return timings

    def take(self) -> tuple[TacticTrial, ...]:
        trials = tuple(self._trials.values())
        self._trials = {}
        self._close()
        return (*trials, *self._myelin.take())


def _types(side: bytes) -> tuple[DataType, ...]:
    return tuple(data_type_of(word.decode()) for word in _TYPE.findall(side))


def _id(line: bytes) -> int | None:
    """The number after the last ``Tactic: `` of a line."""
    text = line.rpartition(_TACTIC)[2].strip()
    try:
        return int(text, 16) % 2**64 if text[:2].lower() == b"0x" and len(text) <= 18 else None
    except ValueError:
        return None

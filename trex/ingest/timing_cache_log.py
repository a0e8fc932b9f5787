"""A verbose log → LogTactics: which tactic the builder chose for which operation of the timing cache.

With EDITABLE_TIMING_CACHE TensorRT prints the key of each operation. Myelin's form is in NVIDIA's sample::

    Autotuning op matMul1(key: 0x1814870c44ff0f8574df6e3dda04cbd7):
    The selected tactic is (tactic hash, cost(in ms)):0x533a71cee0d0e, 0.0050048

TensorRT for RTX 1.7 prints ``{key: None}`` after the formats of a native operation; a key is read in its place::

    *************** Autotuning format combination: Half(1,2) -> Half(1,2) {key: 0x…} ***************
    >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x5b8bf1b8028629d9

Without that flag there are no keys: native choices are kept without, Myelin's are unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trex.ingest.logs.raw_lines import LogData, RawLines
from trex.ingest.spelling.printable import printable_name

_KEY = rb"0x([0-9a-fA-F]{32})\b"
_MYELIN = re.compile(rb"Autotuning op (.{1,4000}?)\(key: " + _KEY + rb"\)")
_NO_KEY = re.compile(rb"Autotuning op (?!.*\(key: 0x)")
_SELECTED = re.compile(rb"The selected tactic is \(tactic hash, cost\(in ms\)\): ?0x([0-9a-fA-F]{1,16})\b")
_FORMATS = re.compile(rb"\*{3,} Autotuning (?:format combination|Reformat): ?")
_NATIVE_KEY = re.compile(rb"\{key: " + _KEY + rb"\}")
_TIMED = re.compile(rb"-{3,} Timing Runner: (.{1,4000}) \(\w{1,60}(?:\[0x[0-9a-f]{1,16}\])?\)")
_COSTS = re.compile(rb"={3,} Computing costs for (.{1,4000}?)\s*$")
_CHOSE = re.compile(rb">{3,} Chose Runner Type: (\w{1,60}) Tactic: 0x([0-9a-fA-F]{1,16})\b")
_MARKS = (b"Autotuning", b"selected tactic", b"Timing Runner", b"Computing costs", b"Chose Runner")
_MOST_CHOICES = 200_000


@dataclass(frozen=True, slots=True)
class ChosenTactic:
    """One operation. key: in the cache, "" if the log has none. runner: its name, "" for Myelin's."""

    name: str
    tactic: int
    key: str = ""
    runner: str = ""


@dataclass(frozen=True, slots=True)
class LogTactics:
    """keyed: in the log's order, the last choice of each key. unkeyed: native choices of formats without a key.

    lost: Myelin's operations without a key.
    """

    keyed: tuple[ChosenTactic, ...]
    unkeyed: tuple[ChosenTactic, ...]
    lost: int = 0


def read_log_tactics(data: LogData) -> LogTactics:
    """Takes a log of any length; lines of other programs are passed over."""
    reader = _TacticReader()
    for lines in RawLines(data):
        for line in lines:
            if any(mark in line for mark in _MARKS):
                reader.add(line)
    return LogTactics(tuple(reader.keyed.values()), tuple(reader.unkeyed), reader.lost)


class _TacticReader:
    def __init__(self) -> None:
        self.keyed: dict[str, ChosenTactic] = {}
        self.unkeyed: list[ChosenTactic] = []
        self.lost = 0
        self._name = self._key = ""
        self._myelin: tuple[str, str] | None = None

    def add(self, line: bytes) -> None:
        if match := _MYELIN.search(line):
            self._myelin = _text(match[1]), f"0x{match[2].decode().lower()}"
        elif _NO_KEY.search(line):
            self._myelin = None
            self.lost += 1
        elif match := _SELECTED.search(line):
            if self._myelin is not None:
                self._keep(ChosenTactic(self._myelin[0], int(match[1], 16), self._myelin[1]))
            self._myelin = None
        elif match := _COSTS.search(line):
            self._name = _text(match[1])
        elif _FORMATS.search(line):
            key = _NATIVE_KEY.search(line)
            self._key = f"0x{key[1].decode().lower()}" if key else ""
        elif match := _TIMED.search(line):
            self._name = _text(match[1])
        elif match := _CHOSE.search(line):
            self._keep(ChosenTactic(self._name, int(match[2], 16), self._key, match[1].decode("ascii", "replace")))
            self._key = ""

    def _keep(self, choice: ChosenTactic) -> None:
        if choice.key and (choice.key in self.keyed or len(self.keyed) < _MOST_CHOICES):
            self.keyed[choice.key] = choice
        elif not choice.key and len(self.unkeyed) < _MOST_CHOICES:
            self.unkeyed.append(choice)


def _text(name: bytes) -> str:
    return printable_name(name.decode("utf-8", "replace"))

"""Myelin's tables of evaluated tactics → MyelinOperation and MyelinTimes.

TensorRT 10 prints for each operation that Myelin times, the first line with ``(key: 0x…)`` if the timing cache is
editable, and the last line only then::

    (foreignNode) Autotuning op NAME: [ONNX Layer: NODE][ONNX Layer: NODE]
    (foreignNode) Sorted table of all evaluated tactics:
    (foreignNode) tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, kernel_name, tactic_hash, …
    (foreignNode)   70, 0.0132096, 1.00000, 1.46083, KERNEL, 0x3cf17f0300ad1,
    (foreignNode) The selected tactic is (tactic hash, cost(in ms)):0x3cf17f0300ad1, 0.0132096
"""

from __future__ import annotations

import re
from array import array
from collections import Counter

from trex.core.build_log import MYELIN_MEMORY, MyelinOperation, MyelinTimes, SkippedTactic
from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.build_log.numbers import number, tactic_id
from trex.ingest.build_log.position import Position

_OPERATION = re.compile(
    rb"Autotuning op (.*?)(?:\(key: ?(0x[0-9a-fA-F]{1,32})\))?(?<!\(key):(?= ?\[ONNX Layer: | ?$)(.*)", re.DOTALL
)
_ORIGIN = b"[ONNX Layer: "
_SELECTED = re.compile(rb"The selected tactic is \(tactic hash, cost\(in ms\)\): ?(0x[0-9a-fA-F]{1,16})")
_BUDGET = re.compile(rb"\[[^\]]*\] Exceeded mem budget of (\d{1,19})\. Need (\d{1,19})")
_HEADER = b"tactic_id, cost(in ms)"
_FIELDS = 6


class MyelinTables:
    """Takes the messages that begin with ``(foreignNode)``, without those words, and their like."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self.operations: list[MyelinOperation] = []
        self.skipped: list[SkippedTactic] = []
        self._operation, self._tactic, self._line = array("l"), array("Q"), array("l")
        self._cost, self._ratio, self._correlation = array("d"), array("d"), array("d")
        self._kernel: list[str] = []
        self._tunable: list[str] = []
        self._words: dict[bytes, str] = {}
        self._is_open = False
        self._unread = 0
        self._unread_line = 0

    def times(self) -> MyelinTimes:
        return MyelinTimes(
            self._operation,
            self._tactic,
            self._cost,
            self._ratio,
            self._correlation,
            tuple(self._kernel),
            tuple(self._tunable),
            self._line,
        )

    @property
    def rows(self) -> int:
        return len(self._cost)

    def timings(self, start: int) -> Counter[int]:
        """Numbers of rows by the index of their build, from a row on."""
        return Counter(self.operations[index].build for index in self._operation[start:])

    def forget(self) -> None:
        """Drops all operations but the last one, whose table may not be complete, and of its rows all but one."""
        is_begun = bool(self._operation) and self._operation[-1] == len(self.operations) - 1
        del self.operations[:-1]
        for column in (
            self._operation, self._tactic, self._cost, self._ratio, self._correlation, self._kernel, self._tunable,
            self._line,
        ):  # fmt: skip
            del column[: len(column) - is_begun]
        if is_begun:
            self._operation[0] = 0
        self.skipped.clear()

    def notes(self, where: str) -> list[Note]:
        if not self._unread:
            return []
        return [
            Note(
                "unread-myelin-rows",
                f"{counted(self._unread, 'row')} of Myelin's tables could not be read",
                "the log may be cut, or of a release that trex does not know",
                f"{where}:{self._unread_line}",
            )
        ]

    def read(self, text: bytes, layer: str, formats: str = "") -> bool:
        """layer, formats: the ForeignNode that is being timed. False if no table contains such a message."""
        text = text.strip()
        if text[:1].isdigit():
            return self._row(text)
        if text.startswith(b"Autotuning op "):
            self._begin(text, layer, formats)
        elif text.startswith(_HEADER):
            self._is_open = bool(self.operations)
        elif (selected := _SELECTED.match(text)) is not None:
            self._select(tactic_id(selected[1]))
        elif (budget := _BUDGET.match(text)) is not None:
            at, line = self._position.at, self._position.line
            words = text.decode("utf-8", "replace")[:300]
            need, most = int(budget[2]), int(budget[1])
            self.skipped.append(
                SkippedTactic(*at, layer, formats, "Myelin", None, MYELIN_MEMORY, need, most, words, line)
            )
        else:
            return False
        return True

    def end(self) -> None:
        self._is_open = False

    def finish(self) -> None:
        """The log ends: an operation on its last line may be cut within its name, unless it has times: messages that
        are parted by carriage returns are one line.
        """
        has_times = bool(self._operation) and self._operation[-1] == len(self.operations) - 1
        if self.operations and not has_times and self.operations[-1].line == self._position.line:
            self.operations.pop()

    def _begin(self, text: bytes, layer: str, formats: str) -> None:
        head = _OPERATION.match(text)
        self._is_open = False
        if head is None:
            self._miss()
            return
        listed = head[3].rstrip().split(_ORIGIN)[1:]  # no pattern: each beginning would look through the whole line
        origins = tuple(name[:-1].decode("utf-8", "replace") for name in listed if name.endswith(b"]"))
        name, key = head[1].decode("utf-8", "replace"), (head[2] or b"").decode().lower()
        position = self._position
        self.operations.append(
            MyelinOperation(*position.at, layer, formats, name, origins, key, None, False, position.line)
        )

    def _row(self, text: bytes) -> bool:
        """``70, 0.0132096, 1.00000, 1.46083, KERNEL, 0x3cf17f0300ad1, tunable, …``"""
        fields = text.split(b",", _FIELDS)
        if not self._is_open or len(fields) < _FIELDS:
            return False
        cost, ratio, correlation = (number(field.strip()) for field in fields[1:4])
        tactic = tactic_id(fields[5])
        if tactic is None or not cost < float("inf"):
            self._miss()
            return True
        index = len(self.operations) - 1
        if not self._operation or self._operation[-1] != index:
            self.operations[index] = self.operations[index]._replace(tactic=tactic)
        self._operation.append(index)
        self._tactic.append(tactic)
        self._cost.append(cost)
        self._ratio.append(ratio)
        self._correlation.append(correlation)
        self._kernel.append(self._word(fields[4].strip()))
        self._tunable.append(self._word(b"".join(fields[_FIELDS:]).strip(b" ,")))
        self._line.append(self._position.line)
        return True

    def _select(self, tactic: int | None) -> None:
        if self.operations and tactic is not None:
            self.operations[-1] = self.operations[-1]._replace(tactic=tactic, is_printed=True)
        self._is_open = False

    def _miss(self) -> None:
        self._unread += 1
        self._unread_line = self._unread_line or self._position.line

    def _word(self, text: bytes) -> str:
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = text.decode("utf-8", "replace")
        return known

"""Messages of autotuning → Autotuned, ChosenTactic, SkippedTactic and the times of tactics.

For each combination of formats that the builder tries for a layer, TensorRT 8.4 to 10.16 prints::

    =============== Computing costs for LAYER
    *************** Autotuning format combination: Float(784,784,28,1) -> Float(25088,784,28,1) ***************
    --------------- Timing Runner: LAYER (CaskConvolution[0x80000009])
    Tactic Name: KERNEL Tactic: 0x3f243c490d502deb Time: 0.0103641
    LAYER (CaskConvolution[0x80000009]) profiling completed in 0.1 seconds. Fastest Tactic: 0x3f2… Time: 0.0103641
    >>>>>>>>>>>>>>> Chose Runner Type: CaskConvolution Tactic: 0x3f243c490d502deb

Each runner ends with its fastest tactic. Rows between whose fastest is another one are of several threads or were cut:
they are not attributed to a layer.
"""

from __future__ import annotations

import math
import re
from array import array

from trex.core.build_log import (
    CACHED,
    DEVICE_MEMORY,
    EXCEPTION,
    INFINITE,
    LAYER,
    NO_TACTICS,
    NOT_TIMED,
    NOTHING_WORKS,
    REFORMAT,
    TIME_LIMIT,
    TIMED,
    WORKSPACE,
    Autotuned,
    ChosenTactic,
    SkippedTactic,
    TacticTimes,
)
from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.build_log.numbers import number, seconds, tactic_id, whole
from trex.ingest.build_log.position import Position

_TIME = b" Time: "
_OLD_TIME = b" time "
_TACTIC = b" Tactic: "
_NAMED = b"Tactic Name: "
_FORMATS = b" Autotuning format combination: "
_REFORMAT = re.compile(rb"\*+ Autotuning Reformat: ?")
_RUNNER = re.compile(rb"-+ Timing Runner: (.*) \(([A-Za-z0-9_]+)(?:\[(0x[0-9a-f]{1,8})\])?\)[ \t]*$", re.DOTALL)
_COMPLETED = re.compile(
    rb"(.*) \(([A-Za-z0-9_]+)(?:\[0x[0-9a-f]{1,8}\])?\) profiling completed in ([0-9.e+-]+) seconds\."
    rb" Fastest Tactic: (\S+) Time: (\S+)",
    re.DOTALL,
)
_FASTEST = re.compile(rb"Fastest Tactic: (\S+) Time: (\S+)")
_CHOSE = re.compile(rb">+ Chose Runner Type: (\S+) Tactic: (\S+)")
_SET_NAME = re.compile(rb"(.*) Set Tactic Name: (\S+)(?: Tactic: (\S+))?", re.DOTALL)
_GOT_CACHED = b"] got cached result: "
_CACHED = re.compile(rb"([A-Za-z0-9_]+)(?:\[0x[0-9a-f]+\])?, tactic (\S+), (\S+) ms")
_NO_TACTICS = b" has no valid tactics for this config, skipping"
_SKIPPING_RUNNER = re.compile(rb"Skipping ([A-Za-z0-9_]+): No valid tactics for (.*)", re.DOTALL)
_SCRATCH = re.compile(rb"Tactic: (\S+) skipped\. Scratch requested: (\d+), available: (\d+)")
_FAST_SKIP = re.compile(rb"Fast skip Tactic: ?(\S+) which exceed time limit")
_DEVICE_REQUEST = re.compile(rb"Tactic Device request: (\d{1,9})MB Available: (\d{1,9})MB")
_SKIPPING = re.compile(
    rb"Skipping tactic (\S+) due to (?:(insuf+icient) memory on requested size of (\d+)"
    rb"(?: detected for tactic ([^\s.]+))?|exception (.*))",
    re.DOTALL,
)
_NOTHING_WORKS = re.compile(rb"Could not find any implementation for node (.*?)(?: due to .*|\.)?$", re.DOTALL)
_MIB = 1 << 20
# Printed times have six digits.
_SAME = 1e-5


class AutotuningReader:
    """Takes messages in order. ``tactic`` reads those that begin with ``Tactic``, most of a log.

    begun, begun_line: how many layers of the current pass began to be timed, and the line of the first one.
    """

    def __init__(self, position: Position) -> None:
        self._position = position
        self.autotuned: list[Autotuned] = []
        self.chosen: list[ChosenTactic] = []
        self.skipped: list[SkippedTactic] = []
        self.costed: list[tuple[int, int, str, int]] = []
        self._index, self._tactic, self._time_ms = array("l"), array("Q"), array("d")
        self._line = array("l")
        self._kernel: list[str] = []
        self._words: dict[bytes, str] = {}
        self._names: dict[bytes, str] = {}
        self._memory: tuple[int, int] | None = None
        self._unread = 0
        self._unread_line = 0
        self._mixed = 0
        self._mixed_line = 0
        self._kind, self._formats = LAYER, ""
        self._first_row = 0
        self.layer = ""
        self.begun, self.begun_line = 0, 0
        self._runner, self._runner_id = "", 0
        self._opened: tuple[int, float] | None = None

    @property
    def open_formats(self) -> str:
        """Of the layer that is being timed."""
        return self._formats if self._kind == LAYER else ""

    @property
    def now(self) -> tuple[str, str, str, str]:
        """(kind, layer, formats, runner) of what is being timed; without a runner between two of them."""
        return self._kind, self.layer, self._formats, self._runner if self._opened else ""

    def forget(self) -> None:
        """Drops all rows but those of the runner that is being timed."""
        first = len(self._time_ms) if self._opened is None else self._first_row
        for column in (self._tactic, self._time_ms, self._line, self._kernel):
            del column[:first]
        del self._index[:]
        self._first_row = 0
        for rows in (self.autotuned, self.chosen, self.skipped, self.costed):
            rows.clear()

    def times(self) -> TacticTimes:
        return TacticTimes(self._index, self._tactic, self._time_ms, tuple(self._kernel), self._line)

    def notes(self, where: str) -> list[Note]:
        notes = []
        if self._unread:
            notes.append(
                Note(
                    "unread-tactic-lines",
                    f"{counted(self._unread, 'line')} about tactics could not be read",
                    "the log may be cut, or of a release that trex does not know",
                    f"{where}:{self._unread_line}",
                )
            )
        if self._mixed:
            notes.append(
                Note(
                    "mixed-tactic-times",
                    f"the times of {counted(self._mixed, 'runner')} do not include its fastest tactic: builds of "
                    "several threads, or missing lines; they are not attributed to a layer",
                    "build in one thread, and write the whole log to one file",
                    f"{where}:{self._mixed_line}",
                )
            )
        return notes

    def tactic(self, text: bytes) -> None:
        """``Tactic Name: KERNEL Tactic: ID Time: MS``, ``Tactic: ID Time: MS`` or ``Tactic: ID skipped. …``."""
        at = text.rfind(_TIME)
        end = at + 7
        if at < 0:
            at = text.rfind(_OLD_TIME)
            end = at + 6
        if at < 0 or self._opened is None:
            self._other_tactic(text)
            return
        if text.startswith(_NAMED):
            middle = text.rfind(_TACTIC, 0, at)
            kernel = text[13:middle]
            spelled = text[middle + 9 : at]
        else:
            kernel, spelled = b"", text[8:at]
        try:
            identifier = int(spelled, 16) if spelled[:2] == b"0x" else int(spelled)
            ms = float(text[end:])
        except ValueError:
            self._miss()
            return
        if not 0.0 <= ms < math.inf or not -(1 << 63) <= identifier < 1 << 64:
            self._no_time(identifier % (1 << 64), ms, text)
            return
        identifier %= 1 << 64
        self._tactic.append(identifier)
        self._time_ms.append(ms)
        self._line.append(self._position.line)
        if kernel:
            name = self._words.get(kernel)
            if name is None:
                name = self._words[kernel] = kernel.decode("utf-8", "replace")
            self._kernel.append(name)
        else:
            self._kernel.append(self._names.get(spelled, ""))

    def _no_time(self, identifier: int, ms: float, text: bytes) -> None:
        if ms == math.inf:
            self._skip(identifier, INFINITE, text)
        else:
            self._miss()

    def _other_tactic(self, text: bytes) -> None:
        if (scratch := _SCRATCH.match(text)) is not None:
            self._skip(tactic_id(scratch[1]), WORKSPACE, text, whole(scratch[2]), whole(scratch[3]))
        elif (request := _DEVICE_REQUEST.match(text)) is not None:
            self._memory = int(request[1]) * _MIB, int(request[2]) * _MIB
        elif _TIME in text:
            self._miss()

    def _miss(self) -> None:
        self._unread += 1
        self._unread_line = self._unread_line or self._position.line

    def costs(self, text: bytes) -> None:
        """``=============== Computing costs for LAYER``."""
        self._close()
        self._kind = LAYER
        self.layer = ""
        _, marker, name = text.partition(b" Computing costs for ")
        if marker:
            self.begun += 1
            self.begun_line = self.begun_line or self._position.line
        if marker and (layer := name.strip().decode("utf-8", "replace")):
            self.layer = layer
            self.costed.append((*self._position.at, layer, self._position.line))

    def formats(self, text: bytes) -> None:
        """``*************** Autotuning format combination: … ***************``, or ``Autotuning Reformat: …``."""
        self._close()
        _, marker, formats = text.partition(_FORMATS)
        if marker:
            self._kind = LAYER
        elif (head := _REFORMAT.match(text)) is not None:
            self._kind, formats = REFORMAT, text[head.end() :]
        else:
            return
        self._formats = self._word(formats.rstrip(b"* \t"))

    def runner(self, text: bytes) -> None:
        """``--------------- Timing Runner: LAYER (RUNNER[ID])``."""
        self._close()
        head = _RUNNER.match(text)
        if head is None:
            if b" Timing Runner: " in text:
                self._miss()
            return
        self.layer = self._word(head[1])
        self._runner, self._runner_id = self._word(head[2]), int(head[3] or b"0", 16)
        self._opened = self._position.line, self._position.clock_s
        self._first_row = len(self._time_ms)
        self._names.clear()

    def fastest(self, text: bytes) -> None:
        """``Fastest Tactic: ID Time: MS``, or ``Fast skip Tactic: ID``."""
        if (end := _FASTEST.match(text)) is not None:
            self._finish(math.nan, end[1], end[2])
        elif (skip := _FAST_SKIP.match(text)) is not None:
            self._skip(tactic_id(skip[1]), TIME_LIMIT, text)

    def chose(self, text: bytes) -> None:
        """``>>>>>>>>>>>>>>> Chose Runner Type: RUNNER Tactic: ID``."""
        self._close()
        choice = _CHOSE.match(text)
        tactic = tactic_id(choice[2]) if choice else None
        if choice is None or tactic is None:
            self._miss()
        elif self._kind == LAYER and self.layer:
            runner, position = self._word(choice[1]), self._position
            self.chosen.append(ChosenTactic(*position.at, self.layer, self._formats, runner, tactic, position.line))

    def skipping(self, text: bytes) -> None:
        """``Skipping RUNNER: No valid tactics for LAYER``, ``Skipping tactic ID due to …``."""
        if (runner := _SKIPPING_RUNNER.match(text)) is not None:
            self._append(self._word(runner[2]), self._word(runner[1]), NO_TACTICS)
        else:
            self._skip_reason(text, text)

    def other(self, text: bytes) -> bool:
        """Any other message; False if it is not about autotuning."""
        if b" profiling completed in " in text:
            if (end := _COMPLETED.match(text)) is not None:
                self._finish(seconds(end[3]), end[4], end[5], end)
            else:
                self._miss()
        elif text.endswith(_NO_TACTICS):
            runner = self._runner if self._opened else ""
            if runner and text.startswith(runner.encode()):
                if self._rows():
                    self._mix()
                self._append(self.layer, runner, NO_TACTICS)
                self._opened = None
        elif b" Set Tactic Name: " in text:
            if self._opened and (name := _SET_NAME.match(text)) is not None and name[3]:
                self._names[name[3]] = self._word(name[2])
        elif b" got cached result: " in text:
            self._from_cache(text)
        elif b"Skipping tactic " in text:
            self._skip_reason(text[text.index(b"Skipping tactic ") :], text)
        elif b"Could not find any implementation for node " in text:
            start = text.index(b"Could not find any implementation")
            if (node := _NOTHING_WORKS.match(text[start:])) is not None:
                self._skip(None, NOTHING_WORKS, text, layer=self._word(node[1]))
        else:
            return False
        return True

    def end(self) -> None:
        """The build, or the log, ends here."""
        self._close()
        self._kind, self.layer, self._formats = LAYER, "", ""
        self.begun, self.begun_line = 0, 0
        self._names.clear()

    def _from_cache(self, text: bytes) -> None:
        named, _, result = text.rpartition(_GOT_CACHED)
        layer, has_formats, formats = named.partition(b" [")
        hit = _CACHED.match(result)
        tactic = tactic_id(hit[2]) if hit else None
        if hit is None or tactic is None or not has_formats:
            self._miss()
            return
        before = self._kind, self._formats
        self._kind, self._formats = REFORMAT if hit[1] == b"Reformat" else LAYER, self._word(formats)
        self._append(self._word(layer), self._word(hit[1]), CACHED, fastest=tactic, fastest_ms=number(hit[3]))
        self._kind, self._formats = before

    def _skip_reason(self, text: bytes, whole_text: bytes) -> None:
        skip = _SKIPPING.match(text)
        if skip is None:
            return
        if skip[5] is not None:
            self._skip(tactic_id(skip[1]), EXCEPTION, text)
            return
        requested, available = self._memory or (None, None)
        self._memory = None
        size = whole(skip[3])
        if requested is None and size is not None:
            # In MiB in the early 8.x that misspell the word, in bytes in 10.x.
            is_bytes = size >= _MIB or b"UNSUPPORTED_STATE" in whole_text
            requested = size * _MIB if skip[2] == b"insuficient" else size if is_bytes else None
        self._skip(tactic_id(skip[4] or skip[1]), DEVICE_MEMORY, text, requested, available)

    def _skip(
        self,
        tactic: int | None,
        reason: str,
        text: bytes,
        requested: int | None = None,
        available: int | None = None,
        layer: str | None = None,
    ) -> None:
        position = self._position
        is_open = self._opened is not None
        self.skipped.append(
            SkippedTactic(
                *position.at,
                self.layer if layer is None else layer,
                self._formats if is_open else "",
                self._runner if is_open else "",
                tactic,
                reason,
                requested,
                available,
                text.decode("utf-8", "replace")[:300],
                position.line,
            )
        )

    def _finish(self, seconds: float, tactic: bytes, ms: bytes, named: re.Match[bytes] | None = None) -> None:
        """The end of a runner, which names its fastest tactic."""
        fastest, fastest_ms = tactic_id(tactic), number(ms)
        if fastest_ms == math.inf:
            fastest, fastest_ms = None, math.nan
        is_same = named is None or (self._word(named[1]), self._word(named[2])) == (self.layer, self._runner)
        if self._opened is None or not is_same or not self._has_fastest(fastest, fastest_ms):
            self._mix()
            if named is not None:
                # The line itself names the layer: its own figures are sure, the rows before it are not.
                layer, runner = self._word(named[1]), self._word(named[2])
                self._append(layer, runner, seconds=seconds, fastest=fastest, fastest_ms=fastest_ms)
            return
        rows = self._rows()
        self._append(self.layer, self._runner, seconds=seconds, fastest=fastest, fastest_ms=fastest_ms, rows=rows)
        self._opened = None

    def _append(
        self,
        layer: str,
        runner: str,
        status: str = TIMED,
        *,
        seconds: float = math.nan,
        fastest: int | None = None,
        fastest_ms: float = math.nan,
        rows: int = 0,
    ) -> None:
        """A runner that ends here, with the last ``rows`` times."""
        line, clock_s = self._opened or (self._position.line, self._position.clock_s)
        self._index.extend([len(self.autotuned)] * rows)
        self.autotuned.append(
            Autotuned(
                *self._position.at,
                layer,
                self._kind,
                self._formats,
                runner,
                self._runner_id if runner == self._runner else 0,
                status,
                seconds,
                clock_s,
                fastest,
                fastest_ms,
                rows,
                line,
            )
        )
        if rows:
            self._first_row = len(self._time_ms)

    def _rows(self) -> int:
        return len(self._time_ms) - self._first_row

    def _has_fastest(self, tactic: int | None, ms: float) -> bool:
        if not self._rows():
            return tactic is None
        times, tactics = self._time_ms[self._first_row :], self._tactic[self._first_row :]
        is_least = abs(min(times) - ms) <= _SAME * ms
        return is_least and any(known == tactic and abs(time - ms) <= _SAME * ms for known, time in zip(tactics, times))

    def _mix(self) -> None:
        """Takes the open rows from their layer: they become one runner of no layer."""
        self._mixed += 1
        self._mixed_line = self._mixed_line or self._position.line
        if self._rows():
            self._append("", "", rows=self._rows())
        self._opened = None

    def _close(self) -> None:
        """A runner without a last line, as in a log that was cut: its rows are kept."""
        if self._opened is None:
            return
        rows = self._rows()
        self._append(self.layer, self._runner, TIMED if rows else NOT_TIMED, rows=rows)
        self._opened = None

    def _word(self, text: bytes) -> str:
        known = self._words.get(text)
        if known is None:
            known = self._words[text] = text.decode("utf-8", "replace")
        return known

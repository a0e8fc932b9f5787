"""Lines of layer information and of ``Engine Layer Information:`` → the layers of a run, in either spelling."""

from __future__ import annotations

from enum import Enum
from typing import Any

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.logs import engine_layer_rows, inspector_text
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.logs.inspector_text import BINDINGS_HEADERS, LAYERS_HEADER, TYPE_MARK, parse_inspector_text
from trex.ingest.logs.log_lines import LogLine

ROW_STARTS = (engine_layer_rows.ROW_START, inspector_text.ROW_START)


class _Place(Enum):
    """Between which of the lines the next one is."""

    OUTSIDE = 0
    LAYERS = 1
    BELOW_LAYERS = 2
    BINDINGS = 3
    ROWS = 4


_DUMP = (_Place.LAYERS, _Place.BELOW_LAYERS, _Place.BINDINGS)


class LayerLines:
    """Takes the lines that may belong to layers; the messages that announce them and that end them are told to it.

    has_dump: the inspector's text began. rows: the builder's rows so far, None when none were announced.
    """

    def __init__(self) -> None:
        self.has_dump = False
        self.rows: list[dict[str, Any]] | None = None
        self._place = _Place.OUTSIDE
        self._dump: list[str] = []
        self._dump_line = 0
        self._is_announced = False
        self._bad_rows = 0
        self._first_bad_row = 0

    @property
    def is_open(self) -> bool:
        return self._place is not _Place.OUTSIDE

    @property
    def is_in_dump(self) -> bool:
        return self._place in _DUMP

    def close(self) -> None:
        """A message came that belongs to no layer."""
        self._place = _Place.OUTSIDE

    def open_rows(self) -> None:
        self.rows = []
        self._bad_rows = 0
        self._place = _Place.ROWS

    def open_dump(self, number: int, is_announced: bool = False) -> None:
        """number: the line before the first layer. is_announced: by words that nobody but TensorRT uses."""
        self.has_dump = True
        self._is_announced = self._is_announced or is_announced
        self._dump = []
        self._dump_line = number + 1
        self._place = _Place.LAYERS

    def add_continuation(self, line: LogLine) -> bool:
        """A line without a prefix; False when it does not belong to the layers."""
        text = line.message.rstrip(" \t")
        if line.message.startswith(ROW_STARTS) and self.add_row(line):
            return True
        if text == LAYERS_HEADER:
            self.open_dump(line.number)
            return True
        if self.is_in_dump:
            return self._add_to_dump(text)
        if self._place is _Place.ROWS and text:
            self._add_bad_row(line.number)
            return True
        return False

    def _add_to_dump(self, text: str) -> bool:
        if text in BINDINGS_HEADERS:
            self._place = _Place.BINDINGS
        elif not text:
            if self._place is _Place.LAYERS:
                self._place = _Place.BELOW_LAYERS
            elif self._place is _Place.BINDINGS:
                self._place = _Place.OUTSIDE
            return True
        elif self._place is _Place.BELOW_LAYERS:
            self._place = _Place.OUTSIDE
            return False
        self._dump.append(text)
        return True

    def add_row(self, line: LogLine) -> bool:
        """A layer's row, recognized by itself: also in logs of which someone kept but these lines."""
        message = line.message
        if message.startswith(engine_layer_rows.ROW_START):
            row = parse_layer_row(message)
            if row is None:
                return False
            if self.rows is None:
                self.rows = []
            self._place = _Place.ROWS
            self.rows.append(row)
            if "UnreadTensors" in row:
                self._add_bad_row(line.number)
            return True
        if TYPE_MARK not in message:
            return False
        if not self.has_dump:
            self.open_dump(line.number - 1)
        self._place = _Place.LAYERS
        self._is_announced = True
        self._dump.append(message)
        return True

    def _add_bad_row(self, number: int) -> None:
        self._first_bad_row = self._first_bad_row if self._bad_rows else number
        self._bad_rows += 1

    def dumped(self, where: str) -> tuple[list[dict[str, Any] | str] | None, list[str], list[Note]]:
        """(layers of the inspector's text, bindings, notes); None without such a text, or when it is another's."""
        layers: list[dict[str, Any] | str] | None = None
        bindings: list[str] = []
        notes: list[Note] = []
        if self.has_dump:
            layers, bindings, notes = parse_inspector_text(self._dump, where, self._dump_line)
            if not self._is_announced and not bindings:  # some other program's "Layers:"
                layers, notes = None, []
        if self._bad_rows and self.rows is not None:
            notes.append(
                Note(
                    "unreadable-layer-row",
                    f"{counted(self._bad_rows, 'line')} of the engine layer information could be read in part "
                    "or not at all",
                    where=f"{where}:{self._first_bad_row}" if where else "",
                    severity="problem",
                )
            )
        return layers, bindings, notes

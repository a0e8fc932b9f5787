"""Layer lines of a log (inspector text and ``Engine Layer Information:``) → raw layers of a run."""

from __future__ import annotations

from enum import Enum
from typing import Any

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.logs import engine_layer_rows, inspector_text
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.logs.inspector_text import (
    BINDINGS_HEADERS,
    LAYERS_HEADER,
    TEXT_BETWEEN,
    TYPE_MARK,
    BindingRecord,
    LayerRecord,
    parse_inspector_text,
)
from trex.ingest.logs.log_lines import LogLine

ROW_STARTS = (engine_layer_rows.ROW_START, inspector_text.ROW_START)


class _State(Enum):
    """The part of the layer information that the next line belongs to."""

    OUTSIDE = 0
    LAYERS = 1
    BELOW_LAYERS = 2
    BINDINGS = 3
    ROWS = 4


_DUMP = (_State.LAYERS, _State.BELOW_LAYERS, _State.BINDINGS)


class LayerLines:
    """Collects layer lines. The caller reports the messages that begin and end them.

    has_dump: whether the inspector's text began. rows: the builder's rows, None if none were announced.
    """

    def __init__(self) -> None:
        self.has_dump = False
        self.rows: list[dict[str, Any]] | None = None
        self._state = _State.OUTSIDE
        self._dump: list[str] = []
        self._dump_line = 0
        self._is_announced = False
        self._is_headless = False
        self._bad_rows = 0
        self._first_bad_row = 0

    @property
    def is_open(self) -> bool:
        return self._state is not _State.OUTSIDE

    @property
    def is_in_dump(self) -> bool:
        return self._state in _DUMP

    def close(self) -> None:
        """Ends the layer information, after a message that belongs to no layer."""
        self._state = _State.OUTSIDE

    def open_rows(self) -> None:
        self.rows = []
        self._is_headless = False
        self._bad_rows = 0
        self._state = _State.ROWS

    def open_dump(self, number: int, is_announced: bool = False) -> None:
        """number: the line before the first layer. is_announced: whether only TensorRT prints the announcement."""
        self.has_dump = True
        self._is_announced = self._is_announced or is_announced
        self._dump = []
        self._dump_line = number + 1
        self._state = _State.LAYERS

    def add_continuation(self, line: LogLine) -> bool:
        """Adds a line without a prefix; False if it belongs to no layer."""
        text = line.message.rstrip(" \t")
        if line.message.startswith(ROW_STARTS) and self.add_row(line):
            return True
        if text == LAYERS_HEADER:
            self.open_dump(line.number)
            return True
        if self.is_in_dump:
            return self._add_to_dump(text)
        if self._state is _State.ROWS and text:
            self._add_bad_row(line.number)
            return True
        return False

    def _add_to_dump(self, text: str) -> bool:
        if text in BINDINGS_HEADERS:
            self._state = _State.BINDINGS
        elif not text:
            if self._state is _State.LAYERS:
                self._state = _State.BELOW_LAYERS
            elif self._state is _State.BINDINGS:
                self._state = _State.OUTSIDE
            return True
        elif self._state is _State.BELOW_LAYERS:
            self._state = _State.OUTSIDE
            return False
        self._dump.append(text)
        return True

    def add_row(self, line: LogLine) -> bool:
        """Adds a layer's row, also in a log reduced to such rows; False for other lines."""
        message = line.message
        if message.startswith(engine_layer_rows.ROW_START):
            row = parse_layer_row(message)
            if row is None:
                return False
            if self.rows is None:
                self.rows = []
                self._is_headless = True
            self._state = _State.ROWS
            self.rows.append(row)
            if "UnreadTensors" in row:
                self._add_bad_row(line.number)
            return True
        if TYPE_MARK not in message:
            return False
        if not self.has_dump:
            self.open_dump(line.number - 1)
            self._is_headless = True
        self._state = _State.LAYERS
        self._is_announced = True
        self._dump.append(message)
        return True

    def _add_bad_row(self, number: int) -> None:
        self._first_bad_row = self._first_bad_row if self._bad_rows else number
        self._bad_rows += 1

    def dumped(self, where: str) -> tuple[list[LayerRecord] | None, list[BindingRecord], list[Note]]:
        """(layers in the inspector's text, bindings, notes); layers are None without such a text."""
        layers: list[LayerRecord] | None = None
        bindings: list[BindingRecord] = []
        notes: list[Note] = []
        if self.has_dump:
            layers, bindings, notes = parse_inspector_text(self._dump, where, self._dump_line)
            if not self._is_announced and not bindings:  # "Layers:" of another program
                layers, notes = None, []
        listed = self.rows if self.rows is not None else layers
        if listed is not None and (self._is_headless or self._state in (_State.ROWS, _State.LAYERS)):
            what = "begins without the line that announces it" if self._is_headless else "is the end of the log"
            message = f"the list of {counted(len(listed), 'layer')} {what}: others may be missing"
            if self._is_headless:
                message += ", or the lists of two engines joined"
                notes = [note for note in notes if note.code != TEXT_BETWEEN]  # a script may print each layer
            notes.append(Note("part-of-layer-rows", message, "read the whole log", where))
        if self._bad_rows and self.rows is not None:
            notes.append(
                Note(
                    "unreadable-layer-row",
                    f"{counted(self._bad_rows, 'line')} of the engine layer information could be read only partly or "
                    "not at all",
                    where=f"{where}:{self._first_bad_row}" if where else "",
                    severity="problem",
                )
            )
        return layers, bindings, notes

"""Myelin's tables in a verbose log → TacticTrials of its operations.

The rows of a table are sorted by cost, so the first two are the two fastest::

    (foreignNode) Autotuning op NAME: [ONNX Layer: NODE]
    (foreignNode) tactic_id, cost(in ms), cost/fastest_cost, prediction_correlation, kernel_name, tactic_hash, …
    (foreignNode)   70, 0.0132096, 1.00000, 1.46083, KERNEL, 0x3cf17f0300ad1,
    (foreignNode) The selected tactic is (tactic hash, cost(in ms)):0x3cf17f0300ad1, 0.0132096
"""

from __future__ import annotations

import math
import re

from trex.core.data_type import DataType
from trex.core.tactic_trial import TacticTrial

MYELIN = b"(foreignNode) "

_OPERATION = re.compile(
    rb"Autotuning op (.{1,4000}?)(?:\(key: ?0x[0-9a-fA-F]{1,32}\))?(?<!\(key):(?: ?\[ONNX Layer: | ?$)"
)
_HEADER = b"tactic_id, cost(in ms)"
_SELECTED = b"The selected tactic is "
_FIELDS = 6
_MOST_TRIALS = 20_000


class MyelinTrials:
    """Takes the messages of Myelin without ``(foreignNode)``, with the region and the formats that are being timed."""

    def __init__(self) -> None:
        self._trials: dict[tuple[str, str, DataType, int], TacticTrial] = {}
        self._region = (b"", "")  # as the log contains it, and as text that all its operations share
        self._close()

    def _close(self) -> None:
        self._operation: bytes | None = None
        self._rows: list[tuple[float, int, bytes]] = []
        self._tried = 0
        self._is_open = False
        self._reads = DataType.UNKNOWN

    def add(self, text: bytes, region: bytes, reads: DataType) -> None:
        text = text.strip()
        if text[:1].isdigit():
            self._row(text)
        elif text.startswith(b"Autotuning op "):
            self.end()
            operation = _OPERATION.match(text)
            self._operation = operation[1] if operation else None
            self._reads = reads
            if region != self._region[0]:
                self._region = region, region.decode("utf-8", "replace")
        elif text.startswith(_HEADER):
            self._is_open = self._operation is not None
        elif text.startswith(_SELECTED):
            self.end(_hash(text.rpartition(b":")[2].partition(b",")[0]))

    def _row(self, text: bytes) -> None:
        if not self._is_open:
            return
        self._tried += 1
        if len(self._rows) >= 2:
            return
        fields = text.split(b",", _FIELDS)
        tactic = _hash(fields[5]) if len(fields) >= _FIELDS else None
        try:
            cost = float(fields[1])
        except (ValueError, IndexError):
            return
        if tactic is not None and 0.0 <= cost < math.inf:
            self._rows.append((cost, tactic, fields[4].strip()))

    def end(self, selected: int | None = None) -> None:
        """The table ends. selected: the tactic that was chosen, by default the fastest."""
        if self._operation is not None and len(self._rows) == 2:
            (first_ms, first, kernel), (second_ms, second, _) = self._rows
            if selected in (None, first) and first_ms <= second_ms:
                name = self._operation.decode("utf-8", "replace")
                trial = TacticTrial(
                    name, first, first_ms, second, second_ms, self._tried, self._reads, self._region[1],
                    kernel.decode("utf-8", "replace"),
                )  # fmt: skip
                self._keep(trial)
        self._close()

    def _keep(self, trial: TacticTrial) -> None:
        """Of several tables of one operation, the one with the largest margin: the engine does not say which."""
        key = trial.region, trial.layer, trial.reads, trial.tactic
        known = self._trials.get(key)
        if (known is None and len(self._trials) < _MOST_TRIALS) or (known and known.margin_pct < trial.margin_pct):
            self._trials[key] = trial

    def take(self) -> tuple[TacticTrial, ...]:
        self.end()
        trials = tuple(self._trials.values())
        self._trials = {}
        return trials


def _hash(text: bytes) -> int | None:
    text = text.strip()
    try:
        return int(text, 16) if text[:2] == b"0x" and len(text) <= 18 else None
    except ValueError:
        return None

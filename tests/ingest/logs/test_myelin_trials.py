"""The two fastest tactics of Myelin's operations."""

from __future__ import annotations

import pytest

from tests.build_log_text import MODERN
from trex.core.data_type import DataType
from trex.core.tactic_trial import TacticTrial
from trex.ingest.logs.trtexec_log import read_log

SELECTED = MODERN.replace(":0xbd1, 0.0131", ":0xad1, 0.0130")


def trials(text: str) -> list[TacticTrial]:
    return [trial for run in read_log(text.encode(), "x").runs for trial in run.metadata.trials if trial.kernel]


def test_an_operation_and_its_region() -> None:
    (trial,) = trials(SELECTED)
    assert trial == TacticTrial(
        "m: 0", 0xAD1, 0.0130, 0xBD1, 0.0131, 2, DataType.FP16, "{ForeignNode[m]}", "k_f16f16_f16f16_f16"
    )


@pytest.mark.parametrize(
    "text",
    [
        MODERN,  # a slower one was selected
        SELECTED.replace("   70, 0.0130,", "   70, inf,"),
        SELECTED.replace(", 0xbd1, ,", ", xbd1, ,"),
        SELECTED.replace("tactic_id, cost(in ms), ", ""),
        SELECTED.replace("(foreignNode) Autotuning op", "(foreignNode) Autotuning"),
    ],
)
def test_what_is_no_trial(text: str) -> None:
    assert trials(text) == []


def test_a_table_without_a_selection_is_of_its_first_row() -> None:
    lines = [line for line in SELECTED.splitlines(keepends=True) if "The selected" not in line]
    assert trials("".join(lines)) == trials(SELECTED)

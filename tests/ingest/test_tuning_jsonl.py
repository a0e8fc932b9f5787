"""The tuner's lines become routes; what cannot be read is counted, and nothing is made up."""

from __future__ import annotations

import json

import pytest

from tests.tuning_text import TUNING
from trex.core.errors import TrexError
from trex.ingest.tuning_jsonl import is_tuning_log, read_tuning_log


def test_routes_and_header() -> None:
    log = read_tuning_log(TUNING.encode(), "t.jsonl")
    assert is_tuning_log(TUNING.encode()) and log.facts["searching_algorithm"] == "fast"
    assert [(route.iteration, route.gpu_time_ms, route.has_crashed) for route in log.ranked] == [
        (1, 1.5, False),
        (0, 2.0, False),
        (2, None, True),
    ]
    assert log.ranked[0].accuracy_loss == {"y": 0.5, "z": 1.0} and log.ranked[2].error == "killed"
    assert log.baseline is not None and log.baseline.build_route == "-a=0" and not log.notes


def test_a_stopped_run_keeps_its_whole_lines() -> None:
    log = read_tuning_log(TUNING.encode()[:-20], "t.jsonl")
    assert len(log.routes) == 2
    assert [(note.code, note.where) for note in log.notes] == [("unread-tuner-lines", "t.jsonl:4")]


@pytest.mark.parametrize("value", ["1.5", -1, True, 1e999, [], {}])
def test_a_time_that_is_no_number_is_unknown(value) -> None:
    line = json.dumps({"iter": value, "build_route": "-a", "gpu_time": value, "crash": value, "accuracy_loss": value})
    (route,) = read_tuning_log(line.replace("Infinity", "null").encode()).routes
    assert route.gpu_time_ms is None and not route.accuracy_loss


@pytest.mark.parametrize("text", ["", "[]", "{}", "hello", '{"iter": 1}'])
def test_anything_else_is_refused(text) -> None:
    assert not is_tuning_log(text.encode())
    with pytest.raises(TrexError, match="no log of trtexec's tuner"):
        read_tuning_log(text.encode(), "x")


def test_a_route_that_failed_is_not_the_fastest() -> None:
    line = '{"iter": 3, "build_route": "-a=3", "crash": false, "error_message": "", "gpu_time": 0.5}\n'
    bad = (
        line.replace("false", "true"),
        line.replace('""', '"accuracy"'),
        line.replace("0.5}", "0}"),
    )
    log = read_tuning_log((TUNING + "".join(bad)).encode())
    assert log.ranked[0].build_route == "-a=1" and len(log.ranked) == 6
    good = read_tuning_log((TUNING + line).encode())
    assert good.ranked[0].build_route == "-a=3"


def test_of_several_tunings_the_last_counts() -> None:
    log = read_tuning_log((TUNING + TUNING.replace("-a=0", "-b=0").replace("2.0", "9.0")).encode(), "t")
    assert [note.code for note in log.notes] == ["several-tunings"] and len(log.routes) == 3
    assert log.baseline is not None and (log.baseline.build_route, log.baseline.gpu_time_ms) == ("-b=0", 9.0)

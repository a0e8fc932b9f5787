"""read_timing and mark_warm_up: per-query times, complete, cut off or unusual, column by column."""

from __future__ import annotations

import json
import math
from array import array
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.core.timings import LONGEST_MS, MISSING_TIMES, QueryTimes
from trex.ingest.metadata_json import read_metadata, warm_up_ms
from trex.ingest.timing_json import _MAX_COLUMNS, EXPORT_HINT, mark_warm_up, read_timing

QUERY = ["startEnqMs", "endEnqMs"]
STEPS_8 = ["startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs", "startD2hMs", "endD2hMs"]
STEPS_7 = ["startInMs", "endInMs", "startComputeMs", "endComputeMs", "startOutMs", "endOutMs"]
KEYS_8_4 = [*QUERY, *STEPS_8, "h2dMs", "computeMs", "d2hMs", "latencyMs"]
KEYS_8_2 = [*KEYS_8_4, "endToEndMs"]
KEYS_7_0 = [*STEPS_7, "inMs", "computeMs", "outMs", "latencyMs", "endToEndMs"]


def trace(rows: int, keys: list[str] = KEYS_8_4, step: float = 0.5) -> bytes:
    """A file as trtexec writes it; the value of row r and key k is r × step + k."""
    lines = [", ".join(f'"{key}" : {row * step + k:g}' for k, key in enumerate(keys)) for row in range(rows)]
    return ("[\n  " + "\n, ".join(f"{{ {line} }}" for line in lines) + "\n]\n").encode()


def codes(times: QueryTimes) -> list[str]:
    return [note.code for note in times.notes]


@pytest.mark.parametrize("keys", [KEYS_8_4, KEYS_8_2, KEYS_7_0])
@pytest.mark.parametrize("rows", [1, 3, 700])
def test_keys_of_every_version_column_by_column(keys: list[str], rows: int) -> None:
    times = read_timing(trace(rows, keys), "x.timing.json")
    assert list(times.columns) == keys
    assert len(times) == rows
    assert times.columns[keys[2]] == array("d", [row * 0.5 + 2 for row in range(rows)])
    assert times.latency_ms == times.columns["latencyMs"]
    assert (times.warm_up_rows, times.source, times.notes) == (None, "x.timing.json", ())


@pytest.mark.parametrize("indent", [None, 2])
def test_other_layouts_of_the_same_rows(indent: int | None) -> None:
    data = trace(900)
    again = json.dumps(json.loads(data), indent=indent, separators=(",", ":")).encode()
    assert read_timing(b"\xef\xbb\xbf" + again).columns == read_timing(data).columns


def test_scientific_notation_and_integers() -> None:
    times = read_timing(b'[{"startComputeMs": 1.2e+06, "computeMs": 5e-05, "latencyMs": 0}]')
    assert [list(column) for column in times.columns.values()] == [[1.2e6], [5e-5], [0.0]]


@pytest.mark.parametrize("data", [b"[\n]\n", b"[]", b"[]  "])
def test_an_empty_trace_is_valid(data: bytes) -> None:
    times = read_timing(data)
    assert (len(times), dict(times.columns)) == (0, {})
    assert codes(times) == ["timing-empty"]
    assert times.notes[0].severity == "info"


def test_rows_of_one_key() -> None:
    assert list(read_timing(b'[{"latencyMs": 1.0}, {"latencyMs": 2.0}]').latency_ms) == [1.0, 2.0]


def test_rows_that_differ_in_keys_leave_unknown_values() -> None:
    times = read_timing(b'[{"computeMs": 1.0, "latencyMs": 2.0}, {"latencyMs": 3.0}, {"latencyMs": 4.0, "d2hMs": 5.0}]')
    assert list(times.columns) == ["computeMs", "latencyMs", "d2hMs"]
    assert [str(list(column)) for column in times.columns.values()] == [
        "[1.0, nan, nan]",
        "[2.0, 3.0, 4.0]",
        "[nan, nan, 5.0]",
    ]
    assert times.notes[0].message.startswith("4 values missing")


@pytest.mark.parametrize("bad", ["nan", "-nan", "inf", "null", "1e999", '"slow"', "{}", "1" * 400])
def test_unusable_numbers_are_unknown_and_counted(bad: str) -> None:
    data = trace(600).replace(b'"computeMs" : 109,', f'"computeMs" : {bad},'.encode())
    times = read_timing(data)
    assert len(times) == 600
    assert [row for row, value in enumerate(times.columns["computeMs"]) if math.isnan(value)] == [200]
    assert times.columns["latencyMs"] == read_timing(trace(600)).columns["latencyMs"]
    assert "timing-unusable-number" in codes(times)


@pytest.mark.parametrize("value", ["null", "-1", "1e300", "NaN", '"n/a"'])
def test_queries_without_any_gpu_compute_are_a_problem(value: str) -> None:
    rows = ",".join(f'{{"startComputeMs": {row}, "computeMs": {value}, "latencyMs": 1.0}}' for row in range(200))
    times = read_timing(f"[{rows}]".encode())
    assert [note.severity for note in times.notes if note.code == MISSING_TIMES] == ["problem"]


def test_booleans_are_no_times() -> None:
    with pytest.raises(TrexError):
        read_timing(b'[{"latencyMs": true, "computeMs": false}]')


def test_a_column_of_text_is_left_out_with_a_note() -> None:
    times = read_timing(b'[{"latencyMs": 1.0, "stream": "a"}, {"latencyMs": 2.0, "stream": "b"}]')
    assert list(times.columns) == ["latencyMs"]
    assert "timing-unreadable-column" in codes(times)


def test_negative_durations_are_unknown_but_negative_starts_stay() -> None:
    times = read_timing(b'[{"startEnqMs": -0.5, "latencyMs": 1.0}, {"startEnqMs": 2.0, "latencyMs": -1.0}]')
    assert list(times.columns["startEnqMs"]) == [-0.5, 2.0]
    assert str(list(times.latency_ms)) == "[1.0, nan]"
    assert codes(times) == ["timing-unusable-number"]


def test_every_torn_tail_keeps_the_whole_rows() -> None:
    data = trace(4)
    for end in range(data.index(b"}") + 1, len(data) - 2):
        times = read_timing(data[:end], "torn.json")
        assert len(times) == data[:end].count(b"}")
        assert codes(times) == ["timing-truncated"]


def test_a_long_torn_trace() -> None:
    data = trace(3000)
    times = read_timing(data[: len(data) // 2])
    assert len(times) == data[: len(data) // 2].count(b"}")
    assert codes(times) == ["timing-truncated"]


@pytest.mark.parametrize("text", ["}", "},{", "}, {", "}]"])
def test_braces_in_text_never_shift_rows(text: str) -> None:
    rows = [{"latencyMs": float(row), "tag": text} for row in range(5000)]
    assert list(read_timing(json.dumps(rows).encode()).latency_ms) == [float(row) for row in range(5000)]


def test_keys_without_end_stay_bounded() -> None:
    rows = [{"latencyMs": 1.0, f"key{row}": 1.0} for row in range(500)]
    times = read_timing(json.dumps(rows).encode())
    assert len(times) == 500
    assert len(times.columns) == 64
    assert codes(times) == ["timing-strange-rows", "timing-unusable-number"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'[{"count": 3}, {"name": "a", "timeMs": 1.0}]', "layer times, not"),
        (b'[{"name": "a", "timeMs": 1.0}]', "layer times, not"),
        (b'{"Layers": [], "Bindings": []}', "layer information, not"),
        (b'{"performance_summary": {"Throughput": 1.0}}', "metadata"),
        (b'["a", "b"]', "this is not query times"),
        (b"42", "this is not query times"),
        (b"[[1.0], [2.0]]", "this is not query times"),
        (b"null", "this is not query times"),
    ],
)
def test_other_files_are_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(TrexError, match=message) as error:
        read_timing(data, "x.json")
    assert error.value.where == "x.json"
    assert "--exportTimes" in error.value.hint


@given(st.binary(max_size=200))
def test_any_bytes_give_times_or_a_trex_error(noise: bytes) -> None:
    data = trace(3)
    for sample in (noise, data[:60] + noise, data[:-5] + noise + data[-5:]):
        with suppress(TrexError):
            assert isinstance(read_timing(sample), QueryTimes)


@pytest.mark.parametrize("tail", [b" " * 300_000, b"," + b" " * 300_000, b" " * 300_000 + b"x", b'{"a":' * 20_000])
def test_odd_tails_take_linear_time(tail: bytes) -> None:
    with suppress(TrexError):
        assert len(read_timing(trace(2)[:-3] + tail)) == 2


def test_warm_up_rows_are_the_leading_ones() -> None:
    times = QueryTimes({"startComputeMs": array("d", [50.0, 150.0, 250.0, 190.0]), "latencyMs": array("d", [1.0] * 4)})
    assert mark_warm_up(times, 200).warm_up_rows == 2
    assert mark_warm_up(times, 50).warm_up_rows == 0
    assert mark_warm_up(times, 0).warm_up_rows == 0
    assert mark_warm_up(times, None).warm_up_rows is None


def test_warm_up_stays_unknown_without_start_times_or_options() -> None:
    assert mark_warm_up(QueryTimes({"latencyMs": array("d", [1.0])}), 200).warm_up_rows is None
    all_early = mark_warm_up(QueryTimes({"startEnqMs": array("d", [1.0, 2.0])}), 200)
    assert all_early.warm_up_rows is None


def test_real_traces_agree_with_their_own_summaries(shared_engines: Path) -> None:
    """Rows after the warm-up are the queries trtexec counted: Throughput × Total Host Walltime."""
    files = sorted(shared_engines.glob("*/*.timing.json"))
    assert len(files) >= 12
    for file in files:
        metadata_file = file.with_name(file.name.replace(".timing.json", ".profile.metadata.json"))
        if not metadata_file.is_file():
            continue
        metadata = read_metadata(metadata_file.read_bytes(), metadata_file.name)
        times = mark_warm_up(read_timing(file.read_bytes(), file.name), warm_up_ms(metadata))
        queries = metadata.performance["Throughput"] * metadata.performance["Total Host Walltime"]
        assert times.warm_up_rows is not None
        assert len(times) - times.warm_up_rows == pytest.approx(queries, abs=0.1), file
        assert times.notes == ()
        if file.parent.name.startswith("trt8."):  # traces of later versions start after the warm-up
            assert times.warm_up_rows > 0


def test_absurd_numbers_far_apart_do_not_cancel_out():
    rows = [{"startComputeMs": float(i), "latencyMs": 1.0} for i in range(5_000)]
    rows[0]["startComputeMs"], rows[-1]["startComputeMs"] = 1e16, -1e16
    times = read_timing(json.dumps(rows).encode())
    starts = times.columns["startComputeMs"]
    assert math.isnan(starts[0]) and math.isnan(starts[-1])
    assert [note.code for note in times.notes] == ["timing-unusable-number"]


def test_rows_without_numbers_are_named():
    with pytest.raises(TrexError, match="no usable query times"):
        read_timing(b'[{"latencyMs": NaN, "computeMs": null}, {"latencyMs": NaN, "computeMs": NaN}]')


def test_usual_rows_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million rows in about a second: no value is looked at alone, whatever the columns, and also in a torn file."""

    def refuse(*_: object) -> None:
        raise AssertionError("read one by one")

    monkeypatch.setattr("trex.ingest.timing_json.written_number", refuse)
    monkeypatch.setattr("trex.ingest.timing_json.parse", refuse)
    monkeypatch.setattr("trex.ingest.timing_json._drop_impossible", refuse)
    many = ["latencyMs", *[f"k{i}" for i in range(_MAX_COLUMNS - 1)]]
    for keys, rows in ((KEYS_8_4, 700), (["latencyMs"], 3), (["latencyMs"], 2000), (many, 2)):
        times = read_timing(trace(rows, keys))
        assert list(times.columns) == keys and len(times) == rows and times.notes == ()
    for torn in (trace(2000)[:-3], trace(2)[:-3], trace(2)[:-30]):
        assert codes(read_timing(torn)) == ["timing-truncated"]
    latest = json.dumps([{"startComputeMs": -5.0, "latencyMs": 0.0}, {"startComputeMs": 5.0, "latencyMs": LONGEST_MS}])
    assert list(read_timing(latest.encode()).columns["startComputeMs"]) == [-5.0, 5.0]
    lowest = json.dumps([{"startComputeMs": -LONGEST_MS, "latencyMs": 0.0}])
    assert list(read_timing(lowest.encode()).columns["startComputeMs"]) == [-LONGEST_MS]


def test_nan_costs_no_row() -> None:
    data = b'[{"latencyMs" : nan, "computeMs" : -inf}, {"latencyMs" : 2, "computeMs" : 1}]'
    times = read_timing(data)
    assert math.isnan(times.columns["latencyMs"][0]) and times.columns["latencyMs"][1] == 2
    assert codes(times) == ["timing-unusable-number"]


def test_times_at_the_limits_are_times() -> None:
    rows = [{"latencyMs": LONGEST_MS, "startEnqMs": -LONGEST_MS}, {"latencyMs": -1.0, "startEnqMs": LONGEST_MS}]
    times = read_timing(json.dumps(rows).encode())
    assert times.columns["latencyMs"][0] == LONGEST_MS and math.isnan(times.columns["latencyMs"][1])
    assert list(times.columns["startEnqMs"]) == [-LONGEST_MS, LONGEST_MS]
    assert codes(times) == ["timing-unusable-number"]


def test_notes_in_full() -> None:
    def said(data: bytes) -> list[tuple[str, str, str, str]]:
        notes = read_timing(data, "t.json").notes
        assert {note.where.partition(":")[0] for note in notes} <= {"t.json"}
        return [(note.code, note.severity, note.message, note.hint) for note in notes]

    again = "export the times again to get all rows"
    torn = "the file is cut off; 1 complete row was kept"
    assert said(b'[{"latencyMs": 1}, {"lat') == [("timing-truncated", "problem", torn, again)]
    torn = "the file is cut off; 2 complete rows were kept"
    assert said(b'[{"latencyMs": 1}, {"latencyMs": 1}') == [("timing-truncated", "problem", torn, again)]
    left_out = "left out: no row, or a key beyond the first"
    assert said(b'[3, 4, {"latencyMs": 1}]') == [
        ("timing-strange-rows", "warning", f"2 entries {left_out} {_MAX_COLUMNS}", "")
    ]
    assert said(b'[{"latencyMs": 1}, 3]') == [
        ("timing-strange-rows", "warning", f"1 entry {left_out} {_MAX_COLUMNS}", "")
    ]
    others = {f"k{i}": 1 for i in range(_MAX_COLUMNS + 1)}
    for wide, count in (({"latencyMs": 1, **others}, "2 entries"), ({**others, "latencyMs": 1}, "1 entry")):
        data = json.dumps([wide]).encode()
        assert said(data) == [("timing-strange-rows", "warning", f"{count} {left_out} {_MAX_COLUMNS}", "")]
        assert "latencyMs" in read_timing(data).columns
    long = "k" * 90
    assert said(json.dumps([{long: "x", "latencyMs": 1}]).encode()) == [
        ("timing-unreadable-column", "warning", f"{long[:80]!r} has no number in any row and was left out", "")
    ]
    assert said(b'[{"latencyMs": 1}, {"latencyMs": null}]') == [
        ("timing-unusable-number", "warning", "1 value missing or not a time: unknown", "")
    ]
    assert said(b"[]") == [("timing-empty", "info", "the file has no queries", EXPORT_HINT)]
    assert read_timing(b'[{"a": "x", "latencyMs": 1}, {"a": "x", "latencyMs": 2}]').columns.keys() == {"latencyMs"}


def test_several_documents_are_one_trace() -> None:
    assert list(read_timing(b'[{"latencyMs": 1}]\n[{"latencyMs": 2}]').columns["latencyMs"]) == [1, 2]


def test_a_warm_up_of_a_fraction_of_a_millisecond() -> None:
    times = read_timing(trace(4, ["startComputeMs", "latencyMs"]))
    assert mark_warm_up(times, 0.75).warm_up_rows == 2
    assert mark_warm_up(times, 0.0).warm_up_rows == 0
    assert mark_warm_up(times, 100.0).warm_up_rows is None


@pytest.mark.parametrize("empty", [b"{}", b'{"":0}'])
def test_rows_without_values_are_refused_before_they_take_memory(empty: bytes) -> None:
    """Each takes a place in every column: 9 MB took 371."""
    whole = json.dumps(dict.fromkeys(["computeMs", "latencyMs", *(f"k{number}" for number in range(10))], 1.0)).encode()
    with pytest.raises(TrexError, match="most values of the file"):
        read_timing(b"[" + whole + (b"," + empty) * 1_600_000 + b"]")
    assert len(read_timing(b"[" + whole + (b"," + empty) * 1000 + b"]").columns["computeMs"]) == 1001

"""read_profile: every spelling of a layer profile, and the Notes about unusable parts."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.errors import TrexError
from trex.core.timings import LONGEST_MS, LayerTimes
from trex.ingest.profile_json import EXPORT_HINT, read_profile


def row(name: str, total: object = 10, average: object = 1, median: object = 0.9, share: object = 50.0) -> str:
    """A record as trtexec writes it: without escapes in the name."""
    return (
        f'{{ "name" : "{name}", "timeMs" : {total}, "averageMs" : {average}, "medianMs" : {median}, '
        f'"percentage" : {share} }}'
    )


def profile(*rows: str, count: int | None = 10) -> bytes:
    """A file as trtexec writes it."""
    records = [*([f'{{ "count" : {count} }}'] if count is not None else []), *rows]
    return ("[\n  " + "\n, ".join(records) + "\n]\n").encode()


def codes(times: LayerTimes) -> list[str]:
    return [note.code for note in times.notes]


def names(times: LayerTimes) -> list[str]:
    return [record.name for record in times.records]


def test_a_profile_as_trtexec_writes_it() -> None:
    times = read_profile(profile(row("conv", 12.5, 1.25, 1.2, 80.0), row("relu", 0, 0, 0, 0)), "x.profile.json")
    assert (times.count, times.source, times.notes) == (10, "x.profile.json", ())
    conv, relu = times.records
    assert (conv.name, conv.occurrence, conv.total_ms, conv.average_ms) == ("conv", 0, 12.5, 1.25)
    assert (conv.median_ms, conv.share_pct, conv.samples_ms, conv.extra) == (1.2, 80.0, (), {})
    assert (relu.total_ms, relu.average_ms, relu.median_ms, relu.share_pct) == (0.0, 0.0, 0.0, 0.0)


def test_repeated_names_are_counted() -> None:
    times = read_profile(profile(row("a"), row("b"), row("a"), row("a")))
    assert [(r.name, r.occurrence) for r in times.records] == [("a", 0), ("b", 0), ("a", 1), ("a", 2)]


def test_names_are_counted_as_printed() -> None:
    times = read_profile(json.dumps([{"name": "a\x1eb", "timeMs": 1.5}, {"name": "a+b", "timeMs": 2.5}]).encode())
    assert [(r.name, r.occurrence) for r in times.records] == [("a+b", 0), ("a+b", 1)]


def test_records_without_median_and_without_count() -> None:
    times = read_profile(b'[{"name": "a", "timeMs": 5.0, "averageMs": 0.5, "percentage": 100.0}]')
    assert times.count is None
    assert times.records[0].median_ms is None
    assert codes(times) == ["profile-no-median"]


def test_fields_of_a_newer_trtexec_are_kept() -> None:
    data = b'[{"name": "a", "timeMs": 5.0, "averageMs": 0.5, "medianMs": 0.5, "percentage": 1.0, "p99Ms": 0.7}]'
    assert read_profile(data).records[0].extra == {"p99Ms": 0.7}


def test_a_missing_average_is_total_over_count_with_a_note() -> None:
    times = read_profile(b'[{"count": 4}, {"name": "a", "timeMs": 6.0, "medianMs": 1.4, "percentage": 100.0}]')
    assert times.records[0].average_ms == 1.5
    assert codes(times) == ["profile-average-derived"]


def test_numbers_may_be_text() -> None:
    times = read_profile(b'[{"count": "4"}, {"name": "a", "timeMs": "6.0", "averageMs": " 1.5 ", "medianMs": "1e0"}]')
    record = times.records[0]
    assert (times.count, record.total_ms, record.average_ms, record.median_ms) == (4, 6.0, 1.5, 1.0)


@pytest.mark.parametrize("bad", ["null", "true", "-1.0", "-1", '"nan"', '"fast"', '"1_0"', "[]", "{}", "1" * 400])
def test_unusable_numbers_are_unknown_and_counted(bad: str) -> None:
    data = f'[{{"name": "a", "timeMs": {bad}, "averageMs": 0.5, "medianMs": {bad}, "percentage": 1.0}}]'.encode()
    times = read_profile(data)
    record = times.records[0]
    assert (record.total_ms, record.average_ms, record.median_ms) == (None, 0.5, None)
    assert set(codes(times)) == {"profile-unusable-number"}
    assert "'a'" in times.notes[0].message


@pytest.mark.parametrize(
    "name",
    [
        'say "hi"',
        'ends in a quote"',
        "C:\\new\\table",
        'a", "timeMs" : 7, "averageMs" : 7, "b',
        "{ForeignNode[/a/Add...\"/b\"]}",
        "}",
    ],
)  # fmt: skip
def test_unescaped_names(name: str) -> None:
    """A bare quote anywhere means that no name in the file is escaped."""
    times = read_profile(profile(row(name, 3, 0.3, 0.2, 30), row('the other "one"', 7, 0.7, 0.6, 70)))
    assert names(times) == [name, 'the other "one"']
    assert [r.total_ms for r in times.records] == [3.0, 7.0]
    assert times.count == 10
    assert codes(times) == ["profile-names-unescaped"]


def test_raw_control_characters_in_names() -> None:
    times = read_profile(profile(row("a\x1eb"), row("two\nlines"), row("tab\there")))
    assert names(times) == ["a+b", "two\\x0alines", "tab\\x09here"]
    assert times.count == 10


def test_escaped_names_stay_escaped_when_only_numbers_are_broken() -> None:
    times = read_profile(profile(row("say \\u0022hi\\u0022", "nan"), row("a\\\\b")))
    assert names(times) == ['say "hi"', "a\\b"]
    assert "profile-names-unescaped" not in codes(times)


@pytest.mark.parametrize("bad", ["nan", "-nan", "inf", "-inf", "NaN", "Infinity", "1.#IND"])
def test_numbers_json_does_not_know(bad: str) -> None:
    times = read_profile(profile(row("a", 0, bad, bad, bad), row("b")))
    first, second = times.records
    assert (first.total_ms, first.average_ms, first.median_ms, first.share_pct) == (0.0, None, None, None)
    assert (second.total_ms, second.share_pct) == (10.0, 50.0)
    assert "profile-unusable-number" in codes(times)


def test_every_torn_tail_keeps_the_whole_rows() -> None:
    data = profile(row("a", 1), row("{b}", 2), row("c", 3))
    first, second = data.index(b'{ "name" : "{b}"'), data.index(b'{ "name" : "c"')
    for end in range(first + 20, len(data) - 2):
        times = read_profile(data[:end], "torn.json")
        expected = ["a"] if end < second - 4 else ["a", "{b}"] if end < len(data) - 4 else ["a", "{b}", "c"]
        assert names(times) == expected, data[:end]
        assert codes(times) == ["truncated"]
        assert times.notes[0].severity == "problem"
        assert times.notes[0].where.startswith("torn.json:")


def test_a_row_whose_name_has_no_end_costs_no_other_row() -> None:
    times = read_profile(profile(row("a"), '{ "name" : "b, "timeMs" : 1 }', row("c")), "x")
    assert names(times) == ["a", 'b, "timeMs" : 1 }', "c"]
    assert [record.average_ms for record in times.records] == [1.0, None, 1.0]
    assert times.notes[0].code == "unterminated-string" and times.notes[0].where.startswith("x:4:")


def test_only_the_first_of_two_runs_is_read() -> None:
    times = read_profile(profile(row("a")) + profile(row("a"), row("b"), count=7))
    assert (names(times), times.count) == (["a"], 10)
    assert "profile-second-run" in codes(times)


def test_per_iteration_dictionary() -> None:
    times = read_profile(b'{"a": [3, 1.0, 2.0], "b": [4.0, 2.0, 8.0]}')
    assert times.count == 3
    a, b = times.records
    assert (a.total_ms, a.average_ms, a.median_ms, a.samples_ms) == (6.0, 2.0, 2.0, (3.0, 1.0, 2.0))
    assert (b.total_ms, b.median_ms, b.share_pct) == (14.0, 4.0, None)
    assert times.notes == ()


def test_per_iteration_dictionary_with_holes() -> None:
    times = read_profile(b'{"a": [1.0, null, "3.0", -5], "b": [], "c": [1.0, 2.0]}')
    a, b, c = times.records
    assert (a.samples_ms, a.average_ms) == ((1.0, 3.0), 2.0)
    assert (b.average_ms, b.total_ms) == (None, None)
    assert c.median_ms == 1.5
    assert times.count is None
    assert set(codes(times)) == {"profile-uneven-iterations", "profile-unusable-number"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"Layers": ["a", "b"], "Bindings": ["x"]}', "layer information, not"),
        (b'[{"startEnqMs": 1.0, "latencyMs": 2.0}]', "query times, not"),
        (b'{"performance_summary": {}}', "metadata"),
        (b"[1, 2]", "this is not layer times"),
        (b'{"conv": 1.5, "relu": 2}', "one number per name"),
        (b'"text"', "this is not layer times"),
        (b'{"a": ["b"]}', "this is not layer times"),
        (b"{}", "this is not layer times"),
    ],
)
def test_other_files_are_refused_by_name(data: bytes, words: str) -> None:
    with pytest.raises(TrexError, match=words) as error:
        read_profile(data, "x.json")
    assert error.value.where == "x.json"
    assert "--exportProfile" in error.value.hint


@pytest.mark.parametrize("data", [b"[]", b"[\n]", b'[{"count": 0}]'])
def test_an_empty_profile_is_no_error(data: bytes) -> None:
    times = read_profile(data)
    assert times.records == ()
    assert codes(times) == ["profile-empty"]


def test_strange_entries_are_left_out_and_counted() -> None:
    times = read_profile(b'[{"name": "a", "timeMs": 1.0}, 7, {"x": 1}, {"name": null}, {"name": 12}]')
    assert names(times) == ["a", "", ""]
    assert "profile-strange-records" in codes(times)


def test_an_unusable_count_is_unknown() -> None:
    for count in (b"-1", b"1.5", b'"many"', b"null"):
        times = read_profile(b'[{"count": %b}, {"name": "a", "timeMs": 1.0}]' % count)
        assert times.count is None
        assert "profile-unusable-count" in codes(times)


def test_a_byte_order_mark_and_utf_16() -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        times = read_profile(profile(row("größe")).decode().encode(encoding))
        assert names(times) == ["größe"]


def test_giant_and_nested_values_do_not_break_messages() -> None:
    nested = b"[" * 100 + b"]" * 100
    for value in (nested, b"9" * 4000):
        times = read_profile(b'[{"count": %b}, {"name": "a", "timeMs": %b}]' % (value, value))
        assert times.records[0].total_ms is None


def test_new_fields_nested_without_end_are_refused() -> None:
    with pytest.raises(TrexError, match="nested"):
        read_profile(b'[{"name": "a", "timeMs": 1.0, "more": %b}]' % (b"[" * 900 + b"]" * 900))


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_bytes_give_times_or_a_trex_error(noise: bytes) -> None:
    data = profile(row("a"), row("b"))
    for sample in (noise, data[:40] + noise, data[:-30] + noise + data[-30:]):
        with suppress(TrexError):
            assert isinstance(read_profile(sample), LayerTimes)


def test_real_profiles(shared_engines: Path) -> None:
    files = sorted(shared_engines.glob("*/*.profile.json"))
    assert len(files) >= 13
    for file in files:
        times = read_profile(file.read_bytes(), file.name)
        assert times.notes == ()
        assert times.count
        assert all(r.average_ms is not None and r.median_ms is not None for r in times.records)
        assert sum(r.share_pct or 0 for r in times.records) == pytest.approx(100, abs=0.1)


def test_real_layer_sums(shared_engines: Path) -> None:
    """NVIDIA's published sums of the Q/DQ walk-through."""
    for variant, total_ms in {"fp32": 2.124, "fp16": 1.017, "qat": 1.096, "qat-residual": 0.731}.items():
        (file,) = (shared_engines / f"trt8.4-resnet18-a100-{variant}").glob("*.profile.json")
        averages = [record.average_ms or 0 for record in read_profile(file.read_bytes()).records]
        assert sum(averages) == pytest.approx(total_ms, abs=0.0006)


def test_real_per_iteration_dictionary(shared_engines: Path) -> None:
    file = shared_engines / "trt10.1-alexnet-onnx" / "alexnet.layer_latency.json"
    times = read_profile(file.read_bytes(), file.name)
    assert (len(times.records), times.count, times.notes) == (17, 100, ())
    assert times.records[0].samples_ms[0] == pytest.approx(0.016544, abs=1e-6)
    assert all(len(record.samples_ms) == 100 for record in times.records)


def test_usual_rows_need_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Profiles of thousands of layers are read quickly: floats in the range of times are taken as they are."""

    def refuse(value: object) -> None:
        raise AssertionError(f"{value} was looked at")

    rows = [row(name, 12.5, 0.25, 0.0, float(LONGEST_MS)) for name in ("a", "b", "a")]
    data = profile(
        *rows, row("c", 0.0, 0.5, 0.5, 0.5), row("d", float(LONGEST_MS), 0.0, float(LONGEST_MS), 0.0), count=None
    )
    samples = json.dumps({"a": [0.5, 0.0], "b": [0.0, float(LONGEST_MS)]}).encode()
    before = read_profile(samples)
    monkeypatch.setattr("trex.ingest.profile_json.written_number", refuse)
    times = read_profile(data)
    assert times.notes == () and [record.occurrence for record in times.records] == [0, 0, 1, 0, 0]
    assert [record.share_pct for record in times.records] == [LONGEST_MS] * 3 + [0.5, 0.0]
    assert all(record.extra == {} and record.samples_ms == () for record in times.records)
    monkeypatch.setattr(
        "trex.ingest.profile_json.written_number", lambda value: value if value == 0.5 else refuse(value)
    )
    assert read_profile(samples) == before  # the first number shows that these are samples


def test_times_at_the_limits_are_times() -> None:
    times = read_profile(profile(row("a", LONGEST_MS, LONGEST_MS, LONGEST_MS, 0), row("b", 0, 0, 0, LONGEST_MS)))
    assert times.notes == ()
    assert [(r.total_ms, r.average_ms, r.median_ms, r.share_pct) for r in times.records] == [
        (LONGEST_MS, LONGEST_MS, LONGEST_MS, 0),
        (0, 0, 0, LONGEST_MS),
    ]
    assert read_profile(profile(row("a", LONGEST_MS + 1))).records[0].total_ms is None


def test_notes_in_full() -> None:
    def said(data: bytes) -> list[tuple[str, str, str, str]]:
        notes = read_profile(data, "p.json").notes
        assert {note.where.partition(":")[0] for note in notes} <= {"p.json"}
        return [(note.code, note.severity, note.message, note.hint) for note in notes]

    bad = [row(f"l{i}", '"x"', '"x"', '"x"', '"x"') for i in range(2)]
    assert said(profile(*bad)) == [
        (
            "profile-unusable-number",
            "warning",
            f"2 values of {key} missing or not usable, first at layer 'l0': unknown",
            "",
        )
        for key in ("timeMs", "averageMs", "medianMs", "percentage")
    ]
    assert said(b'[{"name": 3, "timeMs": 1.5, "averageMs": 1.5, "medianMs": 1.5}]') == [
        ("profile-unusable-number", "warning", "1 value of name missing or not usable, first at layer '': unknown", "")
    ]
    assert said(b"[]") == [("profile-empty", "warning", "the profile has no layer records", EXPORT_HINT)]
    rows = '{"name": "a", "timeMs": 1.5, "averageMs": 1.5, "medianMs": 1.5}'
    strange = "of the profile left out: no layer name"
    assert said(f"[{rows}, 3]".encode()) == [("profile-strange-records", "warning", f"1 of 2 entries {strange}", "")]
    for count in (1.5, 0, -5):
        assert said(f'[{{"count": {count}}}, {rows}]'.encode()) == [
            ("profile-unusable-count", "warning", "the number of iterations is not a whole number of 1 or more", "")
        ]
    old = '{"name": "a", "timeMs": 3.0}'
    assert said(f'[{{"count": 2}}, {old}, {old}, {rows}]'.encode()) == [
        ("profile-no-median", "info", "no medianMs in 2 of 3 records (trtexec before 8.4 did not write it)", ""),
        ("profile-average-derived", "info", "no averageMs in 2 records; it was computed as timeMs / 2", ""),
    ]
    message = "layers have between 1 and 3 samples: some did not run in every iteration"
    assert said(b'{"a": [1234, 1250], "b": [2111, 2120]}')[0][0] == "profile-whole-numbers"
    assert said(b'{"a": [1, 2], "b": [3]}')[0][0] != "profile-whole-numbers"
    assert said(b'{"a": [1.5], "b": [1.5, 2.5, 3.5]}') == [("profile-uneven-iterations", "warning", message, "")]
    assert said(b'{"a": [1.5, true], "b": [2.5, -1]}') == [
        (
            "profile-unusable-number",
            "warning",
            "2 values of samples missing or not usable, first at layer 'a': unknown",
            "",
        )
    ]
    assert said(b'{"a": [], "b": [2.5]}')[1:] == [
        (
            "profile-unusable-number",
            "warning",
            "1 value of samples missing or not usable, first at layer 'a': unknown",
            "",
        )
    ]
    message = "layer names in this profile are not escaped (trtexec writes them so); they were read literally"
    assert said(profile(row('a"b'))) == [("profile-names-unescaped", "info", message, "")]
    message = "the file has 2 JSON documents; the first was read"
    assert said(f"[{rows}]\n[{rows}]".encode())[-1] == ("profile-second-run", "warning", message, "")


def test_samples_in_detail() -> None:
    times = read_profile(
        json.dumps({"a\x1eb": [5.0, 1.0, 2.0, 3.0, 9.0], "a+b": [4.0, 1.0, 3.0, 2.0, 0.0], "c": []}).encode()
    )
    first, second, empty = times.records
    assert (first.name, first.occurrence, second.name, second.occurrence) == ("a+b", 0, "a+b", 1)
    assert (first.total_ms, first.average_ms, first.median_ms) == (20.0, 4.0, 3.0)
    assert (second.median_ms, second.share_pct) == (2.0, None)
    assert (empty.name, empty.occurrence, empty.total_ms) == ("c", 0, None)
    (record,) = read_profile(b'{"a": [4.0, 1.0, 3.0, 2.0]}').records
    assert record.median_ms == 2.5 and record.samples_ms == (4.0, 1.0, 3.0, 2.0)
    (record,) = read_profile(json.dumps({"a": [LONGEST_MS, 1.0]}).encode()).records
    assert record.samples_ms == (LONGEST_MS, 1.0)  # too long together, not one by one

"""The layer time table in its three forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.logs.log_profile_table import ProfileTable, profile_count


def table(*lines: str) -> LayerTimes:
    reader = ProfileTable(10, 1)
    for number, line in enumerate(lines, 2):
        reader.add(line, number)
    return reader.finish("x.log")


def codes(times: LayerTimes) -> list[str]:
    return [note.code for note in times.notes]


def test_title() -> None:
    assert profile_count("=== Profile (20079 iterations ) ===") == 20079
    assert profile_count("=== Performance summary ===") is None


def test_8_6_form_numbers_first() -> None:
    times = table(
        "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer",
        "     137.84       0.0069       0.0061       9.4   Reformatting CopyNode for Input  Tensor 0 to a -> b",
        "       1.00       0.1000       0.1000      90.6    3 spaces",
        "     138.84       0.1069       0.1061     100.0   Total",
    )
    assert times.records == (
        LayerTime("Reformatting CopyNode for Input  Tensor 0 to a -> b", 0, 137.84, 0.0069, 0.0061, 9.4),
        LayerTime(" 3 spaces", 0, 1.0, 0.1, 0.1, 90.6),
    )
    assert (times.count, times.source, codes(times)) == (10, "x.log", ["profile-from-console"])


def test_8_4_form_name_first_with_median() -> None:
    times = table(
        "                 Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %",
        "   conv 1 + relu  2        20.50           2.0500             2.0000     60.5",
        "                   x       13.40           1.3400             1.3000     39.5",
        "               Total       33.90           3.3900             3.3000    100.0",
    )
    assert times.records == (
        LayerTime("conv 1 + relu  2", 0, 20.5, 2.05, 2.0, 60.5),
        LayerTime("x", 0, 13.4, 1.34, 1.3, 39.5),
    )


def test_8_2_form_without_median() -> None:
    times = table(
        "   Layer   Time (ms)   Avg. Time (ms)   Time %",
        "       a        2.00           0.2000    100.0",
        "   Total        2.00           0.2000    100.0",
    )
    assert times.records == (LayerTime("a", 0, 2.0, 0.2, None, 100.0),)


def test_unusable_numbers_are_unknown_and_a_new_column_is_kept() -> None:
    times = table(
        "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Max.(ms)   Layer",
        "       0.00         -nan          nan       inf       0.50   a",
        "       0.00       0.0000       0.0000       0.0       0.50   Total",
    )
    assert times.records == (LayerTime("a", 0, 0.0, None, None, None, extra={"Max.(ms)": 0.5}),)


def test_repeated_names_and_separators() -> None:
    heading = "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"
    times = table(heading, *["  1.00  0.1000  0.1000  50.0   a\x1eb"] * 2, "  2.00  0.2000  0.2000  100.0   Total")
    assert [(record.name, record.occurrence) for record in times.records] == [("a+b", 0), ("a+b", 1)]


def test_a_layer_called_total_and_a_cut_table() -> None:
    heading = "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"
    row = "  1.00  0.1000  0.1000  50.0   "
    assert [r.name for r in table(heading, f"{row}Total", f"{row}b", f"{row}Total").records] == ["Total", "b"]
    cut = table(heading, f"{row}a", "  1.00  0.1")
    assert [record.name for record in cut.records] == ["a"]
    assert codes(cut) == ["profile-from-console", "unreadable-profile-row", "profile-table-cut"]
    assert cut.notes[1].where == "x.log:4"


@pytest.mark.parametrize(
    ("rows", "total", "words"),
    [
        ((1.0, 3.0), "4.00", ""),
        ((1.0, 3.0), "4.01", ""),
        ((0.004,) * 50, "0.20", ""),
        ((1.0, 3.0), "nan", ""),
        ((1.0, 3.0), "8.00", "add up to 4 ms, its Total is 8 ms"),
        ((1.0, 3.0), "2.00", "add up to 4 ms, its Total is 2 ms"),
        ((100.0, 3.0), "105.00", "add up to 103 ms, its Total is 105 ms"),
    ],
)
def test_rows_that_do_not_add_up_to_total(rows: tuple[float, ...], total: str, words: str) -> None:
    lines = [f"  {ms:.2f}  0.1000  0.1000  5.0   l{index}" for index, ms in enumerate(rows)]
    heading = "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"
    sums = f"{0.1 * len(rows):.4f}  {0.1 * len(rows):.4f}"
    notes = [
        note
        for note in table(heading, *lines, f"  {total}  {sums}  100.0   Total").notes
        if note.code == "profile-total-contradicts"
    ]
    assert [(note.severity, note.where, words in note.message) for note in notes] == (
        [("warning", "x.log:1", True)] if words else []
    )


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        ("0.2000  0.2000", ""),
        ("0.2001  0.2080", ""),
        ("0.2200  0.2000", "add up to 0.2 ms, its Total is 0.22 ms"),
        ("0.2000  0.1500", "add up to 0.2 ms, its Total is 0.15 ms"),
    ],
)
def test_averages_and_medians_that_do_not_add_up_to_total(sums: str, words: str) -> None:
    lines = [f"  10.00  0.1000  0.1000  50.0   l{index}" for index in range(2)]
    heading = "   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer"
    notes = table(heading, *lines, f"  20.00  {sums}  100.0   Total").notes
    assert [words in note.message for note in notes if note.code == "profile-total-contradicts"] == [True] * bool(words)


@pytest.mark.parametrize("heading", ["nonsense", "Layer", "", "   ".join(["Time"] * 99 + ["Layer"])])
def test_an_invalid_heading(heading: str) -> None:
    times = table(heading, "  1.00  0.1000  0.1000  50.0   a")
    assert times.records == ()
    assert "unreadable-profile-row" in codes(times)


@given(st.lists(st.text(alphabet="Layer Tim()%.0159nai-e+", max_size=60), max_size=6), st.booleans())
def test_any_rows_are_read(lines: list[str], name_first: bool) -> None:
    heading = "   Layer   Time (ms)   Time %" if name_first else "   Time(ms)   Time(%)   Layer"
    assert len(table(heading, *lines).records) <= len(lines)

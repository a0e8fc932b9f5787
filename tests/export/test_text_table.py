"""Tables as lines: aligned, and never wider than asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trex.export.lettering import cell_width
from trex.export.text_table import MAX_CELL, table_text
from trex.views.table import Table, TableColumn

NAME = "layer1.0.conv2.weight + QuantizeLinear_32 + Conv_34 + Add_36 + Relu_37"
COLUMNS = (
    TableColumn("#", "count"),
    TableColumn("layer"),
    TableColumn("type"),
    TableColumn("average ms", "ms"),
    TableColumn("time %", "pct"),
)
ROWS = ((0, NAME, "Convolution", 0.5, 80.0), (1, "pool", "Pooling", None, float("nan")), (12, "b", "B", 0.125, 20.0))


def table(title: str = "Layers", columns=COLUMNS, rows=ROWS) -> Table:
    return Table(title, columns, rows)


def test_a_table():
    assert table_text(table(columns=COLUMNS[2:], rows=tuple(row[2:] for row in ROWS))) == (
        "Layers\n"
        "type         average ms  time %\n"
        "Convolution      0.5000    80.0\n"
        "Pooling               –       –\n"
        "B                0.1250    20.0\n"
    )


def test_without_a_width_names_stay_whole_unless_they_are_monstrous():
    assert NAME in table_text(table())
    text = table_text(table(rows=((0, "x" * 40_000, "t", 1.0, 1.0),)))
    assert max(map(len, text.splitlines())) < MAX_CELL + 60


def test_names_give_way_first_headings_next_columns_last():
    wide, narrow, tiny = (table_text(table(), width) for width in (80, 46, 30))
    assert "average ms  time %" in wide and "…" in wide
    assert "average ms" not in narrow and "average" in narrow and "80.0" in narrow
    assert "no room for: " in tiny and "time %" in tiny.splitlines()[-1]


def test_numbers_are_never_cut():
    for width in range(20, 100):
        text = table_text(table(), width)
        shown = [line.split()[-1] for line in text.splitlines() if line.split()[:1] == ["12"]]
        assert shown and shown[0] in ("b", "B", "0.1250", "20.0")


def test_a_table_without_rows_or_columns():
    assert table_text(Table("", COLUMNS, ())).splitlines()[-1] == "(none)"
    assert table_text(Table("", (), ())) == "(none)\n"
    assert table_text(Table("", (), ()), 20) == "(none)\n"


def test_control_characters_are_escaped_wherever_they_stand():
    bad = "a\x1b[31m\nb\x9b"
    text = table_text(Table(bad, (TableColumn(bad), TableColumn("n", "ms")), ((bad, bad),)))
    assert all(line.isprintable() for line in text.splitlines())
    assert "\\x1b[31m\\nb\\x9b" in text


def test_markup_is_text():
    assert "[bold]x[/bold]" in table_text(Table("", (TableColumn("[red]"),), (("[bold]x[/bold]",),)))


def test_columns_that_are_worth_showing_only_when_known():
    columns = (TableColumn("a"), TableColumn("b", "ms", if_known=True))
    assert table_text(Table("", columns, (("x", None),))) == "a\nx\n"


def test_units_stand_in_the_heading():
    assert table_text(Table("", (TableColumn("t", "ms", "ms"),), ((1.0,),))) == "t (ms)\n1.0000\n"


def test_bars_are_as_long_as_the_value_and_take_the_room_that_is_left():
    columns = (*COLUMNS, TableColumn("bar", "bar"))
    rows = tuple((*row, row[4]) for row in ROWS)
    for width, lengths in ((140, [20, 0, 5]), (None, [20, 0, 5]), (82, [0, 0, 0])):
        lines = table_text(table(columns=columns, rows=rows), width).splitlines()
        assert [line.count("█") for line in lines[2:]] == lengths
        assert width is None or all(cell_width(line) <= width for line in lines)
    assert "▏" in table_text(table(columns=columns, rows=(rows[0], (*rows[2][:5], 0.001))), 140), "never invisible"


CELLS = st.one_of(st.none(), st.text(max_size=80), st.integers(-(10**12), 10**12), st.floats())
KINDS = st.sampled_from(["text", "number", "count", "ms", "pct", "bytes", "rate", "bar"])


@given(
    st.lists(st.tuples(st.text(max_size=20), KINDS), max_size=6),
    st.lists(st.lists(CELLS, min_size=6, max_size=6), max_size=5),
    st.one_of(st.none(), st.integers(20, 120)),
)
def test_any_table_is_written_within_its_width(columns, rows, width):
    cells = tuple(tuple(row[: len(columns)]) for row in rows)
    lines = table_text(Table("", tuple(TableColumn(*column) for column in columns), cells), width).split("\n")
    assert all(line.isprintable() for line in lines)
    if width is not None:
        assert all(cell_width(line) <= width for line in lines)


def test_what_must_be_readable_is_kept_before_later_columns():
    words = "reformats added or removed"
    rows = tuple((NAME, 0.1, words, 12.5, 50.0) for _ in range(2))
    shares = (TableColumn("base at roofline", "pct", "%"), TableColumn("new at roofline", "pct", "%"))
    for readable, shown in ((0, "reformat"), (16, "reformats")):
        columns = (TableColumn("layer"), TableColumn("average", "ms"), TableColumn("cause", readable=readable), *shares)
        text = table_text(table(columns=columns, rows=rows), 48)
        assert (shown in text) == bool(readable) and max(map(cell_width, text.splitlines())) <= 48
        assert ("no room for: base at" in text) == bool(readable)

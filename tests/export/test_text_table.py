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
    TableColumn("layer", "name"),
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


def test_rows_that_are_only_counted_have_no_headings():
    assert table_text(Table("Minor", COLUMNS, (), left_out=2, more="trex lint --all")) == (
        "Minor: 2 (trex lint --all)\n"
    )


def test_without_a_width_names_stay_whole_unless_they_are_monstrous():
    assert NAME in table_text(table())
    text = table_text(table(rows=((0, "x" * 40_000, "t", 1.0, 1.0),)))
    assert max(map(len, text.splitlines())) < MAX_CELL + 60


def test_headings_break_first_names_give_way_next_and_last_columns_go_below():
    wide, narrow, tiny = (table_text(table(), width).splitlines() for width in (120, 80, 46))
    assert "average ms  time %" in wide[1] and NAME in wide[2]
    assert "average  time" in narrow[1] and "…" in narrow[3] and narrow[3].endswith("Convolution   0.5000  80.0")
    assert [line for line in tiny if line.startswith("    time")] == ["    time % 80.0", "    time % 20.0"]
    (name,) = (word for line in tiny for word in line.split("  ") if "…" in word)
    assert len(name) >= 20 and NAME.startswith(name.split("…")[0]) and NAME.endswith(name.split("…")[1])


def test_words_wrap_and_a_tactic_outlives_the_name_of_its_layer():
    columns = (TableColumn("layer", "name"), TableColumn("tactic", "name", readable=30), TableColumn("why"))
    tactic, why = "sm80_xmma_gemm_tilesize128x128", "because 1,024 of 2,048 rows are padded"
    lines = table_text(table("", columns, ((NAME, tactic, why), (NAME, tactic, None))), 80).splitlines()
    assert all(tactic in line and line.startswith("layer1.") for line in (lines[1], lines[3])) and "…" in lines[1]
    assert f"{lines[1].split('  ')[-1]} {lines[2].strip()}" == why
    assert table_text(table("", columns, ((NAME, tactic, None),)), 40).splitlines()[-1] == "unknown: why"


def test_numbers_are_never_cut():
    numbers = {"12", "0.1250", "20.0"}
    for width in range(20, 100):
        assert numbers <= set(table_text(table(), width).split())


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
        assert [line.count("█") for line in lines[-3:]] == lengths
        assert width is None or all(cell_width(line) <= width for line in lines)
    assert "▏" in table_text(table(columns=columns, rows=(rows[0], (*rows[2][:5], 0.001))), 140), "never invisible"


CELLS = st.one_of(st.none(), st.text(max_size=80), st.integers(-(10**12), 10**12), st.floats())
KINDS = st.sampled_from(["text", "name", "number", "count", "ms", "pct", "bytes", "rate", "bar"])


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

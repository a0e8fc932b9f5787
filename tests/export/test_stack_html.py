"""The stacked bar: parts as long as shares, names are text, unknown is not zero."""

from __future__ import annotations

import re

from trex.export.figures.look import FAMILIAR
from trex.export.stack_html import stack_html
from trex.views.table import Table, TableColumn

COLUMNS = (
    TableColumn("type"),
    TableColumn("layers", "count"),
    TableColumn("median", "ms", "ms", if_known=True),
    TableColumn("share", "bar"),
)
EVIL = '"><script>x</script>'


def test_parts_are_shares_of_the_time_and_what_is_left_out_is_a_part() -> None:
    rows = (("Convolution", 3, 0.6, 60.0), (EVIL, 1, 0.1, 10.2), ("Pooling", 1, 0.001, 0.1))
    html = "".join(stack_html(Table("Where time goes", COLUMNS, rows, left_out=2, selects="type"), FAMILIAR))
    lengths = [float(each) for each in re.findall(r"flex-grow:([\d.]+)", html)]
    assert lengths == [60.0, 10.2, 0.1, 29.7] and "2 more types" in html
    assert 'data-filter="type=Convolution"' in html and "<script" not in html
    assert "<b>60 %</b> <small>0.6000 ms, 3 layers</small>" in html and "<b>&lt;1 %</b>" in html


def test_without_times_parts_are_counts_of_layers() -> None:
    rows = (("Convolution", 3, None, None), ("Pooling", 1, None, None))
    html = "".join(stack_html(Table("Layers by type", COLUMNS, rows, selects="type"), FAMILIAR))
    assert re.findall(r"flex-grow:([\d.]+)", html) == ["3", "1"]
    assert "%" not in html and "<small>3 layers</small>" in html

"""Tables of the fate of Q/DQ."""

from __future__ import annotations

from trex.engine_plan import load_example
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import Inspected
from trex.rules.qdq_report import qdq_report
from trex.views.review.qdq import qdq_tables


def test_only_tables_with_rows_are_made() -> None:
    seen = Inspected(Performance(load_example("transformer-fp16")))
    tables = qdq_tables(seen, qdq_report(seen))
    assert tables[0].title == "Q/DQ: none told" and not tables[0].rows
    assert all(table.rows for table in tables[1:])


def test_reformats_are_priced_once() -> None:
    seen = Inspected(Performance(load_example("resnet18-int8")))
    (forced,) = [each for each in qdq_tables(seen, qdq_report(seen)) if each.title.startswith("Reformats")]
    distinct = {row[1] if row[1] != "itself" else row[0] for row in forced.rows}
    assert forced.title.startswith(f"Reformats that Q/DQ force: {len(distinct)}")

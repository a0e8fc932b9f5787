"""Tables of Q/DQ."""

from __future__ import annotations

from pathlib import Path

from tests.raw_records import layer, plan_of, tensor
from tests.simulated_examples import load_simulated
from trex.perf.performance import Performance
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.qdq_report import qdq_report
from trex.views.qdq import qdq_document, qdq_tables


def test_only_tables_with_rows_are_made() -> None:
    engine = AnalyzedEngine(Performance(load_simulated("transformer-fp16")))
    tables = qdq_tables(engine, qdq_report(engine))
    assert tables and all(table.rows for table in tables) and "All Q/DQ" not in [table.title for table in tables]


def test_the_time_of_a_reformat_counts_once() -> None:
    engine = AnalyzedEngine(Performance(load_simulated("resnet18-int8")))
    (caused,) = [table for table in qdq_tables(engine, qdq_report(engine)) if table.title.startswith("Reformats")]
    distinct = {row[1] if row[1] != "itself" else row[0] for row in caused.rows}
    assert caused.title.startswith(f"Reformats that Q/DQ cause: {len(distinct)}")


def test_a_profile_of_zeros_has_no_shares(tmp_path: Path) -> None:
    convert = layer("c", "Reformat", [tensor("x", written="Float")], [tensor("y", written="Half")])
    rows = [{"count": 10}, {"name": "c", "timeMs": 0.0, "averageMs": 0.0, "percentage": 0.0}]
    engine = AnalyzedEngine(Performance(plan_of(tmp_path, [convert], profile=rows)))
    (conversions,) = [table for table in qdq_tables(engine, qdq_report(engine)) if table.title.startswith("Conver")]
    assert [row[-1] for row in conversions.rows] == [None]


def statement(folder: Path, records: list[object]) -> str:
    engine = AnalyzedEngine(Performance(plan_of(folder, records)))
    (content,) = qdq_document(engine, qdq_report(engine)).sections
    return content.statements[0]


def test_an_engine_without_q_dq_says_whether_it_is_quantized(tmp_path: Path) -> None:
    def convolution(word: str) -> dict[str, object]:
        return layer("a", "Convolution", [tensor("x", written=word)], [tensor("y", written=word)])

    assert statement(tmp_path, [convolution("Half")]).startswith(
        "Not quantized: no Q/DQ, and no layer reads a quantized type."
    )
    assert "1 layer in INT8: quantized by calibration" in statement(tmp_path, [convolution("Int8")])
    assert statement(tmp_path, ["/conv1/Conv"]) == "No Q/DQ, and the types of the layers are unknown."

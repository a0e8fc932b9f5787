"""ExcelSummary, as users of TREx call it."""

from __future__ import annotations

from pathlib import Path

import pytest

import trex
from tests.synthetic.engines import synthetic_engine
from trex.core.errors import TrexError
from trex.excel_summary import MAX_PERMISSIBLE_NAME_LENGTH, ExcelSummary

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is absent: pip install openpyxl")
pytest.importorskip("xlsxwriter", reason="xlsxwriter is absent: pip install xlsxwriter")

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture
def plan() -> trex.EnginePlan:
    return synthetic_engine("resnet18-int8")


def test_the_default_summary_is_the_report_card(plan: trex.EnginePlan, tmp_path: Path) -> None:
    path = tmp_path / "summary.xlsx"
    ExcelSummary(plan, str(path)).generate_default_summary()
    book = openpyxl.load_workbook(path)
    assert book.sheetnames[0] == "Summary" and {"Performance", "Memory", "Layers", "Chart data"} <= set(book.sheetnames)
    layers = book["Layers"]
    assert layers.max_row == len(plan.layers) + 1
    assert [cell.value for cell in layers[1]][:2] == ["#", "Layer"]


def test_a_block_saves_at_its_end_and_not_after_an_error(plan: trex.EnginePlan, tmp_path: Path) -> None:
    path = tmp_path / "block.xlsx"
    with ExcelSummary(plan, path) as summary:
        summary.add_dataframes({"convolutions": plan.get_layers_by_type("Convolution"), "all": plan.df})
    assert openpyxl.load_workbook(path, read_only=True).sheetnames == ["convolutions", "all"]
    failed = tmp_path / "failed.xlsx"
    with pytest.raises(RuntimeError), ExcelSummary(plan, failed) as summary:
        summary.add_dataframes({"all": plan.df})
        raise RuntimeError
    assert not failed.exists()


def test_a_block_takes_tables_after_the_default_summary(plan: trex.EnginePlan, tmp_path: Path) -> None:
    path = tmp_path / "both.xlsx"
    with ExcelSummary(plan, path) as summary:
        summary.generate_default_summary()
        assert not path.exists()
        summary.add_dataframes({"my own": plan.df.head(2)})
    names = openpyxl.load_workbook(path, read_only=True).sheetnames
    assert names[0] == "Summary" and "my own" in names


def test_names_that_excel_does_not_take_are_mended(plan: trex.EnginePlan, tmp_path: Path) -> None:
    path = tmp_path / "names.xlsx"
    long = "x" * 40
    frames = {long: plan.df.head(1), long + "y": plan.df.head(1), "a/b:c?": plan.df.head(1), "History": plan.df.head(1)}
    with ExcelSummary(plan, path) as summary:
        summary.add_dataframes(frames)
    names = openpyxl.load_workbook(path, read_only=True).sheetnames
    assert len(set(names)) == 4 and all(len(name) <= MAX_PERMISSIBLE_NAME_LENGTH for name in names)
    assert names[2] == "a-b-c-"


def test_pictures_are_added_and_others_refused(plan: trex.EnginePlan, tmp_path: Path) -> None:
    picture = tmp_path / "graph.png"
    picture.write_bytes(PNG)
    path = tmp_path / "pictures.xlsx"
    with ExcelSummary(plan, path) as summary:
        summary.add_images({"graph": picture})
        with pytest.raises(TrexError, match=r"\.svg"):
            (tmp_path / "graph.svg").write_text("<svg/>")
            summary.add_images({"vector": str(tmp_path / "graph.svg")})
        with pytest.warns(UserWarning, match="no such picture"):
            summary.add_images({"missing": tmp_path / "missing.png"})
    book = openpyxl.load_workbook(path)
    assert len(book["graph"]._images) == 1 and str(book["missing"]["A1"].value).startswith("no such picture")


def test_a_table_is_written_as_it_is(plan: trex.EnginePlan, tmp_path: Path) -> None:
    convolutions = plan.get_layers_by_type("Convolution")
    named = plan.df[["Name", "tactic"]].set_index("Name")
    with ExcelSummary(plan, tmp_path / "as it is.xlsx") as summary:
        summary.add_dataframes({"df": plan.df, "convolutions": convolutions, "named": named})
    book = openpyxl.load_workbook(tmp_path / "as it is.xlsx")
    for sheet, frame in (("df", plan.df), ("convolutions", convolutions), ("named", named.reset_index())):
        header, *rows = book[sheet].iter_rows(values_only=True)
        assert list(header) == list(frame.columns) and len(rows) == len(frame)
    head = [cell.value for cell in book["df"][1]]
    first = dict(zip(head, [cell.value for cell in book["df"][2]]))
    assert first["Inputs"] == str(plan.df["Inputs"][0])
    assert first["total_io_size_bytes"] == plan.df["total_io_size_bytes"][0]


def test_nothing_can_be_added_after_saving(plan: trex.EnginePlan, tmp_path: Path) -> None:
    summary = ExcelSummary(plan, tmp_path / "x.xlsx")
    summary.generate_default_summary()
    with pytest.raises(TrexError, match="written already") as caught:
        summary.save()
    assert "save=False" in caught.value.hint


def test_a_folder_that_is_not_there_is_told(plan: trex.EnginePlan, tmp_path: Path) -> None:
    with pytest.raises(TrexError):
        ExcelSummary(plan, tmp_path / "nowhere" / "x.xlsx").generate_default_summary()


def test_text_is_never_a_formula(tmp_path: Path) -> None:
    plan = trex.EnginePlan(
        [{"Name": "=cmd|' /C calc'!A0", "LayerType": "@SUM(1)"}, {"Name": "+1", "LayerType": "-2+3"}]
    )
    path = tmp_path / "hostile.xlsx"
    ExcelSummary(plan, path).generate_default_summary()
    for sheet in openpyxl.load_workbook(path):
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)

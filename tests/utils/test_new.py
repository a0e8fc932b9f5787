"""utils/new.py: one command writes one plug that works, and nothing else need be touched."""

from __future__ import annotations

import importlib
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.test_quirk import applied_quirks
from trex.core.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
NEW = runpy.run_path(str(ROOT / "utils" / "new.py"), run_name="utils_new")
KINDS, write_plug, main = NEW["KINDS"], NEW["write_plug"], NEW["main"]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch):
    """Adds a folder to one of our packages and gives a registry that looks there too."""

    def install(package: str, folder: Path, holders: tuple[str, ...], variable: str, attribute: str) -> Registry:
        module = importlib.import_module(package)
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder)])
        registry = Registry(package, attribute)
        for holder in holders:
            monkeypatch.setattr(importlib.import_module(holder), variable, registry)
        return registry

    before = set(sys.modules)
    yield install
    for name in set(sys.modules) - before:
        if name.endswith("brand_new"):
            del sys.modules[name]


def run_tests(file: Path, **fixtures: Any) -> int:
    """Runs the test functions of a file and returns how many there were."""
    tests = {name: value for name, value in runpy.run_path(str(file)).items() if name.startswith("test_")}
    for test in tests.values():
        test(**{name: fixtures[name] for name in _names(test)})
    return len(tests)


def _names(function: Any) -> tuple[str, ...]:
    return function.__code__.co_varnames[: function.__code__.co_argcount]


def test_a_new_quirk_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["quirk"], "brand-new", tmp_path)
    registry = installed("trex.ingest.quirks", plug.parent, ("trex.ingest.quirk",), "QUIRKS", "QUIRK")
    assert registry["brand-new"].summary.endswith(".")
    assert Path(registry["brand-new"].file) == plug
    assert run_tests(test) == 1
    assert "brand-new" in applied_quirks(runpy.run_path(str(test))["example"]())


def test_a_new_command_works_as_it_is_written(tmp_path: Path, installed, capsys) -> None:
    plug, test = write_plug(KINDS["command"], "brand-new", tmp_path)
    holders = ("trex.cli.command", "trex.cli.main")
    registry = installed("trex.cli.commands", plug.parent, holders, "COMMANDS", "COMMAND")
    assert "brand-new" in registry.names
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run_tests(test, tmp_path=empty, capsys=capsys) == 2


def test_a_new_format_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["format"], "brand-new", tmp_path)
    registry = installed("trex.export.diagrams", plug.parent, ("trex.export.diagram",), "FORMATS", "FORMAT")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 2


def test_a_new_coloring_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["coloring"], "brand-new", tmp_path)
    holders = ("trex.views.diagram.coloring",)
    registry = installed("trex.views.diagram.colorings", plug.parent, holders, "COLORINGS", "COLORING")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 2


def test_a_new_grouping_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["grouping"], "brand-new", tmp_path)
    registry = installed("trex.graph.groupings", plug.parent, ("trex.graph.grouping",), "GROUPINGS", "GROUPING")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 2


def test_a_new_chart_is_in_notebook_page_and_workbook(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["chart"], "brand-new", tmp_path)
    holders = ("trex.views.chart", "trex.views.report.assembly")
    registry = installed("trex.views.charts", plug.parent, holders, "CHARTS", "CHART")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 3


def test_a_new_part_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["part"], "brand-new", tmp_path)
    holders = ("trex.views.report.report", "trex.views.report.card")
    registry = installed("trex.views.report.parts", plug.parent, holders, "PARTS", "PART")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 2


def test_a_new_section_works_as_it_is_written(tmp_path: Path, installed, capsys) -> None:
    plug, test = write_plug(KINDS["section"], "brand-new", tmp_path)
    holders = ("trex.views.performance.section", "trex.views.report.assembly")
    registry = installed("trex.views.performance.sections", plug.parent, holders, "SECTIONS", "SECTION")
    assert "brand-new" in registry.names
    assert run_tests(test, capsys=capsys) == 2


def test_a_new_report_format_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["report-format"], "brand-new", tmp_path)
    registry = installed("trex.export.reports", plug.parent, ("trex.export.report",), "FORMATS", "FORMAT")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 1


def test_a_new_comparison_format_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["comparison-format"], "brand-new", tmp_path)
    holders = ("trex.export.comparison",)
    registry = installed("trex.export.comparisons", plug.parent, holders, "FORMATS", "FORMAT")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 1


def test_a_new_comparison_chart_is_in_the_page(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["comparison-chart"], "brand-new", tmp_path)
    holders = ("trex.views.comparison.chart", "trex.export.comparisons.html", "trex.export.comparisons.xlsx")
    registry = installed("trex.views.comparison.charts", plug.parent, holders, "CHARTS", "CHART")
    assert "brand-new" in registry.names
    assert run_tests(test, tmp_path=tmp_path) == 2


def test_a_new_rule_works_as_it_is_written(tmp_path: Path, installed) -> None:
    plug, test = write_plug(KINDS["rule"], "brand-new", tmp_path)
    holders = ("trex.rules.rule", "trex.rules.review", "trex.rules.suppression")
    registry = installed("trex.rules.all", plug.parent, holders, "RULES", "RULE")
    assert "brand-new" in registry.names
    assert run_tests(test) == 4
    from trex.views.rule_page import HEADINGS, rule_sections

    assert tuple(rule_sections(registry["brand-new"].doc)) == HEADINGS


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_plug_and_its_test_are_written(tmp_path: Path, kind: str) -> None:
    plug, test = write_plug(KINDS[kind], "brand-new", tmp_path)
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {plug, test}
    assert plug.relative_to(tmp_path / "trex").parent == test.relative_to(tmp_path / "tests").parent


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_passes_format_and_lint(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("ruff")
    files = [str(file) for file in write_plug(KINDS[kind], "brand-new", tmp_path)]
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--config", str(ROOT / "pyproject.toml"), *files],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    plug, _ = write_plug(KINDS["quirk"], "brand-new", tmp_path)
    plug.write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"brand_new\.py is there already"):
        write_plug(KINDS["quirk"], "brand-new", tmp_path)
    assert plug.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["", "Upper", "1st", "a b", "../outside", "import", "a--b", "é"])
def test_a_name_that_is_no_module_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is no name for a plug"):
        write_plug(KINDS["quirk"], name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_command_line_explains_a_bad_name(capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["quirk", "Not A Name"])
    assert caught.value.code == 2
    assert "lower-case" in capsys.readouterr().err

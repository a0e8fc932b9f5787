"""utils/write_docs.py: the pages are printed by the code; ``utils/check.py`` checks that they are fresh."""

from __future__ import annotations

import re
import runpy
import subprocess
from pathlib import Path
from typing import Any

import pytest

import trex
from trex.agents.toolbox import TOOLS
from trex.cli.command import COMMANDS
from trex.core.options import option_fields
from trex.export.documents.json import JsonDocument
from trex.ingest.quirk import QUIRKS
from trex.plan.columns import COLUMNS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "utils" / "write_docs.py"), run_name="utils_write_docs")


@pytest.fixture(scope="module")
def pages(script: dict[str, Any]) -> dict[str, str]:
    texts: dict[str, str] = script["pages"]()
    return texts


def test_every_quirk_has_an_entry_with_its_three_headings(pages: dict[str, str]) -> None:
    entries = {part.partition("\n")[0]: part for part in pages["docs/quirks.md"].split("\n### ")[1:]}
    assert set(entries) == set(QUIRKS.names)
    for name, entry in entries.items():
        for heading in ("What it finds", "Why it matters", "What it does"):
            assert f"\n**{heading}:** " in entry, f"{name} lacks {heading}"
        first = entry.split("\n", 3)[2]
        assert first and not first.startswith("**"), f"{name}: the first line says what it is, and is no heading"


def test_every_page_and_tool_is_listed_for_agents(pages: dict[str, str]) -> None:
    listed = pages["docs/llms.txt"]
    for file in (ROOT / "docs").glob("*.md"):
        assert re.search(rf"^- \[[^\]]+\]\({re.escape(file.name)}\)(: \S.{{3,}}\.)?$", listed, re.MULTILINE), file.name
    for plug in TOOLS.values():
        assert f"\n### {plug.name}\n\n{plug.summary}" in pages["docs/agents.md"]


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_workflows_can_be_copied(page: Path) -> None:
    """``trex compare baseline: out/`` without quotes is a mapping in YAML."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is absent: pip install -e '.[dev]'")
    for text in re.findall(r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        assert yaml.safe_load(text)


def test_every_column_has_a_row(pages: dict[str, str]) -> None:
    for column in COLUMNS:
        assert f"\n| `{column.name}` |" in pages["docs/columns.md"]


def test_every_field_of_the_json_has_its_meaning(pages: dict[str, str]) -> None:
    (document,) = re.findall(r"^## Document\n(.*?)^## ", pages["docs/json.md"], re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", document, re.MULTILINE)
    assert [name for name, _ in rows] == list(JsonDocument.__dataclass_fields__)
    assert all(meaning for name, meaning in rows if name != "notes")


def test_every_command_and_option_has_a_row(pages: dict[str, str]) -> None:
    page = pages["docs/command-line.md"]
    for plug in COMMANDS.values():
        _, _, section = page.partition(f"\n## trex {plug.name}\n")
        assert section
        section = section.partition("\n## ")[0]
        for field in option_fields(plug.value.options):
            assert (f"| `{field.name.upper()}`" if field.is_positional else f"`{field.flag}") in section


def test_every_row_has_the_cells_of_its_table(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        width = 0
        for line in page.splitlines():
            cells = line.replace("\\|", "").count("|") if line.startswith("|") else 0
            assert not width or not cells or cells == width, f"{name}: {line}"
            width = cells


def test_the_output_of_a_command_takes_its_place(script: dict[str, Any]) -> None:
    text = "before\n<!-- run: trex --version -->\nsomething stale\n<!-- end -->\nafter\n"
    fresh = f"before\n<!-- run: trex --version -->\n\n```text\ntrex {trex.__version__}\n```\n\n<!-- end -->\nafter\n"
    assert script["with_outputs"](text) == fresh
    assert script["with_outputs"](fresh) == fresh


def test_example_networks_are_written_for_the_command(script: dict[str, Any]) -> None:
    words = "whatif resnet18-qat.onnx int8 fp16 --device A100 --quantize-residuals"
    fresh = script["with_outputs"](f"<!-- run: trex {words} -->\n<!-- end -->\n")
    assert "GPU compute of one inference" in fresh and not (ROOT / "resnet18-qat.onnx").exists()
    assert script["with_outputs"](fresh) == fresh


def test_a_command_that_fails_stops_the_printing(script: dict[str, Any]) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        script["with_outputs"]("<!-- run: trex summary no-such-file.json --><!-- end -->".replace("--><", "-->\n<"))


def test_a_stale_page_fails_the_check_and_is_written_by_the_fix(
    script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = script["main"]
    monkeypatch.setitem(main.__globals__, "ROOT", tmp_path)
    monkeypatch.setitem(main.__globals__, "pages", lambda: {"docs/quirks.md": "quirks\n", "README.md": "read me\n"})
    assert main(["--check"]) == 1
    assert not list(tmp_path.iterdir())
    assert main([]) == 0
    assert main(["--check"]) == 0
    (tmp_path / "docs" / "quirks.md").write_text("by hand\n", encoding="utf-8")
    assert main(["--check"]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "stale: docs/quirks.md"

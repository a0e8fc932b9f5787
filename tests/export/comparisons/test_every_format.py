"""Every format of a comparison over every pair of engines and a hostile one: no name is markup, command or formula."""

from __future__ import annotations

import ast
import base64
import gzip
import html
import importlib.util
import io
import json
import re
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.compare.predicted import measured
from tests.factories import engine, layer, times
from tests.synthetic import CASES, Case
from trex.compare.comparison import compare
from trex.compare.gate import Condition, Judged, Judgment, judge, read_condition
from trex.compare.series import Series
from trex.core.errors import TrexError
from trex.engine_plan import load, load_example
from trex.export import offline_page
from trex.export.comparison import FORMATS, ComparisonStyle, format_of, write_comparison
from trex.plan.engine_plan import EnginePlan
from trex.views.comparison.chart import CHARTS
from trex.views.comparison.reading import ComparisonReading, read_comparison, read_series
from trex.views.performance.section import Content, Detail
from trex.views.plot import Axis, Empty, Lines, Plot
from trex.views.table import Table, TableColumn

READABLE = [case for case in CASES.values() if not case.expect.error]
EVIL = "\x1b[31m<script>alert(1)</script>\r\n::error title=x::y, =cmd|' /C'!A0 ]]> | `a` \ud800 %0A [l](http://x) ,:"
GATE = ("latency>+3%", "layer:*>+10%")


def read(left: EnginePlan, right: EnginePlan, gate: tuple[str, ...] = GATE) -> ComparisonReading:
    found = compare(left, right)
    return read_comparison(found, Detail(explain=True), judge(found, [read_condition(each) for each in gate]))


def rendered(name: str, reading: ComparisonReading) -> bytes:
    for package in {"xlsx": ("xlsxwriter", "openpyxl")}.get(name, ()):
        pytest.importorskip(package)
    content = FORMATS[name].value.render(reading, ComparisonStyle())
    return content.encode("utf-8", "replace") if isinstance(content, str) else content


def plan(name: str, layers: list[Any], *ms: float) -> EnginePlan:
    whole = engine(*layers)
    found = EnginePlan(whole, name=name)
    object.__setattr__(found, "times", times(whole.layers, *ms))
    return found


@pytest.fixture(scope="module")
def hostile() -> ComparisonReading:
    """Every text that can come from an engine is hostile: names, kernels, modules, origins; and everything happens."""
    left = plan(EVIL, [
        layer(EVIL, tactic="k" + EVIL, origins=[EVIL], module="/a/" + EVIL, outputs=["t"]),
        layer("=1+1", inputs=["t"], outputs=["u"]), layer("gone " + EVIL, outputs=["v" + EVIL]),
    ], 1.0, 2.0, 0.5)  # fmt: skip
    right = plan("@new " + EVIL, [
        layer(EVIL, tactic="j" + EVIL, origins=[EVIL], module="/a/" + EVIL, outputs=["t"]),
        layer("=1+1", inputs=["t"], outputs=["u"]), layer("+new" + EVIL, outputs=["w" + EVIL]),
    ], 2.0, 1.0, 0.25)  # fmt: skip
    reading = read(left, right)
    condition = Condition(EVIL, "layer", EVIL, 1.0, True)
    judged = tuple(Judged(condition, each, EVIL, EVIL) for each in Judgment)
    table = Table(EVIL, (TableColumn(EVIL), TableColumn("n", "ms", "ms")), ((EVIL, float("nan")), ("=A1", 1.0)))
    more = ("other", "Other", Content((EVIL,), tables=(table,), derivations=((EVIL, EVIL),)))
    return replace(reading, judged=judged, sections=(*reading.sections, more))


def test_no_format_is_broken_and_endings_are_unique() -> None:
    assert FORMATS.broken == ()
    assert set(FORMATS.names) == {"text", "json", "markdown", "junit", "github", "html", "notebook", "xlsx"}
    suffixes = [suffix for plug in FORMATS.values() for suffix in plug.value.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_the_ending_chooses_the_format(tmp_path: Path) -> None:
    reading = read(load_example("resnet18-fp16"), load_example("resnet18-int8"))
    assert format_of("x.junit.xml").name == "junit" and format_of("X.HTML").name == "html"
    assert write_comparison(reading, tmp_path / "x.md").read_text("utf-8").startswith("# resnet18")
    assert write_comparison(reading, tmp_path / "x.any", format="json").read_text("utf-8").startswith("{")
    with pytest.raises(TrexError, match="no kind of comparison"):
        write_comparison(reading, tmp_path / "x.xyz")


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_format_takes_every_pair(case: Case, tmp_path: Path) -> None:
    if missing := [package for package in case.needs if importlib.util.find_spec(package) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    found = load(case.write(tmp_path))
    for left, right in ((found, load_example("resnet18-int8")), (found, found)):
        reading = read(left, right)
        for name in FORMATS.names:
            if name == "xlsx" and importlib.util.find_spec("xlsxwriter") is None:
                continue
            if name == "html" and left is right:
                continue  # half of the time of all others
            content = rendered(name, reading)
            if name == "json":
                assert json.loads(content)["schema"] == "trex.compare/1"
            elif name == "junit":
                ElementTree.fromstring(content)
            elif name == "xlsx":
                assert content.startswith(b"PK")
            else:
                assert content
        for chart in CHARTS.values():
            assert isinstance(chart.plot(reading.comparisons[0]), Plot | Empty)


@pytest.mark.parametrize("name", FORMATS.names)
@pytest.mark.parametrize("base", ["predicted", "measured"])
def test_predictions_are_told_with_their_error_bars_and_never_as_real(name: str, base: str) -> None:
    is_mixed = base == "measured"
    left = measured(0.5) if is_mixed else load_example("resnet18-int8-residual")
    text = readable(rendered(name, read(left, load_example("resnet18-int8"), ("latency>+3%",))))
    assert ("by the prediction's error bars)" if is_mixed else "by the predictions' error bars)") in text
    assert ("Not like with like: the base was measured, the new engine predicted" in text) is is_mixed
    assert ("measured against predicted, not like with like (" if is_mixed else "predicted, not measured (") in text
    for claim in ("± 0.1", "and real", "Mann–Whitney"):
        assert claim not in text


def readable(data: bytes) -> str:
    """The words of a file, of a workbook those of its members."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = b"\n".join(archive.read(each) for each in archive.namelist())
    return html.unescape(data.decode("utf-8", "replace"))


@pytest.mark.parametrize("name", ["text", "markdown", "github", "junit", "json"])
def test_nothing_in_a_name_steers_a_terminal(name: str, hostile: ComparisonReading) -> None:
    text = rendered(name, hostile).decode("utf-8")
    assert all(c.isprintable() or c == "\n" for c in text)


def test_no_name_is_markup(hostile: ComparisonReading) -> None:
    text = rendered("markdown", hostile).decode()
    assert "<script" not in text and not re.search(r"(?<!\\)\[l\]|(?<!\\)`a", text)
    blocks = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(blocks) > 5
    for block in blocks:
        cells = {len(re.split(r"(?<!\\)\|", line)) for line in block.strip().split("\n")}
        assert len(cells) == 1, block


def test_details_are_folded_and_the_verdict_stands_first() -> None:
    reading = read(load_example("resnet18-int8-residual"), load_example("resnet18-int8"))
    text = rendered("markdown", reading).decode()
    assert (
        text.index(f"**{reading.comparisons[0].verdict[:20]}")
        < text.index("## Gate")
        < text.index("## Where the difference")
    )
    assert text.count("<details>") == text.count("</details>") >= 4
    assert all(each.judgment.value in text for each in reading.judged)
    bars = re.findall(r"`([█·]+)`", text)
    assert {len(bar) for bar in bars} == {24} and all("█" in bar for bar in bars)
    assert bars[0].count("█") < bars[-1].count("█")  # the new engine takes longer


def test_no_name_gives_a_command(hostile: ComparisonReading) -> None:
    lines = rendered("github", hostile).decode().splitlines()
    assert all(re.match(r"::(notice|error|warning) title=[^,:]*::", line) for line in lines)
    commands = [line.split(" ")[0] for line in lines]
    assert commands[0] == "::notice" and {"::error", "::warning", "::notice"} == set(commands[1:4])


def test_judgments_are_cases(hostile: ComparisonReading) -> None:
    suite = ElementTree.fromstring(rendered("junit", hostile))[0]
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1"}
    reading = read(load_example("resnet18-fp16"), load_example("resnet18-int8"), ())
    (verdict,) = ElementTree.fromstring(rendered("junit", reading))[0]
    assert verdict.get("name") == "verdict" and reading.comparisons[0].verdict in (verdict[0].text or "")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def unpacked(page: str, name: str) -> str:
    packed = re.search(f'id="{name}">([^<]*)</script>', page)
    assert packed
    return gzip.decompress(base64.b64decode(packed[1])).decode("utf-8")


def test_no_name_is_an_element_of_the_page(hostile: ComparisonReading) -> None:
    page = rendered("html", hostile).decode("utf-8")
    document = page[: page.index("<script type=")]
    assert "alert(1)</script>" not in document and "&lt;script&gt;alert(1)" in document
    for part in (document, unpacked(page, "data-base"), unpacked(page, "data-new")):
        tags = Tags()
        tags.feed(part[: part.index('<script type="application/json"')] if "application/json" in part else part)
        assert not {"img", "l"} & tags.names
        assert not {name for name in tags.attributes if name.startswith("on")}
    assert "https://" not in re.sub(r"<footer>.*?</footer>", "", document, flags=re.DOTALL)


def test_the_page_knows_which_layers_correspond() -> None:
    left, right = load_example("resnet18-int8"), load_example("resnet18-int8-residual")
    reading = read(left, right)
    page = rendered("html", reading).decode("utf-8")
    pairs = json.loads(unpacked(page, "data-pairs"))
    assert len(pairs) == len(reading.comparisons[0].changes)
    assert sorted(index for base, _ in pairs for index in base) == [each.index for each in left.layers]
    assert sorted(index for _, new in pairs for index in new) == [each.index for each in right.layers]
    table = json.loads(unpacked(page, "data-layers"))
    assert {len(column.get("numbers", column.get("places"))) for column in table["columns"]} == {len(pairs)}
    data = re.search(r'id="data">(.*?)</script>', unpacked(page, "data-base"), re.DOTALL)
    assert data and json.loads(data[1])["colorBy"] == "change"
    assert page.index('id="verdict"') < page.index('id="gate"')


def test_without_plotly_the_page_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "plotly.offline", None)
    offline_page.plotly_script.cache_clear()
    page = rendered("html", read(load_example("resnet18-fp16"), load_example("resnet18-int8"))).decode("utf-8")
    offline_page.plotly_script.cache_clear()
    assert "[report]" in page and 'class="plot"' not in page and "data-base" in page


def test_without_changes_there_is_nothing_side_by_side() -> None:
    nothing = EnginePlan(engine())
    page = rendered("html", read(nothing, nothing, ())).decode("utf-8")
    assert 'id="pair"' not in page and 'id="verdict"' in page


def test_no_cell_of_the_workbook_is_a_formula(hostile: ComparisonReading) -> None:
    content = rendered("xlsx", hostile)
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(content))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert any(str(cell.value).startswith("=1+1") for cell in cells)
    assert {"Summary", "Verdict", "Causes", "Layers", "Layer groups"} <= set(book.sheetnames)
    (causes,) = book["Causes"]._charts
    assert len(book["Layers"]._charts) == 3 and causes is not None


def test_the_workbook_adds_up() -> None:
    reading = read(load_example("resnet18-int8"), load_example("resnet18-int8-residual"))
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(rendered("xlsx", reading)))
    rows = list(book["Layer groups"].iter_rows(values_only=True))
    column = rows[0].index("difference (ms)")
    fall = reading.comparisons[0].waterfall
    told = sum(row[column] for row in rows[1:] if row[column] is not None)
    assert told == pytest.approx(fall.layers_right_ms - fall.layers_left_ms)


def test_several_engines_are_told_one_by_one() -> None:
    base, *others = (load_example(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    series = Series(base, others)
    reading = read_series(series, Detail())
    text = rendered("markdown", reading).decode()
    assert text.count("## Where the difference comes from") == 2 and "resnet18-int8-residual, GPU compute" in text
    assert text.count("<details><summary>resnet18-fp16 → resnet18-int8") == 2
    page = rendered("html", reading).decode()
    assert 'id="choose"' in page and 'id="data-layers-1"' in page and 'data-chart="waterfall-1"' in page
    pairs = json.loads(unpacked(page, "data-pairs-1"))
    assert len(pairs) == len(series.comparisons[1].changes)
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(rendered("xlsx", reading)))
    assert len([name for name in book.sheetnames if name.startswith("Groups ")]) == 2
    assert len([sheet for sheet in book if len(sheet._charts) == len(CHARTS)]) == 2
    names = {case.get("name") for case in ElementTree.fromstring(rendered("junit", reading))[0]}
    assert names == {"verdict"} and rendered("github", reading).decode().startswith("::notice")


def test_where_room_is_little_engines_are_told_without_the_base_and_shared_endings() -> None:
    base, *others = (load_example(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    for at, each in enumerate((base, *others)):
        each.name = f"{'a-long-folder-of-engines' if at < 2 else 'other'}-{at}.onnx.engine"
    reading = read_series(Series(base, others), Detail())
    page = rendered("html", reading).decode()
    links = re.findall(r'<li><a href="#([^"]*)">([^<]*)</a>', page)
    assert [title for name, title in links if name.startswith("pair-")] == [
        "→ a-long-folder-of-engines-1", "→ other-2",
    ]  # fmt: skip
    for each in others:
        assert f'-title">{base.name} → {each.name}</h2>' in page
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(rendered("xlsx", reading)))
    assert {"→ a-long-folder-of-engines-1", "→ other-2", "Groups other-2"} <= set(book.sheetnames)
    assert book["→ other-2"]["A1"].value == f"{base.name} → {others[1].name}"


def test_plots_of_all_together_stand_in_their_section() -> None:
    reading = read(load_example("resnet18-fp16"), load_example("resnet18-int8"))
    plot = Lines([1.0, 2.0], {EVIL: [1.0, 2.0]}, Axis("batch"), Axis("time", "ms"), title="Time per item by batch")
    reading = replace(reading, plots=(("causes", plot),))
    page = rendered("html", reading).decode("utf-8")
    assert page.index('id="causes"') < page.index('data-chart="plot-0"') < page.index('id="layers"')
    openpyxl = pytest.importorskip("openpyxl")
    assert len(openpyxl.load_workbook(io.BytesIO(rendered("xlsx", reading)))["Causes"]._charts) == 2


def test_the_notebook_tells_all_and_runs(tmp_path: Path) -> None:
    """Its own output needs no run; its cells find the same anew, also of several engines."""
    nbformat = pytest.importorskip("nbformat")
    plans = [load_example(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual")]
    for others in (plans[1:2], plans[1:]):
        path = write_comparison(read_series(Series(plans[0], others), Detail(5)), tmp_path / "found.ipynb")
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        shown = [cell.outputs[0].data["text/html"] for cell in notebook.cells if cell.outputs]
        assert len(shown) == 1 and "verdict" in shown[0] and "fusion" in shown[0]
        known: dict[str, Any] = {}
        for cell in notebook.cells:
            exec(cell.source, known)
        assert len(known["found"].operations_df) > 10
        assert [each.right.name for each in getattr(known["found"], "comparisons", [known["found"]])] == [
            each.name for each in others
        ]


def test_no_path_is_code_of_the_notebook(hostile: ComparisonReading) -> None:
    found = plan("p", [layer("a")], 1.0)
    evil = EnginePlan(replace(found.engine, source="/x/'); import os; os.abort()  # \ud800\n"))
    reading = read(evil, evil, ())
    code = json.loads(rendered("notebook", reading))["cells"][0]["source"]
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    assert len(calls) == 3 and "import os" in code and "\ud800" not in code
    outputs = [cell["outputs"] for cell in json.loads(rendered("notebook", hostile))["cells"]]
    assert "<script" not in json.dumps(outputs)

"""Every document in every format: it is written, says what was predicted, and no text of an engine steers anything."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import zipfile
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import trex
from tests.engines import READABLE
from tests.export.documents.makers import MAKERS
from tests.factories import engine, layer, times
from tests.simulated_engine import write_simulated
from tests.simulated_examples import load_simulated
from tests.synthetic import Case
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.document import EXPORTERS, FORMATS, format_names, format_of, render_document
from trex.export.json_schema import schema_of
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document

# One per family of files; the text formats take all of them.
FEW = ("resnet18-qat-8.4", "transformer-11.1", "names-only", "no-inputs-or-outputs", "forty-kilobyte-name")
EVIL = (
    "\x1b[31m<script>alert(1)</script>\r\n::error title=x::y, =cmd|' /C'!A0 ]]> | `a` \ud800 %0A [l](http://x) "
    "$x$ @u ,:"
)
TYPE = EVIL.replace("\ud800", "")  # readers of files replace halves of surrogate pairs
NEEDS = {"xlsx": "xlsxwriter", "parquet": "pyarrow", "html": "plotly"}
PAIRS = [(name, format) for name in MAKERS for format in format_names(name.split()[0])]
every_pair = pytest.mark.parametrize(("name", "format"), PAIRS, ids=[f"{name}-{format}" for name, format in PAIRS])


def rendered(document: Document, format: str) -> bytes:
    """The file. A format of one table writes the first where it cannot choose."""
    if format in NEEDS and importlib.util.find_spec(NEEDS[format]) is None:
        pytest.skip(f"needs {NEEDS[format]}")
    try:
        return render_document(document, format)
    except TrexError as error:
        assert format in ("csv", "parquet") and "--fields KEY" in error.hint
        from trex.export.document import RenderStyle

        key = error.hint.rpartition("one of ")[2].split(", ")[0]
        return render_document(document, format, RenderStyle(fields=(key,)))


def opened(case: Case, folder: Path) -> EnginePlan:
    return load(case.write(folder))


@pytest.fixture(scope="module")
def example() -> tuple[EnginePlan, EnginePlan]:
    return load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual")


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> EnginePlan:
    return trex.load(write_simulated(tmp_path_factory.mktemp("simulated")))


@pytest.fixture(scope="module")
def hostile() -> tuple[EnginePlan, EnginePlan]:
    """Every text that can come from an engine is hostile: names, kernels, modules, origins."""
    base = _plan(EVIL, [
        layer(EVIL, tactic="k" + EVIL, origins=[EVIL], module="/a/" + EVIL, outputs=["t"]),
        layer("=1+1", inputs=["t"], outputs=["u"]), layer("gone " + EVIL, TYPE, outputs=["v" + EVIL]),
    ], 1.0, 2.0, 0.5)  # fmt: skip
    new = _plan("@new " + EVIL, [
        layer(EVIL, tactic="j" + EVIL, origins=[EVIL], module="/a/" + EVIL, outputs=["t"]),
        layer("=1+1", inputs=["t"], outputs=["u"]), layer("+new" + EVIL, TYPE, outputs=["w" + EVIL]),
    ], 2.0, 1.0, 0.25)  # fmt: skip
    return base, new


def _plan(name: str, layers: list[Any], *ms: float) -> EnginePlan:
    whole = engine(*layers)
    plan = EnginePlan(whole, name=name)
    object.__setattr__(plan, "times", times(whole.layers, *ms))
    return plan


# ------------------------------------------------------------------------------------------------------- formats


def test_no_format_is_broken_and_endings_are_unique() -> None:
    assert FORMATS.broken == EXPORTERS.broken == ()
    plugs = [*FORMATS.values(), *EXPORTERS.values()]
    assert len({plug.name for plug in plugs}) == len(plugs)
    suffixes = Counter(suffix for plug in plugs for suffix in plug.value.suffixes)
    assert set(suffixes.values()) == {1} and all(suffix == suffix.lower() for suffix in suffixes)


def test_the_ending_chooses_the_format() -> None:
    assert format_of("x.tar.MD", "summary").name == "markdown"
    assert format_of("x.junit.xml", "compare").name == "junit"
    assert format_of("x.trace.json", "report").name == "trace" and format_of("x.json", "report").name == "json"
    with pytest.raises(TrexError, match="no format of trex summary"):
        format_of("x.trace.jsonl", "summary")


@every_pair
def test_it_is_written_and_the_same_each_time(name: str, format: str, example: tuple[EnginePlan, EnginePlan]) -> None:
    content = rendered(MAKERS[name](*example), format)
    if format != "xlsx":  # a workbook has the time at which it was written
        assert content == rendered(MAKERS[name](*map(_again, example)), format)
    check(format, content)


def _again(plan: EnginePlan) -> EnginePlan:
    return load_simulated(plan.name)


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_engine(case: Case, tmp_path: Path) -> None:
    plan = opened(case, tmp_path)
    other = load_simulated("resnet18-int8")
    for name, make in MAKERS.items():
        document = make(plan, other)
        formats = format_names(document.command) if case.name in FEW else ("text", "json", "markdown", "csv")
        for format in formats:
            content = rendered(document, format)
            check(format, content)
            is_own_address = format in ("notebook", "sarif")  # of the engine's file, for programs
            assert str(tmp_path).encode() not in content or is_own_address, (name, format)


@pytest.mark.parametrize("name", MAKERS)
def test_engines_without_layers(name: str) -> None:
    nothing = EnginePlan(engine())
    document = MAKERS[name](nothing, nothing)
    for format in format_names(document.command):
        if format in ("csv", "parquet") and name != "layers":
            continue  # there may be no table at all
        check(format, rendered(document, format))


# ---------------------------------------------------------------------------------------------------- what it says


@every_pair
def test_it_says_that_it_was_predicted(name: str, format: str, simulated: EnginePlan) -> None:
    content = rendered(MAKERS[name](simulated, load_simulated("resnet18-int8")), format)
    if name == "qdq" and format in ("csv", "parquet"):
        return  # this engine has no Q/DQ, so the table has no row to say it in
    assert b"simulated" in words(content).lower()


def words(content: bytes) -> bytes:
    """The content, of a workbook that of its members."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"\n".join(map(archive.read, archive.namelist()))
    return content


@every_pair
def test_no_name_is_markup_or_command(name: str, format: str, hostile: tuple[EnginePlan, EnginePlan]) -> None:
    check(format, rendered(MAKERS[name](*hostile), format), is_hostile=True)


# --------------------------------------------------------------------------------------- each format's own language


def check(format: str, content: bytes, is_hostile: bool = False) -> None:
    """The file is valid in its own language, and nothing in it steers a program."""
    assert content or format == "github"  # no annotation: no finding
    if format in BINARY:
        BINARY[format](content)
        return
    text = content.decode("utf-8")
    assert "Traceback" not in text
    if format in LANGUAGES:
        LANGUAGES[format](text)
    if format not in ("html", "notebook") and is_hostile:
        assert all(character.isprintable() or character == "\n" for character in text)


def _json(text: str) -> None:
    data = json.loads(text, parse_constant=pytest.fail)
    validator(data["schema"].removeprefix("trex.").removesuffix("/1")).validate(data)


@cache
def validator(command: str) -> Any:
    return jsonschema.Draft202012Validator(schema_of(command))


def _json_of_another_tool(text: str) -> None:
    json.loads(text, parse_constant=pytest.fail)


def _markdown(text: str) -> None:
    text = re.sub(r"^```bash\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)  # nothing in there is markup
    assert "<script" not in text and not re.search(r"(?<!\\)\[l\]|(?<!\\)`a|http://|@u|(?<!\\)\$x", text)
    assert text.count("<details>") == text.count("</details>")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.split(r"(?<!\\)\|", line)) for line in block.strip().split("\n")}) == 1, block


def _csv(text: str) -> None:
    head, *rows = csv.reader(io.StringIO(text))
    assert {len(row) for row in rows} <= {len(head)} and len(set(head)) == len(head)
    number = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)
    for cell in (cell for row in (head, *rows) for cell in row):
        assert not cell.lstrip().startswith(("=", "+", "-", "@")) or number.fullmatch(cell), cell


def _xml(text: str) -> None:
    ElementTree.fromstring(text)


def _annotations(text: str) -> None:
    for line in text.splitlines():
        assert re.match(r"::(notice|error|warning) title=[^,:]*::", line), line


class Tags(HTMLParser):
    """Elements, attributes and ids of a page; every element that is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: Counter[str | None] = Counter()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids.update(value for name, value in attrs if name == "id")


def _html(text: str) -> None:
    document = text[: text.index("<script>(() =>")]
    tags = Tags(document)
    assert not {"img", "l", "iframe"} & tags.names and not [name for name in tags.attributes if name.startswith("on")]
    assert set(tags.ids.values()) == {1}
    assert "https://" not in re.sub(r"<footer>.*?</footer>", "", document, flags=re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy and policy[1].startswith("default-src 'none'; script-src 'unsafe-inline'")
    assert "unsafe-eval" not in policy[1]


def _notebook(text: str) -> None:
    outputs = [output for cell in json.loads(text)["cells"] for output in cell["outputs"]]
    for output in outputs:
        assert not {"script", "img", "l"} & Tags(output["data"]["text/html"]).names


def _xlsx(content: bytes) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(content))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}


def _parquet(content: bytes) -> None:
    import pandas as pd

    assert len(pd.read_parquet(io.BytesIO(content)).columns)


LANGUAGES = {
    "json": _json,
    "trace": _json_of_another_tool,
    "sarif": _json_of_another_tool,
    "markdown": _markdown,
    "csv": _csv,
    "junit": _xml,
    "github": _annotations,
    "html": _html,
    "notebook": _notebook,
}
BINARY = {"xlsx": _xlsx, "parquet": _parquet}

#!/usr/bin/env python3
"""Runs the notebooks and writes docs/notebooks/*.md, with charts and graphs as pictures.

python utils/write_notebook_pages.py [NAME ...]    needs Chromium

The tests compare the text of each page with the notebook that they run; pictures are not compared. A page shows less
than the notebook: menus with their first choice only, no tooltips, and only the beginning of long tables and graphs.
"""

from __future__ import annotations

import re
import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.notebook_runs import NOTEBOOKS, executed  # noqa: E402

PAGES = ROOT / "docs" / "notebooks"
PICTURES = "pictures"
MARK = "<!-- Printed from notebooks/{name}.ipynb by utils/write_notebook_pages.py: change that, not this page. -->\n\n"
MOST_ROWS = 12
MOST_COLUMNS = 8
LONGEST_CELL = 48
CARD = "trex-card"
WIDTH, HEIGHT, TALLEST = 860, 440, 1000
PLOTLY, WIDGET, SVG = "application/vnd.plotly.v1+json", "application/vnd.jupyter.widget-view+json", "image/svg+xml"
STATE = "application/vnd.jupyter.widget-state+json"

# In the browser: a figure or an SVG → a WebP picture, a graph cut off where it gets too tall.
DRAW = """async ([kind, source, width, height, tallest]) => {
    if (kind === "figure") {
        const layout = {...source.layout, width, height: source.layout.height || height, paper_bgcolor: "#fff"};
        source = await Plotly.toImage({data: source.data, layout}, {format: "svg", width, height: layout.height});
        source = decodeURIComponent(source.slice(source.indexOf(",") + 1));
    }
    const image = new Image(), canvas = document.createElement("canvas"), pencil = canvas.getContext("2d");
    image.src = URL.createObjectURL(new Blob([source], {type: "image/svg+xml"}));
    await image.decode();
    const scale = Math.min(1, width / image.width);
    canvas.width = image.width * scale;
    canvas.height = Math.min(tallest, image.height * scale);
    pencil.fillStyle = "#fff";
    pencil.fillRect(0, 0, canvas.width, canvas.height);
    pencil.drawImage(image, 0, 0, image.width * scale, image.height * scale);
    return canvas.toDataURL("image/webp", 0.85).split(",")[1];
}"""


class Rows(HTMLParser):
    """The cells of the first HTML table without bars, and the text before it. For other HTML, the text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.text = ""
        self._in_style = self._in_caption = self._in_bar = self._is_over = False
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self._in_style = tag == "style"
        self._in_caption = tag == "caption"
        if self._is_over:
            return
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self._in_bar = ("class", "bar") in attrs
            if not self._in_bar:
                self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_caption = self._in_caption and tag != "caption"
        self._in_bar = self._in_bar and tag not in ("td", "th")
        self._is_over = self._is_over or tag == "table"

    def handle_data(self, data: str) -> None:
        if self._in_style or self._in_caption or self._in_bar or (self._is_over and self.rows):
            return
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()
        else:
            self.text += data


@dataclass
class Page:
    """The text of a notebook with outputs, and the sources of its pictures: name → (kind, source)."""

    name: str
    parts: list[str] = field(default_factory=list)
    pictures: dict[str, tuple[str, Any]] = field(default_factory=dict)
    states: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return MARK.format(name=self.name) + "\n\n".join(part.strip("\n") for part in self.parts if part) + "\n"

    def add_output(self, output: Mapping[str, Any]) -> None:
        if output["output_type"] == "stream":
            self.parts.append(f"```text\n{_cut(output['text'].rstrip())}\n```")
            return
        data = output.get("data", {})
        if WIDGET in data:
            self.add_widget(self.states[data[WIDGET]["model_id"]]["state"])
        elif PLOTLY in data:
            title = data[PLOTLY].get("layout", {}).get("title", {}).get("text", "chart")
            self.add_picture("figure", data[PLOTLY], re.sub(r"<br>.*", "", title))
        elif SVG in data:
            self.add_picture("graph", data[SVG], "the graph")
        elif "text/html" in data:
            if CARD in data["text/html"]:
                self.add_picture(
                    "card", data["text/html"], "the engine: headline, where the time goes, what to do first"
                )
            elif "<iframe" in data["text/html"]:
                self.parts.append(f"*{data['text/plain'].strip('<>').partition(';')[0]}: shown in the notebook.*")
            else:
                self.parts.append(markdown_table(Rows(data["text/html"])))
        elif data.get("text/plain"):
            self.parts.append(f"```text\n{_cut(data['text/plain'])}\n```")

    def add_widget(self, state: Mapping[str, Any]) -> None:
        """A menu becomes its choices, a switch its label; the content of an output widget becomes that of a cell."""
        children = [self.states[model.removeprefix("IPY_MODEL_")]["state"] for model in state.get("children", ())]
        kinds = {child["_model_name"] for child in children}
        words = [f"☑ {child['description']}" if child["value"] else f"☐ {child['description']}" for child in children
                 if child["_model_name"] == "CheckboxModel"]  # fmt: skip
        words += [f"[{child['description']}]" for child in children if child["_model_name"] == "ButtonModel"]
        if words:
            self.parts.append("> " + " · ".join(words))
        for child in children:
            if child["_model_name"] == "DropdownModel":
                labels = child["_options_labels"]
                chosen = f"**{labels[child['index']]}**"
                others = " · ".join(label for index, label in enumerate(labels) if index != child["index"])
                self.parts.append(f"> {child['description']} ▾ {chosen} · {others}".replace("_", r"\_"))
            elif child["_model_name"] == "OutputModel":
                for output in whole_streams(child["outputs"]):
                    self.add_output(output)
            elif "children" in child and kinds:
                self.add_widget(child)

    def add_picture(self, kind: str, source: Any, title: str) -> None:
        # Numbered, not named by content: the names don't change unless the text does.
        name = f"{self.name}-{len(self.pictures) + 1:02}.webp"
        self.pictures[name] = (kind, source)
        self.parts.append(f"![{title}]({PICTURES}/{name})")


def whole_streams(outputs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The outputs with adjacent printed text joined: how a kernel splits it depends on timing."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output["output_type"] == "stream" and output["name"] == last.get("name"):
            last["text"] += output["text"]
        else:
            joined.append(dict(output))
    return joined


def page_of(name: str, notebook: Any) -> Page:
    """A notebook with its outputs → its page."""
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    page = Page(name, states=states)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            page.parts.append(_with_links(cell.source))
            continue
        page.parts.append(f"```python\n{cell.source}\n```")
        for output in whole_streams(cell.outputs):
            page.add_output(output)
    return page


def markdown_table(html: Rows) -> str:
    """The first rows and columns as Markdown; HTML without a table as its text."""
    if not html.rows:
        text = " ".join(html.text.split())
        return f"**{_cell(text)}**" if text else ""
    head, *rows = html.rows if len(html.rows) > 1 else [[""] * len(html.rows[0]), *html.rows]
    if len(head) < len(rows[0]) or head[1:] == [""] * (len(head) - 1):
        head = [*head, *[""] * (len(rows[0]) - len(head))]
    lines = [head, ["---"] * len(head), *rows[:MOST_ROWS]]
    shown = [f"| {' | '.join(_cell(text) for text in line[: MOST_COLUMNS + 1])} |" for line in lines]
    left = [f"{len(rows) - MOST_ROWS} more rows"] if len(rows) > MOST_ROWS else []
    left += [f"{len(head) - MOST_COLUMNS - 1} more columns"] if len(head) > MOST_COLUMNS + 1 else []
    caption = " ".join(html.text.split())
    before = f"*{_escaped(caption)}*\n\n" if caption else ""
    return before + "\n".join(shown) + (f"\n\n*… {' and '.join(left)}*" if left else "")


def _cell(text: str) -> str:
    half = LONGEST_CELL // 2
    cut = text if len(text) <= LONGEST_CELL else f"{text[:half]}…{text[-half:]}"
    return _escaped(cut)


def _escaped(text: str) -> str:
    return re.sub(r"([|*_`<>\[\]])", r"\\\1", text)


def _cut(text: str, most: int = 40) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    return "\n".join([*lines[:most], f"… {len(lines) - most} more lines"] if len(lines) > most else lines)


def _with_links(text: str) -> str:
    """Links of a notebook, rewritten for its page, which is one folder deeper."""
    text = re.sub(r"\]\((\w[\w-]*)\.ipynb\)", r"](\1.md)", text)
    return text.replace("](../docs/", "](../").replace("](../README", "](../../README")


def draw(pictures: Mapping[str, tuple[str, Any]], folder: Path) -> Iterator[Path]:
    """Writes each picture, drawn by Chromium and the installed plotly, without network access."""
    from playwright.sync_api import sync_playwright
    from plotly.offline import get_plotlyjs

    from tests.browser.chromium import QUIET, chromium

    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        tab = browser.new_page()
        tab.set_content("<!DOCTYPE html><meta charset=utf-8>")
        tab.add_script_tag(content=get_plotlyjs())
        for name, (kind, source) in pictures.items():
            if kind == "card":
                content = _card(browser, source)
            else:
                content = b64decode(tab.evaluate(DRAW, [kind, source, WIDTH, HEIGHT, TALLEST]))
            file = folder / name
            file.write_bytes(content)
            yield file
        browser.close()


def _card(browser: Any, markup: str) -> bytes:
    """What the card of a plan looks like in a notebook."""
    from PIL import Image

    tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    tab.set_content(f"<!DOCTYPE html><meta charset=utf-8><body style='font: 13px sans-serif'>{markup}")
    picture = BytesIO()
    Image.open(BytesIO(tab.locator(f".{CARD}").screenshot())).save(picture, "WEBP", quality=85)
    tab.close()
    return picture.getvalue()


def main(names: Sequence[str]) -> int:
    for path in NOTEBOOKS:
        if names and path.stem not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            page = page_of(path.stem, executed(path, Path(folder)))
        for old in (PAGES / PICTURES).glob(f"{path.stem}-??.webp"):
            old.unlink()
        size = sum(file.stat().st_size for file in draw(page.pictures, PAGES / PICTURES))
        (PAGES / f"{path.stem}.md").write_text(page.text, encoding="utf-8", newline="\n")
        drawn = f"{len(page.pictures)} pictures of {size / 1e3:.0f} kB"
        print(f"docs/notebooks/{path.stem}.md: {len(page.text) / 1e3:.0f} kB, {drawn}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

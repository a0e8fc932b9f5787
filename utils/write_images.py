#!/usr/bin/env python3
"""Draws the pictures of ``images/`` from the example engines; ``--check`` only lists stale files.

``--pages`` also takes screenshots of pages with Chromium. They depend on its fonts, so they are not checked.
Exit codes: 0 fresh or written, 1 stale (with ``--check``).
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))


from trex import examples  # noqa: E402
from trex.comparison import compare  # noqa: E402
from trex.engine_plan import load, load_example  # noqa: E402
from trex.export.document import write_document  # noqa: E402
from trex.export.svg import render_svg  # noqa: E402
from trex.graph.build import build_graph  # noqa: E402
from trex.graph.select import Selection  # noqa: E402
from trex.plan.engine_plan import EnginePlan  # noqa: E402
from trex.views.diagram.drawn_graph import drawn_graph  # noqa: E402
from trex.views.diagram.scene import build_scene  # noqa: E402
from trex.views.diagram.style import DiagramStyle  # noqa: E402
from trex.views.report.document import report_document  # noqa: E402

IMAGES = REPOSITORY / "images"
FIRST_LAYERS = 7


def pictures() -> dict[str, bytes]:
    """File name → content, for every picture."""
    return {"engine-graph.svg": engine_graph(), "engine-groups.svg": engine_groups(), "sweep.svg": sweep_table()}


def engine_graph() -> bytes:
    """The first layers of a quantized ResNet18, up to its first residual addition."""
    whole = load_example("resnet18-int8")
    inputs = tuple(binding for binding in whole.engine.bindings if binding.is_input)
    first = replace(whole.engine, layers=whole.engine.layers[:FIRST_LAYERS], bindings=inputs)
    part = EnginePlan(first, whole.layer_times)
    title = f"resnet18-int8: the first {len(part.working_layers)} of {len(whole.working_layers)} layers"
    return render_svg(build_scene(build_graph(part), whole, title=title)).encode()


def engine_groups() -> bytes:
    """The second stage of a quantized ResNet18: the first residual block open, the second one closed."""
    plan = load_example("resnet18-int8-residual")
    style = DiagramStyle(group_by="module", close_groups=r"layer2/1$")
    graph = drawn_graph(plan, style, Selection(module="/layer2"))
    return render_svg(build_scene(graph, plan, style)).encode()


def sweep_table() -> bytes:
    """The live table of a sweep on two workers; jobs and times are made up, as in a real one of these networks."""
    import time

    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console

    from trex.cli.sweep_screen import live_table
    from trex.store.sweep_record import DONE, FAILED, STORED
    from trex.sweep.documents import varied_axes
    from trex.sweep.progress import RUNNING, WAITING, JobState, SweepProgress

    states = [JobState(job, seconds=9.0) for job in sweep_jobs()]
    progress = SweepProgress("networks", tuple(states), workers=2, dashboard="http://127.0.0.1:8787/status")
    for state, status in zip(states, [STORED] * 8 + [DONE] * 15 + [FAILED] + [RUNNING] * 2, strict=False):
        progress.moves(state, status)
    states[23].reason = "stopped after 10 min 0 s (time limit)"
    phases = ("cpu-0", "Timing tactics (3)", 6.5), ("cpu-1", "predicting the times", 2.5)
    for state, (worker, phase, seconds) in zip(states[24:], phases, strict=False):
        state.worker, state.phase, state.started = worker, phase, time.monotonic() - seconds
    assert progress.counts[WAITING] == len(states) - 26
    console = Console(record=True, width=80, file=io.StringIO(), color_system="truecolor", legacy_windows=False)
    console.print(live_table(progress, varied_axes(state.job for state in states), 80))
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    return console.export_svg(title="trex sweep", code_format=without_fonts, unique_id="sweep").encode()


def sweep_jobs() -> list[Any]:
    """Those of docs/sweeps.md, without models."""
    from itertools import product

    from trex.capture.options import CaptureOptions
    from trex.sweep.job import Job, JobModel

    models = ("example:resnet18", "example:mobilenet-v2", "example:unet")
    axes = ("model", "batch", "backend", "gpu")
    matrix = product(models, "124", ("tensorrt-rtx", "simulated"), ("A100", "RTX 4090"))
    return [
        Job(f"{index:02}{0:062}", 0, dict(zip(axes, values, strict=True)), JobModel("", ""), CaptureOptions("", ""))
        for index, values in enumerate(matrix)
    ]


@dataclass(frozen=True)
class Screenshot:
    """page: of ``written_pages``. anchor: the element at the top, "" for what a person sees first.

    size: of the window. scale: pixels of the picture per pixel of the page. layer: of the base, selected first.
    is_printed: the first two sheets of paper.
    """

    page: str
    anchor: str = ""
    theme: str = "light"
    size: tuple[int, int] = (1440, 900)
    scale: float = 1.0
    layer: int | None = None
    is_printed: bool = False


PHONE = (390, 844)
PAGES = {
    "report.png": Screenshot("cnn"),
    "report-dark.png": Screenshot("transformer", theme="dark"),
    "report-phone.png": Screenshot("cnn", size=PHONE, scale=1.5),
    "report-phone-dark.png": Screenshot("transformer", theme="dark", size=PHONE, scale=1.5),
    "report-print.png": Screenshot("cnn", is_printed=True),
    "report-5000-layers.png": Screenshot("5000 layers"),
    "graph-5000-layers.png": Screenshot("graph of 5000 layers"),
    "comparison.png": Screenshot("comparison", "side-by-side", size=(1400, 980), layer=3),
    "chart.png": Screenshot("chart", size=(900, 480)),
    "sweep-report.png": Screenshot("sweep"),
}
LARGE = 5_000
BLOCK = slice(52, 62)
"""The sixth encoder layer among the layers of the transformer."""
MOST_BYTES = 250_000
COLORS = (256, 128, 64)


def written_pages(folder: Path) -> dict[str, Path]:
    """{what a page shows: its file}: a CNN, a transformer as TensorRT for RTX built it, one with 500 encoder layers, a
    pair of engines, the chart of the README, and a sweep of simulated engines.
    """
    from trex.cli.picture import draw

    base, new, transformer = map(load_example, ("resnet18-int8", "resnet18-int8-residual", "transformer-fp16"))
    large = load(deep_transformer(folder))
    pages = {
        "cnn": write_document(report_document(base), folder / "cnn.html"),
        "transformer": write_document(report_document(transformer), folder / "transformer.html"),
        "5000 layers": write_document(report_document(large), folder / "large.html"),
        "graph of 5000 layers": folder / "graph.html",
        "comparison": Path(compare(base, new).save(folder / "comparison.html")),
        "chart": folder / "chart.html",
        "sweep": sweep_page(folder),
    }
    draw(large, str(pages["graph of 5000 layers"]))
    pages["chart"].write_text(chart_page(folder), encoding="utf-8")
    return pages


def sweep_page(folder: Path) -> Path:
    from trex.cli.main import main as trex

    store, page = folder / "store", folder / "sweep.html"
    models = ["example:resnet18", "example:mobilenet-v2", "example:unet"]
    axes = ["--batch", "1", "4", "16", "--backend", "simulated", "--gpu", "A100", "T4", "--model", *models]
    for arguments in (["sweep", *axes, "--name", "networks"], ["sweep", "report", "networks", "-o", str(page)]):
        with contextlib.redirect_stdout(io.StringIO()):
            trex([*arguments, "--store", str(store)])
    return page


def deep_transformer(folder: Path) -> str:
    """The transformer with its sixth encoder layer repeated, one after the other: layers and times are those of the
    real build, and so many of them are ours.
    """
    source = examples.folder("transformer-fp16")
    graph = json.loads((source / "transformer-fp16.graph.json").read_bytes())
    profile = json.loads((source / "transformer-fp16.profile.json").read_bytes())
    layers, rows = graph["Layers"], [row for row in profile if "name" in row]
    copies = (LARGE - len(layers)) // (BLOCK.stop - BLOCK.start)
    leaving, entering = (layers[end - 1]["Outputs"][0]["Name"] for end in (BLOCK.stop, BLOCK.start))
    own = {tensor["Name"] for layer in layers[BLOCK] for tensor in layer["Outputs"]}
    deep, times = layers[: BLOCK.stop], rows[: BLOCK.stop]
    for copy in range(1, copies + 1):
        before = f"{leaving}_{copy - 1}" if copy > 1 else leaving
        tensors = {name: f"{name}_{copy}" for name in own} | {entering: before}
        deep += [renamed(layer, tensors, copy, f"_{copy}") for layer in layers[BLOCK]]
        times += [row | {"name": renumbered(row["name"], copy) + f"_{copy}"} for row in rows[BLOCK]]
    deep += [renamed(layer, {leaving: f"{leaving}_{copies}"}, copies) for layer in layers[BLOCK.stop :]]
    times += [row | {"name": renumbered(row["name"], copies)} for row in rows[BLOCK.stop :]]
    graph["Layers"] = deep
    total = sum(row["averageMs"] for row in times)
    times = [row | {"percentage": 100 * row["averageMs"] / total} for row in times]
    (folder / "transformer-500.profile.json").write_text(json.dumps([profile[0], *times]), encoding="utf-8")
    (folder / "transformer-500.graph.json").write_text(json.dumps(graph), encoding="utf-8")
    return str(folder / "transformer-500.graph.json")


def renamed(layer: dict[str, Any], tensors: dict[str, str], by: int, ending: str = "") -> dict[str, Any]:
    """The layer with other tensors, its encoder layer's number raised."""
    texts = {key: renumbered(layer[key], by) for key in ("Name", "Metadata") if layer.get(key)}
    sides = {
        side: [tensor | {"Name": tensors.get(tensor["Name"], tensor["Name"])} for tensor in layer[side]]
        for side in ("Inputs", "Outputs")
    }
    return {**layer, **texts, **sides, "Name": texts["Name"] + ending}


def renumbered(text: str, by: int) -> str:
    return re.sub(r"(?<=/layer\.)\d+", lambda match: str(int(match[0]) + by), text)


def chart_page(folder: Path) -> str:
    """The figure that the README's Python makes, on a page of its own."""
    from trex.export.chart_cell import chart_html, plain_figure

    (code,) = re.findall(r"```python\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, object] = {}
    here = Path.cwd()
    os.chdir(folder)  # the code writes a report
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, names)
    finally:
        os.chdir(here)
    return f"<!doctype html><meta charset='utf-8'>{chart_html(plain_figure(names['figure']), 1, with_library=True)}"


def take_pages(chosen: Sequence[str]) -> None:
    """Screenshots of example pages in Chromium, in few colors, so that the files stay small."""
    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import QUIET, chromium

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        written = written_pages(Path(folder))
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        for name, screenshot in PAGES.items():
            if chosen and name not in chosen:
                continue
            width, height = screenshot.size
            context = browser.new_context(
                viewport={"width": width, "height": height},
                device_scale_factor=screenshot.scale,
                is_mobile=screenshot.size == PHONE,
            )
            page = context.new_page()
            page.emulate_media(color_scheme="dark" if screenshot.theme == "dark" else "light")
            page.goto(written[screenshot.page].as_uri() + (f"#{screenshot.anchor}" if screenshot.anchor else ""))
            page.wait_for_timeout(4000)
            if screenshot.anchor:
                page.evaluate("anchor => document.getElementById(anchor).scrollIntoView()", screenshot.anchor)
                page.wait_for_timeout(2000)
            if screenshot.layer is not None:
                page.frames[1].evaluate("row => trex.selectRow(row)", screenshot.layer)
                page.wait_for_timeout(1000)
            picture = first_sheets(page.pdf(format="A4", print_background=True)) if screenshot.is_printed else None
            save_picture(name, picture or page.screenshot())
            context.close()
        browser.close()


def first_sheets(pdf: bytes) -> bytes:
    """A PDF's first two pages side by side, as a PNG."""
    import pypdfium2
    from PIL import Image

    paper = pypdfium2.PdfDocument(pdf)
    sheets = [paper[number].render(scale=1.3).to_pil() for number in range(2)]
    both = Image.new("RGB", (sum(sheet.width for sheet in sheets), sheets[0].height), "white")
    for number, sheet in enumerate(sheets):
        both.paste(sheet, (number * sheets[0].width, 0))
    picture = io.BytesIO()
    both.save(picture, "PNG")
    return picture.getvalue()


def save_picture(name: str, content: bytes) -> None:
    """In as many colors as keep the file below the limit."""
    from PIL import Image

    picture = Image.open(io.BytesIO(content)).convert("RGB")
    for colors in COLORS:  # by what they cover: small marks keep their color
        picture.quantize(colors, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
            IMAGES / name, optimize=True
        )
        if (IMAGES / name).stat().st_size <= MOST_BYTES:
            break
    print(f"images/{name}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Draws the pictures of images/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a picture is stale")
    parser.add_argument(
        "--pages", nargs="*", metavar="NAME", help="also take screenshots, of all pages or these, with Chromium"
    )
    arguments = parser.parse_args()
    check = arguments.check
    stale = [
        name
        for name, content in pictures().items()
        if not (IMAGES / name).is_file() or (IMAGES / name).read_bytes() != content
    ]
    if check:
        for name in stale:
            print(f"stale: images/{name}")
        return 1 if stale else 0
    IMAGES.mkdir(exist_ok=True)
    for name, content in pictures().items():
        (IMAGES / name).write_bytes(content)
        print(f"images/{name}")
    if arguments.pages is not None:
        take_pages(arguments.pages)
    return 0


if __name__ == "__main__":
    sys.exit(main())

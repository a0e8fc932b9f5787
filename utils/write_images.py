#!/usr/bin/env python3
"""Draws the pictures of ``images/`` from the example engines; ``--check`` only lists stale files.

``--pages`` also takes screenshots of pages with Chromium. They depend on its fonts, so they are not checked.
Exit codes: 0 fresh or written, 1 stale (with ``--check``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))


from trex.comparison import compare  # noqa: E402
from trex.engine_plan import load_example  # noqa: E402
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
    return {"engine-graph.svg": engine_graph(), "engine-groups.svg": engine_groups()}


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


@dataclass(frozen=True)
class Screenshot:
    """page: ``report`` or ``comparison``. anchor: the element at the top. layer: of the base, selected first.

    size: of the window.
    """

    page: str
    anchor: str
    theme: str
    layer: int | None = None
    size: tuple[int, int] = (1180, 760)


PAGES = {
    "report.png": Screenshot("report", "summary", "light"),
    "report-charts.png": Screenshot("report", "chart-latency-per-layer-ms", "dark"),
    "comparison.png": Screenshot("comparison", "side-by-side", "light", 1, (1400, 980)),
}


def take_pages() -> None:
    """Screenshots of example pages in Chromium, in few colors, so that the files stay small."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import QUIET, chromium

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        base, new = load_example("resnet18-int8"), load_example("resnet18-int8-residual")
        written = {
            "report": write_document(report_document(base), Path(folder) / "report.html"),
            "comparison": Path(compare(base, new).save(Path(folder) / "comparison.html")),
        }
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        for name, screenshot in PAGES.items():
            page = browser.new_context(viewport={"width": screenshot.size[0], "height": screenshot.size[1]}).new_page()
            page.emulate_media(color_scheme="dark" if screenshot.theme == "dark" else "light")
            page.goto(f"{written[screenshot.page].as_uri()}#{screenshot.anchor}")
            page.wait_for_timeout(500)
            page.evaluate("anchor => document.getElementById(anchor).scrollIntoView()", screenshot.anchor)
            page.wait_for_timeout(3000)
            if screenshot.layer is not None:
                page.frames[1].evaluate("row => trex.selectRow(row)", screenshot.layer)
                page.wait_for_timeout(1000)
            page.screenshot(path=IMAGES / name)
            picture = Image.open(IMAGES / name).convert("RGB").quantize(128, dither=Image.Dither.NONE)
            picture.save(IMAGES / name, optimize=True)
            print(f"images/{name}")
        browser.close()


def main() -> int:
    parser = argparse.ArgumentParser(description="Draws the pictures of images/.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a picture is stale")
    parser.add_argument("--pages", action="store_true", help="also take screenshots of pages, with Chromium")
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
    if arguments.pages:
        take_pages()
    return 0


if __name__ == "__main__":
    sys.exit(main())

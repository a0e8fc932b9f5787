"""Page → how soon it shows the engine in headless Chromium, and how smoothly it moves there without a graphics card."""

from __future__ import annotations

import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.browser.chromium import QUIET, chromium
from tests.browser.looking import until

_FRAMES = 60
_CONTENTFUL = 'performance.getEntriesByName("first-contentful-paint")'
# Each step is an event as a user's wheel or key makes it, then the wait for the frame after it.
_MOVE = """async ([what, frames]) => {
  const canvas = document.getElementById("graph"), rect = canvas.getBoundingClientRect();
  const at = {clientX: rect.x + rect.width / 2, clientY: rect.y + rect.height / 2, bubbles: true, cancelable: true};
  const wheel = options => canvas.dispatchEvent(new WheelEvent("wheel", {...at, ...options}));
  const key = name => canvas.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
  const steps = {
    pan: i => wheel({shiftKey: true, deltaX: i % 40 < 20 ? 25 : -25}),
    zoom: i => wheel({deltaY: i < frames / 2 ? -90 : 90}),
    walk: i => key(i % 40 < 20 ? "ArrowDown" : "ArrowUp"),
  };
  const next = () => new Promise(done => requestAnimationFrame(done));
  canvas.focus();
  await next(); await next();
  const painted = trex.frames, start = performance.now();
  for (let i = 0; i < frames; i++) { steps[what](i); await next(); }
  return {perSecond: 1000 * frames / (performance.now() - start), painted: trex.frames - painted};
}"""


def why_not() -> str:
    """What is missing for these measurements; "" when nothing is."""
    if find_spec("playwright") is None:
        return "playwright is absent"
    return "" if chromium() else "chromium is absent"


def page_speed(path: Path) -> dict[str, Any]:
    """first_paint_ms: from the start of the navigation until the engine is on the canvas.

    frames: for each movement, frames a second: ``pan`` and ``zoom`` from where everything is in view, ``walk`` at the
    size at which words are read; and how many of the frames were painted anew.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        try:
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.goto(path.as_uri())
            if not page.evaluate("trex.ready"):
                raise RuntimeError("the page did not start")
            first_paint_ms = page.evaluate("trex.firstPaint")
            boxes = page.evaluate("trex.model.boxes.n")
            frames = {what: page.evaluate(_MOVE, [what, _FRAMES]) for what in ("pan", "zoom")}
            page.evaluate("trex.bring(Math.floor(trex.model.boxes.n / 2))")
            frames["walk"] = page.evaluate(_MOVE, ["walk", _FRAMES])
            return {"first_paint_ms": first_paint_ms, "boxes": boxes, "frames": frames, "version": browser.version}
        finally:
            browser.close()


def report_speed(path: Path) -> dict[str, Any]:
    """first_contentful_paint_ms, ready_ms: from the start of the navigation until the browser had painted something of
    the report, and until its layers could be sorted.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        try:
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.goto(path.as_uri())
            until(page, "Boolean(window.trex && trex.ready)")
            until(page, f"{_CONTENTFUL}.length > 0")
            return {
                "first_contentful_paint_ms": page.evaluate(f"{_CONTENTFUL}[0].startTime"),
                "ready_ms": page.evaluate("trex.readyAfter"),
                "version": browser.version,
            }
        finally:
            browser.close()


def print_report(page: Path, paper: Path) -> float:
    """Seconds that a headless browser of its own takes to print a report."""
    with tempfile.TemporaryDirectory() as profile:
        program = [str(chromium()), "--headless", *QUIET, f"--user-data-dir={profile}"]
        start = perf_counter()
        subprocess.run(
            [*program, f"--print-to-pdf={paper}", page.as_uri()], check=True, capture_output=True, timeout=300
        )
        return perf_counter() - start

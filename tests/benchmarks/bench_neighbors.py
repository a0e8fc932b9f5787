"""One graph in trex's page, Netron and Model Explorer: how soon it is drawn, how smoothly it moves, in what memory.

Run ``python -m tests.benchmarks --only neighbors``: a minute without the viewers, ten to twenty with both. They are
programs on PATH and may stand in an environment of their own: ``pip install netron ai-edge-model-explorer`` there, then
``PATH=…/bin:$PATH``. Of one that is absent, a line says "not installed".

How it measures
    ``trex draw`` writes one generated engine as a page, as ONNX for Netron and as a graph for Model Explorer. A fresh
    headless Chromium opens each; Netron's question about cookies is answered when the clock starts. Drawn is when the
    viewer says so and two more frames were painted; the seconds of processors are those of browser and server until
    then, which says more than the clock where other programs run. Then the picture is dragged in 30 steps: the longest
    time without a frame is what a person feels. Memory is that of all the browser's processes, shared parts once.
    Netron draws every node; trex and Model Explorer begin with closed groups.
    The graph files of real engines, if ``../shared`` is next to the repository, are given to each viewer as they are.

Targets
    None: this is no promise of ours, and docs/neighbors.md says what came out.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote, urlsplit

from tests.benchmarks.engines import write_engine
from tests.benchmarks.page import why_not
from tests.benchmarks.table import REPOSITORY, Line, Part, counted
from tests.browser.chromium import QUIET, chromium

SIZES = (1_000, 10_000)
LIMIT_S = 600.0
_MEGABYTE = 1 << 20
_TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_WATCH_FRAMES = """(() => {
  const times = self.frameTimes = [performance.now()];
  const keep = now => { times.push(now); requestAnimationFrame(keep); };
  requestAnimationFrame(keep);
})()"""
_LONGEST_PAUSE = "Math.max(...frameTimes.slice(1).map((time, i) => time - frameTimes[i]))"


@dataclass(frozen=True)
class Viewer:
    """program: on PATH; "" for a page that needs none. ending: of the file that ``trex draw`` writes for it. drawn and
    failed: JavaScript that is true once it has drawn, or refused, a file.
    """

    name: str
    program: str
    ending: str
    drawn: str
    failed: str = "false"

    def command(self, path: Path, port: int) -> list[str]:
        address = ["--host", "127.0.0.1", "--port", str(port)]
        quiet = ["--no_open_in_browser", "--skip_health_check"] if self.program == "model-explorer" else []
        return [self.program, str(path), *address, *quiet]

    def address(self, path: Path, port: int) -> str:
        if not self.program:
            return path.as_uri()
        models = quote(f'{{"models": [{{"url": "{path}"}}]}}')
        return f"http://127.0.0.1:{port}/" + (f"?data={models}" if self.program == "model-explorer" else "")

    @property
    def version(self) -> str:
        """As the program's own environment has it."""
        if not self.program:
            return ""
        package = {"model-explorer": "ai-edge-model-explorer"}.get(self.program, self.program)
        python = Path(shutil.which(self.program) or self.program).with_name("python")
        words = f"from importlib.metadata import version; print(version({package!r}))"
        return subprocess.run([python, "-c", words], capture_output=True, text=True, check=False).stdout.strip()


VIEWERS = (
    Viewer("trex", "", "html", "Boolean(window.trex && trex.ready)"),
    Viewer(
        "Netron",
        "netron",
        "onnx",
        'document.body.className === "default"',
        'document.body.className.includes("alert")',
    ),
    Viewer(
        "Model Explorer",
        "model-explorer",
        "model-explorer.json",
        "/[0-9] nodes/.test(document.body.innerText) && document.querySelectorAll('canvas').length > 0",
        "/[Ee]rror|[Ff]ailed/.test(document.body.innerText)",
    ),
)


def parts(folder: Path, sizes: Sequence[int]) -> list[Part]:
    reason = why_not() or ("" if find_spec("psutil") else "psutil is absent")
    if reason:
        return [("neighbors", lambda: iter([Line("neighbors", None, "", aside=reason)]))]
    parts: list[Part] = []
    for layers in sizes:
        parts += [(f"{viewer.name} {counted(layers)}", partial(_drawn, folder, viewer, layers)) for viewer in VIEWERS]
    shared = Path(os.environ.get("TREX_SHARED", REPOSITORY.parent / "shared")) / "engines"
    files = sorted([*shared.glob("*/*graph.json"), *shared.glob("*/layer_info.json")])
    return parts + ([(viewer.name, partial(_opened, viewer, files)) for viewer in VIEWERS[1:]] if files else [])


def _drawn(folder: Path, viewer: Viewer, layers: int) -> Iterator[Line]:
    what = f"{viewer.name} {counted(layers)}"
    if _is_absent(viewer):
        yield Line(what, None, "", aside="not installed")
        return
    graph, _ = write_engine(folder, "cnn", layers)
    path = folder / f"cnn-{layers}.{viewer.ending}"
    draw = [sys.executable, "-m", "trex", "draw", graph, "-o", str(path), "--fold-from", "0"]
    subprocess.run(draw if viewer.program else draw[:-2], cwd=REPOSITORY, check=True, capture_output=True)
    figures = look(viewer, path)
    if figures["state"] != "drawn":
        yield Line(what, None, "s", aside=f"{figures['state']} within {LIMIT_S:g} s {viewer.version}".rstrip())
        return
    yield Line(
        what, figures["seconds"], "s", aside=f"{figures['cpu_s']:.1f} s of processors  {viewer.version}".rstrip()
    )
    yield Line("  longest pause when dragged", figures["pause_ms"], "ms")
    asked = f"asks {', '.join(figures['hosts'])}" if figures["hosts"] else ""
    yield Line("  memory", figures["bytes"] / _MEGABYTE, "MB", aside=asked)


def _opened(viewer: Viewer, files: Sequence[Path]) -> Iterator[Line]:
    what = f"{viewer.name} opens TensorRT's graph files"
    if _is_absent(viewer):
        yield Line(what, None, "", aside="not installed")
        return
    states = [look(viewer, path, limit_s=30.0)["state"] for path in files]
    yield Line(what, float(states.count("drawn")), f"of {len(files)}", aside=viewer.version)


def _is_absent(viewer: Viewer) -> bool:
    return bool(viewer.program) and shutil.which(viewer.program) is None


def look(viewer: Viewer, path: Path, limit_s: float = LIMIT_S) -> dict[str, Any]:
    """The state it ends in: drawn, refused or not drawn; if drawn, also what it took."""
    from playwright.sync_api import sync_playwright

    with _served(viewer, path) as (address, server), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            session = page.context.new_cdp_session(page)

            # Netron replaces eval, which playwright's own evaluate calls.
            def ask(words: str) -> Any:
                answer = session.send(
                    "Runtime.evaluate", {"expression": words, "awaitPromise": True, "returnByValue": True}
                )
                return answer["result"].get("value")

            hosts: set[str] = set()
            page.on("request", lambda request: hosts.add(urlsplit(request.url).hostname or ""))
            if viewer.program == "netron":
                page.goto(address, wait_until="commit")
                page.get_by_text("Accept").wait_for(timeout=60_000)
                start, before = monotonic(), _cpu_s(server)
                page.get_by_text("Accept").click()
            else:
                start, before = monotonic(), _cpu_s(server)
                page.goto(address, wait_until="commit", timeout=limit_s * 1000)
            while not (is_drawn := ask(viewer.drawn)) and not ask(viewer.failed) and monotonic() - start < limit_s:
                sleep(0.05)
            if not is_drawn:
                return {"state": "refused" if ask(viewer.failed) else "not drawn"}
            ask(_TWO_FRAMES)
            seconds, cpu_s = monotonic() - start, _cpu_s(server) - before
            memory = _browser_bytes()
            ask(_WATCH_FRAMES)
            page.mouse.move(640, 400)
            page.mouse.down()
            for step in range(30):
                page.mouse.move(640 + 5 * step, 400 + 5 * step)
            page.mouse.up()
            ask(_TWO_FRAMES)
            return {
                "state": "drawn",
                "seconds": seconds,
                "cpu_s": cpu_s,
                "bytes": memory,
                "pause_ms": ask(_LONGEST_PAUSE),
                "hosts": sorted(hosts - {"", "127.0.0.1"}),
            }
        finally:
            browser.close()


@contextmanager
def _served(viewer: Viewer, path: Path) -> Iterator[tuple[str, list[int]]]:
    """The address of the file in its viewer, once a server answers, and the process of that server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if not viewer.program:
        yield viewer.address(path, port), []
        return
    server = subprocess.Popen(viewer.command(path, port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        start = monotonic()
        while not _is_open(port):
            if server.poll() is not None or monotonic() - start > 60:
                raise RuntimeError(f"{viewer.program} did not start")
            sleep(0.1)
        yield viewer.address(path, port), [server.pid]
    finally:
        server.terminate()
        server.wait(30)


def _is_open(port: int) -> bool:
    with socket.socket() as test:
        return test.connect_ex(("127.0.0.1", port)) == 0


def _browser() -> list[Any]:
    import psutil

    return [child for child in psutil.Process().children(recursive=True) if child.name().startswith("chrom")]


def _cpu_s(server: Sequence[int]) -> float:
    import psutil

    times = [process.cpu_times() for process in [*_browser(), *map(psutil.Process, server)]]
    return sum(time.user + time.system for time in times)


def _browser_bytes() -> int:
    """Memory of the browser's processes; what they share counts once."""
    return sum(child.memory_full_info().pss for child in _browser())

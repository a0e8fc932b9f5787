"""A plan, charts and a graph in real JupyterLab or Notebook 7: ``python -m tests.browser.jupyter lab|notebook [PNG]``.

Starts a server on this machine alone, runs every cell of a small notebook in headless Chromium, and says what was
drawn, asked for elsewhere (nothing may be) and complained about (Notebook 7.6: of a "schema", with any notebook).
Takes half a minute; a person looks at the picture.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tests.browser.chromium import QUIET, chromium
from tests.checkout import ROOT

CELLS = (
    "import trex\nplan = trex.load_example('resnet18-int8')\nplan",
    "figure = trex.report_card.report_card_perf_overview(plan)['Output precision per layer']()",
    "from trex.plotting import plotly_bar2\n"
    "plotly_bar2(plan.df.head(12), 'Latency per layer', 'latency.avg_time', 'Name', color='precision')",
    "trex.draw(plan)",
)
ADDRESS = {"lab": "lab/tree/look.ipynb", "notebook": "notebooks/look.ipynb"}
LONGEST_S = 180
_DRAWN = """() => ({
    cards: [...document.querySelectorAll(".jp-OutputArea-output")]
        .filter(one => one.innerText.includes("GPU compute")).length,
    charts: document.querySelectorAll(".js-plotly-plot .main-svg").length,
    bars: document.querySelectorAll(".js-plotly-plot .points path").length,
    graphs: document.querySelectorAll("iframe").length,
})"""


def main(kind: str, picture: str = "") -> int:
    """0 if all was drawn without asking for anything elsewhere."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_notebook(folder / "look.ipynb")
        port = _free_port()
        server = _server(kind, port, folder)
        try:
            _wait_for(f"http://127.0.0.1:{port}/api")
            drawn, elsewhere, complaints = _looked_at(f"http://127.0.0.1:{port}/", ADDRESS[kind], picture)
        finally:
            server.terminate()
            server.wait(60)
    print(f"drawn: {drawn}\nasked for elsewhere: {elsewhere}")
    for complaint in dict.fromkeys(complaints):
        print(f"said: {complaint}")
    return 0 if all(drawn.values()) and not elsewhere else 1


def _write_notebook(path: Path) -> None:
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def _free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _server(kind: str, port: int, folder: Path) -> subprocess.Popen[bytes]:
    """Settings, data and running files are in the folder: a person's own are neither read nor changed."""
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    options = (f"--port={port}", "--ip=127.0.0.1", "--ServerApp.port_retries=0", "--IdentityProvider.token=")
    return subprocess.Popen(
        [sys.executable, "-m", "jupyter", kind, "--no-browser", "--allow-root", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **{place: str(folder / place) for place in places}},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _wait_for(address: str) -> None:
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        try:
            urlopen(address, timeout=2).close()
        except (URLError, OSError):
            time.sleep(0.5)
        else:
            return
    raise TimeoutError(f"no answer from {address}")


def _looked_at(server: str, address: str, picture: str) -> tuple[dict[str, int], list[str], list[str]]:
    from playwright.sync_api import Route, sync_playwright

    elsewhere: list[str] = []
    complaints: list[str] = []

    def follow(route: Route) -> None:
        if route.request.url.startswith((server, "data:", "blob:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(QUIET))
        page = browser.new_context(viewport={"width": 1440, "height": 1800}).new_page()
        page.route("**/*", follow)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(server + address, timeout=1000 * LONGEST_S)
        page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=1000 * LONGEST_S)
        page.wait_for_timeout(5000)
        _run_all(page)
        page.wait_for_timeout(5000)
        drawn: dict[str, int] = page.evaluate(_DRAWN)
        if picture:
            page.screenshot(path=picture)
        browser.close()
    return drawn, elsewhere, complaints


def _run_all(page: Any) -> None:
    for _ in range(4):  # JupyterLab may recommend a build, some seconds after it is there
        page.wait_for_timeout(2000)
        if (button := page.locator(".jp-Dialog .jp-Dialog-button").first).count():
            button.click()
    page.locator(".jp-Notebook").first.click()
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Run$")).first.click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Run All Cells$")).first.click()
    numbered = (
        "[...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].every(one => /^.\\d+/.test(one.innerText))"
    )
    page.wait_for_function(numbered, timeout=1000 * LONGEST_S)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

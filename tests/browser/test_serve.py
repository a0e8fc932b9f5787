"""``trex serve`` in a browser: the list, and what it opens, without a complaint of the content security policy."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.browser.looking import until
from trex.server.http_server import EngineServer
from trex.server.pages import EnginePages

pytestmark = [pytest.mark.browser, pytest.mark.slow]
EXAMPLES = Path(__file__).resolve().parents[2] / "trex" / "examples"


def test_list_report_graph_and_comparison(browser: Any) -> None:
    pytest.importorskip("plotly")
    complaints: list[str] = []
    with EngineServer(EnginePages(str(EXAMPLES))) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        context = browser.new_context(viewport={"width": 390, "height": 844})
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend([] if request.url.startswith(
            (server.address, "blob:", "data:")) else [request.url]))  # fmt: skip
        page.goto(server.address)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate("(table => table.scrollWidth - table.clientWidth)(document.querySelector('.wide'))") == 0
        page.locator("tr", has_text="resnet18-int8-residual").get_by_text("graph").click()
        until(page, "Boolean(window.trex && trex.ready)")
        page.go_back()
        page.get_by_label("base: resnet18-int8", exact=True).check()
        page.get_by_label("new: resnet18-int8-residual").check()
        page.get_by_role("button", name="Compare").click()
        until(page, "Boolean(window.trex && trex.ready)")
        assert page.title() == "resnet18-int8 → resnet18-int8-residual"
        context.close()
        server.shutdown()
    assert not [text for text in complaints if "GL Driver" not in text and "readback" not in text]

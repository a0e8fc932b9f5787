"""The built site in Chromium, with every request to another server refused: TREX_SITE_FOLDER=build/site pytest …

Skipped without that variable: the site is a check of its own, which runs next to the tests.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

FOLDER = os.environ.get("TREX_SITE_FOLDER", "")
PAGES = ("index.html", "rules.html", "api.html", "gallery/report.html", "gallery/comparison.html")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="TREX_SITE_FOLDER names no built site"),
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=FOLDER)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_pages_need_nothing_from_elsewhere_and_the_search_finds(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    elsewhere: list[str] = []
    failed: list[str] = []

    def route(route: Any) -> None:
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    context.route("**/*", route)
    page = context.new_page()
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    for name in PAGES:
        page.goto(address + name)
    page.goto(f"{address}index.html")
    page.wait_for_timeout(1000)
    page.locator("input[name=query]").press_sequentially("baseline", delay=30)
    page.locator(".md-search-result__item").first.wait_for(timeout=20_000)
    context.close()
    assert elsewhere == []
    # the list of releases, which exists only where several are published
    assert [url for url in failed if not url.endswith("/versions.json")] == []

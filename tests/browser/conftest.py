"""A headless Chromium for the tests of pages; they are skipped where it or playwright is absent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import QUIET, chromium
from tests.browser.looking import until


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is absent: pip install playwright")
    program = chromium()
    if program is None:
        pytest.skip("chromium is absent: apt-get install chromium, or name its program in TREX_CHROMIUM")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=list(QUIET))
        yield running
        running.close()


# Chromium's remark on tests that read what was drawn, and on a driver that draws without a GPU.
_OF_LOOKING = ("Multiple readback operations using getImageData", "GL Driver Message")


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page with all groups open; at the end, nothing may have been complained about or asked from anywhere.

    link: "" for what a person sees first.
    """
    contexts: list[Any] = []
    complaints: list[str] = []
    requests: list[str] = []

    def hear(message: Any) -> None:
        if not any(words in message.text for words in _OF_LOOKING):
            complaints.append(message.text)

    def open_page(path: Path, link: str = "#closed=none", **context: Any) -> Any:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True, **context))
        contexts[-1].set_default_timeout(60_000)
        page = contexts[-1].new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri() + link)
        until(page, "Boolean(window.trex && trex.ready)")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints
    assert not [url for url in requests if not url.startswith(("file:", "blob:"))]
    assert len([url for url in requests if url.startswith("file:")]) == len(contexts)

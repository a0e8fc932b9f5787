"""A headless Chromium for the tests of pages; they are skipped where it or playwright is absent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.chromium import QUIET, chromium


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

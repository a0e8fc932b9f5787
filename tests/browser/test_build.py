"""The report's Build part in a browser: a layer's tactics in the panel, the choices to search in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.looking import until
from trex.engine_plan import load
from trex.examples.verbose_log import verbose_log
from trex.export.document import write_document
from trex.views.report.document import report_document

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    folder = tmp_path_factory.mktemp("build")
    (folder / "build.log").write_text("".join(verbose_log(layers=8, tactics=20)), "utf-8")
    return write_document(report_document(load(str(folder / "build.log"))), folder / "report.html")


def test_tactics_of_the_selected_layer(visit: Callable[..., Any], report: Path) -> None:
    page = visit(report, "#tab=build&layer=conv2 + relu2")
    until(page, "Boolean(document.querySelector('#panel .candidates'))")
    groups = page.locator("#panel .candidates details")
    assert groups.count() == 3 and "in the engine, 20 timed" in groups.first.locator("summary").inner_text()
    rows = groups.first.locator("tr")
    assert rows.count() == 13 and "chosen" in rows.nth(1).inner_text()
    groups.first.get_by_role("button", name="9 more").click()
    assert rows.count() == 22 and "not used: workspace, 72 MiB wanted" in rows.last.inner_text()
    page.evaluate("trex.hub.select(0)")
    until(page, "document.querySelector('#panel .candidates tr.tie') !== null")
    assert page.locator("#panel .candidates").count() == 1


def test_choices_are_searched_sorted_and_lead_to_layers(visit: Callable[..., Any], report: Path) -> None:
    page = visit(report, "#tab=build")
    table = page.locator(".list table")
    table.scroll_into_view_if_needed()
    until(page, "document.querySelectorAll('.list tbody tr').length === 24")
    field, counter = page.locator(".list input"), page.locator(".list output")
    field.fill("margin<2")
    assert counter.inner_text() == "6 of 24 choices"
    field.fill("conv5 half")
    assert counter.inner_text() == "2 of 24 choices"
    for words, answer in (("margin>1,5", "1,5 is not"), ("kernel>a", "is text"), ("kernl=a", "no column")):
        field.fill(words)
        assert answer in counter.inner_text() and field.get_attribute("aria-invalid") == "true"
    field.fill("")
    page.get_by_role("button", name="margin (%)").click()
    margins = page.evaluate(
        "[...document.querySelectorAll('.list tbody tr')].map(row => Number(row.cells[5].textContent))"
    )
    assert margins == sorted(margins) and len(set(margins)) > 3
    page.locator(".list tbody button").first.click()
    assert page.evaluate("trex.hub.layer") >= 0 and page.locator("#panel").is_visible()


def test_a_phone_scrolls_down_only(visit: Callable[..., Any], report: Path) -> None:
    page = visit(report, "#tab=build")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".list").scroll_into_view_if_needed()
    until(page, "document.querySelectorAll('.list tbody tr').length > 0")
    until(page, "document.documentElement.scrollWidth <= 390")

"""The page of a comparison: both graphs side by side, a layer and its match selected together, colors by change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.looking import settled, until
from tests.factories import engine, layer
from tests.simulated_examples import load_simulated
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.export.document import write_document
from trex.graph.build import build_graph
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.coloring import change_coloring
from trex.views.compare.document import comparison_document, series_document

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.xdist_group("browser")]


def written(comparison: PlanDiff, folder: Path) -> Path:
    return write_document(comparison_document(comparison), folder / "comparison.html")


@pytest.fixture(scope="module")
def comparison() -> PlanDiff:
    return PlanDiff(load_simulated("resnet18-int8"), load_simulated("resnet18-int8-residual"))


@pytest.fixture(scope="module")
def path(comparison: PlanDiff, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("plotly", reason="plotly is absent: pip install plotly")
    return written(comparison, tmp_path_factory.mktemp("comparison"))


def sides(page: Any) -> dict[str, Any]:
    """The frames of both graphs, once they are there."""
    page.locator("#graphs").scroll_into_view_if_needed()
    until(page, "trex.graph.isReady")
    handles = {
        side: page.locator("#graphs .view iframe").nth(number).element_handle()
        for number, side in enumerate(("base", "new"))
    }
    return {side: handle.content_frame() for side, handle in handles.items()}


def largest(comparison: PlanDiff) -> int:
    """The group that matches most layers."""
    sizes = [(len(each.match.left) + len(each.match.right)) * each.match.is_matched for each in comparison.changes]
    return sizes.index(max(sizes))


def selected(frame: Any) -> str:
    """The name of the layer that is selected in a graph."""
    name: str = frame.evaluate("trex.selected < 0 ? '' : trex.base.layers.name[trex.selectedLayer()]")
    return name


def in_view(frame: Any) -> bool:
    """Whether the middle of the selected box can be seen."""
    return bool(
        frame.evaluate(
            """() => {
                const {boxes} = trex.model, box = trex.selected, c = trex.sheet.columnAt(boxes.y[box]);
                const x = (boxes.x[box] + boxes.w[box] / 2 + c.dx) * trex.view.zoom + trex.view.x;
                const y = (boxes.y[box] + boxes.h[box] / 2 + c.dy) * trex.view.zoom + trex.view.y;
                return x > 0 && y > 0 && x < trex.width && y < trex.height;
            }"""
        )
    )


def click(frame: Any, page: Any, name: str) -> None:
    """Clicks the box of a layer as a person does."""
    box = frame.evaluate(
        "name => { const box = trex.base.boxOf[trex.base.layers.name.indexOf(name)]; trex.bring(box); return box; }",
        name,
    )
    settled(page)
    x, y = frame.evaluate(
        """box => {
            const {boxes} = trex.model, c = trex.sheet.columnAt(boxes.y[box]), {zoom, x, y} = trex.view;
            return [(boxes.x[box] + boxes.w[box] / 2 + c.dx) * zoom + x, (boxes.y[box] + 8 + c.dy) * zoom + y];
        }""",
        box,
    )
    frame.locator("#graph").click(position={"x": x, "y": y})


@pytest.mark.parametrize("side, other", [("base", "new"), ("new", "base")])
def test_a_click_selects_the_match_on_the_other_side(
    visit: Callable[..., Any], path: Any, comparison: Any, side: str, other: str
) -> None:
    page = visit(path)
    frames = sides(page)
    group = largest(comparison)
    layers = dict(zip(("base", "new"), comparison.layers_of(comparison.changes[group]), strict=True))
    click(frames[side], page, layers[side][-1].name)
    until(page, "trex.hub.layer >= 0")
    assert page.evaluate("trex.hub.layer") == group
    until(frames[other], "trex.selected >= 0")
    assert selected(frames[side]) == layers[side][-1].name
    assert selected(frames[other]) == layers[other][0].name and in_view(frames[other])
    for each in ("base", "new"):
        until(frames[each], "count => trex.matched.length === count", len(layers[each]))
    panel = page.locator("#panel").inner_text()
    assert all(name.name in panel for found in layers.values() for name in found)
    assert comparison.changes[group].cause.value in panel


def test_what_has_no_match_selects_nothing_there(visit: Callable[..., Any], path: Any, comparison: Any) -> None:
    page = visit(path)
    frames = sides(page)
    group = next(at for at, each in enumerate(comparison.changes) if not each.match.right)
    click(frames["new"], page, comparison.right.working_layers[3].name)
    until(frames["base"], "trex.selected >= 0")
    click(frames["base"], page, comparison.layers_of(comparison.changes[group])[0][0].name)
    until(page, "group => trex.hub.layer === group", group)
    until(frames["new"], "trex.selected < 0")
    assert "no layer of the new engine does the same work" in page.locator("#panel").inner_text()
    page.keyboard.press("Escape")
    until(frames["base"], "trex.selected < 0 && trex.matched.length === 0")
    assert page.locator("#panel").is_hidden()


def test_a_row_and_a_bar_select_both_sides(visit: Callable[..., Any], path: Any, comparison: Any) -> None:
    page = visit(path)
    frames = sides(page)
    group = largest(comparison)
    left, right = comparison.layers_of(comparison.changes[group])
    page.locator("#filter").fill(left[0].name)
    page.locator(f'#table .line[data-layer="{group}"]').click()
    assert page.evaluate("trex.hub.layer") == group
    until(frames["base"], "trex.selected >= 0")
    until(frames["new"], "trex.selected >= 0")
    assert (selected(frames["base"]), selected(frames["new"])) == (left[0].name, right[0].name)
    page.locator("#chart-largest-differences").scroll_into_view_if_needed()
    until(page, "document.querySelector('#chart-largest-differences .plot').data !== undefined")
    page.locator("#panel .close").click()
    page.locator("#chart-largest-differences .point path").nth(1).click(force=True)
    until(page, "trex.hub.layer >= 0")


def test_colors_tell_of_change_in_both_graphs(visit: Callable[..., Any], path: Any, comparison: Any) -> None:
    page = visit(path)
    frames = sides(page)
    for side in ("base", "new"):
        coloring = change_coloring(comparison, is_base=side == "base")
        plan = comparison.left if side == "base" else comparison.right
        texts = {paint.text for paint in coloring.paint(build_graph(plan), lambda time: None)}
        legend = frames[side].locator("#legend").inner_text()
        assert all(text in legend for text in texts) and frames[side].evaluate("trex.coloring.mode") == "change"
    frames["base"].locator("#mode").select_option("type")
    until(frames["new"], "trex.coloring.mode === 'type'")
    page.locator("#theme").click()
    until(frames["new"], "trex.theme.dark")
    frames["new"].locator("#mode").select_option("change")
    until(frames["base"], "trex.coloring.mode === 'change'")
    paints = change_coloring(comparison, is_base=True).paint(build_graph(comparison.left), lambda time: None)
    colors = set(frames["base"].evaluate("trex.coloring.classes.map(each => each.color)"))
    assert colors == {paint.dark for paint in paints}


def test_of_several_engines_one_is_chosen(visit: Callable[..., Any], tmp_path: Path) -> None:
    base, *others = (load_simulated(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    series = EngineSeries(base, others)
    page = visit(write_document(series_document(series), tmp_path / "series.html"), "#side-by-side")
    for place in (0, 1):
        page.locator("#choose").select_option(str(place))
        until(page, "trex.graph.isReady")
        frames = sides(page)
        assert frames["new"].evaluate("trex.base.rows.length") == len(others[place].layers)
        until(page, "count => trex.layers.rows().length === count", len(series.comparisons[place].changes))
        frames["base"].evaluate("trex.selectRow(2)")
        until(frames["new"], "trex.selected >= 0")
        assert selected(frames["new"]) in page.locator("#panel").inner_text()
    # The address names the second comparison; without its part, the page goes back to the first.
    link, panel, names = (
        page.evaluate("location.hash"),
        page.locator("#panel").inner_text(),
        "trex.layers.rows().length",
    )
    assert "show=1" in link and "layer=" in link
    page.evaluate("location.hash = ''")
    until(page, f"count => {names} === count", len(series.comparisons[0].changes))
    assert page.locator("#panel").is_hidden() and page.locator("#choose").input_value() == "0"
    # Of two choices at once the second one counts.
    page.evaluate("""() => {
        const menu = document.getElementById("choose");
        for (const value of ["1", "0", "1", "0"]) { menu.value = value; menu.dispatchEvent(new Event("change")); }
    }""")
    until(page, "trex.graph.isReady")
    assert page.locator("#graphs iframe").count() == 2
    assert sides(page)["new"].evaluate("trex.base.rows.length") == len(others[0].layers)
    assert page.evaluate(names) == len(series.comparisons[0].changes)
    page.evaluate("link => { location.hash = link; }", link)
    until(page, "trex.hub.layer >= 0")
    assert page.locator("#panel").inner_text() == panel and page.locator("#choose").input_value() == "1"


def test_facts_are_shown_when_asked_for(visit: Callable[..., Any], path: Any) -> None:
    page = visit(path)
    frame = sides(page)["base"]
    frame.evaluate("trex.selectRow(3)")
    until(page, "trex.hub.layer >= 0")
    assert frame.locator("#panel").is_hidden()
    frame.locator("#show-facts").click()
    assert frame.locator("#panel").is_visible() and "tactic" in frame.locator("#panel").inner_text()
    frame.locator("#show-facts").click()
    assert frame.locator("#panel").is_hidden()


def test_every_part_is_reached_and_what_was_not_measured_says_so(
    visit: Callable[..., Any], path: Any, comparison: Any
) -> None:
    page = visit(path)
    links = page.locator("nav a").all_inner_texts()
    assert links[0] == "Verdict" and links[-2:] == ["Side by side", "All matched layers"]
    assert {"Why", "Largest changes", "Settings"} <= set(links)
    for link in page.locator("nav a").all():
        assert page.locator(f"section{link.get_attribute('href')}").count() == 1
    assert comparison.left.statement in page.locator("header .badge").inner_text()
    assert comparison.right.statement in sides(page)["new"].locator("header .badge").inner_text()


def test_hostile_names_are_text(visit: Callable[..., Any], tmp_path: Path) -> None:
    evil = "\x1b[31m<img src=x onerror=alert(1)>\n</script><script>alert(2)</script>\u202e"
    whole = engine(
        layer(evil, tactic=evil, origins=[evil], outputs=["t"]), layer("b" + evil, inputs=["t"], outputs=["u"])
    )
    other = engine(layer(evil, tactic="k", origins=[evil], outputs=["t"]))
    found = PlanDiff(EnginePlan(whole, name=evil), EnginePlan(other, name=evil))
    page = visit(written(found, tmp_path))
    frames = sides(page)
    frames["base"].evaluate("trex.selectRow(0)")
    until(page, "trex.hub.layer >= 0")
    assert page.locator("img").count() == 0 and "<img src=x" in page.locator("#panel").inner_text()
    until(frames["new"], "trex.selected >= 0")


def test_a_page_of_engines_without_layers(visit: Callable[..., Any], tmp_path: Path) -> None:
    nothing = EnginePlan(engine())
    page = visit(written(PlanDiff(nothing, nothing), tmp_path))
    assert page.locator("#graphs").count() == 0 and page.locator("#verdict").count() == 1


def test_a_folded_section_opens_by_a_click_and_by_its_address(visit, path):
    page = visit(path)
    assert page.locator("#parity .statement").first.is_hidden()
    page.locator("#parity summary").first.click()
    assert page.locator("#parity .statement").first.is_visible()
    page = visit(path, "#operations")
    assert page.locator("#operations .statement").first.is_visible()
    assert page.locator("#parity .statement").first.is_hidden()

"""What a notebook's cell shows of a comparison: the verdict, bars that add up, nothing as markup, no script."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

import pytest
from trex.views.comparison.reading import read_comparison, read_series
from trex.views.performance.section import Detail

from tests.factories import engine, layer, times
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.engine_plan import load_example
from trex.export.comparison_cell import comparison_cell
from trex.plan.engine_plan import EnginePlan

EVIL = "</div><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\ud800'\""


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in ("br", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_verdict_and_bars_that_add_up():
    found = PlanDiff(load_example("resnet18-int8"), load_example("resnet18-int8-residual"))
    text = comparison_cell(read_comparison(found, Detail()))
    tags = Tags(text)
    assert not tags.open and "script" not in tags.seen
    plain = unescape(text)
    assert plain.index(found.verdict) < plain.index('class="bars"') < plain.index("<details>")
    bars = [(float(a), float(b)) for a, b in re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%", text)]
    assert len(bars) == len(found.waterfall.steps) + 2
    assert all(left >= 0.0 and left + width <= 100.01 for left, width in bars)
    assert bars[-1][1] / bars[0][1] == pytest.approx(found.waterfall.right_ms / found.waterfall.left_ms, rel=1e-3)
    assert found.left.provenance.statement in text


def test_nothing_from_an_engine_is_markup():
    whole = engine(layer(EVIL, origins=[EVIL], tactic=EVIL), layer("b" + EVIL))
    plan = EnginePlan(whole, name=EVIL)
    object.__setattr__(plan, "times", times(whole.layers, 1.0, 2.0))
    tags = Tags(comparison_cell(read_comparison(PlanDiff(plan, plan), Detail(explain=True))))
    assert not tags.open and not tags.seen & {"script", "img"}


def test_several_engines_have_bars_each():
    base, *others = (load_example(f"resnet18-{name}") for name in ("fp16", "int8", "int8-residual"))
    text = comparison_cell(read_series(EngineSeries(base, others), Detail()))
    assert text.count('class="bars"') == 2 and not Tags(text).open


def test_engines_without_layers():
    nothing = EnginePlan(engine())
    text = comparison_cell(read_comparison(PlanDiff(nothing, nothing), Detail()))
    assert 'class="bars"' not in text and not Tags(text).open

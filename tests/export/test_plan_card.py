"""The card of a plan in a notebook: answer, bar, findings, next calls; of every engine, escaped, without a script."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.engines import READABLE
from tests.synthetic import Case
from trex.engine_plan import load, load_example
from trex.export.plan_card import plan_card


def test_the_answer_comes_first_and_the_bar_is_whole() -> None:
    plan = load_example("resnet18-int8")
    card = plan_card(plan)
    plain = unescape(card)
    order = ("resnet18-int8", plan.statement, "GPU compute ", "Where time goes", "What to do first", "trex.lint_engine")
    places = [plain.index(words) for words in order]
    assert places == sorted(places)
    shares = [float(share) for share in re.findall(r"flex:([\d.]+) 0 0", card)]
    assert sum(shares) == pytest.approx(100, abs=0.1)
    spoken = re.search(r'role="img" aria-label="([^"]*)"', card)
    assert spoken and all(f"{share:.1f} %" in spoken[1] and f"{share:.1f} %</li>" in card for share in shares)


@pytest.mark.parametrize("case", READABLE[::6], ids=lambda case: case.name)
def test_every_engine_has_a_card(case: Case, tmp_path: Path) -> None:
    card = plan_card(load(case.write(tmp_path)))
    root = ElementTree.fromstring(card.replace("<br>", "<br/>"))
    assert not {element.tag for element in root.iter()} & {"script", "img", "iframe"}
    assert not re.search(r"https?://|@import|url\(", re.sub(r"<dd>.*?</dd>|<li.*?</li>", "", card))

"""Scenes as text: grouped, closed and folded engines look as they did; TREX_UPDATE_SNAPSHOTS=1 accepts a new look."""

from __future__ import annotations

import pytest

from tests.scene_text import scene_text
from tests.snapshot import check_snapshot
from tests.synthetic import CASES
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import load
from trex.views.diagram.drawn_graph import drawn_graph
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle

EXAMPLES = {
    "resnet18-int8": DiagramStyle(),
    "resnet18-int8 modules": DiagramStyle(group_by="module"),
    "resnet18-int8 depth": DiagramStyle(group_by="module", open_depth=1),
    "transformer-fp16 folded": DiagramStyle(fold=True),
    "transformer-fp16 closed": DiagramStyle(close_groups="all"),
    "transformer-fp16 limit": DiagramStyle(fold_from=100, most_nodes=12, group_by="none"),
}
ENGINES = {
    "cnn-10.4 blocks": DiagramStyle(group_by="block", display_regions=True),
    "transformer-11.1 regions": DiagramStyle(group_by="region"),
    "signal-and-wait regions": DiagramStyle(group_by="region"),
}


def text_of(plan, style):
    return scene_text(build_scene(drawn_graph(plan, style), plan, style))


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    plan = synthetic_engine(name.partition(" ")[0])
    check_snapshot(f"scene/{name.replace(' ', '-')}.txt", text_of(plan, EXAMPLES[name]))


@pytest.mark.parametrize("name", ENGINES)
def test_engines_of_the_catalog(name, tmp_path):
    plan = load(CASES[name.partition(" ")[0]].write(tmp_path))
    text = text_of(plan, ENGINES[name]).replace(str(tmp_path), "FOLDER")
    check_snapshot(f"scene/case-{name.replace(' ', '-')}.txt", text)

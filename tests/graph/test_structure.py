"""The grouping that shows a model's shape."""

from __future__ import annotations

import pytest

from tests.factories import engine, layer, t
from tests.synthetic.engines import synthetic_engine
from trex.graph.build import build_graph
from trex.graph.groupings.structure import structure_titles
from trex.graph.groups import grouped
from trex.graph.module_steps import MOST_STEPS
from trex.plan.engine_plan import EnginePlan


def titles_of(plan, depth=None):
    groups = grouped(build_graph(plan), "structure").groups
    return [group.title for group in groups if depth is None or (group.parent is None) == (depth == 0)]


def chain(modules, shapes=None):
    """One layer after another, each in the module called so and writing data of that shape."""
    shapes = shapes or [(1, 8)] * len(modules)
    names = ["x", *[f"t{i}" for i in range(len(modules))]]
    layers = [
        layer(f"l{i}", "Convolution", [names[i]], [t(names[i + 1], shape=shape)], module=module)
        for i, (module, shape) in enumerate(zip(modules, shapes))
    ]
    return EnginePlan(engine(*layers, inputs=["x"], outputs=[names[-1]]))


def test_repeated_blocks_are_counted():
    assert "blocks ×12" in titles_of(synthetic_engine("transformer-fp16"), 0)
    assert "layer1 ×2" in titles_of(synthetic_engine("resnet18-int8"))


def test_numbered_groups_next_to_others_are_one():
    modules = ["/stem", *[f"/h.{i // 2}/{'ab'[i % 2]}" for i in range(16)], "/head"]
    assert titles_of(chain([module.replace(".", "_") for module in modules]), 0) == ["h_0 … h_7 ×8"]
    assert "h_0 … h_4 ×5" not in titles_of(chain([f"/h_{i // 2}/a" for i in range(10)] + ["/head"]))


def test_stages_and_blocks_of_keras_names():
    names = [f"/net/conv{stage}_block{block}_{k}_conv" for stage in (2, 3) for block in (1, 2) for k in (1, 2)]
    titles = titles_of(chain([*names, "/net/head"]))
    assert titles == [
        "net/conv2 ×2", "net/conv2/block1", "net/conv2/block2", "net/conv3 ×2", "net/conv3/block1", "net/conv3/block2",
    ]  # fmt: skip


def test_without_modules_stages_are_sizes_of_feature_maps():
    sizes = [56] * 4 + [28] * 3 + [7] * 2
    assert titles_of(chain([""] * 9, [(1, 8, size, size) for size in sizes])) == ["56×56", "28×28", "7×7"]
    assert titles_of(chain([""] * 4)) == []


def test_many_numbered_words_are_no_deeper_than_many_steps():
    plan = chain([f"/{'_'.join(['a1'] * 200)}/conv{number}" for number in range(2)])
    assert max(map(len, structure_titles(build_graph(plan)))) == MOST_STEPS


@pytest.mark.parametrize("name", ["resnet18-int8", "transformer-fp16"])
def test_a_part_of_a_split_group_has_no_count(name):
    assert not [title for title in titles_of(synthetic_engine(name)) if "×" in title and " of " in title]

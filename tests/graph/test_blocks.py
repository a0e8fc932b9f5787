"""Repeated blocks are found in transformers and CNNs, and nothing that differs is taken for a repetition."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests.factories import engine, layer, t
from tests.synthetic import make_cnn, make_transformer
from tests.synthetic.engines import synthetic_engine
from trex.engine_plan import load
from trex.graph.blocks import Block, find_blocks
from trex.graph.build import build_graph


def graph_of(*layers, inputs=("in",), outputs=("out",), **wanted):
    whole = engine(*layers, inputs=inputs, outputs=outputs)
    plan = SimpleNamespace(working_layers=whole.layers, times=(None,) * len(whole.layers), engine=whole, name="net")
    return build_graph(plan, **wanted)


def step(i, kind, *inputs, writes="", shape=(1, 8), **more):
    return layer(f"{kind}{i}", kind, [t(name, shape) for name in inputs], [t(writes or f"{kind}{i}", shape)], **more)


def repeated(count, first="in", start=0, extra=lambda i: {}):
    """norm → matmul → add (with what came in), ``count`` times."""
    layers, x = [], first
    for i in range(start, start + count):
        layers += [
            step(i, "norm", x),
            step(i, "matmul", f"norm{i}", **extra(i)),
            step(i, "add", x, f"matmul{i}"),
        ]
        x = f"add{i}"
    return layers


def test_a_chain_of_blocks_between_other_layers():
    graph = graph_of(step(0, "embed", "in"), *repeated(5, "embed0"), step(0, "head", "add4", writes="out"))
    assert find_blocks(graph) == (Block(1, 3, 5),)
    assert find_blocks(graph)[0].occurrences == (1, 4, 7, 10, 13)


def test_the_first_repetition_may_read_an_input_of_the_engine():
    assert find_blocks(graph_of(*repeated(4))) == (Block(0, 3, 4),)


def test_what_differs_is_not_folded():
    wide = graph_of(*repeated(6, extra=lambda i: {"tactic": f"tactic{i}", "stream": i}))
    assert find_blocks(wide) == (Block(0, 3, 6),)
    other = graph_of(*repeated(6, extra=lambda i: {"Kernel": [3, 3] if i == 3 else [1, 1]}))
    # The third and later repetitions match again up to the layer that differs.
    assert [(b.length, b.count) for b in find_blocks(other)] == [(3, 3), (3, 2)]
    assert not find_blocks(graph_of(*[step(i, f"kind{i}", f"kind{i - 1}kind" if i else "in") for i in range(20)]))


def test_equal_layers_that_are_wired_differently_are_not_folded():
    layers = repeated(4)
    layers[7] = step(2, "matmul", "norm1")  # reads the repetition before
    blocks = find_blocks(graph_of(*layers))
    assert blocks == (Block(0, 3, 2),)


def test_one_value_from_outside_for_all():
    layers = [step(0, "encoder", "in")]
    x = "start"
    for i in range(6):
        layers += [step(i, "cross", x, "encoder0"), step(i, "mlp", f"cross{i}")]
        x = f"mlp{i}"
    assert find_blocks(graph_of(*layers, inputs=("in", "start"))) == (Block(1, 2, 6),)


def test_each_repetition_may_have_data_of_its_own():
    layers, x = [], "in"
    for i in range(4):
        layers += [step(i, "attention", x, f"cache{i}"), step(i, "mlp", f"attention{i}")]
        x = f"mlp{i}"
    graph = graph_of(*layers, inputs=("in", *[f"cache{i}" for i in range(4)]))
    assert find_blocks(graph) == (Block(0, 2, 4),)


def test_skips_of_a_unet_are_no_repetition():
    layers, x = [], "in"
    for i in range(8):
        layers.append(step(i, "down", x))
        x = f"down{i}"
    for i in range(8):
        layers.append(step(i, "up", x, f"down{7 - i}"))
        x = f"up{i}"
    assert find_blocks(graph_of(*layers)) == ()


def test_repetitions_with_separate_readers_outside_are_not_folded():
    readers = [step(i, "zero", f"add{i}", writes=f"out{i}") for i in (0, 1, 2, 3)]
    assert find_blocks(graph_of(*repeated(4), outputs=["add3"])) == (Block(0, 3, 4),)
    controlled = graph_of(*repeated(4), *readers, outputs=[f"out{i}" for i in range(4)])
    assert not any(block.first < 12 for block in find_blocks(controlled))


def test_all_repetitions_may_hand_something_to_one_reader():
    layers = repeated(5)
    layers.append(layer("join", "Concatenation", [t(f"matmul{i}", (1, 8)) for i in range(5)], ["out"]))
    assert find_blocks(graph_of(*layers)) == (Block(0, 3, 5),)


def test_repetitions_begin_where_numbered_modules_do():
    layers, x = [step(0, "norm", "in")], "norm0"
    for i in range(4):
        module = f"/encoder/layer.{i}"
        layers += [step(i, "matmul", x, module=f"{module}/attention"), step(i + 1, "norm", f"matmul{i}", module=module)]
        x = f"norm{i + 1}"
    assert find_blocks(graph_of(*layers)) == (Block(1, 2, 4),)


def test_memory_shown_between_layers_changes_nothing():
    assert find_blocks(graph_of(*repeated(5), include_regions=True)) == (Block(0, 3, 5),)
    layers = repeated(4)
    layers[7] = step(2, "matmul", "norm1")
    assert find_blocks(graph_of(*layers, include_regions=True)) == (Block(0, 3, 2),)


def loaded(files, folder):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return build_graph(load(folder))


@pytest.mark.parametrize("layers,count", [(120, 11), (300, 29)])
def test_transformers_of_any_length(tmp_path, layers, count):
    (block,) = find_blocks(loaded(make_transformer(layers), tmp_path))
    assert block.length == 10 and block.count >= count - 1


def test_residual_blocks_of_a_cnn(tmp_path):
    graph = loaded(make_cnn(200), tmp_path)
    blocks = find_blocks(graph)
    assert sum(block.saved for block in blocks) > 50
    for block, behind in pairwise(blocks):
        assert block.end <= behind.first


def test_the_bundled_examples():
    (block,) = find_blocks(build_graph(synthetic_engine("transformer-fp16")))
    assert (block.length, block.count) == (10, 12)
    assert len(find_blocks(build_graph(synthetic_engine("resnet18-fp16")))) == 1

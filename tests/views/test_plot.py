"""A tree with many leaves keeps the largest, and its sum."""

from __future__ import annotations

from math import fsum

import pytest

from trex.views.plot import Tree


@pytest.mark.parametrize("most", [1, 7, 40, 100, 400])
def test_a_folded_tree_keeps_its_sum_and_its_largest_leaves(most: int) -> None:
    paths = tuple((f"m{row % 20}", f"n{row % 60}", f"layer {row}") for row in range(300))
    values = tuple(float(row % 37) for row in range(300))
    tree = Tree(paths, values, "ms", keys=tuple("ab"[row % 2] for row in range(300)), layers=tuple(range(300)))
    folded = tree.folded(most)
    assert fsum(value or 0.0 for value in folded.values) == fsum(values)
    assert len(folded.paths) == len(folded.values) == len(folded.keys) == len(folded.layers) <= 2 * most + 1
    known = {layer: value for layer, value in zip(folded.layers, folded.values, strict=True) if layer >= 0}
    assert sorted(filter(None, known.values())) == [value for value in sorted(values)[-most:] if value] and all(
        values[layer] == known[layer] for layer in known
    )
    assert len(set(zip(folded.paths, folded.keys, strict=True))) == len(folded.paths)
    counts = [int(path[-1].split()[0]) for path, layer in zip(folded.paths, folded.layers, strict=True) if layer < 0]
    assert sum(counts) == max(0, 300 - most)

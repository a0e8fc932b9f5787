"""Totals add up what is known and count what is not."""

from __future__ import annotations

from tests.factories import conv, layer, t
from trex.perf.work.plan_works import work_of
from trex.perf.work.totals import total_of, totals_by_kind

CONV = conv("c", [t("x", (1, 8, 4, 4))], [t("y", (1, 8, 4, 4))], (3, 3), module="/net/a/conv")
RELU = layer("r", "Activation", [t("y", (1, 8, 4, 4))], [t("z", (1, 8, 4, 4))], module="/net/b/relu", Activation="RELU")
PLUGIN = layer("p", "PluginV2", ["z"], ["w"], module="/net/b/mine")
LAYERS = (CONV, RELU, PLUGIN)
WORKS = tuple(map(work_of, LAYERS))


def test_unknown_is_counted_not_added():
    total = total_of(WORKS)
    assert total.macs == 4 * 4 * 8 * 8 * 9
    assert total.other_ops == 8 * 4 * 4
    assert (total.layers, total.unknown_macs, total.unknown_other_ops, total.unknown_bytes) == (3, 1, 1, 0)
    assert total.bytes_moved == 3 * 2 * 8 * 4 * 4 * 2 + 8 * 8 * 9 * 2
    assert total.weights_bytes == 8 * 8 * 9 * 2
    assert total.unknown == 1 and list(total.reasons.values()) == [1]
    assert total.approximate_macs == 0


def test_groups_are_ordered_by_their_products():
    groups = totals_by_kind(WORKS)
    assert list(groups) == ["convolution", "elementwise", "plugin"]
    assert sum(item.layers for item in groups.values()) == 3

"""Totals add up what is known and count what is not."""

from __future__ import annotations

from tests.factories import conv, layer, t
from trex.perf.work.plan_works import work_of
from trex.perf.work.totals import batch_of, total_of, totals_by_kind

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


def test_the_batch_is_what_all_bindings_share():
    image, scores = t("x", (32, 3, 224, 224)), t("y", (32, 1000))
    assert batch_of([image], [scores]) == 32
    assert batch_of([image], [t("y", (1, 1000))]) is None
    assert batch_of([t("x", (77, 768))], [t("y", (77, 768))]) is None
    assert batch_of([t("x", (None, 3, 8, 8))], [t("y", (None, 4))]) is None
    assert batch_of([], []) is None

"""A kind of layers and the formula of their MACs and bytes."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="perf/work/kinds",
    plug='''\
"""$title: one sentence on what these layers compute.

Formula: no MACs. Other operations = output values · 2. Bytes: all tensors once.

Source: the definition of the operation, or the paper.

Does not hold for: the cases in which the layer does more or less.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind, type_key
from trex.perf.work.layer_work import output_volume, per_value_work
from trex.perf.work.work import Work

FORMULA = "other operations = output values · 2"


def work(layer: Layer) -> Work:
    return per_value_work("$name", layer, output_volume(layer), 2, FORMULA)


KINDS = (WorkKind(frozenset({type_key("$camel")}), work),)
''',
    test='''\
"""Work of layers of type ``$camel``, computed by hand."""

from __future__ import annotations

from tests.factories import layer, t
from trex.perf.work.plan_works import work_of


def test_operations_and_bytes() -> None:
    work = work_of(layer("a", "$camel", [t("x", [1, 8, 4, 4])], [t("y", [1, 8, 4, 4])]))
    assert (work.kind, work.macs, work.other_ops) == ("$name", 0, 1 * 8 * 4 * 4 * 2)
    assert (work.bytes_read, work.bytes_written) == (128 * 2, 128 * 2)


def test_an_unknown_shape_is_an_unknown_amount() -> None:
    assert work_of(layer("a", "$camel", [t("x", None)], [t("y", None)])).other_ops is None
''',
    related=("tests/perf/work/test_plan_works.py", "tests/perf/work/test_by_hand.py"),
)

"""The document of the examples."""

from __future__ import annotations

from trex.engine_plan import load_example
from trex.views.examples import examples_document


def test_each_example_has_its_description() -> None:
    document = examples_document(
        [("example:resnet18-int8", load_example("resnet18-int8"))], {"alexnet": "AlexNet in FP32"}
    )
    (table,) = document.section("engines").tables
    ((address, subject, layers, average_ms),) = table.rows
    assert (address, layers) == ("example:resnet18-int8", 42)
    assert "ResNet18" in subject and average_ms > 0
    assert "predicted" in document.section("engines").title
    assert document.section("models").tables[0].rows == (("alexnet", "AlexNet in FP32"),)

"""The table of example engines."""

from __future__ import annotations

from trex.engine_plan import load_example
from trex.views.examples import examples_table


def test_each_example_says_what_it_is():
    table = examples_table([("example:resnet18-int8", load_example("resnet18-int8"))])
    ((address, subject, layers, average),) = table.rows
    assert (address, layers) == ("example:resnet18-int8", 35)
    assert "ResNet18" in subject
    assert average > 0
    assert "simulated" in table.title

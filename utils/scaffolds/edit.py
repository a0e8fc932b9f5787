"""A change of a model: ``trex whatif MODEL --NAME``."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="simulator/edits",
    plug='''\
"""One sentence: what the change does to the model, and what its cost answers."""

from __future__ import annotations

from trex.simulator.model_edit import ModelEdit, Sketch


def edit(sketch: Sketch) -> None:
    for operator in sketch.before.operators:
        if operator.type == "$camel" and not operator.domain and operator.outputs:
            sketch.drop(operator)


EDIT = ModelEdit("without $camel", edit)
''',
    test='''\
"""The change ``$name`` of a model."""

from __future__ import annotations

from tests.simulator.passes.written import network
from trex.simulator.model_edit import EDITS, edited


def test_the_operator_is_dropped() -> None:
    model = edited(network("a = $camel x\\n b = Relu a", "b"), [EDITS["$name"]])
    assert [(operator.type, operator.inputs) for operator in model.operators] == [("Relu", ("x",))]
''',
    related=("tests/simulator/test_what_if.py", "tests/cli/test_every_command.py"),
)

"""A state that the diagnosis of an engine names."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="rules/states",
    plug='''\
"""One sentence: what is true of an engine in this state, and why it matters."""

from __future__ import annotations

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State


def describe(facts: DiagnosisFacts) -> Description | None:
    """It may not raise, whatever the engine. Here: engines of one layer."""
    if len(facts.engine.layers) != 1:
        return None
    return Description("one layer makes the whole engine", "measure it inside a network")


STATE = State(5, describe)  # before the states with a higher order
''',
    test='''\
"""The state ``$name``."""

from __future__ import annotations

from tests.factories import layer
from tests.rules.cases import analyzed
from trex.rules.lint import lint


def test_an_engine_in_it_and_one_that_is_not() -> None:
    one = analyzed(layer("a", "Pooling", ["x"], ["y"]), ms=[1.0])
    two = analyzed(layer("a", "Pooling", ["x"], ["y"]), layer("b", "Pooling", ["y"], ["z"]), ms=[1.0, 1.0])
    states = [lint(engine.performance).diagnosis for engine in (one, two)]
    assert [state is not None and state.state == "$name" for state in states] == [True, False]
''',
)

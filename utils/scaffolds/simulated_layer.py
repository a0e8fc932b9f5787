"""How the simulated builder writes layers of a kind."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="simulator/layers",
    plug='''\
"""One sentence: which layers these are."""

from __future__ import annotations

from trex.simulator.draft import Draft, Kind, Step
from trex.simulator.layer_entry import LayerEntry, Told, kernel_name

KINDS: tuple[Kind, ...] = ()  # a Kind of trex/simulator/draft.py that no other file has


def tell(step: Step, draft: Draft) -> Told:
    parameters = {"ParameterType": "$camel"}
    return Told("$camel", parameters, kernel_name(step, draft, "$flat"))


ENTRY = LayerEntry(KINDS, tell)
''',
    test='''\
"""The simulated layers of ``$name``."""

from __future__ import annotations

from tests.simulator.passes.written import after, network
from trex.simulator.layer_entry import LAYERS


def test_what_is_written() -> None:
    draft = after(network("a = Relu x", "a"))
    entry = LAYERS["$name"].value.tell(draft.steps[0], draft)
    assert entry.layer_type == entry.parameters["ParameterType"] == "$camel"
    assert entry.tactic.startswith("sim_sm80_")
''',
    related=("tests/simulator/test_engine_json.py",),
)

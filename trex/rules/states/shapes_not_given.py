"""The engine was built for the size 1 where the model leaves a size open, as no shapes were given."""

from __future__ import annotations

import re

from trex.rules.diagnosis_facts import DiagnosisFacts
from trex.rules.state import Description, State

# An open batch is filled with 1 as well, and means no harm: the last size distinguishes a forgotten shape.
_CHOSEN = re.compile(
    r"input:? (?:with dynamic shape: )?(?P<name>\S+?)(?:, but no|Automatically).*: (?P<shape>(?:\d+x)+1)$"
)

_LONGEST = 4000


def describe(facts: DiagnosisFacts) -> Description | None:
    messages = [note.message for note in facts.engine.plan.notes if note.code == "shape-chosen-by-trtexec"]
    chosen = next(filter(None, (_CHOSEN.search(text) for text in messages if len(text) < _LONGEST)), None)
    if chosen is None:
        return None
    name, shape = chosen["name"], chosen["shape"]
    return Description(
        f"built for {shape} at input {name}, because no shapes were given: nothing here holds for another size",
        f"build it with yours: shapes={name}:{'x'.join('N' if size == '1' else size for size in shape.split('x'))}",
    )


STATE = State(15, describe)

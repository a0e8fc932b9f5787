"""Plans → one name for each, made unique if several plans have the same (the plans keep theirs), and their problems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trex.core.printable import printable
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.doubts import problems_of


def plan_names(plans: Sequence[EnginePlan]) -> list[str]:
    """The plans' names; of several equal ones, ``name (1)``, ``name (2)`` in the order of the plans."""
    counts = Counter(plan.name for plan in plans)
    taken = {name for name, count in counts.items() if count == 1}
    number: Counter[str] = Counter()
    results = []
    for plan in plans:
        name = plan.name
        if counts[name] > 1:
            while name in taken or name == plan.name:
                number[plan.name] += 1
                name = f"{plan.name} ({number[plan.name]})"
            taken.add(name)
        results.append(name)
    return results


def statement_of(plans: Sequence[EnginePlan]) -> str:
    """The sentences below a table of these engines: predicted times, times in doubt, missing layers; "" for none."""
    named = zip(plan_names(plans), plans, strict=True)
    sentences = [
        f"{name}: {text}"
        for name, plan in named
        for text in ((plan.statement,) if plan.provenance.has_predicted_times else ()) + problems_of(plan)
    ]
    return "; ".join(sentences)


def problems_in(plan: EnginePlan) -> list[str]:
    """Sentences on what speaks against the figures of an engine's files; each once."""
    notes = Performance(plan).notes
    return list(dict.fromkeys(printable(note.message) for note in notes if note.severity == "problem"))

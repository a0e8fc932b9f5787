"""Environment → Document: each check of this machine and the command that fixes it."""

from __future__ import annotations

from dataclasses import asdict

from trex.capture.environment import BROKEN, WORKS, Check, Environment
from trex.views.document import Block, Document, Fact, Facts, Section, Text


def environment_document(environment: Environment) -> Document:
    """The verdict, one row per check, and the commands that fix what is missing or broken."""
    facts = tuple(Fact(check.subject, f"{check.status}: {_result(check)}") for check in environment.checks)
    blocks: list[Block] = [Text(_verdict(environment)), Facts(facts)]
    fixes = tuple(dict.fromkeys(check.fix for check in environment.checks if check.fix and check.status != WORKS))
    if fixes:
        blocks += [Text(("To fix:",)), Text(fixes, "command")]
    data = {
        "healthy": environment.is_healthy,
        "obstacles": list(environment.obstacles),
        "checks": [asdict(check) for check in environment.checks],
    }
    return Document("doctor", "This machine", sections=(Section("machine", "", tuple(blocks), data=data),))


def _verdict(environment: Environment) -> tuple[str, ...]:
    if environment.obstacles:
        obstacles = ", ".join(environment.obstacles)
        return (
            f"Can't build or profile engines here: missing or broken: {obstacles}.",
            "Reading and drawing engines captured elsewhere works without these.",
        )
    broken = ", ".join(check.subject for check in environment.checks if check.status == BROKEN)
    return ("Engines can be built and profiled here" + (f"; broken: {broken}." if broken else "."),)


def _result(check: Check) -> str:
    return f"{check.detail} (for {check.purpose})" if check.purpose and check.status != WORKS else check.detail

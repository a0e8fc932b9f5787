"""Session: the folders that a server may read, and the engines that it read last."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.ingest.confinement import is_inside, outside
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import EXAMPLE, find_plans, load_plan
from trex.rules.plan_lint import PlanLint

if TYPE_CHECKING:
    from trex.perf.device import Device
    from trex.rules.lint_result import LintResult

KEPT_PLANS = 4


class Session:
    """Paths are relative to the first root, or absolute; ``example:NAME`` is a bundled engine.

    Raises TrexError for a root that is no folder.
    """

    def __init__(self, roots: Sequence[str | os.PathLike[str]]) -> None:
        for root in roots:
            if not Path(root).is_dir():
                raise TrexError("there is no such folder", "name folders that exist", os.fspath(root))
        self.roots = tuple(map(os.path.realpath, roots))
        self._plans: OrderedDict[tuple[object, ...], PlanLint] = OrderedDict()

    @property
    def readable(self) -> tuple[str, ...]:
        """The roots, and the package's own files."""
        import trex.examples

        return (*self.roots, str(Path(trex.examples.__file__).parent))

    def path(self, address: str) -> str:
        """The absolute path of what an agent named. Raises TrexError for one outside the roots."""
        if address.startswith(EXAMPLE):
            return address
        candidates = [os.path.join(root, address) for root in self.roots]  # noqa: PTH118
        path = next((one for one in candidates if _exists(one)), candidates[0])
        if "\x00" in path or not is_inside(path, self.roots):
            raise outside(address)
        return path

    def plan(self, address: str) -> EnginePlan:
        """The one engine at the address, kept until its files change. Raises TrexError."""
        return self._kept(address).plan

    def lint(self, address: str) -> LintResult:
        """Its findings: of all rules with their defaults, on the engine's own device. Raises TrexError."""
        return self._kept(address).result

    def _kept(self, address: str) -> PlanLint:
        path = self.path(address)
        states = _states(path)
        if not states:  # a baseline file, or the error that says what is wrong
            return PlanLint(load_plan(EnginePlan, path))
        key = (path, *states)
        if key not in self._plans:
            self._plans[key] = PlanLint(load_plan(EnginePlan, path))
        self._plans.move_to_end(key)
        while len(self._plans) > KEPT_PLANS:
            self._plans.popitem(last=False)
        return self._plans[key]


def named_device(name: str) -> Device | None:
    """The GPU of that name; None for "". Raises TrexError for an unknown one and for a file."""
    from trex.perf.known_devices import find_device

    if not name:
        return None
    if name.endswith(".json") or "/" in name or os.sep in name:
        raise TrexError("a GPU is named here, not a file", "for example A100, L4 or RTX 4090")
    return find_device(name)


def _exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _states(path: str) -> tuple[object, ...]:
    """What changes when one of the engine's files does; () if the path has none."""
    try:
        engines = find_plans(path)
    except TrexError:
        return ()
    return tuple(state for one in engines for state in one.state)

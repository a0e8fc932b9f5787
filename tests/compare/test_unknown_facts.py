"""A fact that is lost, unreadable or in another unit changes no verdict of the gate to the wrong one.

Every field of every file of a small engine is damaged, in all records or in every other one, on either side. A run
that is a third slower does not pass then, and a run that equals its base does not fail: a gate that can't judge is
inconclusive. The files are made by tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from tests.store.small_engines import write_engine
from trex.compare.condition import conditions_of
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.plan.engine_plan import EnginePlan

pytestmark = pytest.mark.slow

QUERIES, SLOWER, TRIED = 60, 1.3, 40
LAYER_MS = (0.5, 0.25, 0.1, 0.05)
CONDITIONS = ["latency>+3%", "compute>+3%", "throughput<-3%", "layer-sum>+3%", "layer:conv0>+3%", "enqueue>+3%"]
Files = dict[str, Any]
GONE = object()


class Damage(NamedTuple):
    """file: its ending. path: of the field; ``*`` for the records of a list. is_half: of every other record alone."""

    file: str
    path: tuple[Any, ...]
    act: str
    is_half: bool = False


def of_numbers(change: Callable[[float], object]) -> Callable[[Any], object]:
    def changed(value: Any) -> object:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return change(value) if is_number else [changed(one) for one in value] if isinstance(value, list) else value

    return changed


ACTS: dict[str, Callable[[Any], object]] = {
    "gone": lambda value: GONE,
    "null": lambda value: None,
    "zero": of_numbers(lambda value: 0),
    "NaN": of_numbers(lambda value: float("nan")),
    "negative": of_numbers(lambda value: -value),
    "text": of_numbers(str),
    "of another unit": of_numbers(lambda value: 1e3 * value),
    "empty": lambda value: type(value)() if isinstance(value, str | list | dict) else value,
    "half of it": lambda value: value[: len(value) // 2] if isinstance(value, list) else value,
}


@cache
def files(slower: float) -> Files:
    """{ending: document}. The first layer takes what all take longer."""
    from tempfile import TemporaryDirectory

    times = (LAYER_MS[0] + sum(LAYER_MS) * (slower - 1.0), *LAYER_MS[1:])
    with TemporaryDirectory() as folder:
        write_engine(Path(folder), layer_ms=times, queries=QUERIES)
        documents = {path.name.split(".", 2)[2]: json.loads(path.read_text()) for path in Path(folder).iterdir()}
    for row in documents["profile.json"][1:]:
        row["percentage"] = 100.0 * row["averageMs"] / sum(times)
    queries = documents["timing.json"]
    for query in queries:
        start = query["startEnqMs"] * (slower - 1.0)
        query |= {key: ms + start for key, ms in query.items() if key[:5] == "start" or key[:3] == "end"}
        query["endEnqMs"] = query["startEnqMs"] + 0.02 * slower
    ordered = sorted(query["computeMs"] for query in queries)
    percentiles = [ordered[0], ordered[-1], sum(ordered) / QUERIES, ordered[QUERIES // 2]] + ordered[-1:] * 3
    summary = {"Throughput": 100.0 / slower, "Latency": percentiles, "GPU Compute Time": percentiles}
    summary |= {"Enqueue Time": [0.02 * slower] * 7, "Total Host Walltime": 0.6 * slower}
    return {**documents, "profile.metadata.json": {"performance_summary": summary}}


def paths(document: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if before:
        yield before
    if isinstance(document, dict):
        for key, value in document.items():
            yield from paths(value, (*before, key))
    elif isinstance(document, list) and document and isinstance(document[-1], dict):
        for key, value in document[-1].items():
            yield from paths(value, (*before, "*", key))


def damages() -> list[Damage]:
    every = [Damage(file, (), "gone") for file in files(1.0)]
    for file, document in files(1.0).items():
        for path in paths(document):
            every += [Damage(file, path, act, half) for act in ACTS for half in {False, "*" in path}]
    return every


def apply(damage: Damage, node: Any, path: tuple[Any, ...]) -> None:
    if path[0] == "*":
        records = [record for record in node if isinstance(record, dict) and path[1] in record]
        for record in records[:: 2 if damage.is_half else 1]:
            apply(damage, record, path[1:])
    elif len(path) > 1:
        apply(damage, node[path[0]], path[1:])
    elif (value := ACTS[damage.act](node[path[0]])) is GONE:
        del node[path[0]]
    else:
        node[path[0]] = value


def plan_of(slower: float, folder: Path, damage: Damage | None = None) -> EnginePlan | None:
    """None if the files are refused."""
    documents = deepcopy(files(slower))
    if damage is not None and damage.path:
        apply(damage, documents[damage.file], damage.path)
    elif damage is not None:
        del documents[damage.file]
    for file, document in documents.items():
        (folder / f"net.engine.{file}").write_text(json.dumps(document))
    try:
        return load(folder)
    except TrexError:
        return None
    finally:
        for file in documents:
            (folder / f"net.engine.{file}").unlink()


def statuses(base: EnginePlan, new: EnginePlan) -> dict[str, set[GateStatus]]:
    diff = PlanDiff(base, new)
    return {text: {one.status for one in judge(diff, conditions_of([text]))} for text in CONDITIONS}


def test_the_whole_files_are_judged(tmp_path: Path) -> None:
    base, slow = plan_of(1.0, tmp_path), plan_of(SLOWER, tmp_path)
    assert base is not None and slow is not None
    assert {note.code for plan in (base, slow) for note in plan.notes} <= {"percentile-assumed"}
    assert statuses(base, slow) == {text: {GateStatus.FAILED} for text in CONDITIONS}
    assert statuses(base, base) == {text: {GateStatus.PASSED} for text in CONDITIONS}


@pytest.mark.parametrize("damage", Random(20).sample(damages(), TRIED), ids=lambda damage: "-".join(map(str, damage)))
def test_a_damaged_fact_leads_to_no_wrong_verdict(damage: Damage, tmp_path: Path) -> None:
    base, slow = plan_of(1.0, tmp_path), plan_of(SLOWER, tmp_path)
    damaged, damaged_slow = plan_of(1.0, tmp_path, damage), plan_of(SLOWER, tmp_path, damage)
    assert base is not None and slow is not None
    if damaged is None or damaged_slow is None:
        return
    for left, right in ((base, damaged_slow), (damaged, slow), (damaged, damaged_slow)):
        assert not [text for text, these in statuses(left, right).items() if these == {GateStatus.PASSED}]
    for left, right in ((base, damaged), (damaged, base)):
        assert not [text for text, these in statuses(left, right).items() if GateStatus.FAILED in these]

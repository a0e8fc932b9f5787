"""Every reader is entered by a seed of a target of the fuzzer: a new reader without one fails here."""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.fuzz import doors, targets, user_doors
from tests.fuzz.time_limit import time_limit

TREX = Path(doors.trex.__file__).parent
SEEDS_PER_DOOR = 8
# Functions that no door enters, and why.
NOT_FUZZED = {
    "ingest/onnx_child.inlined": "runs the onnx package in a process of its own, for models with functions",
}
_VERBS = ("read_", "parse", "select_", "recognize", "decode")
_RAW = ("bytes", "LogData", "str | os.PathLike[str]", "Iterable[bytes]")


def test_every_door_is_in_one_target() -> None:
    placed = Counter(door for target in targets.TARGETS.values() for door in target)
    assert set(placed) == set(targets.DOORS) and set(placed.values()) == {1}
    defined = {name for module in (doors, user_doors) for name in _doors_in(Path(module.__file__))}
    assert defined == {door.__name__ for door in targets.DOORS}


def _doors_in(file: Path) -> Iterator[str]:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.args) == "data: bytes, thorough: bool=True":
            yield node.name


@pytest.mark.slow
@pytest.mark.skipif("TREX_LONG" not in os.environ, reason="takes minutes: TREX_LONG=1 runs it")
def test_every_reader_is_entered_by_a_seed() -> None:
    expected = set(_readers())
    assert len(expected) > 60
    entered: set[str] = set()

    def note_call(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(TREX)):
            entered.add(f"{frame.f_code.co_filename}:{frame.f_code.co_name}")

    count: Counter[doors.Door] = Counter()
    for door, data in targets.seeds():
        count[door] += 1
        if count[door] <= SEEDS_PER_DOOR:
            sys.setprofile(note_call)
            try:
                with time_limit(seconds=60):
                    doors.through(door, data, thorough=door is user_doors.model)
            finally:
                sys.setprofile(None)
    assert set(count) == set(targets.DOORS), "a door without a seed"
    names = {entry.removeprefix(f"{TREX}/").replace(".py:", ".") for entry in entered}
    assert not (missing := sorted((expected - names) ^ set(NOT_FUZZED))), "\n".join(missing)


def _readers() -> Iterator[str]:
    """Public functions that read bytes, a file or its text, as ``floor/module.function``."""
    for file in sorted(TREX.rglob("*.py")):
        place = file.relative_to(TREX).with_suffix("").as_posix()
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            # A cached function is entered once in a process: perhaps by another test.
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.decorator_list:
                first = node.args.args[0].annotation if node.args.args else None
                takes = ast.unparse(first) if first else ""
                if node.name.startswith(_VERBS) or (place.startswith("ingest/") and takes in _RAW):
                    yield f"{place}.{node.name}"

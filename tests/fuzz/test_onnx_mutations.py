"""Mutants of ONNX models: a few hundred here, as many as wanted by ``python -m tests.fuzz.onnx_mutations``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("onnx")

from tests.fuzz.onnx_mutations import mutant, next_door, read, seeds, through

pytestmark = pytest.mark.slow

MUTANTS = 250
SMALL = 20_000


def test_mutants_are_simulated_or_refused(tmp_path: Path) -> None:
    models = [data for data in seeds() if len(data) <= SMALL]
    results: Counter[str] = Counter()
    with next_door():
        for seed in range(MUTANTS):
            random = Random(seed)
            data = mutant(random.choice(models), random)
            try:
                results[through(data, random, tmp_path)] += 1
            except Exception as error:
                raise AssertionError(f"the mutant of seed {seed}: {error}") from error
    assert len(models) > 50 and min(results["read"], results["refused"]) > MUTANTS // 10, results


def test_every_seed_is_read(tmp_path: Path) -> None:
    """What is refused is refused because of its mutation."""
    with next_door():
        results = Counter(through(data, Random(0), tmp_path, read) for data in seeds() if len(data) <= SMALL)
    assert set(results) == {"read"}, results


def test_the_same_seed_makes_the_same_mutant() -> None:
    data = seeds()[-1]
    assert mutant(data, Random(7)) == mutant(data, Random(7)) != data

"""``address``: every engine, one after the other: the synthetic ones, the examples, and shared ones where they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.synthetic import CASES
from trex.examples import names

READABLE = [case for case in CASES.values() if not case.expect.error]
SHARED_ENGINES = sorted(path for path in SHARED.glob("engines/*") if path.is_dir())


@pytest.fixture(
    params=[
        *READABLE,
        *(f"example:{name}" for name in names()),
        *(pytest.param(path, marks=pytest.mark.slow) for path in SHARED_ENGINES),
    ],
    ids=lambda given: getattr(given, "name", given),
)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What ``trex.load`` takes."""
    given = request.param
    return str(given if isinstance(given, str | Path) else given.write(tmp_path))

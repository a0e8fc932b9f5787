"""The constants' names, priors and words."""

from __future__ import annotations

from trex.simulator.timing import time_kinds as kinds
from trex.simulator.timing.parameters import (
    ANY_COMPUTE,
    MEMORY_PRIORS,
    compute_name,
    launch_name,
    memory_name,
    parameters,
)

EVERY = parameters(((7, 5), (8, 0)))


def test_each_is_explained_and_possible():
    names = [item.name for item in EVERY]
    assert len(set(names)) == len(names)
    for item in EVERY:
        assert item.meaning and item.unit and item.source
        assert item.prior > 0 and 0 < item.looseness < 1
        assert item.unit != "share" or item.prior <= 1


def test_every_kind_that_launches_a_kernel_has_a_memory_share_and_a_compute_share():
    names = {item.name for item in EVERY}
    launching = {
        value for name, value in vars(kinds).items() if name.isupper() and isinstance(value, str)
    } - {kinds.NOTHING, kinds.HOST}  # fmt: skip
    assert set(MEMORY_PRIORS) == launching
    for kind in launching:
        assert memory_name(kind) in names
        assert compute_name(kind) in names
    assert compute_name(kinds.POOLING) == ANY_COMPUTE
    assert launch_name((8, 0)) in names and launch_name((9, 0)) not in names

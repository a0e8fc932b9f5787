"""Rooflines of every engine: nothing raises, unknown stays unknown, and no real layer beats its device unexplained."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.engines import READABLE
from tests.perf.round_device import round_device
from trex.engine_plan import load, load_all
from trex.perf.achievable import Bound
from trex.perf.performance import Performance
from trex.perf.recognize import find_device
from trex.perf.roofline import IMPOSSIBLE_SHARE, Roofline
from trex.views.document import Detail
from trex.views.perf.sections.roofline import SECTION


def check(roofline: Roofline, layers: int) -> None:
    for name in ("time_ms", "attainable_ms", "achieved_share", "headroom_ms", "least_ms", "bound"):
        assert len(getattr(roofline, name)) == layers, name
    known = ~np.isnan(roofline.attainable_ms)
    assert (known == np.array([bound is not Bound.UNKNOWN for bound in roofline.bounds], dtype=bool)).all()
    assert (roofline.attainable_ms[known] > 0).all()
    assert (np.nan_to_num(roofline.headroom_ms) <= np.nan_to_num(roofline.time_ms)).all()
    assert (np.nan_to_num(roofline.least_ms)[known] <= roofline.attainable_ms[known] * (1 + 1e-12)).all()
    assert not (np.isnan(roofline.time_ms) & ~np.isnan(roofline.achieved_share)).any()
    above = np.nan_to_num(roofline.achieved_share) > IMPOSSIBLE_SHARE
    assert (above <= roofline.impossible).all()
    assert roofline.impossible.any() == ("faster-than-possible" in {note.code for note in roofline.notes})


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_every_engine_of_the_catalog(case, tmp_path):
    plan = load(case.write(tmp_path))
    for device in (None, round_device(), round_device(l2_mib=None, sm_count=None)):
        performance = Performance(plan, device)
        check(performance.roofline, len(plan.working_layers))
        content = SECTION.make(performance, Detail(explain=True))
        if content is not None:
            json.dumps(content.data, allow_nan=False)


def test_no_real_layer_beats_its_device(shared_engines):
    judged = 0
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        for plan in load_all(folder):
            result = Performance(plan).roofline
            check(result, len(plan.working_layers))
            assert not result.impossible.any(), (folder.name, result.notes)
            judged += int((~np.isnan(result.achieved_share)).sum())
    assert judged > 300


def test_a_real_contradiction_is_reported(shared_engines):
    # Nothing in this engine's files names its GPU. On an A10, as its folder's name says, one product of 1 × 9600 × 1280
    # read its 49.2 MB of FP32 weights in 0.0655 ms, which takes 751 GB/s where an A10 has 600: (49.2 − 6.3 of L2) / 600
    # are 0.0715 ms at least. No file names the device; the Note names it first among the likely causes.
    (plan,) = load_all(shared_engines / "trt8.6-controlnet-a10")
    result = Performance(plan, find_device("A10")).roofline
    check(result, len(plan.working_layers))
    (index,) = np.flatnonzero(result.impossible)
    assert plan.working_layers[index].name.startswith("Gemm_1879 ||")
    assert result.achieved_share[index] == pytest.approx(1.09, abs=0.01)
    assert result.achieved_gb_per_s[index] == pytest.approx(751, abs=2)

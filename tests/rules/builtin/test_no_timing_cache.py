"""Builds that time every tactic anew."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, setting, whole

RULE = "no-timing-cache"


def built(**options: str):
    return plan_of(chain("a"), {"a": 1.0}, build=options)


def test_a_local_or_switched_off_cache_is_reported():
    found = finding(RULE, built(timingCacheMode="local", timingCacheFile="", avgTiming="8"))
    assert "was not kept" in found.message
    assert {each.what: each.value for each in found.evidence}["timings of each tactic"] == "8"
    assert "disabled" in finding(RULE, built(timingCacheMode="disable")).message


def test_a_kept_cache_is_none():
    assert reports(RULE, built(timingCacheMode="global", timingCacheFile="/tmp/cache")) == []


def test_it_is_unchecked_without_the_options():
    assert "timing cache" in only_unchecked(RULE, built()).reason
    assert "timing cache" in only_unchecked(RULE, built(Precision="FP32")).reason
    assert reports(RULE, plan_of(chain("a"))) == []


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(
    whole(setting(build={"timingCacheMode": "local"})), whole(setting(build={"timingCacheMode": "global"}))
)

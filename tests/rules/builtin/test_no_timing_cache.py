"""Builds that time every tactic anew."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.making import answers, finding, plan_of, untold

RULE = "no_timing_cache"


def built(**options: str):
    return plan_of(chain("a"), {"a": 1.0}, build=options)


def test_a_local_or_switched_off_cache_is_told():
    found = finding(RULE, built(timingCacheMode="local", timingCacheFile="", avgTiming="8"))
    assert "was not kept" in found.message
    assert {each.what: each.value for each in found.evidence}["timings of each tactic"] == "8"
    assert "switched off" in finding(RULE, built(timingCacheMode="disable")).message


def test_a_kept_cache_is_none():
    assert answers(RULE, built(timingCacheMode="global", timingCacheFile="/tmp/cache")) == []


def test_it_cannot_be_told_without_the_options():
    assert "timing cache" in untold(RULE, built()).reason
    assert "timing cache" in untold(RULE, built(Precision="FP32")).reason
    assert answers(RULE, plan_of(chain("a"))) == []

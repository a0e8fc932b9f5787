"""Conditions of a gate: their texts, and the limits of the configuration."""

from __future__ import annotations

import pytest

from trex.compare.condition import check_limits, conditions_of, read_condition
from trex.core.configuration import CompareConfiguration, Limit
from trex.core.errors import TrexError


@pytest.mark.parametrize(
    "text, metric, glob, limit, is_percent",
    [
        ("latency>+3%", "latency", "", 3.0, True),
        ("compute > 0.2 ms", "compute", "", 0.2, False),
        ("layer:gemm*>+10%", "layer", "gemm*", 10.0, True),
        ("layer:a>b>+.5ms", "layer", "a>b", 0.5, False),
    ],
)
def test_conditions(text, metric, glob, limit, is_percent):
    condition = read_condition(text)
    assert (condition.metric, condition.glob) == (metric, glob)
    assert (condition.limit, condition.is_percent) == (limit, is_percent)


@pytest.mark.parametrize(
    "text", ["", "latency", "latency>3", "latency<-3%", "layer:>3%", "layer>3%", "latency:x>3%", "latency>1.2.3%",
             "latency>3s"]
)  # fmt: skip
def test_texts_that_are_no_conditions(text):
    with pytest.raises(TrexError, match="is not a gate condition") as caught:
        read_condition(text)
    assert "latency>+3%" in caught.value.hint or "layer:GLOB>+3%" in caught.value.hint


def test_an_unknown_metric_names_similar_ones():
    with pytest.raises(TrexError, match="there is no metric 'latencey'") as caught:
        read_condition("latencey>+3%")
    assert "latency" in caught.value.hint


def test_the_command_line_overrides_the_configuration():
    limits = [Limit("latency", "+5%", "trex.toml:2"), Limit("layer:conv*", "+10%", "trex.toml:3")]
    conditions = conditions_of(["latency>+3%"], limits)
    assert [(each.text, each.where) for each in conditions] == [
        ("latency>+3%", ""), ("layer:conv*>+10%", "trex.toml:3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "allowed", "message"),
    [
        ("latencey", "+3%", "no metric 'latencey'"),
        ("latencey", "", "no metric 'latencey'"),
        ("latency", "three", "not a gate condition"),
        ("layer:", "+3%", "not a gate condition"),
    ],
)
@pytest.mark.parametrize("engine", [False, True])
def test_configured_limits_are_checked_with_their_address(metric, allowed, message, engine):
    limits = {metric: Limit(metric, allowed, "trex.toml:7")}
    section = CompareConfiguration(engines=(("*", limits),)) if engine else CompareConfiguration(limits)
    with pytest.raises(TrexError, match=message) as caught:
        check_limits(section)
    assert caught.value.where == "trex.toml:7" and caught.value.hint
    check_limits(CompareConfiguration({"layer:a*": Limit("layer:a*", "")}))


@pytest.mark.parametrize(
    "text", ["layer:" + " " * 200_000 + ">!", "layer" + ":" * 200_000, "latency>+" + "9" * 200_000]
)
def test_a_long_condition_is_refused_at_once(text: str) -> None:
    with pytest.raises(TrexError, match="not a gate condition") as raised:
        read_condition(text)
    assert len(raised.value.message) < 200


def test_a_glob_may_have_a_sign() -> None:
    condition = read_condition(" layer : a>b < c* >  + 3.5 % ")
    assert (condition.metric, condition.glob, condition.limit) == ("layer", "a>b < c*", 3.5)

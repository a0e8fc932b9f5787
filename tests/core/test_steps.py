"""Steps are counted for whoever watches, and cost nothing otherwise."""

from __future__ import annotations

from trex.core.steps import counter, in_steps, is_watched, watched


def test_nobody_watches_by_default() -> None:
    items = [1, 2]
    assert in_steps("item", items) is items and not is_watched()
    with counter("item", 2) as begin:
        begin()


def test_a_part_counts_by_what_is_done_of_it_and_never_falls_back() -> None:
    with watched() as steps:
        shares = []
        for _ in in_steps("engine", ["a", "b"]):
            assert steps.outermost and (steps.outermost.noun, steps.outermost.total) == ("engine", 2)
            for _ in in_steps("rule", range(2)):
                shares.append(steps.share)
            shares.append(steps.share)
        assert shares == [0.0, 0.25, 0.25, 0.5, 0.75, 0.75]
        assert steps.outermost is None and not steps.open


def test_an_error_and_an_early_end_leave_nothing_open() -> None:
    with watched() as steps:
        for _ in in_steps("item", "abc"):
            break
        try:
            with counter("part", 3, (3.0, 1.0, 1.0)) as begin:
                begin()
                begin()
                assert steps.share == 0.6
                raise ValueError
        except ValueError:
            pass
        assert not steps.open
        assert list(in_steps("item", iter("ab"), 2)) == ["a", "b"]

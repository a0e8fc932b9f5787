"""A commit is what its text says; only a hash may be shortened."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from trex.core.errors import TrexError
from trex.store.commits import full_commit, is_same_commit, short_commit

KNOWN = ("v1", "v10", "build10", "main-fix", "12", "1234567", "abcd" * 10, "abcde" * 8)


def full(text: str) -> str:
    def rows(_: str, given: list[str]) -> list[tuple[str]]:
        return [(commit,) for commit in KNOWN[:6] if commit.startswith(given[0])]

    store: Any = SimpleNamespace(queries=SimpleNamespace(rows=rows), storage=SimpleNamespace(where="store"))
    return full_commit(store, text, KNOWN[6:])


@pytest.mark.parametrize("text", ["", *KNOWN, "v2", "1", "build1", "main", "abc", "abcdf", "ABCDA"])
def test_a_text_means_itself(text: str) -> None:
    assert full(text) == text


def test_a_hash_may_be_shortened_while_it_is_one() -> None:
    assert full("abcda") == "abcd" * 10 and full("abcde") == "abcde" * 8 and full("123456") == "1234567"
    with pytest.raises(TrexError, match="2 commits begin with 'abcd'"):
        full("abcd")


def test_hashes_may_be_shortened_on_either_side() -> None:
    assert is_same_commit("abcdabc", "abcd" * 10) and is_same_commit("abcd" * 10, "abcdabc")
    assert is_same_commit("v1", "v1") and not is_same_commit("release-1", "release-10")
    assert not is_same_commit("abcdab", "abcd" * 10) and not is_same_commit("", "abcd" * 10)


def test_only_a_hash_is_shortened() -> None:
    assert short_commit("0123456789abcdef") == "0123456789"
    for tag in ("release-2024-01", "v1.10.0-rc1", "abc1234"):
        assert short_commit(tag) == tag

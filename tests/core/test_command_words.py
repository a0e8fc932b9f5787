"""Command lines that people write."""

from __future__ import annotations

import pytest

from trex.core.command_words import words_of
from trex.core.errors import TrexError


def test_quotes_keep_words_together() -> None:
    assert words_of("./measure.sh 'a b' {folder}") == ["./measure.sh", "a b", "{folder}"]


@pytest.mark.parametrize("line", ["'x", '"', "x\\"])
def test_a_quote_that_is_not_closed_has_an_address(line: str) -> None:
    with pytest.raises(TrexError, match="no command line") as raised:
        words_of(line, "sweep.toml")
    assert raised.value.where == "sweep.toml" and raised.value.hint

"""Files' endings and the formats of documents."""

from __future__ import annotations

import pytest

from trex.core.errors import TrexError
from trex.export.document import EXPORTERS, FORMATS, SHARED_ENDINGS, format_of

PLUGS = (*FORMATS.values(), *EXPORTERS.values())


@pytest.mark.parametrize("plug", PLUGS, ids=lambda plug: plug.name)
def test_every_ending_finds_its_format(plug) -> None:
    for suffix in plug.value.suffixes:
        for command in plug.value.commands or ("lint", "report"):
            assert format_of(f"engine.v2{suffix}", command).name == plug.name
            assert format_of(f"E{suffix.upper()}", command).name == plug.name


def test_endings_of_two_parts_end_in_a_shared_one() -> None:
    """Any other is looked up by its last part alone."""
    long = [suffix for plug in PLUGS for suffix in plug.value.suffixes if suffix.count(".") > 1]
    assert long and all(suffix.rpartition(".")[2] in SHARED_ENDINGS for suffix in long)


@pytest.mark.parametrize("name", ["html", "x.text", "x", "x.sarif"])
def test_other_names_have_no_format(name: str) -> None:
    with pytest.raises(TrexError, match="has the ending of"):
        format_of(name, "compare")

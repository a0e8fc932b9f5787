"""printable_name: separators become +, control characters their escapes, the rest stays."""

from __future__ import annotations

import pytest

from trex.ingest.spelling.printable import printable_name


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("conv1 + relu", "conv1 + relu"),
        ("", ""),
        ("a\x1eb\x1fc", "a+b+c"),
        ("bell\x07", "bell\\x07"),
        ("two\nlines\ttab", "two\\x0alines\\x09tab"),
        ("del\x7f csi\x9b", "del\\x7f csi\\x9b"),
        ("lone\ud800", "lone\\ud800"),
        ("größe 层\u00a0\u200b", "größe 层\u00a0\u200b"),
    ],
)
def test_printable_name(written: str, shown: str) -> None:
    assert printable_name(written) == shown


def test_the_result_can_be_encoded() -> None:
    assert printable_name("".join(map(chr, range(0x100))) + "\udfff").encode()

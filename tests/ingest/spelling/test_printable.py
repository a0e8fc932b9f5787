"""printable_name: separators become +, control characters their escapes, the rest stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trex.ingest.graph_json import engine_from_documents
from trex.ingest.spelling.printable import printable_name, with_separators


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


def test_no_name_of_a_layer_has_a_control_character() -> None:
    """Origins, operations and modules stand in tables and on terminals, too."""
    name = "/m\x1b]0;T\x07/conv/Conv"
    record = {
        "Name": f"{name}\x1f{name}_x", "LayerType": "Conv\x07", "Inputs": [], "Outputs": [], "TacticName": "k\x1b",
        "Metadata": f"[ONNX Layer: {name}]\x1e[ONNX Layer: {name}_y]",
    }  # fmt: skip
    (layer,) = engine_from_documents([{"Layers": [record], "Bindings": []}]).layers
    shown = (layer.name, layer.type, layer.tactic, layer.module, layer.metadata)
    assert all(map(str.isprintable, (*shown, *layer.origins, *layer.name_parts.operations)))
    assert len(layer.origins) == len(layer.name_parts.operations) == 2 and layer.raw == record


@pytest.mark.parametrize("spelled", [printable_name, with_separators])
@pytest.mark.parametrize("filler", ["\n", "\x7f", "\x1e", "\ud800"])
def test_a_name_of_a_damaged_file_grows_no_longer(spelled: Callable[[str], str], filler: str) -> None:
    """Escapes of 20,000 characters would be a name of 80,000, and separators as many operations."""
    assert spelled(f"a{filler * 20_000}b") == f"a{'?' * 20_000}b"
    assert spelled(f"a{filler * 100}b").count("?") == 0

"""``trex.qdq``: Q/DQ in Python."""

from __future__ import annotations

import pytest

import trex
from tests.simulated_examples import load_simulated


@pytest.fixture(scope="module")
def found() -> trex.Quantization:
    return trex.qdq(load_simulated("resnet18-int8"))


def test_one_row_per_qdq(found: trex.Quantization) -> None:
    assert len(found.df) == len(found.operations) > 10 and found.df is found.df
    causes = found.df[found.df["reformats"] > 0]
    assert len(causes) and (causes["reformats_ms"] > 0).all()
    assert found.df["avg_ms"].notna().sum() == found.count("reformat") + found.count("kernel")


def test_it_is_shown_as_by_the_command(found: trex.Quantization) -> None:
    assert "Coverage by type" in str(found) and repr(found).startswith("Quantization('resnet18-int8'")
    page = found._repr_html_()
    assert "<table>" in page and "predicted by trex" in page


def test_a_device_by_name() -> None:
    assert trex.qdq(load_simulated("resnet18-int8"), "L4").operations
    with pytest.raises(trex.TrexError):
        trex.qdq(load_simulated("resnet18-int8"), "L44444")

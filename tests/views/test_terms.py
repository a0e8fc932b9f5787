"""Words of engine files and of our own tables."""

from __future__ import annotations

import pytest

from tests.simulated_examples import load_simulated
from trex.core.data_type import DataType
from trex.plan.attributes import COST_COLUMNS
from trex.views.summary import engine_facts
from trex.views.terms import TERMS, explain_data_type, explain_term


def test_terms_in_any_case_and_spacing():
    assert explain_term("gpu  compute TIME") == ("GPU Compute Time", TERMS["GPU Compute Time"])
    assert explain_term("nothing of the kind") is None


@pytest.mark.parametrize("word", ["averageMs", "timeMs", "medianMs", "percentage", "latencyMs", "computeMs"])
def test_the_keys_of_trtexecs_files_are_explained(word):
    assert explain_term(word)


def test_what_the_summary_measures_is_explained():
    labels = {fact.label for fact in engine_facts(load_simulated("resnet18-int8"))}
    for label in labels - {"Device", "Inputs", "Outputs", "Layers", "TensorRT"}:
        assert explain_term(label), label
    assert explain_term("average") and explain_term("time %")  # headings of its tables


def test_derived_attributes_are_explained():
    assert all(explain_term(column) for column in COST_COLUMNS)


@pytest.mark.parametrize("data_type", [d for d in DataType if d.is_known])
def test_every_element_type_tells_its_size(data_type):
    text = explain_data_type(data_type)
    assert f"{data_type.bits / 8:g} byte" in text


def test_every_text_is_a_sentence():
    assert all(text.endswith((".", ")")) for text in TERMS.values())

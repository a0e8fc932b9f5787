"""Synthetic engines: descriptions, every spelling of their files, and the catalog of cases with expected answers."""

from tests.synthetic.artifacts import artifacts, make_cnn, make_transformer
from tests.synthetic.case import Case, Expect
from tests.synthetic.cases import CASES
from tests.synthetic.description import Description, Region, Step

__all__ = ["CASES", "Case", "Description", "Expect", "Region", "Step", "artifacts", "make_cnn", "make_transformer"]

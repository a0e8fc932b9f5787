"""Names of the DLA's profile rows, as public profiles have them."""

from __future__ import annotations

import pytest

from trex.ingest.spelling.dla_names import dla_row_type, dla_row_types

# NVIDIA/TensorRT issue 3143.
YOLO = {
    "images to nvm": "DlaCopyIn",
    "{ForeignNode[Conv_0...Concat_198]}": "DLA",
    "head_3 from nvm": "DlaCopyOut",
    "images copy finish": "DlaFinish",
    "head_3 copy finish": "DlaFinish",
    "head_2 from nvm": "DlaCopyOut",
    "head_2 copy finish": "DlaFinish",
}
# GoogleNet on Xavier with TensorRT 7.1, its part shortened.
GOOGLENET = {
    "data to nvm": "DlaCopyIn",
    "{conv1/7x7_s2,conv1/relu_7x7,pool1/3x3_s2,loss3/classifier}": "DLA",
    "data copy finish": "DlaFinish",
    "prob input reformatter 0": "",
    "loss3/classifier finish": "DlaFinish",
    "prob": "",
}


@pytest.mark.parametrize("rows", [YOLO, GOOGLENET])
def test_rows_of_public_profiles(rows: dict[str, str]) -> None:
    assert dla_row_types(list(rows)) == list(rows.values())


def test_other_layers_are_no_rows_of_the_dla() -> None:
    names = ["{ForeignNode[a...b]}", "the finish", "conv_to_nvm", "nvm", ""]
    assert dla_row_types(names) == [""] * 5
    assert dla_row_type("the finish") == ""
    assert dla_row_types(["x from nvm", "{ForeignNode[a...b]}"])[1] == "", "a region of the GPU after the DLA"

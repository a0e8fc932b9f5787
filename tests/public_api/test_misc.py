"""The classic grouping helpers."""

from __future__ import annotations

import math

import pandas as pd

from trex import misc

TABLE = pd.DataFrame(
    {"type": ["Conv", "Pool", "Conv"], "precision": ["INT8", "Unknown", "INT8"], "ms": [1.0, 2.0, 3.0]}
)


def test_counting_summing_and_averaging() -> None:
    assert misc.group_count(TABLE, "type").to_dict("list") == {"type": ["Conv", "Pool"], "count": [2, 1]}
    assert misc.group_sum_attr(TABLE, grouping_attr="type", reduced_attr="ms")["ms"].tolist() == [4.0, 2.0]
    assert misc.group_mean_attr(TABLE, "type", "ms")["ms"].tolist() == [2.0, 2.0]


def test_layers_of_unknown_precision_are_not_lost() -> None:
    assert misc.group_sum_attr(TABLE, "precision", "ms")["ms"].sum() == 6.0


def test_the_classic_frame_can_be_drawn_by_its_column_names() -> None:
    found = misc.group_sum_attr(TABLE, "type", "ms")
    assert list(found.columns) == ["type", "ms"]
    assert found.index.tolist() == [0, 1]


def test_shapes_as_text() -> None:
    assert misc.shape_to_str([1, 3, 224, 224]) == "[1, 3, 224, 224]"
    assert misc.shape_to_str((None, 3)) == misc.shape_to_str([-1, 3]) == "[-1, 3]"


def test_stacking() -> None:
    assert misc.stack_dicts([{"a": 1}, {"a": 2, "b": 3}]) == {"a": [1, 2], "b": [0, 3]}
    first = pd.DataFrame({"name": list("defabc"), "ms": range(6)})
    second = pd.DataFrame({"name": list("ga"), "ms": [7, 8]})
    found = misc.stack_dataframes([first, second], "name", "ms", empty_placeholder=float("nan"))
    assert list(found) == list("defabcg")
    assert found["a"] == [3, 8]
    assert math.isnan(found["g"][0])

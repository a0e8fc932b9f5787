"""What TREx changes in place, over every engine."""

from __future__ import annotations

import pandas as pd

import trex
from trex.classic.frames import classic_cleaned, with_classic_tensors
from trex.plan.frames import from_raw_frame, without


def test_frames_change_as_new_ones_would_be(address: str) -> None:
    plan = trex.load(address)
    for change, result in (
        (trex.clean_io, with_classic_tensors),
        (trex.clean_df, classic_cleaned),
        (lambda df: trex.drop_columns(df, ["Name", "tactic"]), lambda df: without(df, ["Name", "tactic"])),
    ):
        frame = plan.df.copy()
        wanted = result(frame)
        assert change(frame) is frame
        pd.testing.assert_frame_equal(frame, wanted)
    raw = pd.DataFrame([layer.raw for layer in plan.all_layers])
    if len(raw):
        wanted = from_raw_frame(raw)
        assert trex.fix_df(raw) is raw
        pd.testing.assert_frame_equal(raw, wanted)


def test_convolutions_are_annotated_in_place(address: str) -> None:
    convs = trex.load(address).get_layers_by_type("Convolution")
    wanted = convs["attr.macs"]
    trex.drop_columns(convs, ["attr.macs"])
    assert trex.annotate_convolutions(convs) is convs and "attr.macs" in convs
    assert len(wanted) == len(convs["attr.macs"])

"""Myelin layers without a profile in their name belong to the profile of their region."""

from __future__ import annotations

from tests.raw_records import chain, codes, layer
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a [profile 1]", "b_myl0_1")}])


def profiles(*layers: dict) -> list[int]:
    return [item.profile for item in engine_from_documents([{"Layers": list(layers)}]).layers]


def conv(mark: str = "") -> dict:
    return layer(f"conv{mark}", "CaskConvolution", [f"x{mark}"], [f"t{mark}"], ParameterType="Convolution")


def test_a_region_has_the_profile_of_its_tensors() -> None:
    assert profiles(
        conv(),
        layer("__myl_Add_myl3_0", "kgen", ["t"], ["u"]),
        conv(" [profile 1]"),
        layer("__myl_Add_myl4_0", "kgen", ["t [profile 1]"], ["u.1_myl4"]),
        layer("__myl_Mul_myl4_1", "kgen", ["u.1_myl4"], ["y [profile 1]"]),
    ) == [0, 0, 1, 1, 1]


def test_a_region_has_the_profile_of_its_layers() -> None:
    assert profiles(
        conv(),
        conv(" [profile 2]"),
        layer("__mye9_0_myl7_0", "shape_call"),
        layer("linear [profile 2]_myl7_1", "gemm", ["t [profile 2]"], ["u"]),
        layer("__myl_Mul_myl7_2", "kgen", ["u"], ["y"]),
    ) == [0, 2, 2, 2, 2]


def test_a_region_without_names_has_the_profile_before_it() -> None:
    engine = engine_from_documents(
        [
            {
                "Layers": [
                    conv(),
                    layer("__myl_Add_myl3_0", "kgen", ["a"], ["b"]),
                    conv(" [profile 1]"),
                    layer("__myl_Add_myl4_0", "kgen", ["c"], ["d"]),
                ]
            }
        ]
    )
    assert [item.profile for item in engine.layers] == [0, 0, 1, 1]
    assert "profile-by-position" in codes(engine)


def test_other_layers_without_a_number_have_profile_0() -> None:
    assert profiles(conv(" [profile 1]"), conv()) == [1, 0]


def test_regions_are_independent_of_their_order() -> None:
    """Layers of a region come before the layer that names its profile, and after layers of another region."""
    assert profiles(
        conv(),
        layer("__myl_A_myl5_0", "kgen", ["q"], ["r"]),
        layer("__myl_B_myl5_1", "kgen", ["r"], ["y [profile 3]"]),
        conv(" [profile 3]"),
    ) == [0, 3, 3, 3]

"""Parts of kernel names: the whole name, in order, and no meaning for an unknown word."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ingest.spelling.tactics.library_names import CUTLASS, OTHERS, STYLED
from tests.ingest.spelling.tactics.xmma_names import POOLING, XMMA
from tests.real_kernels import kernels_in_engines, kernels_in_logs
from trex.core.tactic import NO_TACTIC, NamePart, Tactic
from trex.ingest.spelling.tactic_names import FAMILIES, decode_tactic, part_meaning

NAMES = [name for name, _, _ in (*XMMA, *POOLING, *STYLED, *CUTLASS, *OTHERS)]
WORDS = sorted({word for name in NAMES for word in name.split("_") if word})


def together(parts: tuple[NamePart, ...]) -> str:
    return "".join(part.text + part.separator for part in parts)


@pytest.mark.parametrize("name", NAMES, ids=[name[:60] for name in NAMES])
def test_the_parts_are_the_name(name: str) -> None:
    assert together(decode_tactic(name).parts) == name


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(WORDS), max_size=30).map("_".join)))
def test_whatever_the_name_the_parts_are_the_name(name: str) -> None:
    tactic = decode_tactic(name)
    assert isinstance(tactic, Tactic)
    assert together(tactic.parts) == (name if tactic.parts else "")


@given(st.sampled_from(NAMES), st.text("zqjw", min_size=5, max_size=12))
def test_an_unknown_word_has_no_meaning_and_changes_none(name: str, word: str) -> None:
    plain, longer = decode_tactic(name), decode_tactic(f"{name}_{word}")
    assert longer.parts[-1] == NamePart(word)
    assert dataclasses.replace(longer, parts=()) == dataclasses.replace(plain, parts=())


def test_what_is_not_published_is_unparsed() -> None:
    tactic = decode_tactic("ampere_h16816cudnn_128x64_ldg8_relu_exp_small_nhwc_tn_v1")
    assert [part.text for part in tactic.parts if not part.words] == ["exp"]


def test_hostile_names() -> None:
    for name in ("_" * 500, "__", "sm" + "9" * 1500, "tilesize" + "1x" * 900, "t1r1s" + "1" * 300 + "_xmma", "\0_xmma"):
        assert together(decode_tactic(name).parts) in (name, "")
    assert decode_tactic("xmma_" * 1000) is NO_TACTIC  # longer than any kernel's name
    assert decode_tactic("sm80_xmma_t1r1s" + "1" * 300).parts[-1].words == ""
    assert decode_tactic("xmma_sm\u0668\u0660_gemm").parts[0].text == "xmma"  # digits of other scripts


def test_families_have_titles_and_places_of_their_own() -> None:
    titles = [plug.value.title for plug in FAMILIES.values()]
    assert len(set(titles)) == len(titles)
    assert not FAMILIES.broken


@pytest.mark.parametrize(
    ("word", "meaning"), [("tensor16x8x16", "16×8×16"), ("SM80", "capability 8.0"), ("xmma", "TensorRT's own kernels")]
)
def test_a_word_by_itself(word: str, meaning: str) -> None:
    assert meaning in part_meaning(word)


@pytest.mark.parametrize("word", ["", "n", "80", "_xmma", "small", "hello", "x" * 3000])
def test_a_word_that_says_nothing_by_itself(word: str) -> None:
    assert part_meaning(word) == ""


def test_real_names_are_understood(shared_engines: Path, shared_logs: Path) -> None:
    names = kernels_in_engines(shared_engines) | kernels_in_logs(shared_logs)
    parts = [decode_tactic(name).parts for name in names]
    assert len(names) > 600
    assert sum(all(part.words for part in own) and bool(own) for own in parts) > 0.9 * len(names)
    understood = sum(len(part.text) for own in parts for part in own if part.words)
    assert understood > 0.99 * sum(len(part.text) for own in parts for part in own)
    for name in names:
        tactic = decode_tactic(name)
        assert together(tactic.parts) == (name if tactic.family else ""), name
    assert sum(bool(decode_tactic(name).family) for name in names) > 0.98 * len(names)

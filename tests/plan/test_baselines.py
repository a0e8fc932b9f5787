"""A folder of baselines: found by key, named in part, never one for another."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.core.baseline_key import BaselineKey, word
from trex.core.errors import TrexError
from trex.plan.baselines import baselines_in, find_baseline, is_baseline_file, path_of

KEYS = [
    BaselineKey("resnet18", "a100", "10.4.0"),
    BaselineKey("resnet18", "a100", "10.7.0"),
    BaselineKey("resnet18", "l4", "10.4.0"),
    BaselineKey("bert", "a100", "10.4.0"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for key in KEYS:
        file = path_of(tmp_path, key)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"schema": "trex.baseline/1"}')
    return tmp_path


def test_names_become_words_of_a_key() -> None:
    key = BaselineKey.of("ResNet 18.onnx.engine", "NVIDIA A100-SXM4-40GB", "v10.4.0")
    assert key.text == "resnet-18/a100-sxm4-40gb/10.4.0"
    assert BaselineKey.of("../../etc/passwd", None, "").text == "etc-passwd/unknown-gpu/unknown-version"
    assert BaselineKey.of("…", "NVIDIA", None).text == "engine/unknown-gpu/unknown-version"
    assert word(".." + "x" * 300) == "x" * 100


def test_all_are_listed_in_order(folder: Path) -> None:
    assert [each.key for each in baselines_in(folder)] == sorted(KEYS)
    assert baselines_in(folder / "none") == ()
    assert is_baseline_file(baselines_in(folder)[0].path) and not is_baseline_file(str(folder))


def test_a_folder_that_may_not_be_read_is_not_empty(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trex.plan.baselines.os.access", lambda path, mode: Path(path).name != "l4")
    with pytest.raises(TrexError, match="refuses to list") as error:
        baselines_in(folder)
    assert error.value.where.endswith("l4")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("", KEYS[0]),
        ("resnet18", KEYS[0]),
        ("ResNet18.onnx", KEYS[0]),
        ("resnet18/l4", KEYS[2]),
        ("resnet18/a100/10.7.0", KEYS[1]),
        ("bert", KEYS[3]),
    ],
)
def test_what_a_key_leaves_open_is_as_in_the_new_engine(folder: Path, wanted: str, expected: BaselineKey) -> None:
    assert find_baseline(folder, wanted, KEYS[0]).key == expected


def test_another_gpu_or_release_must_be_named(folder: Path) -> None:
    with pytest.raises(TrexError, match=r"no baseline resnet18/h100/10\.4\.0") as caught:
        find_baseline(folder, "", BaselineKey("resnet18", "h100", "10.4.0"))
    assert "baseline:resnet18/a100/10.4.0" in caught.value.hint
    with pytest.raises(TrexError) as caught:
        find_baseline(folder, "resnet-18", KEYS[0])
    assert "resnet18" in caught.value.hint
    with pytest.raises(TrexError, match="not a baseline key"):
        find_baseline(folder, "a/b/c/d", KEYS[0])
    with pytest.raises(TrexError, match="contains no baseline"):
        find_baseline(folder / "none", "", KEYS[0])

"""Devices by name: bundled ones, the user's own, and errors for unknown names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.perf.known_devices import find_device, is_same_gpu, known_devices, names_other_gpu, plain_name, user_folders


@pytest.fixture(autouse=True)
def no_files_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("TREX_DEVICES", raising=False)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA A10", "NVIDIA A10"),
        ("a10", "NVIDIA A10"),
        ("A100-SXM4-40GB", "NVIDIA A100-SXM4-40GB"),
        ("nvidia a100 sxm4 40gb", "NVIDIA A100-SXM4-40GB"),
        ("A100 80GB PCIe", "NVIDIA A100 80GB PCIe"),
        ("A100-PCIE-80GB", "NVIDIA A100 80GB PCIe"),
        ("V100-SXM2-32GB", "Tesla V100-SXM2-16GB"),
        ("T4", "Tesla T4"),
        ("GeForce RTX 3060", "NVIDIA GeForce RTX 3060"),
        ("RTX 3060", "NVIDIA GeForce RTX 3060"),
        ("RTX 3060 Laptop GPU", "NVIDIA GeForce RTX 3060 Laptop GPU"),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
        ("H100 SXM", "NVIDIA H100 80GB HBM3"),
        ("L40S", "NVIDIA L40S"),
        ("L40", "NVIDIA L40"),
        ("rtx 6000 ada", "NVIDIA RTX 6000 Ada Generation"),
        ("Quadro RTX 6000", "Quadro RTX 6000"),
        ("TITAN RTX", "NVIDIA TITAN RTX"),
    ],
)
def test_names_as_drivers_and_people_write_them(name: str, expected: str) -> None:
    assert find_device(name).name == expected


def test_names_of_all_bundled_devices_are_their_own() -> None:
    listed, notes = known_devices()
    assert not notes and len(listed) > 80
    names = [plain_name(entry.device.name) for entry in listed]
    assert len(set(names)) == len(names)
    for entry in listed:
        assert find_device(entry.device.name) == entry.device


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("RTX 4091", "RTX 4090"),
        ("H10", "NVIDIA H100 80GB HBM3"),
        ("A100 PCIe", "NVIDIA A100-PCIE-40GB"),
        ("H100 PCI", "NVIDIA H100 PCIe"),
        ("gtx 1080", ""),
    ],
)
def test_a_near_miss_is_no_match_but_a_suggestion(name: str, suggested: str) -> None:
    with pytest.raises(TrexError) as raised:
        find_device(name)
    assert f"{name!r}" in raised.value.message and suggested in raised.value.hint


@pytest.mark.parametrize(("name", "expected"), [("A100", "NVIDIA A100-SXM4-80GB"), ("h100", "NVIDIA H100 80GB HBM3")])
def test_a_short_name_is_one_of_several_parts_and_says_so(name: str, expected: str) -> None:
    device = find_device(name)
    assert device.name == expected
    (note,) = device.notes
    assert note.code == "device-name-is-short" and f"means {expected} here; there are also" in note.message
    assert "PCIe" in note.message
    assert find_device(expected).notes == ()


def test_a_name_of_several_devices_is_reported() -> None:
    with pytest.raises(TrexError, match="'Orin' is ambiguous: 10 devices") as raised:
        find_device("Orin")
    assert "Jetson AGX Orin 64GB" in raised.value.hint
    assert find_device("AGX Orin 64GB").sm_count == 16


@pytest.mark.parametrize("name", ["", " ", "NVIDIA", "nvidia gpu", "–", "x" * 5000])
def test_names_without_information_are_reported(name: str) -> None:
    with pytest.raises(TrexError):
        find_device(name)


def test_folders_of_the_user(tmp_path: Path) -> None:
    config = tmp_path / "config"
    assert user_folders({"XDG_CONFIG_HOME": str(config)}) == (config / "trex" / "devices",)
    named = os.pathsep.join(["/a", "", "/b"])
    folders = user_folders({"TREX_DEVICES": named, "XDG_CONFIG_HOME": "relative"})
    assert folders[:2] == (Path("/a"), Path("/b"))
    assert folders[2] == Path("~/.config/trex/devices").expanduser()  # a relative one does not count, says the standard


def test_files_of_the_user_go_before_ours_and_bad_ones_are_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "config" / "trex" / "devices"
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text('{"name": "NVIDIA A10", "sm_count": 71}', encoding="utf-8")
    (folder / "new.json").write_text('{"name": "My GPU", "aliases": ["mine"]}', encoding="utf-8")
    (folder / "bad.json").write_text('{"sm_count": 71}', encoding="utf-8")
    assert find_device("a10").sm_count == 71
    assert find_device("mine").name == "My GPU"
    listed, notes = known_devices()
    assert [entry.device.name for entry in listed if entry.is_users] == ["NVIDIA A10", "My GPU"]
    (note,) = notes
    assert note.code == "device-file-unreadable" and note.where.endswith("bad.json: name")
    with pytest.raises(TrexError, match="unknown device") as raised:
        find_device("nothing like it")
    assert "bad.json" in raised.value.hint
    (folder / "old.json").write_text('{"name": "A10", "sm_count": 60}', encoding="utf-8")
    assert [note.code for note in known_devices()[1]] == ["device-file-unreadable", "device-file-not-used"]
    other = tmp_path / "other"
    other.mkdir()
    (other / "gpu.json").write_text('{"name": "A10", "sm_count": 70}', encoding="utf-8")
    monkeypatch.setenv("TREX_DEVICES", str(other))
    assert find_device("NVIDIA A10").sm_count == 70


def test_a_path_is_read(tmp_path: Path) -> None:
    file = tmp_path / "gpu.json"
    file.write_text('{"name": "One of mine", "sm_count": 3}', encoding="utf-8")
    assert find_device(file).sm_count == find_device(str(file)).sm_count == 3
    with pytest.raises(TrexError, match="can't read the device file"):
        find_device("absent.json")
    with pytest.raises(TrexError, match="can't read the device file"):
        find_device(str(tmp_path / "absent"))


@pytest.mark.parametrize(
    "name, other, same",
    [
        ("NVIDIA A100-SXM4-80GB", "A100 80GB", True),
        ("A100", "NVIDIA A100 80GB PCIe", True),
        ("Tesla T4", "NVIDIA T4", True),
        ("A100-PCIE-80GB", "NVIDIA A100 80GB PCIe", True),
        ("NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB PCIe", False),
        ("A100 40GB", "NVIDIA A100-SXM4-80GB", False),
        ("RTX 3060", "NVIDIA GeForce RTX 3060 Laptop GPU", False),
        ("GTX 1650", "NVIDIA GeForce GTX 1650 Ti", False),
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", False),
        ("NVIDIA", "Tesla T4", False),
    ],
)
def test_names_of_the_same_gpu(name: str, other: str, same: bool) -> None:
    assert is_same_gpu(name, other) is is_same_gpu(other, name) is same


@pytest.mark.parametrize(
    "name, gpu, is_other",
    [
        ("T4", "NVIDIA A100 80GB PCIe", True),
        ("A10", "NVIDIA A100 80GB PCIe", True),
        ("L4", "NVIDIA L40S", True),
        ("Jetson AGX Xavier", "Orin", True),
        ("A100", "NVIDIA A100 80GB PCIe", False),
        ("A100", "NVIDIA A800 80GB PCIe", False),
        ("A100", "NVIDIA A100-SXM4-40GB MIG 1g.5gb", False),
        ("A10", "NVIDIA A10G", False),
        ("RTX 4090", "NVIDIA GeForce RTX 4090 Laptop GPU", False),
        ("Jetson Orin Nano 8GB Super", "Orin", False),
        ("T4", "a GPU of the future", False),
        ("node 7", "Tesla T4", False),
        ("NVIDIA", "Tesla T4", False),
        ("/dev/zero", "Tesla T4", False),
    ],
)
def test_a_name_of_another_gpu(name: str, gpu: str, is_other: bool) -> None:
    assert names_other_gpu(name, gpu) is is_other


def test_no_known_name_is_of_another_gpu() -> None:
    for entry in known_devices()[0]:
        names = (entry.device.name, *entry.device.aliases)
        assert not any(names_other_gpu(name, other) for name in names for other in names)

"""Claims: one holder at a time; free when its process has ended or nobody renews it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.sweep import claims
from trex.sweep.claims import EXPIRES_S, Claimed, claimed, holder_of


def test_a_claim_excludes_others_until_it_is_released(tmp_path: Path) -> None:
    with claimed(tmp_path, "job", "first"):
        assert holder_of(tmp_path, "job") == "first"
        with pytest.raises(Claimed, match="first"), claimed(tmp_path, "job", "second"):
            pass
    assert holder_of(tmp_path, "job") == ""
    with claimed(tmp_path, "job", "second"):
        pass
    assert not list((tmp_path / "claims").iterdir())


def test_a_claim_expires_unless_it_is_renewed(tmp_path: Path) -> None:
    with claimed(tmp_path, "job", "first") as claim:
        path = tmp_path / "claims" / "job"
        old = path.stat().st_mtime - EXPIRES_S - 1
        os.utime(path, (old, old))
        claim.renew()
        assert holder_of(tmp_path, "job") == "first"
        os.utime(path, (old, old))
        with claimed(tmp_path, "job", "second"):
            claim.release()  # it is not ours any more
            assert holder_of(tmp_path, "job") == "second"


@pytest.mark.parametrize("changed", [{"pid": 2**22 + 1}, {"started": 1}])
def test_a_claim_of_a_process_that_has_ended_is_free(tmp_path: Path, changed: dict[str, int]) -> None:
    with claimed(tmp_path, "job", "first"):
        path = tmp_path / "claims" / "job"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
        with claimed(tmp_path, "job", "second"):
            assert holder_of(tmp_path, "job") == "second"


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"host": 1, "pid": "x"}', b"\xff"])
def test_a_damaged_claim_holds_until_it_expires(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "claims" / "job"
    path.parent.mkdir()
    path.write_bytes(text)
    with pytest.raises(Claimed), claimed(tmp_path, "job", "second"):
        pass
    os.utime(path, (1, 1))
    with claimed(tmp_path, "job", "second"):
        assert holder_of(tmp_path, "job") == "second"


def test_a_claim_that_another_process_has_replaced_stays(tmp_path: Path) -> None:
    path = tmp_path / "claims" / "job"
    path.parent.mkdir()
    path.write_text("new")
    claims._remove(path, "old")
    assert path.read_text() == "new" and [path] == list(path.parent.iterdir())


def test_a_folder_that_takes_no_claims_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "claims").write_text("a file")
    with pytest.raises(TrexError, match="cannot be claimed"), claimed(tmp_path, "job", "first"):
        pass


@pytest.mark.skipif(os.name == "nt", reason="links and pipes of POSIX")
@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("nowhere")])
def test_what_is_no_file_in_the_place_of_a_claim_is_an_error(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "claims").mkdir()
    make(tmp_path / "claims" / "job")
    assert holder_of(tmp_path, "job") == ""
    with pytest.raises(TrexError, match="cannot be claimed"), claimed(tmp_path, "job", "first"):
        pass

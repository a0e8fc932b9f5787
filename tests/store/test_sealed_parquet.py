"""Any bit that changes in a table is seen, wherever it lies."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

from tests.store.conftest import Add
from trex.core.errors import TrexError
from trex.store.check import check_store, repair_store
from trex.store.compaction import compact
from trex.store.run_store import RunStore
from trex.store.sealed_parquet import damage_of, seal


@pytest.mark.parametrize("is_compacted", [False, True])
def test_any_flipped_bit_is_seen(store: RunStore, add: Add, is_compacted: bool) -> None:
    add(0.5, 0.25)
    add(0.75)
    if is_compacted:
        compact(store)
    chance = random.Random(1)
    paths = [path for path in Path(store.storage.where, "tables").rglob("*.parquet") if path.stat().st_size]
    assert len(paths) >= 5
    for path in paths:
        data = path.read_bytes()
        assert damage_of(io.BytesIO(data)) == ""
        for _ in range(200):
            flipped = bytearray(data)
            flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            assert damage_of(io.BytesIO(flipped))
        assert damage_of(io.BytesIO(data[: len(data) // 2])) and damage_of(io.BytesIO(data + b"\0"))


def test_a_flipped_bit_is_repaired_and_not_compacted(store: RunStore, add: Add) -> None:
    add(0.5)
    (path,) = Path(store.storage.where).glob("tables/samples/*/*/*.parquet")
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    (problem,) = check_store(store).problems
    assert problem.path.endswith(path.name) and "it was changed after it was written" in problem.message
    with pytest.raises(TrexError, match="damaged"):
        compact(store)
    assert repair_store(store).repaired and not check_store(store).problems


def test_a_link_is_named(store: RunStore, add: Add, tmp_path: Path) -> None:
    """As git-annex leaves them: queries read no file outside the store."""
    add(0.5)
    (path,) = Path(store.storage.where).glob("tables/runs/*/*/*.parquet")
    path.rename(tmp_path / "object.parquet")
    path.symlink_to(tmp_path / "object.parquet")
    (problem,) = check_store(store).problems
    assert "a link is in the place" in problem.message
    assert repair_store(store).repaired and len(RunStore.open(Path(store.storage.where)).frame("runs")) == 1


def test_a_file_without_a_hash_is_damaged() -> None:
    for data in (
        b"",
        b"PAR1",
        b"PAR1" + b"\0" * 100 + b"PAR1",
        b"PAR1" + b"x" * 50 + (50).to_bytes(4, "little") + b"PAR1",
    ):
        assert damage_of(io.BytesIO(data))
        with pytest.raises(ValueError, match=r"hash|missing"):
            seal(io.BytesIO(data))

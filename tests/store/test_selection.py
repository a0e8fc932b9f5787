"""``store:ID`` and ``store:latest`` → runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.store.conftest import Add
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store.listing import parsed_labels
from trex.store.run_store import RunStore
from trex.store.selection import NoRunFits, latest_base, read_selection, select


def test_words_are_read_and_written_again() -> None:
    for text in ("store:0a1b", "store:latest", "store:latest,model=net,branch=main"):
        assert read_selection(text).text == text
    for text in ("store:", "store:0a1b,model=net", "store:latest,model", "store:latest,=x"):
        with pytest.raises(TrexError):
            read_selection(text)


def test_the_latest_run_that_fits(store: RunStore, add: Add) -> None:
    first = add(0.5, commit="aaaaaaa", labels={"branch": "main"})
    second = add(0.6, commit="bbbbbbb", labels={"branch": "topic"})
    other = add(0.7, name="other")
    assert select(store, read_selection(f"store:{first.id[:6]}")) == (first.id,)
    assert select(store, read_selection("store:latest,model=net,branch=main")) == (first.id,)
    assert select(store, read_selection("store:latest,commit=bbbb")) == (second.id,)
    assert select(store, read_selection("store:latest,model=OTHER")) == (other.id,)
    with pytest.raises(TrexError, match="no run fits store:latest,model=nett") as error:
        select(store, read_selection("store:latest,model=nett"))
    assert "net" in error.value.hint


def test_a_run_from_the_future_is_the_latest_until_the_next(store: RunStore, add: Add, tmp_path: Path) -> None:
    add(0.5)
    folder = write_engine(tmp_path / "future", "net", (1.5,))
    for file in folder.iterdir():
        os.utime(file, (2e9, 2e9))
    future = store.add(folder)
    assert select(store, read_selection("store:latest")) == (future.id,)
    present = add(2.5)
    assert select(store, read_selection("store:latest")) == (present.id,)


def test_a_base_is_like_the_new_run_and_not_itself(store: RunStore, add: Add, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same model and labels; its repetitions at the same commit are no base, those at another commit all are."""
    old = [add(0.5 + 0.01 * number, job_key="a" * 64, repetition=number, commit="aaaaaaa") for number in range(2)]
    add(0.1, labels={"batch": "8"}, commit="aaaaaaa")
    new = [add(0.6 + 0.01 * number, job_key="a" * 64, repetition=number, commit="bbbbbbb") for number in range(2)]
    add(0.2, name="other")
    for number in range(5):  # many later runs of other configurations
        add(0.7, labels={"clock": str(number)}, commit="ccccccc")
    monkeypatch.setattr("trex.store.selection._PAGE", 2)
    found = latest_base(store, read_selection("store:latest"), new[0])
    assert set(found) == {run.id for run in old}
    with pytest.raises(TrexError, match="no run fits"):
        latest_base(
            store,
            read_selection("store:latest"),
            store.run(select(store, read_selection("store:latest,model=other"))[0]),
        )


def test_a_run_has_at_most_a_hundred_labels(store: RunStore, add: Add) -> None:
    """Each is a condition of a query, and an axis of a sweep."""
    add(0.5, labels={f"label{number}": "1" for number in range(100)})
    with pytest.raises(TrexError, match="101 labels"):
        add(0.5, labels={f"label{number}": "1" for number in range(101)})
    with pytest.raises(TrexError, match="101 labels"):
        parsed_labels(["a=b"] * 101)
    with pytest.raises(TrexError, match="101 labels"):
        read_selection("store:latest" + ",a=b" * 101)


def test_the_base_of_an_engine_without_a_gpu_is_of_one_gpu(store: RunStore, tmp_path: Path) -> None:
    for gpu in ("A100", "T4"):
        folder = write_engine(tmp_path / gpu)
        device = {"device_information": {"Selected Device": gpu}}
        (folder / "net.engine.profile.metadata.json").write_text(json.dumps(device))
        store.add(folder)
    facts = {"model": "net"}
    with pytest.raises(NoRunFits, match="name no GPU") as error:
        latest_base(store, read_selection("store:latest"), None, facts)
    assert "A100, T4" in error.value.hint
    for given in (facts | {"gpu": "T4"}, facts):
        chosen = read_selection("store:latest" + (",gpu=T4" if given is facts else ""))
        (base,) = latest_base(store, chosen, None, given)
        assert store.run(base).gpu == "T4"

"""Quirks: each documents itself, applies to the example in its own test, and is added by one file."""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import trex.ingest.quirk as quirk_module
from tests.raw_records import chain
from trex.core.errors import TrexError
from trex.core.registry import Registry
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.quirk import QUIRKS, Quirk, QuirkStage, in_order, run_quirks
from trex.ingest.raw_engine import RawEngine, RawLayer

HEADINGS = ("What it finds", "Why it matters", "What it does")


def applied_quirks(raw: RawEngine) -> set[str]:
    """Names of the quirks that apply to a raw engine, each checked at its own stage."""
    applied = set()
    plugs = in_order(quirk_module.QUIRKS.values())

    def observed(plug) -> Quirk:
        def apply(raw: RawEngine) -> None:
            applied.add(plug.name)
            plug.value.apply(raw)

        return Quirk(plug.value.stage, plug.value.applies, apply)

    run_quirks(raw, [observed(plug) for plug in plugs])
    return applied


def test_nothing_is_broken() -> None:
    assert QUIRKS.broken == ()
    assert len(QUIRKS) >= 12


@pytest.mark.parametrize("name", sorted(QUIRKS))
def test_a_quirk_documents_itself(name: str) -> None:
    doc = QUIRKS[name].doc
    title, blank, *rest = doc.splitlines()
    assert title.endswith(".")
    assert blank == ""
    headings = ["\n".join(rest).find(f"{heading}: ") for heading in HEADINGS]
    assert -1 not in headings
    assert headings == sorted(headings)


@pytest.mark.parametrize("name", sorted(QUIRKS))
def test_a_quirk_applies_to_its_example(name: str) -> None:
    """Each quirk's own test file has a function ``example`` that returns an engine with the quirk."""
    own_test = import_module(f"tests.ingest.quirks.test_{name.replace('-', '_')}")
    assert name in applied_quirks(own_test.example())


class WatchedRecord(dict[str, Any]):
    """A record that knows which of its keys were looked up."""

    def __init__(self, record: dict[str, Any]) -> None:
        super().__init__(record)
        self.seen: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.seen.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.seen.add(str(key))
        return super().__contains__(key)


def test_a_type_reader_names_the_keys_that_it_reads() -> None:
    """Records with equal values of these keys share one answer."""
    values: tuple[Any, ...] = ("Half", "kHWC8", 4, 1, [{"Format": "kLINEAR"}])
    keys = ("Datatype", "DataType", "Format", "Format/Datatype", "IOMode", "ProfileInfo", "VectorWidth", "VectorAxis")
    readers = 0
    for name in QUIRKS:
        raw = import_module(f"tests.ingest.quirks.test_{name.replace('-', '_')}").example()
        run_quirks(raw)
        readers += len(raw.type_readers)
        for reader in raw.type_readers:
            for chosen in range(1 << len(keys)):
                own = {key: values[index % 5] for index, key in enumerate(keys) if chosen >> index & 1}
                for shifted in (own, {key: "Half" if value == 4 else 4 for key, value in own.items()}):
                    record = WatchedRecord({"Name": "x", "Dimensions": [1], **shifted})
                    reader.read(record)
                    assert record.seen <= {*reader.keys}
    assert readers >= 3


@pytest.mark.parametrize("name", sorted(set(QUIRKS) - {"separators-in-names"}))
def test_a_quirk_leaves_other_engines_alone(name: str) -> None:
    plain = RawEngine(documents=[{"Layers": chain("a", "b"), "Bindings": ["x", "y"]}])
    assert name not in applied_quirks(plain)


@pytest.mark.parametrize("name", sorted(QUIRKS))
def test_asking_changes_nothing(name: str) -> None:
    documents: list[Any] = [{"Layers": chain("a", "b")}, {"Layers": ["a"]}, [], {"x": 1}, 7]
    for document in documents:
        raw = RawEngine(documents=[document])
        if QUIRKS[name].value.stage is not QuirkStage.DOCUMENT:
            raw.open()
        before = repr((raw.documents, raw.notes, raw.bindings, raw.extra, raw.tensor_names, [*map(facts, raw.layers)]))
        QUIRKS[name].value.applies(raw)
        after = repr((raw.documents, raw.notes, raw.bindings, raw.extra, raw.tensor_names, [*map(facts, raw.layers)]))
        assert after == before


def facts(layer: RawLayer) -> tuple:
    return (layer.name, layer.type, layer.subtype, layer.role, layer.profile, layer.unwritten, layer.record)


def test_stages_run_in_order_whatever_the_order_given() -> None:
    ran: list[QuirkStage] = []

    def of(stage: QuirkStage) -> Quirk:
        return Quirk(stage, lambda raw: True, lambda raw: ran.append(stage))

    quirks = [of(stage) for stage in QuirkStage]
    random.Random(3).shuffle(quirks)
    run_quirks(RawEngine(documents=[{"Layers": chain("a")}]), quirks)
    assert ran == list(QuirkStage)


def test_layers_are_there_after_the_document_stage() -> None:
    seen: dict[QuirkStage, int] = {}

    def seeing(stage: QuirkStage) -> Quirk:
        def applies(raw: RawEngine) -> bool:
            seen[stage] = len(raw.layers)
            return False

        return Quirk(stage, applies, lambda raw: None)

    quirks = [seeing(stage) for stage in QuirkStage]
    run_quirks(RawEngine(documents=[{"Layers": chain("a", "b")}]), quirks)
    assert [seen[stage] for stage in QuirkStage] == [0] + [2] * 7


NEW_QUIRK = '''"""Shouting: layers whose type is in capitals.

What it finds: types such as ``CONVOLUTION``.
Why it matters: no table knows them.
What it does: lowers its voice.
"""

from trex.ingest.quirk import Quirk, QuirkStage


def applies(raw):
    return any(layer.type.isupper() for layer in raw.layers)


def apply(raw):
    for layer in raw.layers:
        layer.type = layer.type.title()
    raw.note("shouting", "it shouted")


QUIRK = Quirk(QuirkStage.MEANING, applies, apply)
'''


def test_a_quirk_is_added_by_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One new file in the package's folder is enough for a new spelling."""
    own = Path(quirk_module.__file__).parent / "quirks"
    package = tmp_path / "third_party_quirks"
    package.mkdir()
    (package / "__init__.py").write_text(f"__path__ = [{str(own)!r}, __path__[0]]\n", encoding="utf-8")
    (package / "shouting.py").write_text(NEW_QUIRK, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry("third_party_quirks", "QUIRK")
    assert set(registry) == {*QUIRKS, "shouting"}
    monkeypatch.setattr(quirk_module, "QUIRKS", registry)
    loud = chain("a")
    loud[0]["LayerType"] = "CONVOLUTION"
    engine = engine_from_documents([{"Layers": loud, "Bindings": ["x", "y"]}])
    assert engine.layers[0].type == "Convolution"
    assert [note.code for note in engine.notes] == ["shouting"]


class EntryPoint:
    """A third party's plug as importlib.metadata returns it."""

    name = "shouting"

    def __init__(self, module: object) -> None:
        self.module = module

    def load(self) -> object:
        if isinstance(self.module, Exception):
            raise self.module
        return self.module


def offered(monkeypatch: pytest.MonkeyPatch, module: object) -> None:
    """Lets an installed distribution offer the module under ``trex.quirks``."""
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [EntryPoint(module)] if group == "trex.quirks" else []
    )
    monkeypatch.setattr(quirk_module, "QUIRKS", Registry("trex.ingest.quirks", "QUIRK"))


def test_a_third_party_adds_a_quirk_by_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shouting_quirk.py").write_text(NEW_QUIRK, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    offered(monkeypatch, __import__("shouting_quirk"))
    loud = chain("a")
    loud[0]["LayerType"] = "CONVOLUTION"
    assert engine_from_documents([{"Layers": loud}]).layers[0].type == "Convolution"


def test_a_quirk_that_cannot_be_imported_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, ImportError("no module named chocolate"))
    engine = engine_from_documents([{"Layers": chain("a"), "Bindings": ["x", "y"]}])
    (note,) = engine.notes
    assert note.code == "broken-quirk"
    assert "chocolate" in note.message
    with pytest.raises(TrexError):
        engine_from_documents([{"Layers": []}])

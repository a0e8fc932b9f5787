"""The registry: one plug is one file, and errors in a plug name its file."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from trex.core.errors import TrexError
from trex.core.registry import PlugItems, Registry
from trex.ingest.quirk import QUIRKS, in_order

GOOD = '"""A plug that doubles.\n\nMore about it."""\nPLUG = 2\n'


class Plugs:
    """A package of plugs in a temporary folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        self.name = name
        self.write("__init__", "")

    def write(self, name: str, text: str) -> Path:
        file = self.folder / f"{name}.py"
        file.write_text(text, encoding="utf-8")
        return file

    def registry(self) -> Registry:
        """A new registry; the modules of earlier ones are removed from sys.modules."""
        for module in [m for m in sys.modules if m == self.name or m.startswith(f"{self.name}.")]:
            del sys.modules[module]
        importlib.invalidate_caches()
        return Registry(self.name, "PLUG")


@pytest.fixture
def plugs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Plugs:
    monkeypatch.syspath_prepend(str(tmp_path))
    return Plugs(tmp_path, f"plugs_of_{request.node.name.partition('[')[0]}")


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch):
    """Pretends that a third party registered plugs: ``entry(group, name, module)``."""
    registered: list[tuple[str, str, ModuleType | Exception]] = []

    class Entry:
        def __init__(self, name: str, value: ModuleType | Exception) -> None:
            self.name, self.value = name, value

        def load(self) -> ModuleType:
            if isinstance(self.value, Exception):
                raise self.value
            return self.value

    def entry_points(*, group: str) -> list[Entry]:
        return [Entry(name, value) for of_group, name, value in registered if of_group == group]

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    return lambda group, name, value: registered.append((group, name, value))


def third_party(name: str = "third_party", doc: str | None = "A plug from elsewhere.", plug: object = 7) -> ModuleType:
    module = ModuleType(name, doc)
    module.__file__ = f"/site-packages/{name}.py"
    module.PLUG = plug
    return module


def test_a_plug_is_found_by_its_file_name(plugs: Plugs) -> None:
    file = plugs.write("twice_as_much", GOOD)
    registry = plugs.registry()
    assert registry.names == ("twice-as-much",)
    plug = registry["twice-as-much"]
    assert plug.value == 2
    assert plug.summary == "A plug that doubles."
    assert plug.doc == "A plug that doubles.\n\nMore about it."
    assert Path(plug.file) == file


def test_adding_one_plug_touches_one_file(plugs: Plugs) -> None:
    plugs.write("first", GOOD)
    before = {file.name: file.read_bytes() for file in plugs.folder.iterdir() if file.is_file()}
    assert list(plugs.registry()) == ["first"]
    plugs.write("second", GOOD)
    assert list(plugs.registry()) == ["first", "second"]
    after = {file.name: file.read_bytes() for file in plugs.folder.iterdir() if file.is_file()}
    assert {name for name in after if after[name] != before.get(name)} == {"second.py"}


def test_plugs_are_sorted_by_name(plugs: Plugs) -> None:
    for name in ("zebra", "apple", "mango"):
        plugs.write(name, GOOD)
    registry = plugs.registry()
    assert list(registry) == list(registry.names) == ["apple", "mango", "zebra"]
    assert len(registry) == 3


def test_private_files_are_no_plugs(plugs: Plugs) -> None:
    plugs.write("_shared", "raise RuntimeError('never imported')\n")
    plugs.write("real", GOOD)
    registry = plugs.registry()
    assert list(registry) == ["real"]
    assert registry.broken == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"""Doc."""\nimport a_library\n', "ModuleNotFoundError: No module named 'a_library'"),
        ('"""Doc."""\nraise ValueError("no luck")\n', "ValueError: no luck"),
        ('"""Doc."""\nraise SystemExit(3)\n', "SystemExit: 3"),
        ('"""Doc."""\nPLUG = = 1\n', "SyntaxError"),
        ('"""Doc."""\n', "does not define 'PLUG'"),
        ("PLUG = 1\n", "has no docstring"),
        ('"""  """\nPLUG = 1\n', "has no docstring"),
    ],
)
def test_a_broken_plug_is_listed_with_the_reason_and_the_others_work(plugs: Plugs, text: str, reason: str) -> None:
    plugs.write("bad_one", text)
    plugs.write("good", GOOD)
    registry = plugs.registry()
    assert list(registry) == ["good"]
    (broken,) = registry.broken
    assert broken.name == "bad-one"
    assert reason in broken.reason


def test_load_imports_only_the_plug_asked_for(plugs: Plugs) -> None:
    plugs.write("good", GOOD)
    plugs.write("bad", '"""Doc."""\nraise ValueError("imported")\n')
    registry = plugs.registry()
    assert registry.load("good").value == 2
    assert f"{plugs.name}.bad" not in sys.modules
    with pytest.raises(ValueError, match="imported"):
        registry.load("bad")


def test_load_of_an_unknown_name_says_what_comes_close(plugs: Plugs) -> None:
    plugs.write("no_bindings", GOOD)
    plugs.write("other", GOOD)
    with pytest.raises(TrexError) as caught:
        plugs.registry().load("no-binding")
    assert "'no-binding'" in caught.value.message
    assert caught.value.hint == "did you mean no-bindings?"
    assert "other" not in caught.value.hint


def test_names_are_found_without_importing_any_plug(plugs: Plugs) -> None:
    plugs.write("bad", "raise SystemExit\n")
    assert plugs.registry().names == ("bad",)


def test_two_files_of_one_name_are_refused_naming_both(plugs: Plugs, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "twin.py").write_text(GOOD, encoding="utf-8")
    plugs.write("twin", GOOD)
    plugs.write("__init__", f"__path__.append({str(elsewhere)!r})\n")
    with pytest.raises(TrexError) as caught:
        plugs.registry().names  # noqa: B018
    assert str(plugs.folder / "twin") in str(caught.value)
    assert str(elsewhere / "twin") in str(caught.value)


def test_a_third_party_adds_a_plug_by_an_entry_point(plugs: Plugs, entry) -> None:
    plugs.write("ours", GOOD)
    registry = plugs.registry()
    entry(registry.entry_point_group, "theirs", third_party())
    entry("trex.another_group", "not-here", third_party())
    assert list(registry) == ["ours", "theirs"]
    assert registry["theirs"].value == 7
    assert registry["theirs"].summary == "A plug from elsewhere."
    assert registry.load("theirs").value == 7
    assert registry.chosen("theirs").value == 7
    assert registry.names == ("ours",)
    assert registry.known_names == ("ours", "theirs")


def test_a_chosen_plug_that_cannot_be_imported_is_an_error_with_the_reason(plugs: Plugs, entry) -> None:
    plugs.write("ours", '"""Doc."""\nraise ValueError("our bug")\n')
    registry = plugs.registry()
    entry(registry.entry_point_group, "theirs", ImportError("needs CUDA"))
    assert registry.known_names == ("ours", "theirs")
    with pytest.raises(TrexError, match="'theirs' cannot be loaded: ImportError: needs CUDA") as caught:
        registry.chosen("theirs")
    assert "package" in caught.value.hint
    with pytest.raises(ValueError, match="our bug"):
        registry.chosen("ours")
    with pytest.raises(TrexError, match="'their'") as caught:
        registry.chosen("their")
    assert "theirs" in caught.value.hint


def test_entry_points_are_grouped_by_the_kind_of_plug() -> None:
    assert Registry("trex.ingest.quirks", "QUIRK").entry_point_group == "trex.quirks"


def test_a_third_party_cannot_take_our_name(plugs: Plugs, entry) -> None:
    file = plugs.write("ours", GOOD)
    registry = plugs.registry()
    entry(registry.entry_point_group, "ours", third_party("intruder"))
    with pytest.raises(TrexError) as caught:
        list(registry)
    assert str(file) in str(caught.value)
    assert "/site-packages/intruder.py" in str(caught.value)


def test_a_third_party_that_fails_does_not_take_ours_down(plugs: Plugs, entry) -> None:
    plugs.write("ours", GOOD)
    registry = plugs.registry()
    entry(registry.entry_point_group, "theirs", ImportError("needs CUDA"))
    entry(registry.entry_point_group, "silent", third_party(doc=None))
    assert list(registry) == ["ours"]
    assert [(b.name, b.reason) for b in registry.broken] == [
        ("theirs", "ImportError: needs CUDA"),
        ("silent", "AttributeError: third_party has no docstring: a plug's docstring is its documentation"),
    ]


@pytest.mark.parametrize("plug", [None, 7, (), (7,), SimpleNamespace(code="X001")])
@pytest.mark.parametrize("is_tuple", [False, True])
def test_a_value_of_another_type_is_a_broken_plug(plugs: Plugs, entry, plug: object, is_tuple: bool) -> None:
    plugs.write("ours", '"""Doc."""\nPLUG = ("x",)\n' if is_tuple else '"""Doc."""\nPLUG = "x"\n')
    registry = plugs.registry()
    registry.kind, registry.is_tuple = str, is_tuple
    entry(registry.entry_point_group, "theirs", third_party(plug=plug))
    if is_tuple and plug == ():
        assert list(registry) == ["ours", "theirs"]
        return
    assert list(registry) == ["ours"] and [broken.name for broken in registry.broken] == ["theirs"]
    with pytest.raises(TrexError, match="PLUG is not"):
        registry.chosen("theirs")


def test_every_quirk_of_ours_can_be_imported() -> None:
    assert QUIRKS.broken == ()
    assert set(QUIRKS) >= set(QUIRKS.names) != set()


def test_a_registered_quirk_runs_in_its_stage() -> None:
    stages = [plug.value.stage for plug in in_order(QUIRKS.values())]
    assert stages == sorted(stages)


def test_a_registry_may_be_called_otherwise_than_its_folder() -> None:
    named = Registry("trex.rules.builtin", "RULE", "rules")
    assert (named.entry_point_group, named.noun) == ("trex.rules", "rule")
    assert Registry("trex.ingest.quirks", "QUIRK").entry_point_group == "trex.quirks"


ITEMS = """\"\"\"Several items.\"\"\"
from types import SimpleNamespace
PLUG = tuple(SimpleNamespace(name=name, rank=rank) for name, rank in {pairs})
"""


def items_of(registry: Registry) -> PlugItems:
    return PlugItems(registry, lambda plug, item: (item.rank, plug.name))


def test_one_file_may_offer_several_items(plugs: Plugs, entry) -> None:
    plugs.write("first", ITEMS.format(pairs=(("z", 1), ("a", 2), ("y", 1))))
    registry = plugs.registry()
    entry(registry.entry_point_group, "theirs", third_party(plug=(SimpleNamespace(name="b", rank=0),)))
    items = items_of(registry)
    assert list(items) == ["b", "z", "y", "a"] and len(items) == 4
    assert [item.name for item in items.own] == ["z", "y", "a"]
    plugs.write("second", ITEMS.format(pairs=(("x", 1),)))
    assert list(items_of(plugs.registry())) == ["b", "z", "y", "x", "a"]


def test_two_items_of_one_name_are_refused_naming_both_files(plugs: Plugs) -> None:
    for file in ("first", "second"):
        plugs.write(file, ITEMS.format(pairs=(("same", 1),)))
    with pytest.raises(TrexError, match="'same'") as caught:
        len(items_of(plugs.registry()))
    assert str(plugs.folder / "first.py") in str(caught.value)
    assert str(plugs.folder / "second.py") in str(caught.value)


def test_python_without_docstrings_is_an_error_that_says_so(monkeypatch):
    monkeypatch.setattr("trex.core.registry.sys", SimpleNamespace(flags=SimpleNamespace(optimize=2)))
    with pytest.raises(TrexError, match="leaves docstrings out"):
        Registry("trex.ingest.quirks", "QUIRK").load(QUIRKS.names[0])

"""Registry: the plugs (quirks, charts, exporters, commands …) of a package, one file each."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Plug:
    """One plug: its name, its module, and the value of the registry's attribute in that module."""

    name: str
    module: ModuleType
    value: Any

    @property
    def doc(self) -> str:
        """The module's docstring, which is the plug's documentation."""
        return (self.module.__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return self.doc.partition("\n")[0].strip()

    @property
    def file(self) -> str:
        return self.module.__file__ or self.module.__name__


@dataclass(frozen=True)
class BrokenPlug:
    """A plug whose import failed, and why; the others keep working."""

    name: str
    reason: str


class Registry(Mapping[str, Plug]):
    """The plugs of one package, by name, sorted.

    package: dotted name of the folder with one file per plug. attribute: the name that each file must define.
    Names are the file names with ``-`` for ``_``. Third parties add plugs through the entry-point group
    ``trex.<plural>``: the entry's name is the plug's name, its value a module.
    plural: the noun for plugs, by default the last part of the package. kind: the attribute's type; is_tuple: it is a
    tuple of them. Another value makes the plug a broken one.
    Raises TrexError, naming both files, if two plugs share a name.
    """

    def __init__(
        self, package: str, attribute: str, plural: str = "", *, kind: Any = object, is_tuple: bool = False
    ) -> None:
        self.package = package
        self.attribute = attribute
        self.plural = plural or package.rpartition(".")[2]
        self.kind = kind
        self.is_tuple = is_tuple

    @property
    def entry_point_group(self) -> str:
        return f"trex.{self.plural}"

    @property
    def noun(self) -> str:
        """The noun for one plug."""
        plural = self.plural
        return plural.removesuffix("ies") + "y" if plural.endswith("ies") else plural.removesuffix("s")

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Module path of each plug in the package's folder; imports none."""
        modules: dict[str, str] = {}
        files: dict[str, str] = {}
        for folder in importlib.import_module(self.package).__path__:
            for module in pkgutil.iter_modules([folder]):
                if module.name.startswith("_"):
                    continue
                name, file = module.name.replace("_", "-"), str(Path(folder, module.name))
                if name in files:
                    raise self.duplicate(name, files[name], file)
                files[name], modules[name] = file, f"{self.package}.{module.name}"
        return dict(sorted(modules.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plugs in the package's folder; imports none."""
        return tuple(self._modules)

    @cached_property
    def known_names(self) -> tuple[str, ...]:
        """Names of all plugs, the package's first, then those of third parties; imports none."""
        return tuple(dict.fromkeys((*self._modules, *sorted(entry.name for entry in self._entries()))))

    def load(self, name: str) -> Plug:
        """One plug; imports only its own file, and passes on what that raises.

        Raises TrexError for an unknown name, with similar ones.
        """
        if name in self._modules:
            return self._plug(name, importlib.import_module(self._modules[name]))
        for entry in self._entries():
            if entry.name == name:
                return self._plug(name, entry.load())
        hint = did_you_mean(name, self.known_names, f"one of {', '.join(self.known_names)}")
        raise TrexError(f"there is no {self.noun} called {name!r}", hint)

    def chosen(self, name: str) -> Plug:
        """One plug that a user asked for by name.

        Raises TrexError for an unknown name, and for a third party's plug that cannot be imported.
        """
        try:
            return self.load(name)
        except TrexError:
            raise
        except (Exception, SystemExit) as error:  # a third party's module may fail in any way
            if name in self._modules:
                raise
            what = f"the {self.noun} {name!r} cannot be loaded: {type(error).__name__}: {error}"
            raise TrexError(what, "it is not part of trex: update or remove the package that contains it") from error

    @cached_property
    def _loaded(self) -> tuple[dict[str, Plug], tuple[BrokenPlug, ...]]:
        plugs: dict[str, Plug] = {}
        broken: list[BrokenPlug] = []
        for name, importer in self._candidates():
            try:
                plug = self._plug(name, importer())
            except (Exception, SystemExit) as error:  # a third party's module may fail in any way
                broken.append(BrokenPlug(name, f"{type(error).__name__}: {error}"))
                continue
            if name in plugs:
                raise self.duplicate(name, plugs[name].file, plug.file)
            plugs[name] = plug
        return dict(sorted(plugs.items())), tuple(broken)

    def _candidates(self) -> Iterator[tuple[str, Callable[[], ModuleType]]]:
        for name, module in self._modules.items():
            yield name, partial(importlib.import_module, module)
        for entry in self._entries():
            yield entry.name, entry.load

    def _entries(self) -> Iterable[EntryPoint]:
        from importlib.metadata import entry_points  # takes 25 ms; only third parties' plugs need it

        return entry_points(group=self.entry_point_group)

    def _plug(self, name: str, module: ModuleType) -> Plug:
        if not hasattr(module, self.attribute):
            raise AttributeError(f"{module.__name__} does not define {self.attribute!r}")
        if sys.flags.optimize > 1:
            raise TrexError(
                "Python leaves docstrings out (-OO), and trex needs them", "unset PYTHONOPTIMIZE, or set it to 1"
            )
        if not (module.__doc__ or "").strip():
            raise AttributeError(f"{module.__name__} has no docstring: a plug's docstring is its documentation")
        value = getattr(module, self.attribute)
        if not self._fits(value):
            raise TypeError(f"{module.__name__}: {self.attribute} is not {self._wanted}")
        return Plug(name, module, value)

    def _fits(self, value: Any) -> bool:
        if self.is_tuple:
            return isinstance(value, tuple) and all(isinstance(item, self.kind) for item in value)
        return isinstance(value, self.kind)

    @property
    def _wanted(self) -> str:
        return f"a tuple of {self.kind.__name__}" if self.is_tuple else f"of the type {self.kind.__name__}"

    def duplicate(self, name: str, first: str, second: str) -> TrexError:
        """The error for a name that two files use."""
        return TrexError(f"two {self.noun} plugs are called {name!r}: {first} and {second}", hint="rename one of them")

    @property
    def broken(self) -> tuple[BrokenPlug, ...]:
        """Plugs whose import failed, and why."""
        return self._loaded[1]

    def __getitem__(self, name: str) -> Plug:
        return self._loaded[0][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded[0])

    def __len__(self) -> int:
        return len(self._loaded[0])


class Named(Protocol):
    """An item that a plug offers several of."""

    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=Named)


class PlugItems(Mapping[str, Item], Generic[Item]):
    """The items (charts …) of all plugs of a registry by name; each plug offers a tuple of them.

    order: (plug, item) → the key that sorts the items; items with equal keys keep the order of their tuple.
    Raises TrexError, naming both files, when two items share a name.
    """

    def __init__(self, plugs: Registry, order: Callable[[Plug, Item], Any]) -> None:
        self.plugs = plugs
        self.order = order

    @cached_property
    def _entries(self) -> dict[str, tuple[Plug, Item]]:
        items: dict[str, tuple[Plug, Item]] = {}
        for plug in self.plugs.values():
            for item in plug.value:
                if item.name in items:
                    raise self.plugs.duplicate(item.name, items[item.name][0].file, plug.file)
                items[item.name] = plug, item
        return dict(sorted(items.items(), key=lambda entry: self.order(*entry[1])))

    @property
    def own(self) -> tuple[Item, ...]:
        """The items of the package's own files, without those of third parties."""
        return tuple(item for plug, item in self._entries.values() if plug.name in self.plugs.names)

    def __getitem__(self, name: str) -> Item:
        return self._entries[name][1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

"""Registry: finds the plugs (quirks, charts, exporters, commands …) of a package; one plug is one file."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from trex.core.errors import TrexError


@dataclass(frozen=True)
class Plug:
    """One plug: its name, the module it lives in, and what that module offers under the registry's attribute."""

    name: str
    module: ModuleType
    value: Any

    @property
    def doc(self) -> str:
        """The module's docstring: a plug's docstring is its documentation."""
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
    """A plug whose import failed, listed with the reason so that the others keep working."""

    name: str
    reason: str


class Registry(Mapping[str, Plug]):
    """The plugs of one package, by name, sorted.

    package: dotted name of the folder that holds one file per plug. attribute: the name each file must define.
    Names are the file names with ``-`` for ``_``. Third parties add plugs through the entry-point group
    ``trex.<last part of the package>``: the entry's name is the plug's name and its value a module.
    Raises TrexError, naming both files, when two plugs share a name.
    """

    def __init__(self, package: str, attribute: str) -> None:
        self.package = package
        self.attribute = attribute

    @property
    def entry_point_group(self) -> str:
        return f"trex.{self.package.rpartition('.')[2]}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the plugs in the package's folder, found without importing any."""
        folder = importlib.import_module(self.package)
        found = (m.name for m in pkgutil.iter_modules(folder.__path__) if not m.name.startswith("_"))
        return tuple(sorted(name.replace("_", "-") for name in found))

    def load(self, name: str) -> Plug:
        """One plug of the folder, importing only its own file."""
        module = importlib.import_module(f"{self.package}.{name.replace('-', '_')}")
        return self._plug(name, module)

    @cached_property
    def _found(self) -> tuple[dict[str, Plug], tuple[BrokenPlug, ...]]:
        plugs: dict[str, Plug] = {}
        broken: list[BrokenPlug] = []
        for name, importer in self._candidates():
            try:
                plug = self._plug(name, importer())
            except Exception as error:  # a third party's module may fail in any way; it must not take ours down
                broken.append(BrokenPlug(name, f"{type(error).__name__}: {error}"))
                continue
            if name in plugs:
                raise TrexError(f"two {self.package} plugs are called {name!r}: {plugs[name].file} and {plug.file}")
            plugs[name] = plug
        return dict(sorted(plugs.items())), tuple(broken)

    def _candidates(self) -> Iterator[tuple[str, Any]]:
        for name in self.names:
            module = f"{self.package}.{name.replace('-', '_')}"
            yield name, lambda module=module: importlib.import_module(module)
        for entry in entry_points(group=self.entry_point_group):
            yield entry.name, entry.load

    def _plug(self, name: str, module: ModuleType) -> Plug:
        if not hasattr(module, self.attribute):
            raise AttributeError(f"{module.__name__} does not define {self.attribute!r}")
        if not (module.__doc__ or "").strip():
            raise AttributeError(f"{module.__name__} has no docstring: a plug's docstring is its documentation")
        return Plug(name, module, getattr(module, self.attribute))

    @property
    def broken(self) -> tuple[BrokenPlug, ...]:
        """Plugs whose import failed, with the reason."""
        return self._found[1]

    def __getitem__(self, name: str) -> Plug:
        return self._found[0][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found[0])

    def __len__(self) -> int:
        return len(self._found[0])

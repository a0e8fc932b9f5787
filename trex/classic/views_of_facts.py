"""A classic class whose objects are views of facts: a fact counts as an instance, as it has the same attributes."""

from __future__ import annotations

from typing import Any


class ViewOfFact(type):
    """Metaclass of a class with ``FACT``, the class of the facts that its objects show under TREx's names."""

    FACT: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or type(instance) is cls.FACT

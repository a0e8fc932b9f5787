"""Classic objects are views of facts: of typed layers and tensors. Functions of the floors take and give facts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_floors_own: dict[Callable[..., Any], Callable[..., Any]] = {}


class ViewOfFact(type):
    """Metaclass of a class with ``FACT``, the class of the facts that its objects show under TREx's names.

    A fact counts as an instance, as it has the same attributes.
    """

    FACT: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or type(instance) is cls.FACT


def fact_of(item: Any) -> Any:
    """The fact that a view shows; a fact itself."""
    return item.fact if isinstance(type(item), ViewOfFact) else item


def takes_views(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """A function of the floors whose first argument may also be a view."""

    @wraps(function)
    def of_view(item: Any, *args: Any, **kwargs: Any) -> _Result:
        return function(fact_of(item), *args, **kwargs)

    _floors_own[of_view] = function
    return of_view


def gives_views(function: Callable[..., Any], view_of: Callable[[Any], Any]) -> Callable[..., Any]:
    """A user's function for the floors: its first argument is the view of a fact. The floors' own come out as such."""
    if function in _floors_own:
        return _floors_own[function]

    @wraps(function)
    def of_fact(fact: Any, *args: Any, **kwargs: Any) -> Any:
        return function(view_of(fact), *args, **kwargs)

    return of_fact

"""Classes made with ``frozen`` behave like frozen dataclasses."""

import copy
import dataclasses
import inspect
import pickle

import pytest

from trex.core.frozen import frozen


@frozen
class Fact:
    """A fact."""

    name: str
    size: int | None = None
    extra: dict[str, int] = dataclasses.field(default_factory=dict)

    @property
    def double(self) -> int | None:
        return None if self.size is None else 2 * self.size


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    """A fact."""

    name: str
    size: int | None = None
    extra: dict[str, int] = dataclasses.field(default_factory=dict)


def test_objects_equal_those_of_a_dataclass() -> None:
    assert inspect.signature(Fact) == inspect.signature(Reference)
    for arguments, named in (
        (("a",), {}),
        (("a", 3), {}),
        (("a",), {"extra": {"x": 1}}),
        ((), {"size": 2, "name": "b"}),
    ):
        fact, reference = Fact(*arguments, **named), Reference(*arguments, **named)
        assert dataclasses.asdict(fact) == dataclasses.asdict(reference)
        assert type(fact) is Fact
        assert repr(fact) == repr(reference).replace("Reference", "Fact")
    assert Fact("a", 3).double == 6
    assert Fact("a").extra is not Fact("b").extra


@pytest.mark.parametrize("arguments", [(), ("a", 1, {}, 4)])
def test_missing_and_surplus_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="__init__"):
        Fact(*arguments)
    with pytest.raises(TypeError, match="unexpected keyword argument 'weight'"):
        Fact("a", weight=1)  # type: ignore[call-arg]


def test_nothing_changes_afterwards() -> None:
    fact = Fact("a", 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        fact.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del fact.name
    with pytest.raises((AttributeError, TypeError)):
        fact.other = 1


def test_it_compares_copies_and_pickles() -> None:
    fact = Fact("a", 1, {"x": 1})
    assert fact == Fact("a", 1, {"x": 1}) != Fact("a", 2, {"x": 1})
    assert copy.copy(fact) == copy.deepcopy(fact) == pickle.loads(pickle.dumps(fact)) == fact
    assert dataclasses.replace(fact, size=5) == Fact("a", 5, {"x": 1})
    assert hash(Fact("a", 1, ())) == hash(Fact("a", 1, ()))
    assert [field.name for field in dataclasses.fields(Fact)] == ["name", "size", "extra"]

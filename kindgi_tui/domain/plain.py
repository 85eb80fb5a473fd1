"""What the models of the rules share: they read plain JSON in the 0.1 wire's names, or our own names.

The rules take plain values as well as models (DESIGN section 4), so each field knows its wire name. Which names
a program writes is decided in `wire/`, not here.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, Self

from pydantic import ConfigDict, ValidationInfo, model_validator
from pydantic.alias_generators import to_camel

from kindgi_tui.domain.base import Frozen

_AS_IT_CAME = object()


class Plain(Frozen):
    """A frozen model that also reads the wire's camelCase names.

    `model_fields_set` says which fields were given, and only those are written. In Python, None given to an
    optional field means that there is none; read from plain JSON, a null is kept apart from an absent field,
    because the rules treat some of them differently.
    """

    # Built when first used: a program that only reads lists never pays for these models.
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, validate_by_alias=True, defer_build=True
    )

    null_is_a_value: ClassVar[frozenset[str]] = frozenset()
    """The fields whose None is a value of its own, and is written as null."""

    always_written: ClassVar[frozenset[str]] = frozenset()
    """The fields that are written when nobody gave them, at their defaults."""

    @model_validator(mode="after")
    def _none_is_absent(self, info: ValidationInfo) -> Self:
        if info.context is not _AS_IT_CAME:
            values = self.__dict__
            given = self.model_fields_set
            absent = [name for name in given if values[name] is None and name not in self.null_is_a_value]
            given.difference_update(absent)
        return self

    @classmethod
    def read(cls, value: Self | Mapping[str, Any]) -> Self:
        """The model itself, or one read from a plain JSON object (nulls kept apart from absent fields).

        Raises pydantic's ValidationError, a ValueError, when the object does not have the shape.
        """
        return value if isinstance(value, cls) else cls.model_validate(value, context=_AS_IT_CAME)

    @classmethod
    def make(cls, **given: Any) -> Self:
        """The model of values that are known to fit, by our names, unchecked: several times faster.

        Rules make tens of thousands of small models for one comparison. Only the fields given count as given.
        """
        model = cls.__new__(cls)
        put = object.__setattr__
        put(model, "__dict__", {**_defaults(cls), **given})
        put(model, "__pydantic_fields_set__", set(given))
        put(model, "__pydantic_extra__", None)
        put(model, "__pydantic_private__", None)
        return model

    @classmethod
    def read_all(cls, values: Iterable[Self | Mapping[str, Any]]) -> tuple[Self, ...]:
        """Each of the values as `read` gives it."""
        return tuple([value if isinstance(value, cls) else cls.read(value) for value in values])


@cache
def _defaults(model: type[Plain]) -> dict[str, Any]:
    fields = model.model_fields.items()
    return {name: field.get_default() for name, field in fields if not field.is_required()}


class Kept(Plain):
    """A `Plain` model that is passed on as it came: fields it does not know are kept and written again."""

    model_config = ConfigDict(extra="allow")

"""Fields of forms: they display an object's values and read typed ones.

A value of a form is an `InputValue`: the text of a field, or a tuple of texts for several values. Objects are
given as their state (`catalog.history.snapshots`). A typed value that equals the displayed one is not a
change.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from webob.multidict import MultiDict

from comicsdb.i18n import OTHER_LANGUAGES
from comicsdb.models.choices import Precision
from comicsdb.models.currencies import Currency, round_to_decimals
from comicsdb.values import iso_day, partial_day_text, read_money

InputValue = str | tuple[str, ...]
Option = tuple[str, str]  # value and label
NEW_PREFIX = "new:"


def text_of(post: MultiDict, name: str) -> str | None:
    """The last text sent under a name, or None."""
    sent = [value for value in post.getall(name) if isinstance(value, str)]
    return sent[-1].replace("\r\n", "\n").replace("\r", "\n") if sent else None


def texts_of(post: MultiDict, name: str) -> tuple[str, ...]:
    """All non-blank texts sent under a name."""
    sent = (value.strip() for value in post.getall(name) if isinstance(value, str))
    return tuple(value for value in sent if value)


def sorted_ids(ids: Iterable[str]) -> tuple[str, ...]:
    """Distinct ids in a fixed order, for comparison."""
    return tuple(sorted(set(ids), key=lambda each: (len(each), each)))


@dataclass(frozen=True)
class Field:
    """A field: `widget` is the macro that renders it, `initial` its value for a new object."""

    widget: ClassVar[str] = ""
    in_schema: ClassVar[bool] = True  # whether the kind's schema parses the value

    name: str
    label: str
    help: str = ""
    required: bool = False
    initial: InputValue = ""

    def display_value(self, state: dict) -> InputValue:
        """The displayed value for an object's state, or for a new object, whose state is empty."""
        value = state.get(self.name, self.initial)
        return "" if value is None else str(value)

    def parse(self, post: MultiDict, prefix: str = "") -> InputValue | None:
        """The typed value; None if the field was not sent."""
        return text_of(post, prefix + self.name)

    def is_blank(self, typed: InputValue) -> bool:
        """Whether nothing was filled in."""
        return not typed.strip()

    def to_schema(self, typed: InputValue) -> dict:
        """The values for the schema."""
        return {self.name: typed}


@dataclass(frozen=True)
class Line(Field):
    """Text in one line; `mode` is the keyboard that a phone should show, `kind` the element's type."""

    widget: ClassVar[str] = "line"

    max_length: int = 0
    mode: str = ""
    kind: str = "text"

    def display_value(self, state):
        """The text without line breaks, as browsers remove them."""
        return super().display_value(state).replace("\r", "").replace("\n", "")


@dataclass(frozen=True)
class SlugField(Line):
    """The slug of an object, which the catalog itself validates."""

    in_schema: ClassVar[bool] = False

    def to_schema(self, typed):
        """The slug."""
        return {self.name: typed.strip()}


def integer_field(name: str, label: str, **options) -> Line:
    """A whole number, in a text input: from a number input, browsers would drop invalid text."""
    return Line(name, label, mode="numeric", max_length=10, **options)


def date_field(name: str, label: str, **options) -> Line:
    """A date."""
    return Line(name, label, kind="date", **options)


@dataclass(frozen=True)
class PartialDay(Line):
    """A date that may be known to the month or year only, with its precision in a separate field."""

    def display_value(self, state):
        """The date as far as it is known."""
        return partial_day_text(super().display_value(state), state.get(f"{self.name}_precision"))

    def to_schema(self, typed):
        """The text, and the precision if it has a day: a date known to the month is stored as the first."""
        is_known = iso_day(typed.strip(), padded=False) is not None
        return {self.name: typed} | ({f"{self.name}_precision": Precision.DAY.value} if is_known else {})


@dataclass(frozen=True)
class TextArea(Field):
    """Text of several lines."""

    widget: ClassVar[str] = "text_area"

    def display_value(self, state):
        """The text with the line breaks that `parse` returns."""
        return super().display_value(state).replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True)
class TranslatedText(Field):
    """A name in each language of the site except English, as a tuple in the order of the languages."""

    widget: ClassVar[str] = "translated"
    languages: ClassVar[tuple[str, ...]] = OTHER_LANGUAGES

    max_length: int = 0

    def display_value(self, state):
        """The translations; blank if there is none."""
        names = state.get(self.name, {})
        return tuple(names.get(language, "") for language in self.languages)

    def parse(self, post, prefix=""):
        """The translations; None if one of their inputs was not on the page."""
        names = tuple(text_of(post, f"{prefix}{self.name}-{language}") for language in self.languages)
        return None if None in names else names

    def is_blank(self, typed):
        """Whether there is no translation."""
        return not any(name.strip() for name in typed)

    def to_schema(self, typed):
        """The translations by language."""
        return {self.name: dict(zip(self.languages, typed, strict=True))}


@dataclass(frozen=True)
class StringList(Field):
    """A list of texts in one input, split at `separator`; trimmed, without blanks and duplicates."""

    widget: ClassVar[str] = "string_list"

    separator: str = ";"

    def display_value(self, state):
        """The texts in their order."""
        return f"{self.separator} ".join(state.get(self.name, ()))

    def to_schema(self, typed):
        """The list."""
        parts = (part.strip() for part in typed.replace("\n", self.separator).split(self.separator))
        return {self.name: list(dict.fromkeys(part for part in parts if part))}


@dataclass(frozen=True)
class Choice(Field):
    """One of a few values; `options(request, value)` returns them, including the current value."""

    widget: ClassVar[str] = "choice"

    options: Callable[..., list[Option]] = None


@dataclass(frozen=True)
class CountryChoice(Choice):
    """A country or none. The catalog validates it, as form schemas would replace none with the default."""

    in_schema: ClassVar[bool] = False


@dataclass(frozen=True)
class MultiValueField(Field):
    """Base of the fields with several values."""

    def display_value(self, state):
        """The ids."""
        value = state.get(self.name, self.initial or ())
        listed = value if isinstance(value, list | tuple) else [] if value is None else [value]
        return sorted_ids(map(str, listed))

    def is_blank(self, typed):
        """Whether nothing is ticked."""
        return not typed

    def to_schema(self, typed):
        """The ids as a list."""
        return {self.name: list(typed)}


@dataclass(frozen=True)
class CheckboxGroup(MultiValueField):
    """Any of a few values, each with a checkbox."""

    widget: ClassVar[str] = "checkbox_group"

    options: Callable[..., list[Option]] = None

    def parse(self, post, prefix=""):
        """The ticked values; None if the checkboxes, and so their hidden field, were not on the page."""
        return (
            sorted_ids(texts_of(post, prefix + self.name)) if f"{prefix}{self.name}-shown" in post else None
        )


@dataclass(frozen=True)
class ModelSelect(MultiValueField):
    """One or several of many objects, found by autocomplete; `source` is its name.

    The value of an object that will be created with the form is NEW_PREFIX and its name.
    """

    widget: ClassVar[str] = "model_select"

    source: str = ""
    multiple: bool = False
    copyable: bool = False  # has a button that copies the values of the previous issue
    proposes: bool = False  # has a button that fills in a new issue from the chosen series
    creatable: bool = False  # an object can be created with the form, by its name alone

    def parse(self, post, prefix=""):
        """The ticked values; None if the field, and so its search box, was not on the page."""
        name = prefix + self.name
        if name not in post and f"{name}-q" not in post:
            return None
        return sorted_ids(texts_of(post, name)) if self.multiple else texts_of(post, name)[-1:]

    def to_schema(self, typed):
        """The ids, or the one id."""
        return {self.name: list(typed) if self.multiple else (typed or ("",))[0]}


def is_new(field: ModelSelect, typed: InputValue) -> bool:
    """Whether the values of a field include objects that will be created with the form."""
    return field.creatable and any(each.startswith(NEW_PREFIX) for each in typed)


BLANK_MONEY = ("", Currency.USD.value)


@dataclass(frozen=True)
class Money(Field):
    """An amount and its currency, typed as a pair; with `separate_currency` two fields of the schema."""

    widget: ClassVar[str] = "money"

    separate_currency: bool = False

    def display_value(self, state):
        """The amount and the currency; without an amount, the default currency."""
        amount, currency = state.get(self.name), state.get("currency")
        if amount is None:
            return BLANK_MONEY
        return (str(round_to_decimals(currency, Decimal(str(amount)))), currency)

    def parse(self, post, prefix=""):
        """The amount and the currency, which means nothing without an amount."""
        amount = text_of(post, prefix + self.name)
        if amount is None:
            return None
        if not amount.strip():
            return BLANK_MONEY
        return (amount, text_of(post, f"{prefix}{self.name}_currency") or Currency.USD.value)

    def is_blank(self, typed):
        """Whether there is no amount."""
        return not typed[0].strip()

    def to_schema(self, typed):
        """The pair in the form that the kind's schema expects."""
        amount, currency = typed
        written, code = read_money(amount, currency) or (None, None)
        if written is not None:  # as people write it: 1.500 lire are not one and a half
            amount = str(written)
            currency = code or currency  # a currency typed with the amount takes precedence
        if not self.separate_currency:
            return {self.name: {"amount": amount, "currency": currency}}
        return {self.name: amount.strip() or None, f"{self.name}_currency": currency}


@dataclass(frozen=True)
class Checkbox(Field):
    """Yes or no."""

    widget: ClassVar[str] = "checkbox"
    in_schema: ClassVar[bool] = False

    def display_value(self, state):
        """`1` for yes."""
        return "1" if state.get(self.name) else ""

    def to_schema(self, typed):
        """True or false."""
        return {self.name: bool(typed)}


@dataclass(frozen=True)
class Picture(Field):
    """A picture: the current one, a checkbox that removes it, and a file input."""

    widget: ClassVar[str] = "picture"

    clearable: bool = True
    size: str = "card"

    def parse(self, post, prefix=""):  # noqa: ARG002
        """None, as files are read separately."""
        return


@dataclass(frozen=True)
class Section:
    """A part of a form, with a heading to jump to; `rows` names its kinds of rows.

    A `folded` section is closed while nothing in it is filled in.
    """

    name: str
    title: str
    fields: tuple[Field, ...] = ()
    rows: tuple[str, ...] = ()
    folded: bool = False


@dataclass(frozen=True)
class EntityForm:
    """The form of a kind: its schema and its sections."""

    schema: type
    sections: tuple[Section, ...]

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, in their order."""
        return tuple(field for section in self.sections for field in section.fields)

    @property
    def typed_fields(self) -> tuple[Field, ...]:
        """All fields except pictures."""
        return tuple(field for field in self.fields if not isinstance(field, Picture))

    @property
    def picture(self) -> Picture | None:
        """The field of the picture."""
        return next((field for field in self.fields if isinstance(field, Picture)), None)

    @property
    def rows(self) -> tuple[str, ...]:
        """The kinds of rows, in their order."""
        return tuple(name for section in self.sections for name in section.rows)

"""Descriptors: a client's facts about a comic, under our names or those of ComicInfo and MetronInfo."""

import re
from functools import cached_property
from itertools import product

from colander import Invalid, null

from comicsdb.i18n import formatted
from comicsdb.issue_numbers import NUMBER_LENGTH
from comicsdb.models.base import SMALL_MAX
from comicsdb.models.choices import EXTERNAL_SOURCES, ID_COLUMNS, YEARS
from comicsdb.models.picture_hash import signed
from comicsdb.schemas.base import (
    NAME_LENGTH,
    ObjectSchema,
    code,
    date,
    errors_by_field,
    external_id,
    field,
    small_integer,
    text,
    year,
)
from comicsdb.schemas.issue import ISBN_LENGTH, SKU_LENGTH, TITLE_LENGTH, UPC_LENGTH
from comicsdb.schemas.references import ids_in_addresses, issue_ids_in_notes
from comicsdb.schemas.types import (
    SHOWN_MAX,
    Field,
    Id,
    Integer,
    ListOf,
    Text,
    not_a_choice,
    not_a_list,
    too_many,
)

DESCRIPTORS_MAX = 100  # descriptors per call
CANDIDATES_MAX = 20
FILE_NAME_LENGTH = 1000
WORD_LENGTH = 50
ID_LENGTH = 100
ALTERNATIVES_MAX = 4
IDS_MAX = 100  # ids of MetronInfo, each of which has three members
# The fields of ComicInfo and MetronInfo, and the corresponding fields here.
COMIC_INFO_FIELDS = {
    "Series": "series",
    "AlternateSeries": "alt_series",
    "Number": "number",
    "Volume": "volume",
    "Count": "count",
    "Title": "title",
    "Year": "year",
    "Month": "month",
    "Day": "day",
    "Publisher": "publisher",
    "LanguageISO": "language",
    "PageCount": "page_count",
    "Format": "format",
    "GTIN": "gtin",
    "CollectionTitle": "title",
    "CoverDate": "cover_date",
    "StoreDate": "store_date",
}
_SERIES_ATTRIBUTES = {
    "Name": "series",
    "Volume": "volume",
    "StartYear": "year_began",
    "Format": "format",
    "IssueCount": "count",
    "lang": "language",
}
_CODES = {"ISBN": "isbn", "UPC": "gtin"}
# The members of an id in MetronInfo, as converters from XML write attributes and texts.
_ID_MEMBERS = tuple(
    sign + spelled(name)
    for name, sign, spelled in product(("source", "text", "id"), ("", "@", "#"), (str, str.title, str.upper))
)
_LETTERS = re.compile("[^a-z]")
_UNKNOWN = (None, "", -1, "-1")  # ComicInfo writes -1 for an unknown year, volume or count


class PerceptualHash(Field):
    """A hash of 64 bits: up to 16 hexadecimal digits."""

    def read(self, node, value):
        """The digits."""
        digits = value.strip() if isinstance(value, str) else ""
        try:
            signed(digits)
        except ValueError as error:
            raise Invalid(node, str(error)) from error
        return digits


class ExternalIds(Field):
    """Ids in other databases, by their sources."""

    def read(self, node, value):
        """The ids in their stored form, by source."""
        if not isinstance(value, dict):
            raise Invalid(
                node, formatted("Expected a dictionary, but got ${kind}.", kind=type(value).__name__)
            )
        found = {}
        for source, number in value.items():
            known = EXTERNAL_SOURCES.get(source)
            plain = isinstance(number, str | int) and not isinstance(number, bool)
            read = known.read(str(number)[:ID_LENGTH]) if known and plain else None
            if read is None:
                raise Invalid(node, not_a_choice(source[:SHOWN_MAX]))
            found[source] = read
        return found


class Names(ListOf):
    """Up to four names; a single one may be sent without a list."""

    def __init__(self):
        super().__init__(Text(NAME_LENGTH, blank=False))

    def read(self, node, value):
        """The names."""
        names = super().read(node, [value] if isinstance(value, str) else value)
        if len(names) > ALTERNATIVES_MAX:
            raise Invalid(
                node,
                too_many(ALTERNATIVES_MAX),
            )
        return names


class DescriptorSchema(ObjectSchema):
    """The facts a client knows about a comic: all fields are optional, and null or "" means unknown."""

    file_name = text(FILE_NAME_LENGTH)
    series = text(NAME_LENGTH)
    alt_series = field(Names())
    number = text(NUMBER_LENGTH)
    volume = small_integer()
    count = small_integer()
    title = text(TITLE_LENGTH)
    year_began = year()
    cover_date = date()
    store_date = date()
    year = field(Integer(*YEARS, nullable=True))
    month = field(Integer(1, 12))
    day = field(Integer(1, 31))
    publisher = text(NAME_LENGTH)
    language = text(WORD_LENGTH)
    page_count = field(Integer(0, SMALL_MAX))
    format = text(WORD_LENGTH)
    gtin = code(UPC_LENGTH)
    isbn = code(ISBN_LENGTH)
    sku = text(SKU_LENGTH)
    id = field(Id())
    cv_id = external_id()
    gcd_id = external_id()
    ids = field(ExternalIds())
    series_id = field(Id())
    series_cv_id = external_id()
    series_gcd_id = external_id()
    series_ids = field(ExternalIds())
    phash = field(PerceptualHash())
    dhash = field(PerceptualHash())
    ahash = field(PerceptualHash())

    def deserialize(self, cstruct=null):
        """Return the known facts; raise Invalid. `sent_as` maps fields to their names in other formats."""
        self.sent_as = {}
        if isinstance(cstruct, dict):
            cstruct = self._ours(cstruct)
        return super().deserialize(cstruct)

    def _ours(self, sent: dict) -> dict:
        # Descriptors may have any number of other members, which are ignored.
        found = {name: sent[name] for name in self._names if name in sent and _is_known(name, sent[name])}
        known = {}

        def take(name: str, value, as_sent: str) -> None:
            value = value.get("#text") if isinstance(value, dict) else value
            if _is_known(name, value) and name not in known and name not in found:
                known[name] = value
                self.sent_as[name] = as_sent

        for key, name in COMIC_INFO_FIELDS.items():
            if key in found:
                self._take(take, key, name, found[key])
        self._take_ids(take, found, known)
        return known | {name: value for name, value in found.items() if name in self._own_names}

    @cached_property
    def _own_names(self) -> frozenset[str]:
        return frozenset(each.name for each in self.children)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return (*sorted(self._own_names), *COMIC_INFO_FIELDS, "Web", "Notes", "IDS")

    def _metron_info_ids(self, sent) -> list[tuple[str, object]]:
        """Sources and ids of MetronInfo; attributes may have a sign (`@`, `#`) before their names."""
        sent = sent.get("ID", []) if isinstance(sent, dict) else sent
        listed = sent if isinstance(sent, list) else [sent]
        if len(listed) > IDS_MAX:
            raise Invalid(self, too_many(IDS_MAX))
        found = []
        for each in listed:
            if isinstance(each, dict):
                values = {name: value for name in _ID_MEMBERS if (value := each.get(name)) is not None}
                values = {name.lstrip("@#").lower(): value for name, value in values.items()}
                source = _only_letters(str(values.get("source", ""))[:ID_LENGTH])
                found.append((_SOURCES.get(source), values.get("text", values.get("id"))))
        return [(source, number) for source, number in found if source and number not in _UNKNOWN]

    def _take_ids(self, take, sent: dict, facts: dict) -> None:
        """Read the ids in MetronInfo's list, in addresses, and in notes; ids in the earlier ones win."""
        addresses = ids_in_addresses(str(sent.get("Web") or ""))
        references = [
            ("issue", source, number, "IDS") for source, number in self._metron_info_ids(sent.get("IDS"))
        ]
        references += [(kind, source, number, "Web") for (kind, source), number in addresses.items()]
        notes = issue_ids_in_notes(str(sent.get("Notes") or ""))
        references += [("issue", source, number, "Notes") for source, number in notes.items()]
        for kind, source, number, key in references:
            prefix = "series_" if kind == "series" else ""
            if source in ID_COLUMNS:
                take(f"{prefix}{ID_COLUMNS[source]}", number, key)
            elif f"{prefix}ids" not in sent:
                facts.setdefault(f"{prefix}ids", {}).setdefault(source, number)
                self.sent_as.setdefault(f"{prefix}ids", key)

    def read_leniently(self, cstruct) -> tuple[dict, dict]:
        """The facts, and the errors by the fields as they were sent.

        An invalid field of ComicInfo or MetronInfo is left out, as nobody can correct the file; with an
        invalid field of ours, there are no facts.
        """
        try:
            return self.deserialize(cstruct), {}
        except Invalid as invalid:
            messages = errors_by_field(invalid)
        errors = {self.sent_as.get(name, name): message for name, message in messages.items()}
        if not self.sent_as.keys() >= messages.keys():
            return {}, errors
        facts = {name: value for name, value in self._ours(cstruct).items() if name not in messages}
        return super().deserialize(facts), errors

    @staticmethod
    def _take(take, key: str, name: str, value) -> None:
        """Read a field of ComicInfo or MetronInfo; in MetronInfo, some of them are objects."""
        if key == "GTIN" and isinstance(value, dict):
            for part, ours in _CODES.items():
                take(ours, value.get(part), key)
        elif key == "Series" and isinstance(value, dict):
            for part, ours in _SERIES_ATTRIBUTES.items():
                take(ours, value.get(part, value.get(f"@{part}")), key)
        elif key == "Publisher" and isinstance(value, dict):
            take(name, value.get("Name"), key)
        else:
            take(name, value, key)


def _is_known(name: str, value) -> bool:
    """Whether the value of a field is one; issues may have the number -1, as those of Flashback Month."""
    return value not in ((None, "") if name in ("number", "Number") else _UNKNOWN)


def _only_letters(name: str) -> str:
    return _LETTERS.sub("", name.lower())


# The sources of ids by their codes and names, reduced to letters.
_SOURCES = {
    _only_letters(name): code for code, source in EXTERNAL_SOURCES.items() for name in (code, source.label)
}


class ObjectList(Field):
    """A list of objects that are validated one by one later; `schema` and `name` are those of an object."""

    def __init__(self, name: str, schema: type[ObjectSchema], max_length: int):
        super().__init__()
        self.name = name
        self.schema = schema
        self.max_length = max_length

    def read(self, node, value):
        """The list as it was sent."""
        if not isinstance(value, list):
            raise Invalid(node, not_a_list(value))
        if len(value) > self.max_length:
            raise Invalid(node, too_many(self.max_length))
        return value


class MatchSchema(ObjectSchema):
    """Comics to match."""

    descriptors = field(ObjectList("Descriptor", DescriptorSchema, DESCRIPTORS_MAX), required=True)
    candidates = field(Integer(1, CANDIDATES_MAX))

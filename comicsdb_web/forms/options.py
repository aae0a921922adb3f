"""Options of selects: values of settings and reference data, always including the current value."""

from collections.abc import Callable, Mapping

from sqlalchemy import select

from comicsdb.i18n import Text, name_in, translate
from comicsdb.models import AgeRating, Genre, SeriesType
from comicsdb.models.choices import (
    COUNTRIES,
    LANGUAGES,
    AttributionSource,
    SeriesTypeCode,
    Status,
)
from comicsdb_web.forms.fields import Option
from comicsdb_web.rendering.locales import _, language_name, locale_of

STATUSES = {
    Status.ONGOING: _("Ongoing"),
    Status.COMPLETED: _("Completed"),
    Status.HIATUS: _("Hiatus"),
    Status.CANCELLED: _("Cancelled"),
}


def labelled(words: Mapping, *, none: Text | None = None) -> Callable[..., list[Option]]:
    """A function that gives selects these values with their labels, after an empty option labelled `none`."""

    def options(request, _value: str = "") -> list[Option]:
        empty = {} if none is None else {"": none}
        return [(str(value), translate(request.localizer, text)) for value, text in (empty | words).items()]

    return options


def countries(request, value: str) -> list[Option]:
    """An empty option, and the countries of the setting by name."""
    known = _coded(request, "comicsdb.countries", value, lambda code: _country(request, code))
    return [("", translate(request.localizer, _("Unknown"))), *known]


def every_country(request, value: str = "") -> list[Option]:
    """All countries, by name."""
    return _named((*COUNTRIES, value), lambda code: _country(request, code))


def every_language(request, value: str) -> list[Option]:
    """An empty option, and all languages by name."""
    known = _named((*LANGUAGES, value), lambda code: language_name(request, code))
    return [("", translate(request.localizer, _("Unknown"))), *known]


def languages(request, value: str) -> list[Option]:
    """An empty option, and the languages of the setting by name."""
    known = _coded(request, "comicsdb.languages", value, lambda code: language_name(request, code))
    return [("", translate(request.localizer, _("Unknown"))), *known]


def series_types(request, value: str) -> list[Option]:
    """The types of series by name, after an empty option for a new series."""
    none = [] if value else [("", translate(request.localizer, _("Please choose")))]
    return none + by_name(_rows(request, SeriesType))


def type_codes(request, value: str) -> list[Option]:
    """An empty option, and the codes by which rules know types of series."""
    codes = [*SeriesTypeCode, *([value] if value and value not in list(SeriesTypeCode) else ())]
    return [("", translate(request.localizer, _("None"))), *((str(code), str(code)) for code in codes)]


def age_ratings(request, _value: str) -> list[Option]:
    """The age ratings, in their order."""
    return _rows(request, AgeRating)


def genres(request, _value) -> list[Option]:
    """The genres, by name."""
    return by_name(_rows(request, Genre))


def sources(_request, _value: str) -> list[Option]:
    """The sources of texts; the most common one first."""
    usual = AttributionSource.WIKIPEDIA
    return [(each.value, each.label) for each in (usual, *(s for s in AttributionSource if s is not usual))]


def by_name(found: list[Option]) -> list[Option]:
    """Options sorted by name, an order that depends on the language."""
    return sorted(found, key=lambda option: option[1].casefold())


def _rows(request, model) -> list[Option]:
    rows = request.dbsession.execute(select(model.id, model.name, model.names).order_by(model.id))
    return [(str(row.id), name_in(request.locale_name, row)) for row in rows]


def _coded(request, setting: str, value: str, name) -> list[Option]:
    return _named((*request.registry.settings[setting], value), name)


def _named(codes, name) -> list[Option]:
    return sorted(((code, name(code)) for code in set(codes) if code), key=lambda option: option[1])


def _country(request, code: str) -> str:
    return locale_of(request).territories.get(code, code)

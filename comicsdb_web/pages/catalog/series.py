"""Series: their issues, creators and characters."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import orjson
from sqlalchemy import func, select

from comicsdb.catalog import search
from comicsdb.catalog.filters import Clause, values_of
from comicsdb.db.read_pool import CompiledQuery
from comicsdb.models import (
    Character,
    Creator,
    Credit,
    Genre,
    Imprint,
    Issue,
    Publisher,
    Series,
    SeriesType,
    issue_character,
    series_associated,
    series_genre,
)
from comicsdb.models.choices import DEFAULT_LANGUAGE, LANGUAGES, Status
from comicsdb.schemas import SeriesSchema
from comicsdb.schemas.base import NAME_LENGTH
from comicsdb_web.forms import options
from comicsdb_web.forms.catalog_forms import (
    ALT_NAMES,
    DESC,
    EXTERNAL_IDS,
    IDS,
    NAME,
    PUBLISHER,
    SOURCES,
    about,
)
from comicsdb_web.forms.fields import (
    Checkbox,
    CheckboxGroup,
    Choice,
    EntityForm,
    Line,
    ModelSelect,
    Section,
    integer_field,
)
from comicsdb_web.lists import cards
from comicsdb_web.lists.catalog_filters import SERIES
from comicsdb_web.lists.filters import ActiveFilters, url_without
from comicsdb_web.lists.paging import QUERIES_MAX
from comicsdb_web.pages.catalog.base import EntityViews, IssueListMixin, issue_count, picture_of
from comicsdb_web.rendering.json_columns import PageColumn, constant, object_list, object_or_null, rows_of
from comicsdb_web.rendering.locales import _, language_name
from comicsdb_web.rendering.page_cache import CachePolicy

TOP_MAX = 12
LANGUAGES_SHOWN = 10  # the others are under "more"


@dataclass(frozen=True)
class LanguageChip:
    """A language, the number of series in it, and the URL that sets or removes it as a filter."""

    code: str
    name: str
    number: int
    is_chosen: bool
    href: str


FORM = EntityForm(
    SeriesSchema,
    (
        about(
            NAME,
            Line(
                "sort_name",
                _("Sort name"),
                help=_("Used for sorting: usually the name without “The” or “A”."),
                required=True,
                max_length=NAME_LENGTH,
            ),
            ALT_NAMES,
            PUBLISHER,
            ModelSelect("imprint", _("Imprint"), source="imprint"),
            DESC,
        ),
        Section(
            "run",
            _("Type and run"),
            (
                Choice("series_type", _("Type"), required=True, options=options.series_types),
                Choice(
                    "status",
                    _("Status"),
                    required=True,
                    initial=str(Status.ONGOING.value),
                    options=options.labelled(options.STATUSES),
                ),
                integer_field("volume", _("Volume"), help=_("Its number, not a year."), required=True),
                Choice("language", _("Language"), initial=DEFAULT_LANGUAGE, options=options.languages),
                integer_field("year_began", _("First year"), required=True),
                integer_field(
                    "year_end", _("Last year"), help=_("Leave blank for ongoing series and one-shots.")
                ),
                Checkbox(
                    "collection",
                    _("Issues may have a collection title"),
                    help=_("For series of collected editions whose volumes have their own titles."),
                ),
            ),
        ),
        Section(
            "links",
            _("Connections"),
            (
                CheckboxGroup("genres", _("Genres"), options=options.genres),
                ModelSelect("associated", _("Associated series"), source="series", multiple=True),
            ),
        ),
        IDS,
        EXTERNAL_IDS,
        SOURCES,
    ),
)


class SeriesViews(IssueListMixin, EntityViews):
    """The pages of series."""

    model = Series
    form = FORM
    icon = (
        '<path d="M7.5 5.500h9a1 1 0 0 1 1 1v14h-10a1 1 0 0 1-1-1v-13a1 1 0 0 1 1-1ZM9 5.500v-2h1'
        '0a1 1 0 0 1 1 1V18h-2.500M4 8v11"/>'
    )
    menu = "comics"
    card_size = "cover"
    comic_vine_prefix = 4050
    gcd_path = "series"
    conflict_messages: ClassVar = {
        ("publisher", "name", "volume", "series_type"): (
            "name",
            _("This publisher already has a series with this name, volume and type:"),
        )
    }
    shows = CachePolicy(
        ("series", "series_type", "publisher", "issue", "imprint", "genre", "creator", "character"), Series
    )
    filter_kinds = ("imprint", "creator", "character")
    filters = SERIES

    def extra_values(self, found: ActiveFilters):
        """The languages of the series, most frequent first, always including the chosen ones."""
        chosen = set(found.typed["language"]) if "language" in found.valid else set()

        def count() -> bytes:
            others = found.clauses(exclude="language")
            return orjson.dumps(self.request.read_pool.fetch(_languages(others), values_of(others))[0])

        known = self.card_list.get_or_compute("languages", count)
        numbers = {each["language"]: each["number"] for each in orjson.loads(known)}
        numbers = dict.fromkeys(sorted(chosen & set(LANGUAGES)), 0) | numbers
        ranked = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
        chips = [self._language_chip(code, number, code in chosen) for code, number in ranked]
        found.options["language"] = sorted(
            ((each.code, each.name) for each in chips), key=lambda pair: pair[1]
        )
        return {
            "languages": chips,
            "languages_shown": LANGUAGES_SHOWN,
            "all_languages": url_without(self.request, "language"),
        }

    def _language_chip(self, code: str, number: int, is_chosen: bool) -> LanguageChip:
        if is_chosen:
            href = url_without(self.request, "language", code)
        else:
            href = url_without(self.request, "language", replacement=code)
        return LanguageChip(code, language_name(self.request, code), number, is_chosen, href)

    def object_with_picture(self):
        """The series, with the cover of the first issue on its page."""
        series, parts = self.read()
        return series, picture_of(parts["issues"][0]) if parts["issues"] else None

    @classmethod
    def page_columns(cls, own):
        """Related objects, its first issues, and the creators and characters of most of its issues."""
        publisher, imprint = (
            object_or_null(
                model.__tablename__, select(*cards.link_columns(model)).where(model.id == column), own
            )
            for model, column in ((Publisher, own.publisher_id), (Imprint, own.imprint_id))
        )
        of_type = select(SeriesType.code, SeriesType.name, SeriesType.names).where(
            SeriesType.id == own.series_type_id
        )
        by_name = func.lower(Genre.name.collate("default")).collate("C")
        genres = select(Genre.name, Genre.names).join(series_genre).where(series_genre.c.series_id == own.id)
        first = cards.statement(Issue).where(cards.issues_of(own)).order_by(*cards.WITHIN_SERIES)
        return {
            "series_type": object_or_null("series_type", of_type, own),
            "publisher": publisher,
            "imprint": imprint,
            "genres": object_list("genre", genres.order_by(by_name, Genre.id), own),
            "associated": _associated(own),
            "issue_count": issue_count(own),
            "issues": object_list("issue", first.limit(constant(TOP_MAX)), own),
            "creators": _most_linked(own, Creator, Credit.creator_id, Credit.issue_id),
            "characters": _most_linked(
                own, Character, issue_character.c.character_id, issue_character.c.issue_id
            ),
        }


@lru_cache(QUERIES_MAX)
def _languages(clauses: tuple[Clause, ...]) -> CompiledQuery:
    """How many series there are in each language."""
    counted = select(Series.language, func.count().label("number")).where(Series.language != "")
    counted = counted.where(*(each.build() for each in clauses)).group_by(Series.language)
    return CompiledQuery.of(select(rows_of(counted)), prepared=not clauses)


def _associated(own) -> PageColumn:
    links = series_associated.c
    query = select(*cards.link_columns(Series)).join(series_associated, links.associated_id == Series.id)
    return object_list(
        "series", query.where(links.series_id == own.id).order_by(*search.order_columns(Series)), own
    )


def _most_linked(own, model, other, issue) -> PageColumn:
    """The TOP_MAX objects of a kind that are linked to most issues of the series."""
    number = func.count().label("number")
    counted = (
        select(other.label("id"), number)
        .join(Issue, Issue.id == issue)
        .where(cards.issues_of(own))
        .group_by(other)
        .order_by(number.desc())
        .fetch(constant(TOP_MAX), with_ties=True)  # so that only these are sorted by name
        .correlate(own)
        .subquery()
    )
    columns = [*cards.link_columns(model), *cards.picture_columns(model), counted.c.number]
    order = (counted.c.number.desc(), *search.order_columns(model))
    query = select(*columns).join(counted, counted.c.id == model.id).order_by(*order)
    return object_list(model.__tablename__, query.limit(constant(TOP_MAX)), own)

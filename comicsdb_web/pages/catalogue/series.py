"""Series: their issues, makers and characters."""

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload, selectinload, undefer

from comicsdb.catalog import search
from comicsdb.models import Character, Creator, Credit, Genre, Issue, Series, issue_character
from comicsdb.models.choices import LANGUAGES
from comicsdb_web.forms.catalogue_forms import SERIES_FORM
from comicsdb_web.lists import cards
from comicsdb_web.lists.catalogue_filters import SERIES
from comicsdb_web.lists.filters import Narrowed, without
from comicsdb_web.pages.catalogue.base import EntityViews, WithIssues, issue_count
from comicsdb_web.rendering.locales import language_name
from comicsdb_web.rendering.page_cache import CachePolicy

TOP = 12
LANGUAGES_SHOWN = 10  # the others are under "more"


@dataclass(frozen=True)
class LanguageChip:
    """A language, how many series have it, and the address that sets or removes it."""

    code: str
    name: str
    number: int
    is_chosen: bool
    href: str


class SeriesViews(WithIssues, EntityViews):
    """The pages of series."""

    model = Series
    form = SERIES_FORM
    shows = CachePolicy(
        ("series", "series_type", "publisher", "issue", "imprint", "genre", "creator", "character"), Series
    )
    filtered = ("imprint",)
    filters = SERIES
    named = (joinedload(Series.series_type),)
    options = (
        joinedload(Series.publisher),
        joinedload(Series.imprint),
        selectinload(Series.genres),
        selectinload(Series.associated).options(joinedload(Series.series_type), undefer(Series.sort_folded)),
    )

    def beside(self, found: Narrowed):
        """The languages that the series have, most first; those that are chosen always."""
        chosen = set(found.typed["language"]) if "language" in found.conditions else set()
        others = [each for name, each in found.conditions.items() if name != "language"]
        counted = select(Series.language, func.count()).where(*others, Series.language != "")
        numbers = dict(self.session.execute(counted.group_by(Series.language)).all())
        numbers = dict.fromkeys(sorted(chosen & set(LANGUAGES)), 0) | numbers
        ranked = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
        chips = [self._language_chip(code, number, code in chosen) for code, number in ranked]
        found.offered["language"] = sorted(
            ((each.code, each.name) for each in chips), key=lambda pair: pair[1]
        )
        return {
            "languages": chips,
            "languages_shown": LANGUAGES_SHOWN,
            "all_languages": without(self.request, "language"),
        }

    def _language_chip(self, code: str, number: int, is_chosen: bool) -> LanguageChip:
        if is_chosen:
            href = without(self.request, "language", code)
        else:
            href = without(self.request, "language", and_set=code)
        return LanguageChip(code, language_name(self.request, code), number, is_chosen, href)

    def facts(self, series):
        """Its first issues, and those who made and those who appear in most of them."""
        first = cards.statement(Issue).where(Issue.series_id == series.id).order_by(*cards.WITHIN_SERIES)
        return {
            "issue_count": issue_count(self.session, series),
            "issues": self.session.execute(first.limit(TOP)).all(),
            "creators": self._top(Creator, Credit.creator_id, Credit.issue_id, series),
            "characters": self._top(
                Character, issue_character.c.character_id, issue_character.c.issue_id, series
            ),
            "genres": sorted(series.genres, key=_by_name),
            "associated": sorted(series.associated, key=_by_sort_name),
        }

    def _top(self, model, other, issue, series):
        """The twelve of a kind that are linked with most issues of the series."""
        number = func.count().label("number")
        counted = (
            select(other.label("id"), number)
            .join(Issue, Issue.id == issue)
            .where(Issue.series_id == series.id)
            .group_by(other)
            .subquery()
        )
        statement = select(model, counted.c.number).join(counted, counted.c.id == model.id)
        order = (counted.c.number.desc(), *search.ORDER[model])
        return self.session.execute(statement.order_by(*order).limit(TOP)).all()

    def _neighbour_statement(self, series):  # noqa: ARG002
        return select(Series).options(joinedload(Series.series_type))


def _by_sort_name(series: Series):
    return (series.sort_folded, series.sort_name, series.year_began, series.id)


def _by_name(genre: Genre):
    return (genre.name.lower(), genre.id)

"""The pull list: the series an account follows, what it pulls of them, and the pulls of each week.

A series is followed for its main covers unless its reader chooses otherwise: all covers, the variants whose
names contain certain words, or nothing.
"""

from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import ColumnElement, Date, Select, and_, cast, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, contains_eager, joinedload

from comicsdb.catalog.errors import InvalidError, NotFoundError
from comicsdb.i18n import _
from comicsdb.library import collection
from comicsdb.library.locks import default_list, find_row, lock_account, lock_rows, lock_series
from comicsdb.models import CollectionItem, Issue, PullList, PullListSeries, Series, Variant
from comicsdb.models.choices import PullMode
from comicsdb.models.library import VARIANT_WORDS_LENGTH_MAX
from comicsdb.values import text_problem

SHOWN = 500  # pulls of a week shown at once
WEEKS_AHEAD = 8
WEEK = timedelta(days=7)
NO_CHOICE = _("Choose what to pull.")
NO_WORDS = _("Enter at least one word from the variant names, such as foil.")
TOO_LONG = _("Enter at most ${most} characters.")


def pull_list(session: Session, user_id: int) -> PullList:
    """The pull list of an account, created on first use."""
    return default_list(session, PullList, user_id)


def add(session: Session, user_id: int, series_id: int) -> tuple[PullListSeries, bool]:
    """Follow a series; returns its entry and whether it is new. Raises NotFoundError for an unknown series.

    A trigger updates the stamp of the list. Nothing is committed here.
    """
    lock_account(session, user_id)
    if not lock_series(session, series_id):
        raise NotFoundError("series", series_id)
    followed = pull_list(session, user_id)
    adding = insert(PullListSeries).values(pull_list_id=followed.id, series_id=series_id)
    adding = adding.on_conflict_do_nothing(index_elements=["pull_list_id", "series_id"])
    created = session.scalar(adding.returning(PullListSeries.id)) is not None
    entry = select(PullListSeries).where(
        PullListSeries.pull_list_id == followed.id, PullListSeries.series_id == series_id
    )
    return session.scalars(entry).one(), created


def remove(session: Session, user_id: int, series_id: int) -> bool:
    """Stop following a series; False if it was not followed. A trigger updates the stamp of the list."""
    lock_account(session, user_id)
    if not lock_series(session, series_id):
        return False
    followed = pull_list(session, user_id)
    gone = delete(PullListSeries).where(
        PullListSeries.pull_list_id == followed.id, PullListSeries.series_id == series_id
    )
    return session.execute(gone).rowcount > 0


def set_followed(session: Session, user_id: int, series_id: int, wanted: bool) -> bool:
    """Set whether a series is followed; returns whether anything changed. Raises NotFoundError."""
    if wanted:
        return add(session, user_id, series_id)[1]
    return remove(session, user_id, series_id)


def set_pulled(session: Session, user_id: int, series_id: int, pulled: str, words: str) -> None:
    """Set what is pulled of a followed series; `words` are separated by commas and only apply to variants.

    Raises InvalidError, and NotFoundError for a series that is not followed.
    """
    parts = [" ".join(part.split()) for part in words.split(",")]
    words = ", ".join(dict.fromkeys(filter(None, parts)))
    if pulled not in list(PullMode):
        raise InvalidError({"pulled": [NO_CHOICE]})
    if wrong := text_problem(words, lines=False):
        raise InvalidError({"variant_words": [wrong]})
    if pulled == PullMode.VARIANTS and not words:
        raise InvalidError({"variant_words": [NO_WORDS]})
    if len(words) > VARIANT_WORDS_LENGTH_MAX:
        raise InvalidError({"variant_words": [TOO_LONG % {"most": VARIANT_WORDS_LENGTH_MAX}]})
    lock_account(session, user_id)
    mine = select(PullList.id).where(PullList.user_id == user_id).scalar_subquery()
    chosen = update(PullListSeries).where(
        PullListSeries.pull_list_id == mine, PullListSeries.series_id == series_id
    )
    changed = session.execute(chosen.values(pulled=pulled, variant_words=words))
    if not changed.rowcount:
        raise NotFoundError("series", series_id)


def entry(session: Session, user_id: int, series_id: int) -> PullListSeries:
    """The entry of a followed series. Raises NotFoundError."""
    mine = select(PullListSeries).join(PullList).where(PullList.user_id == user_id)
    return find_row(session, mine, PullListSeries.series_id, series_id, "series")


def follows(session: Session, user_id: int, series_id: int) -> bool:
    """Whether an account follows a series."""
    return session.scalar(entry_ids(user_id, series_id)) is not None


def entry_ids(user_id, series_id) -> Select:
    """The id of an account's entry for a series; both ids may be parameters of a compiled statement."""
    entry = select(PullListSeries.id).join(PullList).where(PullList.user_id == user_id)
    return entry.where(PullListSeries.series_id == series_id)


def entries(session: Session, user_id: int) -> list[PullListSeries]:
    """The entries of an account by sort name, with series, type and publisher loaded."""
    return list(
        session.scalars(
            select(PullListSeries)
            .join(PullList)
            .join(PullListSeries.series)
            .where(PullList.user_id == user_id)
            .options(
                contains_eager(PullListSeries.series).options(
                    joinedload(Series.series_type), joinedload(Series.publisher)
                )
            )
            .order_by(Series.sort_folded, Series.sort_name, Series.year_began, Series.id)
        )
    )


def pulled_ids(user_id: int) -> Select:
    """The ids of the series of which an account pulls anything."""
    mine = select(PullListSeries.series_id).join(PullList).where(PullList.user_id == user_id)
    return mine.where(PullListSeries.pulled != PullMode.NONE)


@dataclass(frozen=True)
class Pull:
    """An issue, or one of its variants, that an account pulls; `owned` if it is in the collection."""

    issue: Issue
    variant: Variant | None
    owned: bool

    @property
    def image(self) -> str:
        """The picture of the variant, or else of the issue."""
        return (self.variant or self.issue).image

    @property
    def series_id(self) -> int:
        """The id of the series, which determines the colour of a missing picture."""
        return self.issue.series_id


def week(session: Session, user_id: int, monday: date, limit: int | None = SHOWN) -> list[Pull]:
    """The pulls of the week that begins on `monday`, by store date and series; one statement."""
    rows = (
        _pulled(
            user_id, Issue, PullListSeries.pulled, Variant, _owned(user_id, None), _owned(user_id, Variant.id)
        )
        .where(Issue.store_date >= monday, Issue.store_date < monday + WEEK)
        .join(Series.publisher)
        .join(Series.series_type)
        .options(
            contains_eager(Issue.series).options(
                contains_eager(Series.series_type), contains_eager(Series.publisher)
            )
        )
        .order_by(
            *(Issue.store_date, Series.sort_folded, Series.sort_name),
            *(Issue.series_order, Issue.id, Variant.id),
        )
        .limit(limit)
    )
    pulls, last = [], None
    for issue, pulled, variant, owns_cover, owns_variant in session.execute(rows):
        if issue is not last and pulled != PullMode.VARIANTS:
            pulls.append(Pull(issue, None, owns_cover))
        if variant is not None:
            pulls.append(Pull(issue, variant, owns_variant))
        last = issue
    return pulls


def weeks_ahead(session: Session, user_id: int, monday: date) -> list[tuple[date, int]]:
    """The next weeks after the one of `monday` that have pulls, with their numbers of issues."""
    begin = cast(func.date_trunc("week", Issue.store_date), Date)
    rows = _pulled(user_id, begin, func.count(Issue.id.distinct()))
    rows = rows.where(Issue.store_date >= monday + WEEK).group_by(begin).order_by(begin).limit(WEEKS_AHEAD)
    return [tuple(row) for row in session.execute(rows)]


def _pulled(user_id: int, *columns) -> Select:
    """A row for each pulled variant, and one for each pulled issue that has none."""
    by_words = and_(PullListSeries.pulled == PullMode.VARIANTS, _has_a_word())
    variants = and_(Variant.issue_id == Issue.id, or_(PullListSeries.pulled == PullMode.ALL, by_words))
    return (
        select(*columns)
        .select_from(Issue)
        .join(Issue.series)
        .join(PullListSeries, PullListSeries.series_id == Issue.series_id)
        .join(PullList)
        .outerjoin(Variant, variants)
        .where(PullList.user_id == user_id, PullListSeries.pulled != PullMode.NONE)
        .where(or_(PullListSeries.pulled != PullMode.VARIANTS, Variant.id.is_not(None)))
    )


def _has_a_word() -> ColumnElement[bool]:
    """Whether the name of a variant contains one of the words of an entry."""
    word = func.unnest(func.string_to_array(PullListSeries.variant_words, ",")).column_valued("word")
    found = func.strpos(_as_words(Variant.name), _as_words(word)) > 0
    return select(word).where(found).correlate(PullListSeries, Variant).exists()


def _as_words(text) -> ColumnElement[str]:
    """The words of a text separated by single spaces, so that 1:25 is not found in 1:250."""
    parted = func.regexp_replace(func.lower(text), "([^[:alnum:]:]|:(?![0-9]))+", " ", "g")
    return func.concat(" ", func.btrim(parted), " ")


def _owned(user_id: int, variant_id) -> ColumnElement[bool]:
    """Whether the collection contains the issue itself (`variant_id` None) or this variant."""
    mine = select(CollectionItem.id).where(
        CollectionItem.user_id == user_id,
        CollectionItem.issue_id == Issue.id,
        CollectionItem.variant_id == variant_id,
    )
    return mine.correlate(Issue, Variant).exists()


def add_week(session: Session, user_id: int, monday: date) -> int:
    """Add those pulls of a week that are not owned to the collection; returns how many."""
    lock_account(session, user_id)
    wanted = [pull for pull in week(session, user_id, monday, limit=None) if not pull.owned]
    lock_rows(session, Issue, [pull.issue.id for pull in wanted])
    variants = lock_rows(session, Variant, [pull.variant.id for pull in wanted if pull.variant])
    rows = [
        (pull.issue.id, {"variant_id": pull.variant.id} if pull.variant else {})
        for pull in wanted
        if pull.variant is None or pull.variant.id in variants
    ]
    return collection.add_copies(session, user_id, rows)

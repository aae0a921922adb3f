"""Ratings of other readers' reading lists in stars; a trigger updates the averages."""

from sqlalchemy import delete, func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from comicsdb.catalog.errors import InvalidError
from comicsdb.i18n import _
from comicsdb.library import acts
from comicsdb.library.reading_lists import expire_stamps, lock_visible
from comicsdb.models import ReadingList, ReadingListRating
from comicsdb.models.choices import STARS
from comicsdb.security import Identity

OUT_OF_RANGE = _("A rating is a whole number from 1 to 5.")
OWN = _("You cannot rate your own list.")
PRIVATE = _("A private list cannot be rated.")


def rate(
    session: Session, identity: Identity, official: str, reading_list: ReadingList, stars: int | None
) -> bool:
    """Set, change or (None) remove the rating of a list by an account.

    Raises InvalidError, naming "rating", for numbers outside 1 to 5, for one's own list and for a private
    one, and NotFoundError for a list that is not (or no longer) visible. Returns whether anything changed.
    The list's rating stamp is updated, but not `modified`. Nothing is committed here.
    """
    if stars is not None and (type(stars) is not int or not STARS[0] <= stars <= STARS[1]):
        raise InvalidError({"rating": [OUT_OF_RANGE]})
    # The list is locked before the rating, whose trigger changes it.
    found = lock_visible(session, identity, official, reading_list)
    if stars is not None and found.user_id == identity.user_id:
        raise InvalidError({"rating": [OWN]})
    if stars is not None and found.is_private:
        raise InvalidError({"rating": [PRIVATE]})
    acts.begin(session, identity.user_id)
    changed = _store(session, found.id, identity.user_id, stars)
    expire_stamps(session)
    return changed


def _store(session: Session, list_id: int, user_id: int, stars: int | None) -> bool:
    given = ReadingListRating
    if stars is None:
        statement = delete(given).where(given.reading_list_id == list_id, given.user_id == user_id)
    else:
        statement = insert(given).values(reading_list_id=list_id, user_id=user_id, rating=stars)
        statement = statement.on_conflict_do_update(
            index_elements=[given.reading_list_id, given.user_id],
            set_={"rating": statement.excluded.rating, "modified": func.clock_timestamp()},
            where=given.rating != statement.excluded.rating,
        )
    return session.scalar(statement.returning(given.id)) is not None

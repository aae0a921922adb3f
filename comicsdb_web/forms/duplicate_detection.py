"""Possible duplicates of a new object: objects of the same kind with a similar name."""

from sqlalchemy import func, or_, text

from comicsdb.catalog import search, uniqueness
from comicsdb.catalog.errors import ConflictError
from comicsdb.catalog.kinds import kind_of
from comicsdb.models import Issue
from comicsdb_web.forms.lookup import Item, source_of
from comicsdb_web.rendering.locales import _

SIMILARITY_MIN = 0.6  # share of common trigrams
SHOWN_MAX = 5


def similar_objects(request, model, values: dict) -> list[tuple[Item, str]]:
    """The objects with a similar name or alternative name, each with the path of its page.

    There are none for issues, as the database ensures that series and number are unique.
    """
    name = search.clean_query(values.get("name") or "") if model is not Issue else ""
    if not name:
        return []
    session, folded = request.dbsession, func.fold(name)
    session.execute(
        text("SELECT set_config('pg_trgm.similarity_threshold', :value, true)"),
        {"value": str(SIMILARITY_MIN)},
    )
    others = search.search_columns(model)[1:]
    source = source_of(model.__tablename__)
    found = session.scalars(
        source.rows()
        .where(or_(model.folded.op("%")(folded), *(search.contains(column, name) for column in others)))
        .order_by(func.similarity(model.folded, folded).desc(), model.id)
        .limit(SHOWN_MAX)
    )
    return [(source.item(each), request.entity_path(each)) for each in found]


# By unique fields: the field that shows the error, and its text, after which the existing object is named.
# Views add the messages of their kind (`conflict_messages`).
_CONFLICT_MESSAGES = {
    ("cv_id",): ("cv_id", _("This Comic Vine ID is already used by")),
    ("gcd_id",): ("gcd_id", _("This GCD ID is already used by")),
}


def describe_conflict(
    request, model, conflict: ConflictError, values: dict
) -> tuple[str, str, Item | None, str]:
    """The field that shows the conflict, the message, the object that has the values already, and its path.

    `values` are the object's values by field.
    """
    of_kind = request.registry["comicsdb_web.kind_views"].get(model.__tablename__)
    known = _CONFLICT_MESSAGES | (of_kind.conflict_messages if of_kind else {})
    field, words = known.get(
        conflict.fields, (conflict.fields[0], _("Another entry already has this value."))
    )
    if not hasattr(model, "slug"):  # reference data have no pages
        return field, words, None, ""
    source = source_of(model.__tablename__)
    conditions = uniqueness.holds(kind_of(model), conflict.fields, values)
    other = request.dbsession.scalar(source.rows().where(*conditions).limit(1))
    if other is None:
        return field, words, None, ""
    return field, words, source.item(other), request.entity_path(other)

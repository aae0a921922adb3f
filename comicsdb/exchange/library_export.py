"""What accounts keep, as records of a data set: a statement for each file, in the format's order of keys."""

INSTANT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""


def _object(**columns: str) -> str:
    """A JSON object of expressions by key."""
    return "json_build_object(" + ", ".join(f"'{key}', {value}" for key, value in columns.items()) + ")"


def _all(of: str, where: str, order: str) -> str:
    return f"(SELECT coalesce(json_agg({of} ORDER BY {order}), '[]') FROM {where})"


def _plain(alias: str, *names: str) -> dict[str, str]:
    return {name: f'{alias}."{name}"' for name in names}


def _stamps(alias: str) -> dict[str, str]:
    return {name: INSTANT.format(f"{alias}.{name}") for name in ("created_on", "modified")}


_item = _object(
    **_plain("c", "id", "user_id", "issue_id", "quantity", "book_format"),
    grade="c.grade::text",
    **_plain("c", "grading_company", "purchase_date"),
    purchase_price="c.purchase_price::text",
    **_plain("c", "purchase_currency", "purchase_store", "storage_location", "notes", "is_read"),
    read_dates=_all(
        INSTANT.format("d.read_date"),
        "read_date d WHERE d.collection_item_id = c.id",
        "d.read_date DESC, d.id DESC",
    ),
    **_plain("c", "rating"),
    **_stamps("c"),
)
_list = _object(
    **_plain("l", "id", "user_id", "name", "slug", "desc", "is_private", "list_type"),
    **_plain("l", "attribution_source", "attribution_url", "previous_id", "next_id"),
    items=_all(
        _object(
            **_plain("i", "id", "issue_id", "order", "issue_type"), added_on=INSTANT.format("i.added_on")
        ),
        "reading_list_item i WHERE i.reading_list_id = l.id",
        'i."order"',
    ),
    ratings=_all(
        _object(**_plain("r", "id", "user_id", "rating"), created_on=INSTANT.format("r.created_on")),
        "reading_list_rating r WHERE r.reading_list_id = l.id",
        "r.user_id",
    ),
    **_stamps("l"),
)
_followed = _object(
    **_plain("p", "id", "user_id"),
    series=_all(
        _object(**_plain("s", "id", "series_id"), added_on=INSTANT.format("s.added_on")),
        "pull_list_series s WHERE s.pull_list_id = p.id",
        "s.series_id",
    ),
    **_stamps("p"),
)
_wished = _object(
    **_plain("w", "id", "user_id"),
    items=_all(
        _object(
            **_plain("i", "id", "issue_id", "status", "priority"),
            desired_grade="i.desired_grade::text",
            max_price="i.max_price::text",
            currency="i.max_currency",
            **_plain("i", "notes"),
            added_on=INSTANT.format("i.added_on"),
            modified=INSTANT.format("i.modified"),
        ),
        "wish_list_item i WHERE i.wish_list_id = w.id",
        "i.issue_id",
    ),
    **_stamps("w"),
)
# By file; each gives one object a row.
STATEMENTS = {
    "collection_items": f"SELECT {_item} FROM collection_item c ORDER BY c.id",
    "reading_lists": f"SELECT {_list} FROM reading_list l ORDER BY l.id",
    "pull_lists": f"SELECT {_followed} FROM pull_list p ORDER BY p.user_id",
    "wish_lists": f"SELECT {_wished} FROM wish_list w ORDER BY w.user_id",
}

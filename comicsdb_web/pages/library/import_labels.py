"""The words of imports: parts of a library, fields of its files, and what has become of a file."""

from collections import Counter
from collections.abc import Iterator

from comicsdb.library.transfer.format import COLLECTION, ITEMS, LISTS, PULL, RATINGS, WISHES
from comicsdb_web.rendering.locales import _, ngettext

PART_WORDS = {
    COLLECTION: _("Collection"),
    PULL: _("Pull list"),
    WISHES: _("Wish list"),
    RATINGS: _("Stars"),
    ITEMS: _("Reading lists"),
}
FIELD_WORDS = {
    "series": _("Series"),
    "Series": _("Series"),
    "number": _("Number"),
    "Number": _("Number"),
    "title": _("Title"),
    "volume": _("Volume"),
    "Volume": _("Volume"),
    "series_volume": _("Volume"),
    "year": _("Year"),
    "Year": _("Year"),
    "series_year": _("Year"),
    "published": _("Year"),
    "publisher": _("Publisher"),
    "Publisher": _("Publisher"),
    "cover_date": _("Cover date"),
    "release_date": _("Release date"),
    "upc": _("UPC"),
    "quantity": _("Copies"),
    "book_format": _("Format"),
    "grade": _("Grade"),
    "desired_grade": _("Lowest grade"),
    "grading_company": _("Graded by"),
    "purchase_date": _("Bought on"),
    "purchase_price": _("Price paid"),
    "purchase_currency": _("Currency"),
    "max_price": _("Highest price"),
    "max_currency": _("Currency"),
    "purchase_store": _("Bought at"),
    "storage_location": _("Storage location"),
    "notes": _("Notes"),
    "more_notes": _("Notes"),
    "is_read": _("Read"),
    "read_dates": _("Read on"),
    "read_on": _("Read on"),
    "rating": _("Stars"),
    "added": _("Added on"),
    "priority": _("Priority"),
    "status": _("Status"),
    "state": _("Status"),
    "owned": _("Owned"),
    "wished": _("Wished for"),
    "issue_type": _("Type"),
}


def outcome(counted: Counter) -> Iterator[tuple[str, object]]:
    """What to tell after an import: pairs of the kind of message and its text."""
    found = [text for name, text in _changes(counted) if counted[name]]
    if not found:
        yield "info", _("Nothing had to be changed: your library has all of it already.")
    for text in found:
        yield "success", text
    if counted["gone"]:
        yield (
            "warning",
            ngettext(
                "${n} row was left out: it is not in the database any more.",
                "${n} rows were left out: they are not in the database any more.",
                counted["gone"],
            ),
        )


def _changes(counted: Counter):
    def plural(name, one, many):
        return name, ngettext(one, many, counted[name])

    return (
        plural(
            "collection_added",
            "${n} issue came into your collection.",
            "${n} issues came into your collection.",
        ),
        plural(
            "collection_changed",
            "${n} item of your collection was changed.",
            "${n} items of your collection were changed.",
        ),
        plural("pull_list_added", "You follow ${n} more series.", "You follow ${n} more series."),
        plural("wish_list_added", "${n} wish was added.", "${n} wishes were added."),
        plural("wish_list_changed", "${n} wish was changed.", "${n} wishes were changed."),
        plural("ratings_added", "${n} issue got your stars.", "${n} issues got your stars."),
        plural(
            "ratings_changed", "Your stars for ${n} issue changed.", "Your stars for ${n} issues changed."
        ),
        plural(f"{LISTS}_added", "${n} reading list was made.", "${n} reading lists were made."),
        plural(f"{LISTS}_changed", "${n} reading list was changed.", "${n} reading lists were changed."),
        plural(
            f"{ITEMS}_added",
            "${n} issue came into reading lists.",
            "${n} issues came into reading lists.",
        ),
    )

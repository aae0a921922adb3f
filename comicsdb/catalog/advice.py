"""Advisory rules: the site's forms refuse a breach, the API and imports take it (model.md 3, web.md 4.6)."""

from sqlalchemy import select
from sqlalchemy.orm import Session
from stdnum import ean, isbn

from comicsdb.i18n import _
from comicsdb.models import Series, SeriesType
from comicsdb.models.choices import COLLECTED_CODES, SeriesTypeCode

ADDED_DIGITS = (0, 2, 5)  # a supplement behind the bar code proper
CODE_DIGITS = (12, 13)
NO_CV_ID = (SeriesTypeCode.TRADE_PAPERBACK,)
NO_ASSOCIATED = COLLECTED_CODES
NO_ARCS = (SeriesTypeCode.TRADE_PAPERBACK, SeriesTypeCode.HARDCOVER)


def is_isbn(text: str) -> bool:
    """Whether a text is an ISBN-10 or ISBN-13 in canonical form."""
    return isbn.is_valid(text) and isbn.compact(text) == text


def is_upc(text: str) -> bool:
    """Whether a text is a UPC-A or EAN-13, alone or with a supplement of two or five digits."""
    if not (text.isascii() and text.isdigit()):
        return False
    return any(
        len(text) == length + added and ean.is_valid(text[:length])
        for length in CODE_DIGITS
        for added in ADDED_DIGITS
    )


def is_sku(text: str) -> bool:
    """Whether a text has letters and digits only."""
    return text.isascii() and text.isalnum()


CODES = {
    "isbn": (
        is_isbn,
        _("This is no ISBN: please compare it with the one on the book, check digit included."),
    ),
    "upc": (is_upc, _("This is no UPC: please compare all digits with those below the bar code.")),
    "sku": (is_sku, _("A SKU has letters and digits only.")),
}


def codes(values: dict) -> dict[str, list]:
    """What is wrong with the trade's numbers among `values` of an issue or variant, by field."""
    return {
        field: [message]
        for field, (fits, message) in CODES.items()
        if values.get(field) and not fits(values[field])
    }


def advise(session: Session, kind: str, before: dict, changed: dict) -> dict[str, list]:
    """The advisory rules that a change would break, as messages by field; an empty dict where it breaks none.

    `before` is the state of the object as `catalog.history.snapshot` gives it, empty for a new one; `changed`
    has the fields that differ and nothing else. What was there already is not judged: of lists only what is
    added.
    """
    if kind == "series":
        return _of_series(session, before, changed)
    if kind == "issue":
        return codes(changed) | _of_issue(session, before, changed)
    return of_creator(before, changed) if kind == "creator" else {}


def of_creator(before: dict, changed: dict) -> dict[str, list]:
    """The rule of a creator's dates; each may be a date or its ISO form."""
    typed = next((field for field in ("death", "birth") if changed.get(field)), None)
    birth, death = (changed.get(field, before.get(field)) for field in ("birth", "death"))
    if typed and birth and death and str(death) < str(birth):
        return {typed: [_("Death lies before birth.")]}
    return {}


def _of_series(session: Session, before: dict, changed: dict) -> dict[str, list]:
    asked = changed.get("cv_id") is not None, _adds(before, changed, "associated")
    type_id = changed.get("series_type", before.get("series_type"))
    code = session.scalar(select(SeriesType.code).where(SeriesType.id == type_id)) if any(asked) else None
    found = {}
    if asked[0] and code in NO_CV_ID:
        found["cv_id"] = [_("Comic Vine keeps no Trade Paperbacks as series: leave its number out.")]
    if asked[1] and code in NO_ASSOCIATED:
        found["associated"] = [_("Series of collected editions have no associated series.")]
    return found


def _of_issue(session: Session, before: dict, changed: dict) -> dict[str, list]:
    asked = bool(changed.get("title")), _adds(before, changed, "arcs")
    if not any(asked):
        return {}
    series = session.execute(
        select(Series.collection, SeriesType.code)
        .join(SeriesType, SeriesType.id == Series.series_type_id)
        .where(Series.id == changed.get("series", before.get("series")))
    ).one_or_none()
    found = {}
    if series and asked[0] and not series.collection:
        found["title"] = [
            _("This series allows no collection titles; whether it does is set in its own form.")
        ]
    if series and asked[1] and series.code in NO_ARCS:
        found["arcs"] = [_("Issues of Trade Paperbacks and Hardcovers have no story arcs of their own.")]
    return found


def _adds(before: dict, changed: dict, field: str) -> bool:
    """Whether a list gets something that it did not have."""
    return bool(set(changed.get(field) or ()) - set(before.get(field) or ()))

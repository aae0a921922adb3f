"""Validation of the values of a reading list, for API and site."""

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from comicsdb.catalog.column_checks import column_problem, is_integer
from comicsdb.catalog.rules import REQUIRED, ErrorCollector
from comicsdb.i18n import _
from comicsdb.library.reading_lists.links import NEXT, OPPOSITE, PREVIOUS
from comicsdb.models import ReadingList
from comicsdb.models.base import INTEGER_MAX
from comicsdb.models.choices import ListSource, ListType
from comicsdb.schemas.types import no_such_object, not_a_choice
from comicsdb.security import Identity, Permission, has_permission
from comicsdb.values import is_web_address

SOURCE = ("attribution_source", "attribution_url")
OF_FILE = ("file_source", "start_year")
PICTURE = ("image", "image_width", "image_height")
COLUMNS = ("name", "desc", "is_private", "list_type", *SOURCE, *OF_FILE, *PICTURE)
FIELDS = (*COLUMNS, PREVIOUS, NEXT)  # writable fields; a neighbour is an id or None
FIGURES = ("rating_count", "rating_sum", "rated", "rated_before", "like_count", "forked_from_id")

NOT_A_URL = "Enter a valid URL."
FOR_STAFF = _("Only staff can set the source of a list.")
ITSELF = _("A list cannot come before or after itself.")
SAME_TWICE = _("A list cannot be both the previous and the next one.")

_CODES = {"list_type": tuple(ListType), "attribution_source": ("", *ListSource)}


def columns(values: dict) -> dict:
    """The values that are columns, that is, all but the neighbours."""
    return {name: values[name] for name in COLUMNS if name in values}


def partner_ids(values: dict) -> set[int]:
    """The ids of the neighbours in the values, which are not validated yet."""
    given = (values.get(side) for side in OPPOSITE)
    return {each for each in given if is_integer(each) and 0 < each <= INTEGER_MAX}


def check(
    session: Session,
    identity: Identity,
    visible: ColumnElement[bool],
    reading_list: ReadingList | None,
    values: dict,
) -> dict[str, int | None]:
    """Validate `values` for a new list (None) or for a change by the account.

    Raises InvalidError.

    `visible` is the condition on other lists that the account may see. Returns the given neighbours by side.
    """
    findings = ErrorCollector()
    for field in sorted(set(values) - set(FIELDS)):
        findings.add(field, "A reading list has no such field.")
    if reading_list is None and "name" not in values:
        findings.add("name", REQUIRED)
    table = ReadingList.__table__.columns
    for name, value in columns(values).items():
        wrong = column_problem(table[name], value) or _code_problem(name, value)
        if wrong:
            findings.add(name, wrong)
    if not has_permission(identity, Permission.LIST_SOURCES):
        for name in SOURCE:
            before = getattr(reading_list, name, "")
            if values.get(name, before) != before:
                findings.add(name, FOR_STAFF)
    partners = {side: values[side] for side in OPPOSITE if side in values}
    _check_partners(session, visible, reading_list, partners, findings)
    findings.raise_any()
    return partners


def _code_problem(name: str, value) -> str | None:
    if value not in _CODES.get(name, (value,)):
        return not_a_choice(value)
    if name == "attribution_url" and value and not is_web_address(value):
        return NOT_A_URL
    return None


def _check_partners(
    session: Session, visible, reading_list, partners: dict, findings: ErrorCollector
) -> None:
    sound = partner_ids(partners)
    there = select(ReadingList.id).where(ReadingList.id.in_(sound), visible)
    found = set(session.scalars(there)) if sound else set()
    for side, partner in partners.items():
        if partner is not None and partner not in found:
            findings.add(side, no_such_object(partner))
        elif reading_list is not None and partner == reading_list.id:
            findings.add(side, ITSELF)
    after = [partners.get(side, getattr(reading_list, f"{side}_id", None)) for side in OPPOSITE]
    if after[0] is not None and after[0] == after[1]:
        findings.add(NEXT if NEXT in partners else PREVIOUS, SAME_TWICE)

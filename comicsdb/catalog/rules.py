"""Validation rules for all writes.

Schemas check types and lengths of single fields, and `column_checks` checks whether columns can store them;
this module has the rules that involve other fields or the database. Only the given fields are checked, except
for pairs of fields that may contradict each other.
"""

from datetime import date
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from comicsdb.catalog.column_checks import NULL, field_problems
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.kinds import Kind
from comicsdb.i18n import _, formatted
from comicsdb.models import Creator, Imprint, Role
from comicsdb.models.choices import COUNTRIES, EARLIEST_YEAR, KNOWN_PRECISIONS, YEARS, Precision
from comicsdb.models.currencies import Currency
from comicsdb.schemas.types import NEGATIVE, SHOWN_MAX, amount_problem, no_such_object, not_a_choice
from comicsdb.values import partial_day, partial_day_text

REQUIRED = _("This field is required.")


class ErrorCollector:
    """Error messages by field, to be raised together."""

    def __init__(self):
        self.errors: dict[str, list[str]] = {}

    def add(self, field: str, message: str) -> None:
        """Add a message, unless the field has it already."""
        messages = self.errors.setdefault(field, [])
        if message not in messages:
            messages.append(message)

    def raise_any(self) -> None:
        """Raise InvalidError if there are messages."""
        if self.errors:
            raise InvalidError(self.errors)


def validate(session: Session, kind: Kind, entity, values: dict) -> None:
    """Check `values` for a new object (`entity` None) or a change of `entity`; raises InvalidError."""
    find_errors(session, kind, entity, values).raise_any()


def find_errors(session: Session, kind: Kind, entity, values: dict, *, lock: bool = True) -> ErrorCollector:
    """The errors that `validate` would raise; for `lock`, see `existing_ids`."""
    findings = ErrorCollector()
    unknown = set(values) - set(kind.fields)
    for field in sorted(map(str, unknown)):
        findings.add(field, _("This kind of entry has no such field."))
    if entity is None:
        _check_required(kind, values, findings)
    unfit = field_problems(kind, values)
    for field, message in unfit.items():
        findings.add(field, message)
    values = {field: value for field, value in values.items() if field not in unfit}
    _check_references(session, kind, values, findings, lock=lock)
    _check_years(values, findings)
    _check_precisions(kind, values, findings)
    if kind.name == "series":
        _check_series(session, entity, values, findings)
    elif kind.name == "issue":
        _check_issue(entity, values, findings)
    elif kind.name == "publisher" and values.get("country", "") not in ("", *COUNTRIES):
        findings.add("country", not_a_choice(values["country"]))
    for link in kind.links:
        if link.symmetric and entity is not None and entity.id in (values.get(link.field) or ()):
            findings.add(link.field, _("An entry cannot be linked to itself: choose another one."))
    return findings


def with_precisions(kind: Kind, entity, values: dict) -> dict:
    """The values, completed so that dates and precisions match.

    A date without a precision is exact to the day, unless it equals the current one: clients send back the
    date that they have read.
    """
    values = dict(values)
    for field in kind.partial_dates:
        _complete(field, _is_placed(kind, field), entity, values)
    return values


def _is_placed(kind: Kind, field: str) -> bool:
    """Whether objects without this date get one by trigger, for ordering, with the precision "none"."""
    return bool(kind.model.__table__.columns[field].info.get("by_trigger"))


def _complete(field: str, is_placed: bool, entity, values: dict) -> None:
    name = f"{field}_precision"
    day, known = values.get(field), values.pop(name, None)
    is_sent = field in values
    if (is_placed and known == Precision.NONE) or (day is None and (is_sent or entity is None)):
        if is_placed:
            values.pop(field, None)
        values[name] = Precision.NONE.value if is_placed else Precision.DAY.value
        return
    if not is_sent:
        day = getattr(entity, field)
        if known is None or day is None or getattr(entity, name) == Precision.NONE:
            return
    elif known is None:
        if entity is not None and day == getattr(entity, field):
            return
        known = Precision.DAY
    if type(day) is date and known in KNOWN_PRECISIONS:
        values[field] = partial_day(partial_day_text(day, known))[0]
    values[name] = str(known)


def _check_required(kind: Kind, values: dict, findings: ErrorCollector) -> None:
    columns = kind.model.__table__.columns
    for field in (*kind.scalars, *kind.parents):
        column = columns[f"{field}_id" if field in kind.parents else field]
        needed = not column.nullable and column.default is None and column.server_default is None
        needed = needed and not column.info.get("by_trigger")
        if needed and field not in values:
            findings.add(field, REQUIRED)


def _check_references(
    session: Session, kind: Kind, values: dict, findings: ErrorCollector, *, lock: bool
) -> None:
    columns = kind.model.__table__.columns
    for field, target in kind.parents.items():
        if field not in values:
            continue
        if values[field] is None:
            if not columns[f"{field}_id"].nullable:
                findings.add(field, NULL)
        else:
            _check_ids(session, field, target, [values[field]], findings, lock=lock)
    for link in kind.links:
        if link.field in values:
            _check_ids(session, link.field, link.target, values[link.field], findings, lock=lock)
    if "credits" in values:
        creators = [credit["creator"] for credit in values["credits"]]
        _check_ids(session, "credits", Creator, creators, findings, lock=lock)
        roles = {role for credit in values["credits"] for role in credit["roles"]}
        _check_ids(session, "credits", Role, roles, findings, lock=lock)


def _check_ids(session: Session, field: str, target, ids, findings: ErrorCollector, *, lock: bool) -> None:
    """Check that there are rows with these ids."""
    wanted = set(ids)
    for missing in sorted(wanted - existing_ids(session, target, wanted, lock=lock)):
        findings.add(field, no_such_object(missing))


def existing_ids(session: Session, target, ids, *, lock: bool = True) -> set[int]:
    """The ids for which there are rows.

    With `lock`, the rows cannot be deleted until the transaction ends. This requires the writers' lock
    (`UnitOfWork.acquire_write_lock`), as deadlocks could occur otherwise.
    """
    wanted = set(ids)
    if not wanted:
        return set()
    found = select(target.id).where(target.id.in_(wanted))
    return set(session.scalars(found.with_for_update(key_share=True, read=True) if lock else found))


def _value_after(entity, values: dict, field: str):
    """The value that a field has after the change."""
    return values[field] if field in values else getattr(entity, field, None)


def _check_precisions(kind: Kind, values: dict, findings: ErrorCollector) -> None:
    for field in kind.partial_dates:
        known = values.get(f"{field}_precision", Precision.DAY)
        if known not in (list(Precision) if _is_placed(kind, field) else KNOWN_PRECISIONS):
            findings.add(f"{field}_precision", not_a_choice(known))


def _check_years(values: dict, findings: ErrorCollector) -> None:
    lowest, highest = YEARS
    for field in ("founded", "year_began", "year_end"):
        year = values.get(field)
        if year is not None and not lowest <= year <= highest:
            findings.add(
                field, formatted("The year must be between ${least} and ${most}.", least=lowest, most=highest)
            )


def _check_series(session: Session, entity, values: dict, findings: ErrorCollector) -> None:
    if "year_end" in values or "year_began" in values:
        began, end = (_value_after(entity, values, field) for field in ("year_began", "year_end"))
        if began is not None and end is not None and end < began:
            field = "year_end" if "year_end" in values else "year_began"
            findings.add(field, _("A series cannot end before the year it began."))
    if values.get("imprint") or ("publisher" in values and "imprint" not in values):
        imprint = values["imprint"] if "imprint" in values else getattr(entity, "imprint_id", None)
        publisher = values["publisher"] if "publisher" in values else getattr(entity, "publisher_id", None)
        owner = session.scalar(select(Imprint.publisher_id).where(Imprint.id == imprint)) if imprint else None
        if owner is not None and publisher is not None and owner != publisher:
            field = "imprint" if "imprint" in values else "publisher"
            findings.add(field, _("The imprint belongs to another publisher."))


def check_price(priced, values: dict, findings: ErrorCollector) -> None:
    """Check the currency and price that an issue or variant (None for a new one) has after a change."""
    if values.get("currency", Currency.USD) not in list(Currency):
        findings.add("currency", not_a_choice(str(values["currency"])[:SHOWN_MAX]))
    elif values.get("price") is not None and values["price"] < 0:
        findings.add("price", NEGATIVE)
    elif "price" in values or "currency" in values:
        price, currency = (_value_after(priced, values, field) for field in ("price", "currency"))
        wrong = price is not None and amount_problem(
            Decimal(str(price)), currency or Currency.USD, rounds=True
        )
        if wrong:
            findings.add("price", wrong)


def _check_issue(entity, values: dict, findings: ErrorCollector) -> None:
    for field in ("cover_date", "store_date", "foc_date"):
        day = values.get(field)
        if day is not None and day < date(EARLIEST_YEAR, 1, 1):
            findings.add(field, formatted("Dates before ${year} are not accepted.", year=EARLIEST_YEAR))
    check_price(entity, values, findings)
    creators = [credit["creator"] for credit in values.get("credits", ())]
    if len(creators) != len(set(creators)):
        findings.add("credits", _("The fields issue, creator must make a unique set."))

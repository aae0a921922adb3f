"""Writing single credits and variants, independently of their issue.

Like any edit of the issue, this updates `modified`, history, change log and versions.
"""

from collections import defaultdict

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from comicsdb.catalog import rules
from comicsdb.catalog.column_checks import column_problem
from comicsdb.catalog.errors import InvalidRowsError, NotFoundError
from comicsdb.catalog.kinds import kind_of
from comicsdb.catalog.unit_of_work import PICTURE_COLUMNS
from comicsdb.i18n import _, formatted
from comicsdb.library import merging
from comicsdb.models import Creator, Credit, Issue, Role, Series, Variant, credit_role
from comicsdb.schemas.types import no_such_object

SAME_PAIR = _("The fields issue, creator must make a unique set.")


def lock_issues(session: Session, ids) -> set[int]:
    """Lock issues against other writers until the transaction ends; returns the ids that exist.

    Their series are locked first, and all in the order of ids, as renaming a series locks rows in the same
    order.
    """
    of_these = select(Issue.series_id).where(Issue.id.in_(ids))
    series = select(Series.id).where(Series.id.in_(of_these)).order_by(Series.id)
    session.execute(series.with_for_update(key_share=True))
    issues = select(Issue.id).where(Issue.id.in_(ids)).order_by(Issue.id)
    return set(session.scalars(issues.with_for_update(key_share=True)))


def add_credits(catalog, wanted: list[dict]) -> list[int]:
    """Add credits, given as [{"issue": id, "creator": id, "role": [ids]}]; returns their ids in this order.

    If any credit is invalid, none is added, and InvalidRowsError is raised.
    """
    if not wanted:
        return []
    session, unit = catalog.session, catalog.unit
    found = find_credit_errors(catalog, dict(enumerate(wanted)))
    if found:
        raise InvalidRowsError(found)
    with catalog.savepoint(kind_of(Issue)):
        rows = [{"issue_id": credit["issue"], "creator_id": credit["creator"]} for credit in wanted]
        made = insert(Credit).returning(Credit.id, sort_by_parameter_order=True)
        ids = list(session.scalars(made, rows))
        pairs = [
            {"credit_id": credit_id, "role_id": role_id}
            for credit_id, credit in zip(ids, wanted, strict=True)
            for role_id in sorted(credit["role"])
        ]
        session.execute(insert(credit_role), pairs)
        _record_edit(catalog, "credits", {credit["issue"] for credit in wanted})
    unit.propagate()
    for credit_id, credit in zip(ids, wanted, strict=True):
        unit.log_after_commit("create", "credit", credit_id, f"of issue {credit['issue']}")
    return ids


def _record_edit(catalog, part: str, issues: set[int]) -> None:
    """Record that the acting account changed parts of issues."""
    editor = {"edited_by_id": catalog.editor_id}
    catalog.session.execute(update(Issue).where(Issue.id.in_(issues)).values(editor))
    catalog.unit.record_part_change("issue", part, issues)


def find_credit_errors(catalog, wanted: dict[int, dict]) -> dict[int, dict[str, list[str]]]:
    """The errors of new credits, by index and field; repeated pairs of issue and creator are errors."""
    session = catalog.session
    catalog.unit.acquire_write_lock()
    issues = lock_issues(session, {credit["issue"] for credit in wanted.values()})
    creators = rules.existing_ids(session, Creator, {credit["creator"] for credit in wanted.values()})
    roles = rules.existing_ids(session, Role, {role for credit in wanted.values() for role in credit["role"]})
    present = select(Credit.issue_id, Credit.creator_id).where(Credit.issue_id.in_(issues))
    taken = {tuple(pair) for pair in session.execute(present)}
    found: dict[int, dict[str, list[str]]] = defaultdict(dict)
    for index, credit in sorted(wanted.items()):
        lacking = {
            "issue": {credit["issue"]} - issues,
            "creator": {credit["creator"]} - creators,
            "role": set(credit["role"]) - roles,
        }
        for field, ids in lacking.items():
            if ids:
                found[index][field] = [no_such_object(each) for each in sorted(ids)]
        pair = (credit["issue"], credit["creator"])
        if pair in taken:
            found[index]["__all__"] = [SAME_PAIR]
        taken.add(pair)
    return dict(found)


def add_variant(catalog, values: dict) -> int:
    """Add a variant from columns of `Variant` and "issue"; returns its id. Raises InvalidError."""
    catalog.unit.acquire_write_lock()
    find_variant_errors(catalog.session, None, values).raise_any()
    return _write_variant(catalog, None, values, insert(Variant))


def update_variant(catalog, variant_id: int, values: dict) -> int:
    """Change fields of a variant, possibly its issue; raises InvalidError or NotFoundError.

    The issue's `modified` changes even if no field does.
    """
    catalog.unit.acquire_write_lock()
    variant = _locked(catalog.session, variant_id, values.get("issue"))
    find_variant_errors(catalog.session, variant, values).raise_any()
    return _write_variant(catalog, variant, values, update(Variant).where(Variant.id == variant_id))


def _locked(session: Session, variant_id: int, new_issue_id: int | None) -> Variant:
    """The reloaded variant, with its issue locked.

    If it goes to another issue, it waits for readers who are adding copies or wishes of it, which follow it.
    """
    issue_id = session.scalar(select(Variant.issue_id).where(Variant.id == variant_id))
    if new_issue_id not in (None, issue_id):
        session.execute(select(Variant.id).where(Variant.id == variant_id).with_for_update())
    lock_issues(session, [issue_id] if issue_id else [])
    variant = session.scalar(
        select(Variant).where(Variant.id == variant_id).execution_options(populate_existing=True)
    )
    if variant is None:
        raise NotFoundError("variant", variant_id)
    return variant


def find_variant_errors(session: Session, variant: Variant | None, values: dict) -> rules.ErrorCollector:
    """The errors in the values of a new variant (None) or of a change."""
    findings = rules.ErrorCollector()
    columns = Variant.__table__.columns
    for field, value in values.items():
        column = columns.get(f"{field}_id" if field == "issue" else field)
        wrong = (
            formatted("A variant has no ${field}.", field=field)
            if column is None
            else column_problem(column, value)
        )
        if wrong:
            findings.add(field, wrong)
    if variant is None and "issue" not in values:
        findings.add("issue", rules.REQUIRED)
    rules.check_price(
        variant, {field: value for field, value in values.items() if field not in findings.errors}, findings
    )
    if "issue" in values and "issue" not in findings.errors and not lock_issues(session, [values["issue"]]):
        findings.add("issue", no_such_object(values["issue"]))
    return findings


def _write_variant(catalog, variant: Variant | None, values: dict, statement) -> int:
    session, unit = catalog.session, catalog.unit
    before = {variant.issue_id} if variant else set()
    pictured = {column: getattr(variant, column) for column in PICTURE_COLUMNS} if variant else {}
    replaced = [variant.image] if variant and values.get("image", variant.image) != variant.image else []
    columns = {f"{field}_id" if field == "issue" else field: value for field, value in values.items()}
    variant_id = variant.id if variant else None
    with catalog.savepoint(kind_of(Issue)):
        if columns:
            variant_id = session.scalar(statement.values(**columns).returning(Variant.id))
        if variant and values.get("issue", variant.issue_id) not in before:
            merging.follow_variant(session, variant_id, values["issue"])
        unit.release_files(replaced)
        unit.retain_files([values.get("image")])
        _record_edit(catalog, "variants", before | ({values["issue"]} if "issue" in values else set()))
    unit.propagate()
    issue_id = values.get("issue") or next(iter(before))
    if variant:
        unit.log_picture_change("variant", variant_id, f"of issue {issue_id}", pictured, values)
    unit.log_after_commit("update" if variant else "create", "variant", variant_id, f"of issue {issue_id}")
    return variant_id

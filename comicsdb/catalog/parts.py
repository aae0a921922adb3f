"""Writes links and parts of objects with set-based statements, recorded in the unit of work."""

from sqlalchemy import and_, delete, func, insert, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from comicsdb.catalog.kinds import Link
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.models import Attribution, Credit, ExternalId, Variant, credit_role


def replace_links(session: Session, owner: str, link: Link, owner_id: int, wanted: list[int]) -> bool:
    """Replace the ids that an object is linked to in a field; returns whether anything changed."""
    columns = link.table.columns
    own, other = columns[link.own], columns[link.other]
    present = set(session.scalars(select(other).where(own == owner_id)))
    added, removed = set(wanted) - present, present - set(wanted)
    if removed:
        session.execute(delete(link.table).where(_pairs(link, owner_id, removed)))
    if added:
        rows = [{link.own: owner_id, link.other: each} for each in sorted(added)]
        if link.symmetric:
            rows += [{link.own: each, link.other: owner_id} for each in sorted(added)]
        session.execute(upsert(link.table).on_conflict_do_nothing(), rows)
    if added or removed:
        UnitOfWork.of(session).record_link_change(owner, link, {owner_id}, added | removed)
    return bool(added or removed)


def _pairs(link: Link, owner_id: int, others: set[int]):
    own, other = link.table.columns[link.own], link.table.columns[link.other]
    forth = and_(own == owner_id, other.in_(others))
    return forth | and_(other == owner_id, own.in_(others)) if link.symmetric else forth


def replace_credits(session: Session, issue_id: int, wanted: list[dict]) -> bool:
    """Replace the credits of an issue by [{"creator": id, "roles": [ids]}], one per creator."""
    present = credits_of(session, issue_id)
    goal = {credit["creator"]: set(credit["roles"]) for credit in wanted}
    if present == goal:
        return False
    gone = set(present) - set(goal)
    if gone:
        deleted = delete(Credit).where(Credit.issue_id == issue_id, Credit.creator_id.in_(gone))
        for credit_id in sorted(session.scalars(deleted.returning(Credit.id))):
            UnitOfWork.of(session).log_after_commit("delete", "credit", credit_id, f"of issue {issue_id}")
    for creator_id, roles in sorted(goal.items()):
        if present.get(creator_id) != roles:
            _write_credit(session, issue_id, creator_id, roles)
    UnitOfWork.of(session).record_part_change("issue", "credits", {issue_id})
    return True


def credits_of(session: Session, issue_id: int) -> dict[int, set[int]]:
    """The credits of an issue as {creator id: role ids}."""
    rows = session.execute(
        select(Credit.creator_id, credit_role.c.role_id)
        .outerjoin(credit_role, credit_role.c.credit_id == Credit.id)
        .where(Credit.issue_id == issue_id)
    )
    found: dict[int, set[int]] = {}
    for creator_id, role_id in rows:
        found.setdefault(creator_id, set()).update([role_id] if role_id is not None else [])
    return found


def _write_credit(session: Session, issue_id: int, creator_id: int, roles: set[int]) -> int:
    credit_id = session.scalar(
        upsert(Credit)
        .values(issue_id=issue_id, creator_id=creator_id)
        .on_conflict_do_update(
            index_elements=[Credit.issue_id, Credit.creator_id], set_={"modified": func.clock_timestamp()}
        )
        .returning(Credit.id)
    )
    session.execute(
        delete(credit_role).where(credit_role.c.credit_id == credit_id, credit_role.c.role_id.not_in(roles))
    )
    if roles:
        rows = [{"credit_id": credit_id, "role_id": role_id} for role_id in sorted(roles)]
        session.execute(upsert(credit_role).on_conflict_do_nothing(), rows)
    return credit_id


VARIANT_FIELDS = (
    "name",
    "price",
    "currency",
    "sku",
    "upc",
    "image",
    "image_width",
    "image_height",
    "cover_hash",
)


def replace_variants(session: Session, issue_id: int, wanted: list[dict]) -> bool:
    """Replace the variants of an issue; a variant with the `id` of an existing row updates that row."""
    present = {
        row.id: row
        for row in session.execute(
            select(Variant.id, *(getattr(Variant, field) for field in VARIANT_FIELDS)).where(
                Variant.issue_id == issue_id
            )
        )
    }
    kept = {variant["id"] for variant in wanted if variant.get("id") in present}
    changed = False
    if set(present) - kept:
        UnitOfWork.of(session).release_files(row.image for row in present.values() if row.id not in kept)
        session.execute(delete(Variant).where(Variant.id.in_(set(present) - kept)))
        changed = True
    for variant in wanted:
        values = {field: variant[field] for field in VARIANT_FIELDS if field in variant}
        row = present.get(variant.get("id"))
        if row is None:
            session.execute(insert(Variant).values(issue_id=issue_id, **values))
            changed = True
        elif any(getattr(row, field) != value for field, value in values.items()):
            if values.get("image", row.image) != row.image:
                UnitOfWork.of(session).release_files([row.image])
            session.execute(Variant.__table__.update().where(Variant.id == row.id).values(**values))
            before = row._asdict()
            UnitOfWork.of(session).log_picture_change(
                "variant", row.id, f"of issue {issue_id}", before, values
            )
            changed = True
    if changed:
        UnitOfWork.of(session).retain_files(variant.get("image") for variant in wanted)
        UnitOfWork.of(session).record_part_change("issue", "variants", {issue_id})
    return changed


def replace_attributions(session: Session, owner: str, owner_id: int, wanted: list[dict]) -> bool:
    """Replace the attributions of an object by [{"source": code, "url": text}], in this order."""
    column = getattr(Attribution, f"{owner}_id")
    present = session.execute(
        select(Attribution.id, Attribution.source, Attribution.url)
        .where(column == owner_id)
        .order_by(Attribution.id)
    ).all()
    goal = list(dict.fromkeys((item["source"], item["url"]) for item in wanted))
    alike = 0  # leading rows that can stay; rows are shown in the order of their ids
    while alike < min(len(present), len(goal)) and present[alike][1:] == goal[alike]:
        alike += 1
    if alike == len(present) == len(goal):
        return False
    if present[alike:]:
        session.execute(delete(Attribution).where(Attribution.id.in_([row.id for row in present[alike:]])))
    for source, url in goal[alike:]:
        session.execute(insert(Attribution).values(**{f"{owner}_id": owner_id, "source": source, "url": url}))
    UnitOfWork.of(session).record_part_change(owner, "attributions", {owner_id})
    return True


def replace_external_ids(
    session: Session, owner: str, owner_id: int, wanted: list[dict], said_by: int | None
) -> bool:
    """Replace the external ids of an object by [{"source": code, "external_id": text, "scope": text}].

    Unchanged rows keep the account that entered them.
    """
    column = getattr(ExternalId, f"{owner}_id")
    content = (ExternalId.source, ExternalId.external_id, ExternalId.scope)
    rows = session.execute(select(ExternalId.id, *content).where(column == owner_id))
    present = {tuple(key): row_id for row_id, *key in rows}
    goal = {(each["source"], each["external_id"], each.get("scope", "")) for each in wanted}
    gone = {row_id for key, row_id in present.items() if key not in goal}
    added = [
        {f"{owner}_id": owner_id, "said_by_id": said_by}
        | dict(zip(("source", "external_id", "scope"), key, strict=True))
        for key in sorted(goal - present.keys())
    ]
    if gone:
        session.execute(delete(ExternalId).where(ExternalId.id.in_(gone)))
    if added:
        session.execute(insert(ExternalId), added)
    if gone or added:
        UnitOfWork.of(session).record_part_change(owner, "external_ids", {owner_id})
    return bool(gone or added)

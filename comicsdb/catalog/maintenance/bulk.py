"""Changes to many objects at once: age ratings, covers, credits, contents, slugs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from comicsdb.catalog import copying, rules
from comicsdb.catalog.errors import InvalidError
from comicsdb.catalog.issue_parts import lock_issues
from comicsdb.catalog.kinds import KINDS
from comicsdb.catalog.maintenance import repair_slugs
from comicsdb.catalog.parts import credits_of, replace_credits
from comicsdb.catalog.service import Catalog
from comicsdb.i18n import _
from comicsdb.media.uploads import no_picture
from comicsdb.models import AgeRating, Creator, Issue, Role, Series
from comicsdb.models.choices import UNKNOWN_AGE_RATING_ID

OBJECTS_MAX = 500  # objects per act, as it blocks other writers
TEEN = "Teen"

Executives = Mapping[int, tuple[tuple[int, str], ...]]  # by publisher id: (creator id, name of role)


@dataclass(frozen=True)
class BulkResult:
    """The ids of the changed objects, and the number of unchanged ones.

    If `postponed`, the ids are those of the selected objects, and the act runs after the commit.
    """

    changed: tuple[int, ...]
    unchanged: int = 0
    postponed: bool = False


def set_teen(catalog: Catalog, ids: Iterable[int]) -> BulkResult:
    """Set the age rating of issues from Unknown to Teen."""
    issues = _issues(catalog, ids)
    teen = catalog.session.scalar(select(AgeRating.id).where(AgeRating.name == TEEN))
    if teen is None:
        raise _error(_("There is no age rating named ${name}.", mapping={"name": TEEN}))
    rules.existing_ids(catalog.session, AgeRating, {teen})
    wanted = [issue for issue in issues if issue.rating_id == UNKNOWN_AGE_RATING_ID]
    return _set_columns(catalog, issues, wanted, {"rating_id": teen})


def remove_covers(catalog: Catalog, ids: Iterable[int]) -> BulkResult:
    """Remove the covers of issues; their files are deleted after the commit."""
    issues = _issues(catalog, ids)
    return _set_columns(catalog, issues, [issue for issue in issues if issue.image], no_picture(hashed=True))


def add_executives(catalog: Catalog, ids: Iterable[int], executives: Executives) -> BulkResult:
    """Add the standing credits of publishers to their issues.

    Issues of other publishers, and those that have all of these credits, stay unchanged. Raises InvalidError
    if the setting has an unknown creator or role.
    """
    session = catalog.session
    issues = _issues(catalog, ids)
    standing = _resolve_roles(catalog, {int(publisher): pairs for publisher, pairs in executives.items()})
    publishers = dict(
        session.execute(
            select(Series.id, Series.publisher_id).where(Series.id.in_({each.series_id for each in issues}))
        ).all()
    )
    changed = []
    with catalog.savepoint(KINDS["issue"]):
        for issue in issues:
            wanted = standing.get(publishers[issue.series_id])
            present = credits_of(session, issue.id) if wanted else {}
            goal = {each: set(roles) for each, roles in present.items()}
            for creator, role in wanted or ():
                goal.setdefault(creator, set()).add(role)
            if goal != present:
                all_credits = [{"creator": each, "roles": sorted(roles)} for each, roles in goal.items()]
                replace_credits(session, issue.id, all_credits)
                changed.append(issue)
        _record_edits(catalog, changed)
    return _result(catalog, issues, changed)


def copy_from_reprints(catalog: Catalog, ids: Iterable[int]) -> BulkResult:
    """Copy stories, characters and teams from reprinted issues; see `copying.sync_reprints`.

    Issues stay unchanged if they are not collected editions, already have contents, or reprint nothing.
    """
    issues, changed = _issues(catalog, ids), []
    for issue in issues:
        try:
            done = copying.sync_reprints(catalog, issue)
        except InvalidError:
            continue
        if done.stories:
            changed.append(issue.id)
    return BulkResult(tuple(changed), len(issues) - len(changed))


def rebuild_slugs(catalog: Catalog, ids: Iterable[int]) -> BulkResult:
    """Rebuild the slugs of issues; the result has the ids of the series whose issues changed."""
    changed = repair_slugs.rebuild_issue_slugs(catalog, ids)
    series = select(Issue.series_id).where(Issue.id.in_(changed)).distinct()
    return BulkResult(tuple(sorted(catalog.session.scalars(series))))


def delete(catalog: Catalog, ids: Iterable[int], kind: str, reason: str = "") -> BulkResult:
    """Delete objects of one kind. Raises InvalidError if one cannot be deleted."""
    return BulkResult(tuple(sorted(catalog.delete_many(KINDS[kind].model, set(ids), reason))))


def validate_selection(catalog: Catalog, model, ids: Iterable[int]) -> list[int]:
    """Lock out other writers, and return the distinct ids; raises InvalidError if an id is unknown."""
    catalog.unit.acquire_write_lock()
    wanted = sorted(set(ids))
    if not wanted:
        raise _error(_("Nothing is selected."))
    if len(wanted) > OBJECTS_MAX:
        raise _error(_("Too many: at most ${n} at once.", mapping={"n": OBJECTS_MAX}))
    if rules.existing_ids(catalog.session, model, wanted, lock=False) != set(wanted):
        raise _error(_("Some of your choices no longer exist: please choose again."))
    return wanted


def _issues(catalog: Catalog, ids: Iterable[int]) -> list[Issue]:
    """The issues, reloaded and locked until the transaction ends."""
    catalog.unit.acquire_write_lock()
    lock_issues(catalog.session, ids)
    found = select(Issue).where(Issue.id.in_(ids)).order_by(Issue.id)
    return list(catalog.session.scalars(found.execution_options(populate_existing=True)))


def _resolve_roles(catalog: Catalog, executives: Executives) -> dict[int, list[tuple[int, int]]]:
    """The setting with ids of roles instead of names."""
    session = catalog.session
    names = {role for pairs in executives.values() for _creator, role in pairs}
    roles = dict(session.execute(select(Role.name, Role.id).where(Role.name.in_(names))).all())
    creators = {creator for pairs in executives.values() for creator, _role in pairs}
    missing = sorted(names - set(roles)) + sorted(creators - rules.existing_ids(session, Creator, creators))
    if missing:
        raise _error(
            _(
                "The setting comicsdb.executives names entries that do not exist: ${names}.",
                mapping={"names": ", ".join(map(str, missing))},
            )
        )
    return {
        publisher: [(creator, roles[name]) for creator, name in pairs]
        for publisher, pairs in executives.items()
    }


def _set_columns(catalog: Catalog, issues: list[Issue], wanted: list[Issue], values: dict) -> BulkResult:
    """Set columns of the `wanted` issues among `issues`."""
    with catalog.savepoint(KINDS["issue"]):
        for issue in wanted:
            for column, value in values.items():
                setattr(issue, column, value)
        _record_edits(catalog, wanted)
    return _result(catalog, issues, wanted)


def _record_edits(catalog: Catalog, issues: list[Issue]) -> None:
    """Record edits of issues in the unit of work."""
    for issue in issues:
        issue.edited_by_id = catalog.editor_id
    catalog.unit.record_saved("issue", {issue.id for issue in issues})
    catalog.unit.record_event("series.issues", {issue.series_id for issue in issues})
    catalog.session.flush()


def _result(catalog: Catalog, issues: list[Issue], changed: list[Issue]) -> BulkResult:
    catalog.unit.propagate()
    for issue in changed:
        catalog.unit.log_after_commit("update", "issue", issue.id, issue.slug)
    return BulkResult(tuple(issue.id for issue in changed), len(issues) - len(changed))


def _error(text) -> InvalidError:
    return InvalidError({"__all__": [text]})

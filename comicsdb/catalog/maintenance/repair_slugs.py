"""Rebuilding slugs of a series and its issues after the series had a wrong first year."""

from collections.abc import Iterable

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from comicsdb.catalog import slugs
from comicsdb.catalog.issue_parts import lock_issues
from comicsdb.catalog.service import Catalog
from comicsdb.models import Issue, Series


def fix_start_year(catalog: Catalog, series: Series, year: int) -> dict[int, tuple[str, str]]:
    """Set the first year of a series, and rebuild its slug; the old slug redirects.

    Returns the changed slug, if it changed, as {id: (old, new)}. Raises InvalidError or ConflictError.
    """
    catalog.update(series, {"year_began": year})
    base = slugs.base_slug("series", f"{series.name}-{year}", series.id)
    return _change_slugs(catalog, "series", {series.id: (series.slug, base)})


def issue_ids_of_series(session: Session, series_ids: Iterable[int]) -> list[int]:
    """The ids of all issues of some series."""
    return list(session.scalars(select(Issue.id).where(Issue.series_id.in_(series_ids)).order_by(Issue.id)))


def rebuild_issue_slugs(catalog: Catalog, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Rebuild the slugs of issues from those of their series; old slugs redirect.

    Returns the changed slugs as {id: (old, new)}.
    """
    catalog.unit.acquire_write_lock()
    lock_issues(catalog.session, ids)
    rows = catalog.session.execute(
        select(Issue.id, Issue.slug, Issue.number, Series.slug.label("series"))
        .join(Series, Series.id == Issue.series_id)
        .where(Issue.id.in_(ids))
        .order_by(Issue.id)
    )
    wanted = {
        row.id: (row.slug, slugs.base_slug("issue", f"{row.series}-{row.number}", row.id)) for row in rows
    }
    return _change_slugs(catalog, "issue", wanted)


def _change_slugs(
    catalog: Catalog, kind: str, wanted: dict[int, tuple[str, str]]
) -> dict[int, tuple[str, str]]:
    """Set new slugs of objects of a kind; `wanted` maps ids to (slug, base).

    An object may keep its slug or get back a former one. Current and former slugs of other objects are taken.
    """
    session, unit = catalog.session, catalog.unit
    chosen = _choose_slugs(session, kind, {each: base for each, (_slug, base) in wanted.items()})
    changed = {each: (old, chosen[each]) for each, (old, _base) in wanted.items() if chosen[each] != old}
    if not changed:
        return {}
    slugs.redirect_former(session, kind, changed)
    session.execute(
        text(
            f"UPDATE {kind} t SET slug = made.slug, edited_by_id = :editor"
            " FROM unnest(CAST(:ids AS integer[]), CAST(:new AS varchar[])) AS made (id, slug)"
            " WHERE t.id = made.id"
        ),
        {
            "ids": list(changed),
            "new": [new for _old, new in changed.values()],
            "editor": catalog.editor_id,
        },
    )
    unit.record_saved(kind, set(changed))
    if kind == "issue":
        series = session.scalars(select(Issue.series_id).where(Issue.id.in_(changed)).distinct())
        unit.record_event("series.issues", set(series))
    unit.propagate()
    session.expire_all()
    return changed


def _choose_slugs(session: Session, kind: str, bases: dict[int, str]) -> dict[int, str]:
    """The first slug for each object that no other object has or had; assigned in the order of ids."""
    candidates = {each: slugs.free_candidates(kind, base) for each, base in bases.items()}
    chosen: dict[int, str] = {}
    tried, used = {each: next(names) for each, names in candidates.items()}, set()
    while tried:
        owners = slugs.owners(session, kind, set(tried.values()))
        refused = []
        for each, slug in tried.items():
            if slug in used or owners.get(slug, each) != each:
                refused.append(each)
            else:
                used.add(slug)
                chosen[each] = slug
        tried = {each: next(candidates[each]) for each in refused}
    return chosen

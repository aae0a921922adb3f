"""Bringing rows up to date that the database had already, and telling the catalogue what that changed.

A row that differs from the set's takes the set's values, its links become the set's, and its `modified` moves
as for any other edit: caches rely on it. Slug, `created_on` and who created a row stay. A picture stays where
the set has none. Credits, variants, attributions and ratings are added and changed, never removed.
"""

import hashlib
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import BinaryIO

from psycopg import sql

from comicsdb.catalog import propagation
from comicsdb.exchange.fields import Field, File
from comicsdb.exchange.format import (
    ATTRIBUTIONS,
    BY_KIND,
    BY_NAME,
    CATALOGUE,
    CREDITS,
    ISSUE_RATINGS,
    ISSUES,
    VARIANTS,
)
from comicsdb.exchange.run import Run
from comicsdb.exchange.staging import Pictures
from comicsdb.exchange.writing import AUTHORS
from comicsdb.media.storage import Content, Storage
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import SYSTEM_USER_ID

CHUNK = 2000
LASTING = ("slug", "created_on", "modified", *AUTHORS)


class Digests:
    """Digests of pictures; what several paths or keys share is read once."""

    def __init__(self, storage: Storage):
        self._storage = storage
        self._known: dict[Hashable, bytes] = {}

    def of_file(self, path: Path) -> bytes | None:
        """The digest of a file, None if there is none."""
        try:
            status = path.stat()
            return self._of((status.st_dev, status.st_ino), lambda: path.open("rb"))
        except FileNotFoundError:
            return None

    def of_key(self, key: str) -> bytes | None:
        """The digest of a stored picture, None if there is none."""
        try:
            return self._of(self._storage.identity(key), lambda: self._storage.open(key))
        except FileNotFoundError:
            return None

    def _of(self, identity: Hashable, opening: Callable[[], BinaryIO | Content]) -> bytes:
        if identity not in self._known:
            with opening() as stream:
                self._known[identity] = hashlib.file_digest(stream, "sha256").digest()
        return self._known[identity]


def keep_pictures(run: Run, file: File, pictures: Pictures) -> None:
    """Let found rows keep the picture they have, if the set has the same one or none."""
    names = {"staged": sql.Identifier(file.staged), "table": sql.Identifier(file.kind)}
    run.cursor.execute(
        sql.SQL(
            "UPDATE {staged} s"
            " SET image = t.image, image_width = t.image_width, image_height = t.image_height"
            " FROM {table} t WHERE t.id = s.db_id AND s.found AND s.image_path = '' AND t.image <> ''"
        ).format(**names)
    )
    digests = Digests(run.storage)
    with run.cursor.connection.cursor("kept") as rows:
        rows.execute(
            sql.SQL(
                "SELECT s.db_id, s.image_path, t.image FROM {staged} s JOIN {table} t ON t.id = s.db_id"
                " WHERE s.found AND s.image_path <> '' AND t.image <> ''"
            ).format(**names)
        )
        while chunk := rows.fetchmany(CHUNK):
            kept, keys = [], []
            for identifier, path, key in chunk:
                if digests.of_file(pictures.file(path)) == digests.of_key(key):
                    kept.append(identifier)
                    keys.append(key)
                else:
                    run.replaced_pictures.append(key)
            run.cursor.execute(
                sql.SQL(
                    "UPDATE {staged} s SET image = k.key, image_path = ''"
                    " FROM unnest(%s::integer[], %s::varchar[]) AS k (id, key) WHERE s.db_id = k.id"
                ).format(**names),
                (kept, keys),
            )


def update_found(run: Run) -> None:
    """Update found rows, and tell the unit of work of all that happened to rows that were there before."""
    for file in CATALOGUE:
        changed = _update(run, file, [column for column in file.columns if column not in LASTING])
        for field in file.links:
            changed |= _relink(run, file, field)
        _count(run, file, changed)
    _meet_new_issues(run)
    _update_credits(run)
    _update_variants(run)
    _update_attributions(run)
    _update_ratings(run)


def _count(run: Run, file: File, changed: set[int]) -> None:
    run.cursor.execute(sql.SQL("SELECT count(*) FROM {} WHERE found").format(sql.Identifier(file.staged)))
    run.report.count(file.name, "changed", len(changed))
    run.report.count(file.name, "unchanged", run.cursor.fetchone()[0] - len(changed))


def _update(run: Run, file: File, columns: list[str]) -> set[int]:
    """Give found rows of the catalogue the set's values where they differ; the ids of those that did."""
    names = _names(file, columns)
    place = "t.series_id, s.series_id" if file is ISSUES else "NULL, NULL"
    run.cursor.execute(
        sql.SQL(
            "SELECT t.id, ARRAY[{differing}], " + place + " FROM {staged} s JOIN {table} t ON t.id = s.db_id"
            " WHERE s.found AND ({mine}) IS DISTINCT FROM ({theirs})"
        ).format(**names)
    )
    changed: set[int] = set()
    for identifier, flags, *series in run.cursor.fetchall():
        changed.add(identifier)
        _note(run, file, identifier, {column for column, flag in zip(columns, flags, strict=True) if flag})
        if file is ISSUES:
            _note_place(run, set(series))
    if changed:
        author = sql.SQL("s.edited_by_id") if file is ISSUES and run.accounts else sql.Literal(SYSTEM_USER_ID)
        run.cursor.execute(
            sql.SQL(
                "UPDATE {table} t SET {changes}, edited_by_id = {author} FROM {staged} s"
                " WHERE t.id = s.db_id AND t.id = ANY(%s)"
            ).format(author=author, **names),
            (list(changed),),
        )
        run.unit.record_saved(file.kind, set(changed))
    return changed


def _names(file: File, columns: list[str]) -> dict[str, sql.Composable]:
    """The parts of statements that compare and copy columns of the staged table s and the table t."""
    pairs = [(sql.Identifier("t", column), sql.Identifier("s", column)) for column in columns]
    return {
        "staged": sql.Identifier(file.staged),
        "table": sql.Identifier(file.kind),
        "mine": sql.SQL(", ").join(mine for mine, _ in pairs),
        "theirs": sql.SQL(", ").join(theirs for _, theirs in pairs),
        "differing": sql.SQL(", ").join(sql.SQL("{} IS DISTINCT FROM {}").format(*pair) for pair in pairs),
        "changes": sql.SQL(", ").join(
            sql.SQL("{} = {}").format(sql.Identifier(column), theirs)
            for column, (_, theirs) in zip(columns, pairs, strict=True)
        ),
    }


def _note(run: Run, file: File, identifier: int, columns: set[str]) -> None:
    """Tell the unit of work which events the change of some columns is."""
    for event, shown in propagation.field_events(file.kind).items():
        if columns & set(shown):
            run.unit.record_event(event, {identifier})
    if "name" in columns and hasattr(file.model, "name_changed"):
        run.unit.changes.renamed[file.kind].add(identifier)


def _note_place(run: Run, series: set[int]) -> None:
    """An issue of these series changed, or moved between them."""
    run.unit.record_event("series.issues", series)
    run.unit.changes.listing["series"] |= series
    if len(series) > 1:
        run.unit.changes.rated["series"] |= series


def _relink(run: Run, file: File, field: Field) -> set[int]:
    """Make the links of found rows the set's; the ids of the rows whose links were others."""
    link = field.link
    names = {
        "staged": sql.Identifier(file.staged),
        "column": sql.Identifier(field.column),
        "links": sql.Identifier(link.table.name),
        "own": sql.Identifier(link.own),
        "other": sql.Identifier(link.other),
    }
    pairs = []
    # What one end of a symmetric link lost, the other end loses as well.
    for mine, theirs in ((link.own, link.other), (link.other, link.own))[: 2 if link.symmetric else 1]:
        run.cursor.execute(
            sql.SQL(
                "DELETE FROM {links} l USING {staged} s WHERE s.found AND s.db_id = l.{mine}"
                " AND NOT l.{theirs} = ANY(s.{column}) RETURNING l.{own}, l.{other}"
            ).format(mine=sql.Identifier(mine), theirs=sql.Identifier(theirs), **names)
        )
        pairs += run.cursor.fetchall()
    run.cursor.execute(
        sql.SQL(
            "INSERT INTO {links} ({own}, {other}) SELECT s.db_id, u.id FROM {staged} s,"
            " unnest(s.{column}) AS u (id) WHERE s.found ON CONFLICT DO NOTHING RETURNING {own}, {other}"
        ).format(**names)
    )
    pairs += run.cursor.fetchall()
    own, other = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    if pairs and file in CATALOGUE:
        run.unit.link_changed(file.kind, link, own, other)
    return own


def _meet_new_issues(run: Run) -> None:
    """Rows that were there before and that new issues belong to or link to (M1-M6, M24)."""
    run.cursor.execute(
        "SELECT DISTINCT p.db_id FROM staged_issues s JOIN staged_series p ON p.db_id = s.series_id"
        " WHERE p.found AND NOT s.found"
    )
    for (series,) in run.cursor.fetchall():
        _note_place(run, {series})
    for file in CATALOGUE:
        for field in file.links:
            if file is not ISSUES and not field.link.symmetric:
                continue
            run.cursor.execute(
                sql.SQL(
                    "SELECT DISTINCT o.db_id FROM {staged} s, unnest(s.{column}) AS u (id)"
                    " JOIN {target} o ON o.db_id = u.id WHERE o.found AND NOT s.found"
                ).format(
                    staged=sql.Identifier(file.staged),
                    column=sql.Identifier(field.column),
                    target=sql.Identifier(BY_NAME[field.target].staged),
                )
            )
            met = {each for (each,) in run.cursor.fetchall()}
            if met:
                run.unit.link_changed(file.kind, field.link, set(), met)


def _update_credits(run: Run) -> None:
    changed = _relink(run, CREDITS, CREDITS.links[0])
    run.cursor.execute(
        "UPDATE credit SET modified = clock_timestamp() WHERE id = ANY(%s) RETURNING issue_id",
        (list(changed),),
    )
    issues = {issue for (issue,) in run.cursor.fetchall()}
    # Relinking saw found credits only; credits that are new count for issues that are not.
    run.unit.part_changed("issue", "credits", issues | _owners_of_new(run, CREDITS, "issue_id", ISSUES))
    _count(run, CREDITS, changed)


def _owners_of_new(run: Run, file: File, column: str, owner: File, condition: str = "true") -> set[int]:
    """Rows that were there before and got new parts."""
    run.cursor.execute(
        sql.SQL(
            "SELECT DISTINCT o.db_id FROM {} s JOIN {} o ON o.db_id = s.{} WHERE o.found AND NOT s.found AND "
            + condition
        ).format(sql.Identifier(file.staged), sql.Identifier(owner.staged), sql.Identifier(column))
    )
    return {each for (each,) in run.cursor.fetchall()}


def _update_parts(run: Run, file: File, columns: list[str], returning: str) -> list[tuple]:
    """Give found parts the set's values where they differ; what RETURNING gives of those."""
    run.cursor.execute(
        sql.SQL(
            "UPDATE {table} t SET {changes} FROM {staged} s WHERE t.id = s.db_id AND s.found"
            " AND ({mine}) IS DISTINCT FROM ({theirs}) RETURNING t.id, " + returning
        ).format(**_names(file, columns))
    )
    rows = run.cursor.fetchall()
    _count(run, file, {row[0] for row in rows})
    return rows


def _update_variants(run: Run) -> None:
    columns = [column for column in VARIANTS.columns if column != "issue_id"]
    issues = {issue for _, issue in _update_parts(run, VARIANTS, columns, "t.issue_id")}
    run.unit.part_changed("issue", "variants", issues | _owners_of_new(run, VARIANTS, "issue_id", ISSUES))


def _update_attributions(run: Run) -> None:
    changed = _update_parts(run, ATTRIBUTIONS, ["source", "url"], "s.entity, s.entity_id")
    for kind in OWNERS:
        owners = {owner for _, entity, owner in changed if entity == kind}
        owners |= _owners_of_new(run, ATTRIBUTIONS, "entity_id", BY_KIND[kind], f"s.entity = '{kind}'")
        run.unit.part_changed(kind, "attributions", owners)


def _update_ratings(run: Run) -> None:
    rows = _update_parts(run, ISSUE_RATINGS, ["rating"], "t.issue_id")
    changed = {issue for _, issue in rows}
    # Items of collections that were there before have the stars that their owners gave the issue.
    run.cursor.execute(
        "UPDATE collection_item c SET rating = r.rating, modified_before = c.modified,"
        " modified = greatest(clock_timestamp(), c.modified + interval '1 microsecond') FROM issue_rating r"
        " WHERE c.user_id = r.user_id AND c.issue_id = r.issue_id AND c.rating IS DISTINCT FROM r.rating"
        " AND (r.id = ANY(%s) OR r.id IN (SELECT db_id FROM staged_issue_ratings WHERE NOT found))",
        ([rating for rating, _ in rows],),
    )
    run.unit.changes.rated["issue"] |= changed | _owners_of_new(run, ISSUE_RATINGS, "issue_id", ISSUES)
    # Series that were there before also show the stars of new issues.
    run.cursor.execute("SELECT DISTINCT issue_id FROM staged_issue_ratings WHERE NOT found")
    rated = changed | {issue for (issue,) in run.cursor.fetchall()}
    run.cursor.execute(
        "SELECT DISTINCT p.db_id FROM staged_issues i JOIN staged_series p ON p.db_id = i.series_id"
        " WHERE p.found AND i.db_id = ANY(%s)",
        (list(rated),),
    )
    run.unit.changes.rated["series"] |= {series for (series,) in run.cursor.fetchall()}

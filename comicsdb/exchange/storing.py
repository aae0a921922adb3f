"""Stores a set: new rows are inserted, matched rows are updated, and the unit of work records both.

New rows have the stamps of the set. Derived columns are computed by the same statements: `issues_modified` is
the latest `modified` of an object's issues and of the object itself, and ratings are counted and summed.

Matched rows that differ get the values and links of the set, and a new `modified`, as caches rely on it.
Slug, `created_on` and author are kept, and so is a picture if the set has none, or only a smaller thumbnail.
Credits, variants, attributions, external ids and ratings are added and changed, never removed.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import BinaryIO

from comicsdb.catalog import propagation
from comicsdb.exchange.format import (
    BY_KIND,
    BY_NAME,
    CATALOG,
    CREDITS,
    ISSUE_RATINGS,
    ISSUES,
    OWNED,
    PARTS,
    VARIANTS,
    Field,
    File,
)
from comicsdb.exchange.run import ImportRun
from comicsdb.exchange.staging import CHUNK, Pictures
from comicsdb.library.transfer.storing import TOUCH
from comicsdb.media.storage import Content, Storage
from comicsdb.models.attribution import OWNERS
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.models.picture_hash import HASHES

AUTHOR_COLUMNS = ("created_by_id", "edited_by_id")
FIXED_COLUMNS = ("slug", "created_on", "modified", *AUTHOR_COLUMNS)

# Per file: derived columns with their expressions over the staged row s, and the joins they need.
_LISTED = """LEFT JOIN (
    SELECT u.id, max(i.modified) AS latest FROM staged_issues i, unnest(i.{}) AS u (id) GROUP BY u.id
) listed ON listed.id = s.db_id"""
_IS_RELEASED = "coalesce(i.store_date <= {today}, true)"
_STARS = "count(*) AS number, sum(r.rating) AS total, max(r.created_on) AS latest"
_COUNTED = f"staged_issue_ratings r JOIN staged_issues i ON i.db_id = r.issue_id WHERE {_IS_RELEASED}"
_NAMED = {"name_changed": "s.modified"}
_SHOWN = {"issues_modified": "greatest(s.modified, listed.latest)"}
_RATED = {
    "rating_count": "coalesce(stars.number, 0)",
    "rating_sum": "coalesce(stars.total, 0)",
    "rated": "stars.latest",
}
# Items are appended to their list, without gaps.
_POSITION = """row_number() OVER (PARTITION BY s.reading_list_id ORDER BY s."order") + coalesce(
    (SELECT max(i."order") FROM reading_list_item i WHERE i.reading_list_id = s.reading_list_id), 0)"""
DERIVED: dict[str, tuple[dict[str, str], str]] = {
    "universes": (_NAMED, ""),
    "creators": (_NAMED, ""),
    "teams": ({**_NAMED, **_SHOWN}, _LISTED.format("team_ids")),
    "characters": ({**_NAMED, **_SHOWN}, _LISTED.format("character_ids")),
    "arcs": ({**_NAMED, **_SHOWN}, _LISTED.format("arc_ids")),
    "series": (
        {**_SHOWN, **_RATED},
        f"""LEFT JOIN (SELECT series_id AS id, max(modified) AS latest FROM staged_issues GROUP BY series_id)
            listed ON listed.id = s.db_id
        LEFT JOIN (
            SELECT i.series_id AS id, {_STARS} FROM {_COUNTED} GROUP BY i.series_id
        ) stars ON stars.id = s.db_id""",
    ),
    "issues": (
        _RATED,
        f"""LEFT JOIN (SELECT r.issue_id AS id, {_STARS} FROM {_COUNTED} GROUP BY r.issue_id)
            stars ON stars.id = s.db_id""",
    ),
    "credits": ({"modified": "i.modified"}, "JOIN staged_issues i ON i.db_id = s.issue_id"),
    **dict.fromkeys(
        (file.name for file in OWNED),
        ({f"{kind}_id": f"CASE WHEN s.entity = '{kind}' THEN s.entity_id END" for kind in OWNERS}, ""),
    ),
    "issue_ratings": (
        {"modified": "s.created_on", "counted": _IS_RELEASED},
        "JOIN staged_issues i ON i.db_id = s.issue_id",
    ),
    # These are set later, once all lists exist.
    "reading_lists": (dict.fromkeys(("previous_id", "next_id", "forked_from_id"), "NULL"), ""),
    "reading_list_items": ({"order": _POSITION}, ""),
    "reading_list_ratings": ({"modified": "s.created_on"}, ""),
}


# New rows.


def write_new(run: ImportRun) -> None:
    """Insert the new rows of the catalog and their links."""
    for file in (*CATALOG, *PARTS, ISSUE_RATINGS):
        run.progress.step(f"storing {file.name}")
        insert(run, file)
        if run.keep_ids:  # the sequence was not used for the ids
            run.cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{file.kind}', 'id'), max(id)) FROM {file.kind}"
                " HAVING max(id) IS NOT NULL"
            )
        for field in file.link_fields:
            _link(run, file, field)


def insert(run: ImportRun, file: File) -> None:
    """Insert the new rows of a file."""
    derived, joins = DERIVED.get(file.name, ({}, ""))
    values = {name: f's."{name}"' for name in file.columns}
    if not run.accounts:  # the system account becomes the author
        values |= {name: str(SYSTEM_USER_ID) for name in AUTHOR_COLUMNS if name in values}
    values |= derived
    names = ", ".join(f'"{name}"' for name in values)
    statement = (
        f"INSERT INTO {file.kind} (id, {names}) SELECT s.db_id, {', '.join(values.values())}"
        f" FROM {file.staged} s {joins} WHERE NOT s.found ORDER BY s.db_id"
    )
    run.cursor.execute(statement.replace("{today}", f"DATE '{run.today}'"))
    if file.reported:
        run.report.count(file.reported, "new", run.cursor.rowcount)


def _link(run: ImportRun, file: File, field: Field) -> None:
    """Insert the links of new rows; symmetric links in both directions."""
    link, source = field.link, f"FROM {file.staged} s, unnest(s.{field.column}) AS u (id) WHERE NOT s.found"
    pairs = f"SELECT s.db_id, u.id {source}"
    if link.symmetric:
        pairs += f" UNION SELECT u.id, s.db_id {source}"
    run.cursor.execute(
        f"INSERT INTO {link.table.name} ({link.own}, {link.other}) {pairs}"
        " ORDER BY 1, 2 ON CONFLICT DO NOTHING"
    )


# Pictures of matched rows.


class Digests:
    """Digests of pictures; a file with several paths or keys is read only once."""

    def __init__(self, storage: Storage):
        self._storage = storage
        self._known: dict[Hashable, bytes] = {}

    def of_file(self, path: Path) -> bytes | None:
        """The digest of a file, None if it does not exist."""
        try:
            status = path.stat()
            return self._of((status.st_dev, status.st_ino), lambda: path.open("rb"))
        except FileNotFoundError:
            return None

    def of_key(self, key: str) -> bytes | None:
        """The digest of a stored picture, None if it does not exist."""
        try:
            return self._of(self._storage.identity(key), lambda: self._storage.open(key))
        except FileNotFoundError:
            return None

    def _of(self, identity: Hashable, opening: Callable[[], BinaryIO | Content]) -> bytes:
        if identity not in self._known:
            with opening() as stream:
                self._known[identity] = hashlib.file_digest(stream, "sha256").digest()
        return self._known[identity]


def keep_pictures(run: ImportRun, file: File, pictures: Pictures) -> None:
    """Keep the pictures of matched rows if the set has the same, none, or only a smaller thumbnail."""
    digests = Digests(run.storage)
    larger = "t.image_width > s.image_width OR t.image_height > s.image_height"
    with run.cursor.connection.cursor("kept") as rows:
        rows.execute(
            f"SELECT s.db_id, s.image_path, t.image, coalesce({larger}, true) FROM {file.staged} s"
            f" JOIN {file.kind} t ON t.id = s.db_id WHERE s.found AND s.image_path <> '' AND t.image <> ''"
        )
        while chunk := rows.fetchmany(CHUNK):
            same, better = [], []
            for identifier, path, key, is_larger in chunk:
                # In the site that a dump was made from, the paths are its keys.
                is_better = pictures.is_thumbnail(path) and (is_larger or path == key)
                if is_better and run.storage.exists(key):
                    better.append(identifier)
                elif digests.of_file(pictures.file(path)) == digests.of_key(key):
                    same.append(identifier)
                else:
                    run.replaced_pictures.append(key)
            run.cursor.execute(
                f"UPDATE {file.staged} SET image_path = '' WHERE db_id = ANY(%s)", (same + better,)
            )
            if file.has_cover:  # these hashes are those of the thumbnails
                unknown = ", ".join(f"{name} = NULL" for name in HASHES)
                run.cursor.execute(f"UPDATE {file.staged} SET {unknown} WHERE db_id = ANY(%s)", (better,))
    run.cursor.execute(
        f"UPDATE {file.staged} s"
        " SET image = t.image, image_width = t.image_width, image_height = t.image_height"
        f" FROM {file.kind} t WHERE t.id = s.db_id AND s.found AND s.image_path = '' AND t.image <> ''"
    )


def store_hashes(run: ImportRun, file: File) -> None:
    """Store the hashes of covers; a row that keeps its cover keeps its pHash, unless the set has one."""
    run.cursor.execute(
        f"UPDATE {file.staged} s SET cover_hash = t.cover_hash FROM {file.kind} t"
        " WHERE t.id = s.db_id AND s.found AND s.image = t.image AND s.cover_hash = ''"
    )
    run.cursor.execute(
        f"UPDATE {file.staged} SET cover_hash = lpad(to_hex(phash), 16, '0')"
        " WHERE cover_hash = '' AND phash IS NOT NULL"
    )
    names = ", ".join(HASHES)
    run.cursor.execute(
        f"INSERT INTO picture_hash (picture, {names}) SELECT image, {names} FROM {file.staged}"
        " WHERE phash IS NOT NULL ON CONFLICT DO NOTHING"
    )


# Matched rows.


def update_matched(run: ImportRun) -> None:
    """Update matched rows, and record the changes of existing rows in the unit of work."""
    _place_undated(run)
    for file in CATALOG:
        changed = _update(run, file, [column for column in file.columns if column not in FIXED_COLUMNS])
        for field in file.link_fields:
            changed |= _relink(run, file, field)
        _count(run, file, changed)
    _record_new_issues(run)
    _update_credits(run)
    _update_variants(run)
    for file in OWNED:
        _update_owned(run, file)
    _update_ratings(run)


def _place_undated(run: ImportRun) -> None:
    """Give issues that have a cover date neither in the set nor here the substitute from the trigger."""
    run.cursor.execute(
        f"UPDATE {ISSUES.staged} s SET cover_date = t.cover_date, cover_date_precision = 'none'"
        " FROM issue t WHERE t.id = s.db_id AND s.found AND t.cover_date_precision = 'none'"
        " AND (s.cover_date IS NULL OR s.cover_date_precision = 'none')"
    )


def _count(run: ImportRun, file: File, changed: set[int]) -> None:
    [(found,)] = run.rows(f"SELECT count(*) FROM {file.staged} WHERE found")
    run.report.count(file.name, "changed", len(changed))
    run.report.count(file.name, "unchanged", found - len(changed))


def _comparison(columns: Iterable[str]) -> tuple[str, str, str]:
    """SQL over table t and staging table s: whether columns differ, which ones, and the SET clause."""
    pairs = [(f't."{column}"', f's."{column}"') for column in columns]
    differ = f"({', '.join(t for t, _ in pairs)}) IS DISTINCT FROM ({', '.join(s for _, s in pairs)})"
    which = ", ".join(f"{t} IS DISTINCT FROM {s}" for t, s in pairs)
    changes = ", ".join(f'"{column}" = {s}' for column, (_, s) in zip(columns, pairs, strict=True))
    return differ, which, changes


def _update(run: ImportRun, file: File, columns: list[str]) -> set[int]:
    """Update the matched rows that differ; returns their ids."""
    differ, which, changes = _comparison(columns)
    place = "t.series_id, s.series_id" if file is ISSUES else "NULL, NULL"
    rows = run.rows(
        f"SELECT t.id, ARRAY[{which}], {place} FROM {file.staged} s JOIN {file.kind} t ON t.id = s.db_id"
        f" WHERE s.found AND {differ}"
    )
    changed = {row[0] for row in rows}
    other_years = set()  # series
    for identifier, flags, *series in rows:
        differing = {column for column, flag in zip(columns, flags, strict=True) if flag}
        _record_events(run, file, identifier, differing)
        if "year_began" in differing:
            other_years.add(identifier)
        if file is ISSUES:
            _record_place_change(run, set(series))
    if changed:
        author = "s.edited_by_id" if file is ISSUES and run.accounts else SYSTEM_USER_ID
        run.cursor.execute(
            f"UPDATE {file.kind} t SET {changes}, edited_by_id = {author} FROM {file.staged} s"
            " WHERE t.id = s.db_id AND t.id = ANY(%s)",
            (list(changed),),
        )
        run.unit.record_saved(file.kind, set(changed))
    if other_years:
        run.unit.record_first_years(other_years)
    return changed


def _record_events(run: ImportRun, file: File, identifier: int, columns: set[str]) -> None:
    """Record in the unit of work the events that the changed columns cause."""
    for event, shown in propagation.field_events(file.kind).items():
        if columns & set(shown):
            run.unit.record_event(event, {identifier})
    if "name" in columns and hasattr(file.model, "name_changed"):
        run.unit.changes.renamed[file.kind].add(identifier)


def _record_place_change(run: ImportRun, series: set[int]) -> None:
    """Record that an issue of these series changed, or moved between them."""
    run.unit.record_event("series.issues", series)
    run.unit.changes.listing["series"] |= series
    if len(series) > 1:
        run.unit.changes.rated["series"] |= series


def _relink(run: ImportRun, file: File, field: Field) -> set[int]:
    """Update the links of matched rows; returns the ids of rows whose links differed."""
    link, pairs = field.link, []
    # A symmetric link is deleted in both directions.
    for mine, theirs in ((link.own, link.other), (link.other, link.own))[: 2 if link.symmetric else 1]:
        pairs += run.rows(
            f"DELETE FROM {link.table.name} l USING {file.staged} s WHERE s.found AND s.db_id = l.{mine}"
            f" AND NOT l.{theirs} = ANY(s.{field.column}) RETURNING l.{link.own}, l.{link.other}"
        )
    pairs += run.rows(
        f"INSERT INTO {link.table.name} ({link.own}, {link.other}) SELECT s.db_id, u.id"
        f" FROM {file.staged} s, unnest(s.{field.column}) AS u (id) WHERE s.found"
        f" ON CONFLICT DO NOTHING RETURNING {link.own}, {link.other}"
    )
    own, other = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    if pairs and file in CATALOG:
        run.unit.record_link_change(file.kind, link, own, other)
    return own


def _record_new_issues(run: ImportRun) -> None:
    """Record the changes to existing rows that new issues belong to or link to."""
    for series in _owners_of_new(run, ISSUES, "series_id", BY_NAME["series"]):
        _record_place_change(run, {series})
    for file in CATALOG:
        for field in file.link_fields:
            if file is not ISSUES and not field.link.symmetric:
                continue
            met = run.ids(
                f"SELECT DISTINCT o.db_id FROM {file.staged} s, unnest(s.{field.column}) AS u (id)"
                f" JOIN {BY_NAME[field.target].staged} o ON o.db_id = u.id WHERE o.found AND NOT s.found"
            )
            if met:
                run.unit.record_link_change(file.kind, field.link, set(), met)


def _owners_of_new(run: ImportRun, file: File, column: str, owner: File, condition: str = "true") -> set[int]:
    """The ids of existing rows that get new parts."""
    return run.ids(
        f"SELECT DISTINCT o.db_id FROM {file.staged} s JOIN {owner.staged} o ON o.db_id = s.{column}"
        f" WHERE o.found AND NOT s.found AND {condition}"
    )


def _update_credits(run: ImportRun) -> None:
    changed = _relink(run, CREDITS, CREDITS.link_fields[0])
    issues = run.ids(
        "UPDATE credit SET modified = clock_timestamp() WHERE id = ANY(%s) RETURNING issue_id", list(changed)
    )
    # `_relink` covers matched credits only; also include issues that existed and get new credits.
    run.unit.record_part_change("issue", "credits", issues | _owners_of_new(run, CREDITS, "issue_id", ISSUES))
    _count(run, CREDITS, changed)


def _update_parts(run: ImportRun, file: File, columns: list[str], returning: str) -> list[tuple]:
    """Update the matched parts that differ; returns their ids and the `returning` columns."""
    differ, _which, changes = _comparison(columns)
    rows = run.rows(
        f"UPDATE {file.kind} t SET {changes} FROM {file.staged} s WHERE t.id = s.db_id AND s.found"
        f" AND {differ} RETURNING t.id, {returning}"
    )
    _count(run, file, {row[0] for row in rows})
    return rows


def _update_variants(run: ImportRun) -> None:
    columns = [column for column in VARIANTS.columns if column != "issue_id"]
    issues = {issue for _, issue in _update_parts(run, VARIANTS, columns, "t.issue_id")}
    run.unit.record_part_change(
        "issue", "variants", issues | _owners_of_new(run, VARIANTS, "issue_id", ISSUES)
    )


def _update_owned(run: ImportRun, file: File) -> None:
    changed = _update_parts(run, file, list(file.columns), "s.entity, s.entity_id")
    for kind in OWNERS:
        owners = {owner for _, entity, owner in changed if entity == kind}
        owners |= _owners_of_new(run, file, "entity_id", BY_KIND[kind], f"s.entity = '{kind}'")
        run.unit.record_part_change(kind, file.name, owners)


def _update_ratings(run: ImportRun) -> None:
    rows = _update_parts(run, ISSUE_RATINGS, ["rating"], "t.issue_id")
    changed = {issue for _, issue in rows}
    # Existing collection items show their owner's rating of the issue.
    run.cursor.execute(
        f"UPDATE collection_item t SET rating = r.rating, {TOUCH} FROM issue_rating r"
        " WHERE t.user_id = r.user_id AND t.issue_id = r.issue_id AND t.rating IS DISTINCT FROM r.rating"
        " AND (r.id = ANY(%s) OR r.id IN (SELECT db_id FROM staged_issue_ratings WHERE NOT found))",
        ([rating for rating, _ in rows],),
    )
    run.unit.changes.rated["issue"] |= changed | _owners_of_new(run, ISSUE_RATINGS, "issue_id", ISSUES)
    # The rating figures of existing series include the ratings of new issues.
    rated = changed | run.ids("SELECT DISTINCT issue_id FROM staged_issue_ratings WHERE NOT found")
    run.unit.changes.rated["series"] |= run.ids(
        "SELECT DISTINCT p.db_id FROM staged_issues i JOIN staged_series p ON p.db_id = i.series_id"
        " WHERE p.found AND i.db_id = ANY(%s)",
        list(rated),
    )

"""Review of the issues described by the tags in comic files (`exchange.comic_files`).

They are stored for the account whose files were read, and matched again whenever they are shown, so issues
that others have entered in the meantime are found.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import Select, delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session, joinedload

from comicsdb.accounts import drafts
from comicsdb.accounts.drafts import FormTarget, SavedForm
from comicsdb.matching.descriptors import build_descriptor
from comicsdb.matching.scoring import Match
from comicsdb.matching.service import match
from comicsdb.models import Issue, Series, TaggedFile
from comicsdb.schemas.match import DescriptorSchema

FILES_MAX = 10_000  # per account
PAGE_SIZE = 50  # rows shown or changed at once
CANDIDATES = 5
SCORE_MIN = 0.1  # minimum score of candidates that are shown
# The form for a new issue.
PLACE, PATH = FormTarget("issue.create issue", 0), "/issue/create/"
ORDER = (TaggedFile.file, TaggedFile.id)


@dataclass(frozen=True)
class MatchedFile:
    """A stored issue with the catalog's candidates for it; `is_known` if the first one certainly is it."""

    row: TaggedFile
    issues: list[Issue]
    is_known: bool


def candidates_of(matched: Match) -> list[int]:
    """The ids of the candidate issues, best first; only one if the match is certain."""
    possible = [each.issue.id for each in matched.candidates if each.score >= SCORE_MIN]
    return possible[:1] if matched.certain else possible


def store(session: Session, user_id: int, digest: str, **values) -> TaggedFile | None:
    """Store an issue, or update the one with its digest; None if the account has no room for more.

    `values` are `file`, `label`, `known` and `fields` of `TaggedFile`.
    """
    values["known"] = orjson.loads(orjson.dumps(values["known"]))  # converts dates to text
    mine = select(TaggedFile.id).where(TaggedFile.user_id == user_id)
    if (
        session.scalar(mine.where(TaggedFile.digest == digest)) is None
        and session.scalar(select(func.count()).select_from(mine.subquery())) >= FILES_MAX
    ):
        return None
    statement = insert(TaggedFile).values(user_id=user_id, digest=digest, **values)
    statement = statement.on_conflict_do_update(index_elements=["user_id", "digest"], set_=values)
    return session.scalar(statement.returning(TaggedFile), execution_options={"populate_existing": True})


def remove(session: Session, user_id: int, digest: str) -> None:
    """Remove an issue that is now in the catalog."""
    session.execute(delete(TaggedFile).where(TaggedFile.user_id == user_id, TaggedFile.digest == digest))


def list_statements(user_id: int, *, dismissed: bool) -> tuple[Select, Select, Select]:
    """The statements that select the rows of an account, their ids in order, and their number."""
    chosen = (TaggedFile.user_id == user_id, TaggedFile.is_dismissed.is_(dismissed))
    rows = select(TaggedFile).where(*chosen).order_by(*ORDER)
    ids = select(TaggedFile.id).where(*chosen).order_by(*ORDER)
    return rows, ids, select(func.count()).select_from(TaggedFile).where(*chosen)


def match_rows(session: Session, rows: Sequence[TaggedFile]) -> list[MatchedFile]:
    """Match rows with issues of the catalog; returns them in the same order."""
    descriptors = [build_descriptor(DescriptorSchema().deserialize(row.known)) for row in rows]
    results = match(session, descriptors, CANDIDATES) if descriptors else []
    ids = [candidates_of(each) for each in results]
    wanted = {each for some in ids for each in some}
    series = joinedload(Issue.series)
    shown = (series.joinedload(Series.publisher), series.joinedload(Series.series_type))
    issues = select(Issue).where(Issue.id.in_(wanted)).options(*shown)
    by_id = {issue.id: issue for issue in session.scalars(issues)} if wanted else {}
    return [
        MatchedFile(row, [by_id[each] for each in some if each in by_id], result.certain)
        for row, some, result in zip(rows, ids, results, strict=True)
    ]


def of_account(session: Session, user_id: int, ids: Sequence[int]) -> list[TaggedFile]:
    """Those of the given rows that belong to the account; at most PAGE_SIZE."""
    chosen = select(TaggedFile).where(TaggedFile.user_id == user_id, TaggedFile.id.in_(ids[:PAGE_SIZE]))
    return list(session.scalars(chosen.order_by(*ORDER)))


def remove_known(session: Session, user_id: int, ids: Sequence[int]) -> int:
    """Remove those rows whose issues are certainly in the catalog; returns their number."""
    known = [each.row.id for each in match_rows(session, of_account(session, user_id, ids)) if each.is_known]
    session.execute(delete(TaggedFile).where(TaggedFile.id.in_(known)))
    return len(known)


def make_draft(session: Session, row: TaggedFile) -> str | None:
    """Make a draft of the form for a new issue, once; returns its key, None if there is no room for it."""
    key = row.digest
    if drafts.find_draft(session, row.user_id, key):
        return key
    if not drafts.remaining_drafts(session, row.user_id):
        return None
    if drafts.is_stored(session, row.user_id, key):  # it was saved or discarded, so its key cannot be reused
        key = drafts.new_draft_key()
    texts = [tuple(pair) for pair in row.fields]
    return key if drafts.store_draft(session, row.user_id, key, PLACE, SavedForm(PATH, texts, {})) else None

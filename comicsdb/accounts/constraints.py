"""Violated constraints of the database as errors of account functions."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from comicsdb.accounts.errors import FormAlreadySubmittedError
from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, FeedAddress, Webhook


@contextmanager
def constraint_errors(meanings: Mapping[str, Exception]) -> Iterator[None]:
    """Raise the exception that `meanings` maps a violated constraint to; the session stays usable."""
    try:
        yield
    except IntegrityError as error:
        meaning = meanings.get(error.orig.diag.constraint_name)
        if meaning is None:
            raise
        raise meaning from error


def add(session: Session, row, meanings: Mapping[str, Exception]) -> None:
    """Store a row, or raise the exception of the constraint that it violates."""
    with constraint_errors(meanings), session.begin_nested():
        session.add(row)
        session.flush()


def add_once(session: Session, row: ApiToken | FeedAddress | Webhook, form_key: str) -> None:
    """Store a row created by a form; raises FormAlreadySubmittedError if that form has created one."""
    row.form_key = digest(f"{row.user_id} {form_key}")  # so that no account can use up another's keys
    add(session, row, {f"uq_{row.__tablename__}_form_key": FormAlreadySubmittedError()})

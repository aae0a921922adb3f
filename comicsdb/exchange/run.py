"""What the steps of one import share."""

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import psycopg
from sqlalchemy.orm import Session

from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.exchange.fields import File
from comicsdb.exchange.problems import Problems
from comicsdb.exchange.report import Report
from comicsdb.media.storage import Storage


class Silent:
    """Progress that nobody looks at; the command's own shows a bar."""

    def start(self, size: int) -> None:
        """Reading begins: so many bytes."""

    def read(self, size: int) -> None:
        """So many bytes more were read."""

    def step(self, words: str) -> None:
        """Reading is over, and this is being done."""


@dataclass
class Run:
    """One import: its set, its database transaction, and what it found out so far.

    `cursor` is a plain psycopg cursor of the session's own connection: COPY and set-based statements go
    through it, in the session's transaction.
    """

    session: Session
    cursor: psycopg.Cursor
    folder: Path
    storage: Storage
    accounts: bool
    fresh: bool  # the catalogue is empty: the set's ids are kept
    today: date  # the business day: stars for issues that come out later are not counted yet
    progress: Silent
    problems: Problems = field(default_factory=Problems)
    report: Report = field(default_factory=Report)
    replaced_pictures: list[str] = field(default_factory=list)  # to be removed after the commit

    @property
    def unit(self) -> UnitOfWork:
        """The catalogue's record of what this transaction did."""
        return UnitOfWork.of(self.session)

    def has(self, file: File) -> bool:
        """Whether the set has a file."""
        return (self.folder / file.file_name).is_file()

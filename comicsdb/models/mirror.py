"""Tables of a mirror: its position in the origin's feed, and received data that is not yet applied."""

from datetime import datetime

from sqlalchemy import JSON, BigInteger, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base, stamp


class Mirror(Base):
    """The state of a mirror, in a single row: its origin, and the position in the origin's feed.

    `public_key` verifies the origin's dumps. Everything up to the positions `after` and `touched` of the feed
    with `epoch` is applied or received. `current` is when the catalog was last equal to the origin's.
    """

    __tablename__ = "mirror"

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    origin: Mapped[str] = mapped_column(String(500))
    public_key: Mapped[str] = mapped_column(String(200))
    epoch: Mapped[str] = mapped_column(String(40))
    after: Mapped[int] = mapped_column(BigInteger)
    touched: Mapped[str] = mapped_column(String(100))
    loaded: Mapped[datetime] = stamp()
    current: Mapped[datetime] = stamp()


class ReceivedState(Base):
    """The state of an object (`catalog.public_tables`), kept until all states of the same moment are here."""

    __tablename__ = "received_state"

    kind: Mapped[str] = mapped_column(String(40), primary_key=True)
    object_id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    state: Mapped[dict] = mapped_column(JSON)


class ReceivedLine(Base):
    """A line of the origin's change log, kept until it is applied."""

    __tablename__ = "received_line"

    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    line: Mapped[dict] = mapped_column(JSON)

"""The perceptual hashes of stored pictures, which are used to find covers."""

import re

from sqlalchemy import BigInteger, Index, String, literal_column
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import Base

HASHES = ("phash", "dhash", "early_dhash", "ahash")
_HASH = re.compile("[0-9a-fA-F]{1,16}")
QUARTERS = (48, 32, 16, 0)  # the lowest bit of each quarter of 64 bits


def quarter(column, shift: int):
    """The SQL expression for 16 bits of a hash, identical to the one in the indexes."""
    return literal_column(f"((({column} >> {shift}) & 65535)::integer)")


def signed(digits: str) -> int:
    """The column value of a hash; raises ValueError for anything but 1 to 16 hexadecimal digits."""
    if not _HASH.fullmatch(digits):
        raise ValueError("Enter a hash of 64 bits: up to 16 hexadecimal digits.")
    number = int(digits, 16)
    return number - 2**64 if number >= 2**63 else number


class PictureHash(Base):
    """The hashes of a stored picture, as signed 64-bit numbers.

    They belong to the file, regardless of the row that uses it: a row never changes, and is removed when the
    file is swept.
    """

    __tablename__ = "picture_hash"
    # Hashes that differ in few bits have a quarter that differs in even fewer: see `catalog.covers`.
    __table_args__ = tuple(
        Index(f"ix_picture_hash_{column}_{shift}", quarter(column, shift).label("quarter"))
        for column in HASHES
        for shift in QUARTERS
    )

    picture: Mapped[str] = mapped_column(String(100), primary_key=True)
    phash: Mapped[int] = mapped_column(BigInteger)
    dhash: Mapped[int] = mapped_column(BigInteger)
    early_dhash: Mapped[int] = mapped_column(BigInteger)
    ahash: Mapped[int] = mapped_column(BigInteger)

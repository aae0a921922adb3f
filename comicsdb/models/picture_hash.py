"""The perceptual hashes of stored pictures, by which covers are found."""

import re

from sqlalchemy import BigInteger, Index, String, literal_column
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from comicsdb.models.base import Base

HASHES = ("phash", "dhash", "early_dhash", "ahash")
_HASH = re.compile("[0-9a-fA-F]{1,16}")
QUARTERS = (48, 32, 16, 0)  # the lowest bit of each quarter of 64 bits


def quarter(column, shift: int):
    """An SQL expression for 16 bits of a hash, as the indexes have it."""
    return literal_column(f"((({column} >> {shift}) & 65535)::integer)")


def signed(digits: str) -> int:
    """The column's value for a hash; raises ValueError for anything but 1 to 16 hexadecimal digits."""
    if not _HASH.fullmatch(digits):
        raise ValueError("Enter a hash of 64 bits: up to 16 hexadecimal digits.")
    number = int(digits, 16)
    return number - 2**64 if number >= 2**63 else number


class PictureHash(Base):
    """The hashes of a picture of the storage, as signed numbers of 64 bits.

    They belong to the file, whoever names it: a row stays as it is, and goes when the file is swept.
    """

    __tablename__ = "picture_hash"

    picture: Mapped[str] = mapped_column(String(100), primary_key=True)
    phash: Mapped[int] = mapped_column(BigInteger)
    dhash: Mapped[int] = mapped_column(BigInteger)
    early_dhash: Mapped[int] = mapped_column(BigInteger)
    ahash: Mapped[int] = mapped_column(BigInteger)

    @declared_attr.directive
    def __table_args__(cls):  # noqa: N805
        # Hashes that differ in few bits have a quarter that differs in fewer (`comicsdb.catalog.covers`).
        return tuple(
            Index(
                f"ix_picture_hash_{column}_{shift}",
                quarter(column, shift).label("quarter"),
            )
            for column in HASHES
            for shift in QUARTERS
        )

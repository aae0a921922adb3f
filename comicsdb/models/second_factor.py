"""Second factors: authenticator apps, passkeys and recovery codes."""

from datetime import datetime

from sqlalchemy import BigInteger, DateTime, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from comicsdb.models.base import CASCADE, Base, blank_text, parent_key, stamp


class Totp(Base):
    """The authenticator app of an account (RFC 6238); `last_step` is the time step of the last code used."""

    __tablename__ = "totp"

    user_id: Mapped[int] = mapped_column(
        ForeignKey("user_account.id", ondelete=CASCADE), primary_key=True, autoincrement=False
    )
    secret: Mapped[str] = mapped_column(String(255))  # encrypted with a key derived from the site's secret
    last_step: Mapped[int] = mapped_column(BigInteger)
    created: Mapped[datetime] = stamp()


class Passkey(Base):
    """A WebAuthn credential of an account."""

    __tablename__ = "passkey"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    sign_count: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str] = blank_text(64)
    created: Mapped[datetime] = stamp()
    last_used: Mapped[datetime | None] = stamp(default=False)


class RecoveryCode(Base):
    """A single-use code that replaces a lost app or passkey; only its digest is stored."""

    __tablename__ = "recovery_code"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = parent_key("user_account.id")
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[datetime] = stamp()
    used: Mapped[datetime | None] = stamp(default=False)


class SpentChallenge(Base):
    """A WebAuthn challenge that was answered, stored until it expires so that it works only once."""

    __tablename__ = "spent_challenge"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    expires: Mapped[datetime] = mapped_column(DateTime(timezone=True), index=True)

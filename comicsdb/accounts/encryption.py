"""Keys derived from `comicsdb.secret`, one for each purpose, and encryption with them."""

import base64
import hashlib
from collections.abc import Mapping


def derived_key(settings: Mapping, purpose: str) -> bytes:
    """The 32 bytes of the key for a purpose."""
    return hashlib.sha256(f"{purpose}:{settings['comicsdb.secret']}".encode()).digest()


def encrypt(settings: Mapping, purpose: str, text: str) -> str:
    """A text, encrypted and signed together with the current time."""
    return _fernet(settings, purpose).encrypt(text.encode()).decode()


def decrypt(settings: Mapping, purpose: str, encrypted: str, max_age: int | None = None) -> str | None:
    """The decrypted text; None if it was encrypted with another key or is older than `max_age` seconds."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415  (see `_fernet`)

    try:
        return _fernet(settings, purpose).decrypt(encrypted.encode(), ttl=max_age).decode()
    except (InvalidToken, ValueError):
        return None


def _fernet(settings: Mapping, purpose: str):
    from cryptography.fernet import Fernet  # noqa: PLC0415  (takes 7 MB, and most processes never need it)

    return Fernet(base64.urlsafe_b64encode(derived_key(settings, purpose)))

"""Signatures in the format of minisign: Ed25519 over the BLAKE2b digest of a file, with a trusted comment.

`minisign -V -P PUBLIC_KEY -m FILE` verifies them, and `minisign -G -W` makes keys that `Key.open` can read.
"""

import base64
import binascii
import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY, PREHASHED, NO_PASSWORD, CHECKSUM = b"Ed", b"ED", b"\0\0", b"B2"
SECRET_SIZE, PUBLIC_SIZE, SIGNATURE_SIZE = 158, 42, 74


class KeyFileError(Exception):
    """A file is not a key without a password; the text says what to do."""


class VerificationError(Exception):
    """A signature does not match the key and the content."""


@dataclass(frozen=True)
class Key:
    """A secret key with its id, which is part of each signature."""

    number: bytes
    secret: Ed25519PrivateKey

    @classmethod
    def open(cls, path: Path) -> "Key":
        """Read the key in a file, creating it on first use; raises KeyFileError."""
        if not path.exists():
            return cls._create(path)
        try:
            data = base64.b64decode(path.read_text().splitlines()[1], validate=True)
        except (IndexError, ValueError) as error:
            raise KeyFileError(f"{path} is not a secret key of minisign.") from error
        secret = data[62:126]
        if len(data) != SECRET_SIZE or data[:6] != KEY + NO_PASSWORD + CHECKSUM:
            raise KeyFileError(f"{path} is not a key without a password, as `minisign -G -W` makes it.")
        key = cls(data[54:62], Ed25519PrivateKey.from_private_bytes(secret[:32]))
        if key.secret.public_key().public_bytes_raw() != secret[32:]:
            raise KeyFileError(f"{path} is damaged: its two halves are not a pair.")
        return key

    @classmethod
    def _create(cls, path: Path) -> "Key":
        key = cls(secrets.token_bytes(8), Ed25519PrivateKey.generate())
        secret = key.secret.private_bytes_raw() + key.secret.public_key().public_bytes_raw()
        data = KEY + NO_PASSWORD + CHECKSUM + bytes(48) + key.number + secret + bytes(32)
        partial = path.with_name(f"{path.name}.part")  # an unfinished file would be taken for the key
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.unlink(missing_ok=True)
            file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "w") as stream:
                stream.write(f"untrusted comment: secret key of comicsdb's dumps\n{_base64(data)}\n")
            partial.rename(path)
        except OSError as error:
            raise KeyFileError(f"The key {path} cannot be created: {error}") from error
        return key

    @property
    def public(self) -> str:
        """The public key, in the form that `minisign -P` takes."""
        return _base64(KEY + self.number + self.secret.public_key().public_bytes_raw())

    def sign(self, content: bytes, comment: str) -> str:
        """The text of the signature file for some content; the comment is signed as well."""
        signature = self.secret.sign(hashlib.blake2b(content).digest())
        everything = self.secret.sign(signature + comment.encode())
        return (
            f"untrusted comment: verify with the public key of the site\n"
            f"{_base64(PREHASHED + self.number + signature)}\n"
            f"trusted comment: {comment}\n{_base64(everything)}\n"
        )


def verify(content: bytes, signature: str, public_key: str) -> str:
    """Check a signature; returns its trusted comment or raises VerificationError."""
    try:
        _, first, comment, second = signature.splitlines()[:4]
        given, key = base64.b64decode(first), base64.b64decode(public_key)
        comment = comment.removeprefix("trusted comment: ")
        if (
            len(given) != SIGNATURE_SIZE
            or len(key) != PUBLIC_SIZE
            or given[:2] != PREHASHED
            or key[:2] != KEY
        ):
            raise VerificationError("It is not a signature or a public key of minisign.")
        if given[2:10] != key[2:10]:
            raise VerificationError("The signature was made with another key.")
        public = Ed25519PublicKey.from_public_bytes(key[10:])
        public.verify(given[10:], hashlib.blake2b(content).digest())
        public.verify(base64.b64decode(second), given[10:] + comment.encode())
    except (binascii.Error, ValueError) as error:
        raise VerificationError("It is not a signature or a public key of minisign.") from error
    except InvalidSignature as error:
        raise VerificationError("The content or its comment is not what was signed.") from error
    return comment


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()

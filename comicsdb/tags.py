"""Entity tags: digests of bodies, kept in front of them in caches, and compared as RFC 9110 says."""

import re
from hashlib import blake2b

TAG_BYTES = 12
TAG_LENGTH = 2 * TAG_BYTES
TAG = re.compile(r'(?:W/)?"([^"]*)"')


def tag_of(body: bytes) -> bytes:
    """The entity tag of a body, without the quotes."""
    return blake2b(body, digest_size=TAG_BYTES).hexdigest().encode()


def tagged(body: bytes) -> bytes:
    """A body with its entity tag in front, as caches keep it."""
    return tag_of(body) + body


def names(header: str, tag: str | None, *, weak: bool) -> bool:
    """Whether a list of tags, or `*`, names ours; a weak tag counts only where `weak`."""
    if header.strip() == "*":
        return True
    return any(found[1] == tag and (weak or not found[0].startswith("W/")) for found in TAG.finditer(header))

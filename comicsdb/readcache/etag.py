"""Entity tags: digests of bodies, stored in front of them in the cache, compared with what clients send."""

import re
from hashlib import blake2b

TAG_BYTES = 12
TAG_LENGTH = 2 * TAG_BYTES
# A proxy that compresses makes a tag weak (nginx) or adds the name of the coding to it (Caddy, Apache).
TAG = re.compile(r'(?:W/)?"([^"]*?)(?:-(?:gzip|br|zstd))?"')


def tag_of(body: bytes) -> bytes:
    """The entity tag of a body, without the quotes."""
    return blake2b(body, digest_size=TAG_BYTES).hexdigest().encode()


def tagged(body: bytes) -> bytes:
    """A body with its entity tag in front, as the cache stores it."""
    return tag_of(body) + body


def matches(header: str, tag: str | None) -> bool:
    """Whether a list of tags, or `*`, matches ours, also in the form that a compressing proxy gives it.

    All our tags are strong, so a weak one with our digest was ours, of this very body. RFC 9110 (13.1.1) has
    If-Match ignore it, but then nobody behind such a proxy could send back the tag they were given.
    """
    return header.strip() == "*" or any(found[1] == tag for found in TAG.finditer(header))

"""Entity tags: digests of bodies, stored before them in the cache and compared with request conditions."""

import re
from hashlib import blake2b

TAG_BYTES = 12
TAG_LENGTH = 2 * TAG_BYTES
# Compressing proxies make a tag weak (nginx) or append the coding to it (Caddy, Apache).
TAG = re.compile(r'(?:W/)?"([^"]*?)(?:-(?:gzip|br|zstd))?"')


def tag_of(body: bytes) -> bytes:
    """The entity tag of a body, without quotes."""
    return blake2b(body, digest_size=TAG_BYTES).hexdigest().encode()


def with_tag(body: bytes) -> bytes:
    """A body preceded by its entity tag, as the cache stores it."""
    return tag_of(body) + body


def matches(header: str, tag: str | None) -> bool:
    """Whether a list of tags, or `*`, matches a tag, including forms changed by a compressing proxy.

    All our tags are strong, so a weak one with the same digest belongs to the same body. By RFC 9110 (13.1.1)
    If-Match ignores weak tags, but then clients behind such a proxy could not use the tags they receive.
    """
    return header.strip() == "*" or any(found[1] == tag for found in TAG.finditer(header))

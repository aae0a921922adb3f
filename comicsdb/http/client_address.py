"""Addresses of those who connect: how they are read, and which are those of trusted proxies."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address


def is_trusted(environ: Mapping, proxies: tuple) -> bool:
    """Whether the peer of a request is one of these proxies."""
    peer = address(environ.get("REMOTE_ADDR"))
    return peer is not None and any(peer in network for network in proxies)


@lru_cache(maxsize=4096)
def address(text: str | None) -> IPv4Address | IPv6Address | None:
    """An IP address, of the older kind where it is only wrapped in the newer; None for anything else."""
    try:
        found = ip_address((text or "").strip())
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found

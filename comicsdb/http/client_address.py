"""The address of a client: the peer's, or the one that a trusted proxy reports."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address


def client_ip(request) -> str:
    """The client's address for logs and limits, or `unknown`.

    It is the peer's or, if the peer is a trusted proxy, the one in X-Real-IP.
    """
    peer = request.remote_addr
    trusted = request.registry.settings["comicsdb.trusted_proxies"]
    forwarded = trusted and request.environ.get("HTTP_X_REAL_IP")
    if forwarded and is_trusted(request.environ, trusted) and (found := _text(forwarded)):
        return found
    return _text(peer) or peer or "unknown"


def network(address: str) -> str:
    """An IP address as an identity; for IPv6 the /64 network, as a subscriber has all of its addresses."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return address


def is_trusted(environ: Mapping, proxies: tuple) -> bool:
    """Whether the peer of a request is one of these proxies."""
    peer = address(environ.get("REMOTE_ADDR"))
    return peer is not None and any(peer in network for network in proxies)


@lru_cache(maxsize=4096)
def _text(text: str | None) -> str:
    """An IP address in canonical form; empty for anything else."""
    found = address(text)
    return str(found) if found is not None else ""


@lru_cache(maxsize=4096)
def address(text: str | None) -> IPv4Address | IPv6Address | None:
    """A parsed IP address, as IPv4 if it is mapped into IPv6; None for anything else."""
    try:
        found = ip_address((text or "").strip())
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found

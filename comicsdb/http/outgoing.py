"""Requests to URLs chosen by users, limited in time and, by default, to public networks."""

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from time import monotonic
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

CONNECT_TIMEOUT, TOTAL_TIMEOUT = 5.0, 15.0  # seconds
BODY_BYTES_MAX = 4096  # bytes of a response that are read
ADDRESSES_MAX = 3  # addresses of a host that are tried
PORTS = frozenset({443, 8443})  # allowed ports in public networks
NAT64 = ipaddress.ip_network("64:ff9b::/96")

# Why there was no response.
INVALID, NO_HOST, PRIVATE, REFUSED, TIMED_OUT, CERTIFICATE, BROKEN = (
    "invalid",
    "no_host",
    "private",
    "refused",
    "late",
    "certificate",
    "broken",
)


class OutgoingError(Exception):
    """There was no response; `problem` is one of the words above."""

    def __init__(self, problem: str):
        super().__init__(problem)
        self.problem = problem


class Answer(NamedTuple):
    """A response: its status, the start of its body, and its `Retry-After` in seconds, 0 if it has none."""

    status: int
    body: bytes
    retry_after: int


def parse_url(url: str) -> SplitResult | None:
    """The parts of a URL to which requests may be sent, as far as its text shows; otherwise None."""
    if not (url.isascii() and url.isprintable()) or " " in url or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        return None
    is_known = parts.scheme in {"http", "https"} and host and port != 0
    return parts if is_known and "@" not in parts.netloc and not parts.fragment else None


def is_allowed(parts: SplitResult, address: str, networks: Iterable) -> bool:
    """Whether a request may be sent to this address: a public one by HTTPS, or one in the networks."""
    ip = ipaddress.ip_address(address)
    if any(ip in network for network in networks):
        return True
    return parts.scheme == "https" and _port(parts) in PORTS and _is_public(ip)


def post(url: str, body: bytes, headers: Mapping[str, str], networks: Iterable = ()) -> Answer:
    """Send a body and read the start of the response; redirects are not followed.

    The host is resolved only once, and all its addresses must be allowed, so that the checked address is the
    one that is used. Raises OutgoingError.
    """
    parts, deadline = parse_url(url), monotonic() + TOTAL_TIMEOUT
    if parts is None:
        raise OutgoingError(INVALID)
    connection = _Connection(parts, _addresses(parts, networks), deadline)
    timer = threading.Timer(TOTAL_TIMEOUT, connection.abort)
    timer.daemon = True
    timer.start()
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", target, body, {**headers, "Connection": "close"})
        response = connection.getresponse()
        return Answer(
            response.status, response.read(BODY_BYTES_MAX), _seconds(response.getheader("Retry-After", ""))
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise OutgoingError(TIMED_OUT if monotonic() >= deadline else _problem(error)) from error
    finally:
        timer.cancel()
        connection.close()


class _Connection(http.client.HTTPConnection):
    """A connection to one of the checked addresses of a host."""

    def __init__(self, parts: SplitResult, addresses: list[str], deadline: float):
        super().__init__(parts.hostname, _port(parts), timeout=CONNECT_TIMEOUT)
        self.default_port = 443 if parts.scheme == "https" else 80  # the header `Host` omits this port
        self._is_secure = parts.scheme == "https"
        self._addresses = addresses
        self._deadline = deadline
        self._open_socket: socket.socket | None = None

    def connect(self) -> None:
        """Connect to the first address that accepts a connection."""
        context = ssl.create_default_context() if self._is_secure else None
        for tried, address in enumerate(self._addresses, 1):
            try:
                self.sock = socket.create_connection((address, self.port), self.timeout)
                break
            except OSError:
                if tried == len(self._addresses) or monotonic() >= self._deadline:
                    raise
        if context is not None:
            self.sock = context.wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
        self._open_socket = self.sock
        if monotonic() >= self._deadline:  # `abort` may already have run, without a socket to close
            raise TimeoutError
        self.sock.settimeout(max(0.1, self._deadline - monotonic()))
        if context is not None:
            self.sock.do_handshake()

    def abort(self) -> None:
        """Close it at once: a server that sends byte after byte never exceeds the socket's timeout."""
        if self._open_socket is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._open_socket, socket.SHUT_RDWR)  # without closing TLS


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _addresses(parts: SplitResult, networks: Iterable) -> list[str]:
    """Up to ADDRESSES_MAX addresses of the host; raises OutgoingError for none or one that is not allowed."""
    try:
        found = socket.getaddrinfo(parts.hostname, _port(parts), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise OutgoingError(NO_HOST) from error
    addresses = list(dict.fromkeys(each[4][0] for each in found))
    if not all(is_allowed(parts, each, networks) for each in addresses):
        raise OutgoingError(PRIVATE)
    return addresses[:ADDRESSES_MAX]


def _is_public(ip) -> bool:
    """Whether an address is a public one, including IPv4 addresses embedded in IPv6."""
    if ip.version == 6:
        if ip.ipv4_mapped is not None:
            return _is_public(ip.ipv4_mapped)
        if ip in NAT64:
            return _is_public(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        if ip.sixtofour is not None or ip.teredo is not None or ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def _problem(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return CERTIFICATE
    if isinstance(error, TimeoutError):
        return TIMED_OUT
    return REFUSED if isinstance(error, ConnectionRefusedError) else BROKEN


def _seconds(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

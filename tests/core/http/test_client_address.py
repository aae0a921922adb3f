"""The client's address: a trusted proxy may set it by a header, and nobody else can."""

import pytest
from pyramid.request import Request

from comicsdb.config import parse_settings
from comicsdb.http.client_address import client_ip
from tests.serving import SECRET


class Registry:
    """The part of an application's registry that `client_ip` uses."""

    def __init__(self, trusted):
        self.settings = parse_settings(
            {
                "sqlalchemy.url": "postgresql://x/y",
                "comicsdb.secret": SECRET,
                "comicsdb.trusted_proxies": trusted,
            }
        )


def seen(peer, said, trusted):
    request = Request.blank("/")
    request.registry = Registry(trusted)
    if peer is not None:
        request.environ["REMOTE_ADDR"] = peer
    if said is not None:
        request.environ["HTTP_X_REAL_IP"] = said
    request.environ["HTTP_X_FORWARDED_FOR"] = "203.0.113.9"
    return client_ip(request)


@pytest.mark.parametrize(
    ("peer", "said", "trusted", "address"),
    [
        ("192.0.2.1", None, "", "192.0.2.1"),
        ("::ffff:192.0.2.1", None, "", "192.0.2.1"),
        ("::ffff:192.0.2.1", "198.51.100.7", "127.0.0.1", "192.0.2.1"),
        ("2001:db8::7", None, "", "2001:db8::7"),
        ("192.0.2.1", "198.51.100.7", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "127.0.0.1", "192.0.2.1"),
        ("127.0.0.1", "198.51.100.7", "127.0.0.1", "198.51.100.7"),
        ("::1", "2001:db8::7", "127.0.0.1 ::1", "2001:db8::7"),
        ("10.1.2.3", "198.51.100.7", "10.0.0.0/8", "198.51.100.7"),
        ("::ffff:10.1.2.3", "198.51.100.7", "10.0.0.0/8", "198.51.100.7"),
        ("127.0.0.1", "::ffff:198.51.100.7", "127.0.0.1", "198.51.100.7"),
        ("127.0.0.1", "2001:DB8:0::7", "127.0.0.1", "2001:db8::7"),
        ("127.0.0.1", None, "127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "nonsense (user=root, ip=1.1.1.1)", "127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7, 203.0.113.1", "127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1", "127.0.0.1"),
        ("::ffff:10.1.2.3", "nonsense", "10.0.0.0/8", "10.1.2.3"),
        (None, None, "", "unknown"),
        (None, "198.51.100.7", "127.0.0.1", "unknown"),
        ("", "198.51.100.7", "0.0.0.0/0 ::/0", "unknown"),
    ],
)
def test_only_a_trusted_proxy_is_believed(peer, said, trusted, address):
    assert seen(peer, said, trusted) == address

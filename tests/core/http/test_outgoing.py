"""Requests to URLs that users entered: not to private networks, and limited in time."""

import socket
from ipaddress import ip_network
from threading import Timer
from time import monotonic, sleep
from urllib.parse import urlsplit

import pytest

from comicsdb.http import outgoing
from tests.cases import for_each
from tests.certificate import CERTIFICATE, KEY
from tests.receiver import Receiver
from tests.serving import free_port

LOCAL = (ip_network("127.0.0.0/8"),)
NO_ADDRESSES = [
    "",
    "ftp://comics.example/",
    "https://",
    "https:///path",
    "https://user@comics.example/",
    "https://user:secret@comics.example/",
    "https://@127.0.0.1/",
    "https://comics.example:0/",
    "https://comics.example:99999/",
    "https://comics.example:x/",
    "https://comics.example/#part",
    "https://comics.example/\r\nX: y",
    "https://comics.example/a b",
    "https://comics.example\\@127.0.0.1/",
    "https://cömics.example/",
    "https://[::1/",
]
PRIVATE = [
    "0.0.0.0",  # noqa: S104
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.8.8.8",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:80ff:fffe",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
]
HTTPS = urlsplit("https://comics.example/")


@for_each("url", NO_ADDRESSES)
def test_what_is_no_address_is_refused_before_anything_is_sent(url):
    with pytest.raises(outgoing.OutgoingError, match="invalid"):
        outgoing.post(url, b"", {}, LOCAL)


@for_each("address", PRIVATE)
def test_private_addresses_are_refused(address):
    assert not outgoing.is_allowed(HTTPS, address, ())


@for_each("address", ["1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_public_addresses_are_allowed_by_https_at_its_ports(address):
    assert outgoing.is_allowed(HTTPS, address, ())
    assert outgoing.is_allowed(urlsplit("https://comics.example:8443/"), address, ())
    assert not outgoing.is_allowed(urlsplit("https://comics.example:25/"), address, ())
    assert not outgoing.is_allowed(urlsplit("http://comics.example/"), address, ())


def test_networks_of_the_settings_are_allowed_at_any_port():
    with Receiver() as receiver:
        answer = outgoing.post(receiver.url, b"body", {"X-Own": "1"}, LOCAL)
        assert answer == (200, b"Thank <you>", 0)
        [(headers, body)] = receiver.received
        assert (headers["X-Own"], headers["Host"], body) == ("1", f"127.0.0.1:{receiver.port}", b"body")
        for host in ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"):
            with pytest.raises(outgoing.OutgoingError, match="private"):
                outgoing.post(f"http://{host}:{receiver.port}/", b"", {}, (ip_network("10.0.0.0/8"),))
        assert len(receiver.received) == 1


def test_one_private_address_among_those_of_a_host_is_enough(monkeypatch):
    def resolve(host, port, **_options):
        assert (host, port) == ("comics.example", 443)
        return [(0, 0, 0, "", (each, port)) for each in ("1.1.1.1", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(outgoing.OutgoingError, match="private"):
        outgoing.post("https://comics.example/", b"", {})


def test_a_host_is_resolved_once_so_a_second_answer_of_its_name_server_changes_nothing(monkeypatch):
    with Receiver() as receiver:
        asked, real = [], socket.getaddrinfo

        def resolve(host, *more, **options):
            if host != "rebinding.example":
                return real(host, *more, **options)
            asked.append(host)
            return real("127.0.0.1" if len(asked) == 1 else "10.0.0.1", *more, **options)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        url = f"http://rebinding.example:{receiver.port}/"
        assert outgoing.post(url, b"", {}, LOCAL).status == 200
        assert asked == ["rebinding.example"]
        assert receiver.received[0][0]["Host"] == f"rebinding.example:{receiver.port}"


def test_redirects_are_not_followed():
    with Receiver() as target, Receiver() as receiver:
        receiver.answers, receiver.headers = [307], {"Location": target.url, "Retry-After": "90"}
        assert outgoing.post(receiver.url, b"", {}, LOCAL)[::2] == (307, 90)
        assert target.received == []


def test_failures_have_names(monkeypatch):
    for url, problem in [
        (f"http://127.0.0.1:{free_port()}/", outgoing.REFUSED),
        ("http://no-such-host.invalid/", outgoing.NO_HOST),
    ]:
        with pytest.raises(outgoing.OutgoingError, match=problem):
            outgoing.post(url, b"", {}, LOCAL)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        monkeypatch.setattr(outgoing, "TOTAL_TIMEOUT", 0.5)
        with pytest.raises(outgoing.OutgoingError, match=outgoing.TIMED_OUT):
            outgoing.post(f"http://127.0.0.1:{mute.getsockname()[1]}/", b"", {}, LOCAL)


def test_an_answer_that_never_ends_is_cut(monkeypatch):
    monkeypatch.setattr(outgoing, "TOTAL_TIMEOUT", 0.8)
    with Receiver() as receiver:
        receiver.slowly = True
        begun = monotonic()
        assert outgoing.post(receiver.url, b"", {}, LOCAL).status == 200
        assert monotonic() - begun < 12


def test_nor_does_one_go_on_if_connecting_took_the_whole_time(monkeypatch):
    """The deadline had passed before there was a connection that could have been cut."""
    connect = socket.create_connection

    def connect_late(*arguments):
        sleep(0.5)
        return connect(*arguments)

    monkeypatch.setattr(outgoing, "TOTAL_TIMEOUT", 0.2)
    monkeypatch.setattr(socket, "create_connection", connect_late)
    with Receiver() as receiver:
        receiver.slowly = True
        Timer(2, setattr, (receiver, "slowly", False)).start()  # otherwise, a failure would take minutes
        with pytest.raises(outgoing.OutgoingError, match=outgoing.TIMED_OUT):
            outgoing.post(receiver.url, b"", {}, LOCAL)


def test_certificates_are_checked_for_the_name_of_the_host(tmp_path, monkeypatch):
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    for path, text in zip(files, (CERTIFICATE, KEY), strict=True):
        path.write_text(text)
    with Receiver(files) as receiver:
        with pytest.raises(outgoing.OutgoingError, match=outgoing.CERTIFICATE):
            outgoing.post(receiver.url, b"", {}, LOCAL)
        monkeypatch.setenv("SSL_CERT_FILE", str(files[0]))
        assert outgoing.post(receiver.url, b"", {}, LOCAL).status == 200
        with pytest.raises(outgoing.OutgoingError, match=outgoing.CERTIFICATE):
            outgoing.post(receiver.url.replace("localhost", "127.0.0.1"), b"", {}, LOCAL)
        receiver.slowly = True
        monkeypatch.setattr(outgoing, "TOTAL_TIMEOUT", 0.8)
        begun = monotonic()
        assert outgoing.post(receiver.url, b"", {}, LOCAL).status == 200
        assert monotonic() - begun < 12

"""Forms behind nginx with the file of deploy/, on a port that is not the standard one."""

import http.client
import re
import socket
import ssl
import threading
from urllib.parse import urlencode

import pytest
from waitress import create_server

from tests.nginx import HOST, nginx

# The default site of Debian's package.
DEBIAN = """
server {
    listen 80 default_server;
    listen [::]:80 default_server;
    root /var/www/html;
    server_name _;
    location / { try_files $uri $uri/ =404; }
}
"""


@pytest.fixture
def proxy(wsgi, tmp_path):
    """nginx in front of the site, beside Debian's default site."""
    server = create_server(
        wsgi,
        listen="127.0.0.1:0",
        trusted_proxy="127.0.0.1",
        trusted_proxy_headers={"x-forwarded-proto", "x-forwarded-host"},
        clear_untrusted_proxy_headers=True,
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    with nginx(tmp_path / "nginx", [server.effective_port], sites=DEBIAN) as running:
        yield running
    server.close()


def ask(proxy, method: str, path: str, *, address="127.0.0.1", host=HOST, **form: str):
    """The response to a request or form by HTTPS at the port of nginx; headers are named in capitals."""
    context = ssl._create_unverified_context()  # noqa: S323  (its certificate is self-signed)
    headers = {name: form.pop(name) for name in list(form) if name[0].isupper()}
    headers |= {"Host": f"{host}:{proxy.https}", "Content-Type": "application/x-www-form-urlencoded"}
    with (
        socket.create_connection((address, proxy.https), 10) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        connection = http.client.HTTPConnection(host)
        connection.sock = encrypted
        connection.request(method, path, urlencode(form), headers)
        response = connection.getresponse()
        return response.status, response.headers, response.read().decode()


def test_forms_on_another_port_are_accepted_from_their_own_origin_only(proxy, caplog):
    own = f"https://{HOST}:{proxy.https}"
    for address in ("127.0.0.1", "::1"):
        assert ask(proxy, "POST", "/theme/", address=address, theme="dark", Origin=own)[0] == 302
    status, headers, page = ask(proxy, "GET", "/accounts/login/")
    token = re.search(r'name="csrf_token" value="([^"]+)"', page)[1]
    cookie = headers["Set-Cookie"].partition(";")[0]
    form = {"csrf_token": token, "username": "", "password": "", "Cookie": cookie}
    assert ask(proxy, "POST", "/accounts/login/", **form, Origin=own)[0] in {200, 422}
    assert "refused" not in caplog.text

    for path, status in (("/accounts/login/", 400), ("/theme/", 403)):
        caplog.clear()
        refused = ask(proxy, "POST", path, **form, theme="dark", Origin=f"https://{HOST}")
        assert refused[0] == status
        assert "This form was sent from another site." in refused[2]
        (line,) = [record.getMessage() for record in caplog.records if "form was refused" in record.msg]
        assert f"'https://{HOST}'" in line
        assert own in line


def test_hosts_that_are_not_the_sites_get_no_answer(proxy):
    with pytest.raises(ssl.SSLError):
        ask(proxy, "GET", "/", host="unknown.example")
    connection = http.client.HTTPConnection("127.0.0.1", proxy.http)
    connection.request("GET", "/", headers={"Host": HOST})
    assert connection.getresponse().headers["Location"] == f"https://{HOST}/"
    connection.close()

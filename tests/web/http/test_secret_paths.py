"""Secrets in paths: all below one prefix, which logs of ours and of the proxies mask."""

import re
from pathlib import Path

from comicsdb.http.secret_paths import FORMER, SECRET_PATHS, without_secret

DEPLOY = Path(__file__).parent.parent.parent.parent / "deploy"
# Parts of paths that identify what everybody may know about; any other name may be one of a secret.
PUBLIC = set(
    "block day delivery digest dump form id item item_id key kind monday month name page part read_id rest"
    " series series_id size slug subpath user username version".split()
)


def masks() -> dict[str, re.Pattern]:
    """The patterns by which the proxies of deploy/ mask paths, as Python's."""
    nginx = re.search(r"~(\^\S+) +\$part…;", (DEPLOY / "nginx.conf").read_text())[1]
    caddy = re.search(r'request>uri regexp "(\S+)" "\$\{1\}…"', (DEPLOY / "Caddyfile").read_text())[1]
    return {"nginx": re.compile(nginx.replace("?<part>", "?P<part>")), "Caddy": re.compile(caddy)}


def test_every_route_with_a_secret_in_its_path_is_below_the_masked_prefix(wsgi):
    patterns = [route.pattern for route in wsgi.routes_mapper.get_routes()]
    secret = [path for path in patterns if set(re.findall(r"[{*]([a-z_]+)", path)) - PUBLIC]
    assert len([path for path in secret if path.startswith(SECRET_PATHS)]) >= 6
    former = {path for path in secret if not path.startswith(SECRET_PATHS)}
    assert {next((each for each in FORMER if path.startswith(each)), path) for path in former} == set(FORMER)
    for path in secret:
        masked = without_secret(path)
        assert "{" not in masked
        for proxy, mask in masks().items():
            assert mask.match(path)[1] == masked.removesuffix("…"), proxy


def test_former_addresses_of_mailed_links_redirect(testapp):
    for path, now in (
        ("/accounts/activate/1/x/", "/s/activate/1/x/"),
        ("/accounts/reset/1/x/", "/s/reset/1/x/"),
        ("/accounts/email/confirm/x/", "/s/email/x/"),
        ("/accounts/not-me/1/x/", "/s/not-me/1/x/"),
        ("/accounts/login/link/x/", "/s/login/x/"),
    ):
        response = testapp.get(path, status=301)
        assert response.location == f"http://localhost{now}"
        assert response.headers["Referrer-Policy"] == "strict-origin"

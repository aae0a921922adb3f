"""Records and compares the responses of some 500 URLs of API and site, for changes that must not affect them.

    COMICSDB_API_THROTTLE=off make serve                                    # in a fresh clone
    python -m bench.answers http://127.0.0.1:8000 before.json               # records them
    python -m bench.answers http://127.0.0.1:8000 after.json before.json    # and prints differences

The server must have the demo catalog and no rate limits. URLs are found by following links, in the same
order if responses are the same, as four visitors: nobody, `reader`, `admin` and a program. What differs
between starts (CSRF tokens, names of stored pictures, fingerprints, times) is left out.
"""

import base64
import difflib
import json
import re
import sys
from collections import deque
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

URLS_PER_VISITOR = 170  # URLs requested by each visitor
KINDS = ("issue", "series", "publisher", "imprint", "universe", "arc", "character", "creator", "team")
START_URLS = {
    "nobody": ["/", "/issue/", "/series/?q=foghorn", "/search/?q=ferry", "/help/", "/nowhere/"],
    "reader": [
        "/collection/",
        "/account/",
        "/wish-list/",
        "/pull-list/",
        "/reading-list/",
        "/recent-changes/",
    ],
    "admin": ["/admin/", "/issue/1/edit/", "/series/1/edit/"],
    "program": [
        "/api/",
        "/api/schema/",
        *(f"/api/{kind}/" for kind in (*KINDS, "role", "series_type")),
        *(f"/api/{kind}/{number}/" for kind in KINDS for number in (1, 2, 3, 4)),
        *(f"/api/{kind}/{number}/issue_list/" for kind in KINDS[1:] for number in (1, 2, 3)),
        "/api/issue/?series_name=foghorn&number=3",
        "/api/issue/?modified_gt=2026-01-01T00:00:00Z&page=2",
        "/api/issue/?store_date_range_after=2026-01-01&cover_year=2026",
        "/api/series/?name=ferry&year_began=2024",
        "/api/series/999999/",
        "/api/issue/?page=1000",
        "/api/collection/",
        "/api/collection/stats/",
        "/api/reading_list/",
        "/api/wish_list/",
        "/api/pull_list/",
        "/api/change/",
    ],
}
LINKS = re.compile(rb'href="(/[^"#]*)|"(https?://[^"\\]+?/api/[^"\\]*)"')
EXCLUDED = re.compile(
    r"/media/|/static/|/logout|/log-out|/feed|\.(?:csv|json|zip|xml|svg|png|ico|webmanifest)\b"
)
REPLACEMENTS = (
    (r'(name="csrf_token"[^>]*value=")[^"]*', r"\1"),
    (r"\d{4}/\d{2}/\d{2}/[0-9a-f]{32}", "PICTURE"),
    (r"([?/])[0-9a-f]{8,64}(?=[/.\"&])", r"\1FINGERPRINT"),
    (r'nonce-[^\'"]+|"integrity"[^,}]*', ""),
    (r'(epoch=|"epoch":"|form_time" value=")[\w.]+', r"\1"),
    (r"\d{1,2}:\d\d\s[AP]M", "TIME"),
    (r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.\d]*(?:Z|[+-]\d\d:\d\d)?", "INSTANT"),
)


def log_in(base: str, name: str) -> tuple[OpenerDirector, dict[str, str]]:
    """Return an opener for a visitor, and the headers to send."""
    opener = build_opener(HTTPCookieProcessor(CookieJar()))
    if name == "program":
        secret = base64.b64encode(b"reader:demo-reader-pass").decode()
        return opener, {"Authorization": f"Basic {secret}"}
    if name != "nobody":
        page = opener.open(f"{base}/accounts/login/").read().decode()
        token = re.search(r'name="csrf_token"[^>]*value="([^"]*)', page)[1]
        fields = {"csrf_token": token, "username": name, "password": f"demo-{name}-pass"}
        opener.open(f"{base}/accounts/login/", urlencode(fields).encode())
    return opener, {}


def collect(base: str) -> dict[str, dict]:
    """Return status, content type and body by visitor and URL."""
    answers = {}
    for name, starts in START_URLS.items():
        opener, headers = log_in(base, name)
        waiting, seen = deque(starts), set(starts)
        for _ in range(URLS_PER_VISITOR):
            if not waiting:
                break
            address = waiting.popleft()
            status, kind, body = ask(opener, base + address, headers)
            answers[f"{name} {normalized(address.encode(), base)}"] = {
                "status": status,
                "type": kind,
                "body": normalized(body, base),
            }
            for found in links(body, base):
                if found not in seen:
                    seen.add(found)
                    waiting.append(found)
    return answers


def ask(opener: OpenerDirector, address: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
    """Request a URL; any status is accepted."""
    try:
        answer = opener.open(Request(address, headers=headers))
    except HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers.get("Content-Type", ""), answer.read()


def links(body: bytes, base: str) -> list[str]:
    """Return the URLs of this site in a response, in order."""
    found = []
    for page, api in LINKS.findall(body):
        address = urljoin(base, (page or api).decode().replace("&amp;", "&"))
        parts = urlsplit(address)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        if address.startswith(base) and not EXCLUDED.search(path):
            found.append(path)
    return found


def normalized(body: bytes, base: str) -> str:
    """Return a body without the parts that differ at each start."""
    text = body.decode("utf-8", "replace").replace(base, "")
    for pattern, instead in REPLACEMENTS:
        text = re.sub(pattern, instead, text)
    return text


def differences(before: dict, after: dict) -> list[str]:
    """Return lines that describe the differences by URL."""
    lines = [f"not asked for any more: {each}" for each in sorted(before.keys() - after.keys())]
    lines += [f"not asked for before: {each}" for each in sorted(after.keys() - before.keys())]
    for address in sorted(before.keys() & after.keys()):
        old, new = before[address], after[address]
        if old != new:
            lines.append(f"{address}: {old['status']} {old['type']}, now {new['status']} {new['type']}")
            pieces = (re.sub(r"([>,])", r"\1\n", each["body"]).splitlines() for each in (old, new))
            lines += [f"    {line[:200]}" for line in difflib.unified_diff(*pieces, lineterm="", n=0)][2:12]
    return lines


def main() -> None:
    """Record the responses of a server, and compare them with those in other files."""
    base, kept, *others = sys.argv[1:]
    answers = collect(base.rstrip("/"))
    Path(kept).write_text(json.dumps(answers, ensure_ascii=False, indent=0), "utf-8")
    print(f"{len(answers)} answers")
    for other in others:
        lines = differences(json.loads(Path(other).read_text("utf-8")), answers)
        print(*lines, f"{len(lines)} lines differ", sep="\n")


if __name__ == "__main__":
    main()

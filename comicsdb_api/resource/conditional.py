"""Conditional requests, by entity tags and dates, and their responses 200, 304 and 412."""

from email.utils import formatdate
from functools import lru_cache

from comicsdb.http.request_checks import DATE_HEADERS, http_date
from comicsdb.readcache.etag import TAG_LENGTH, matches
from comicsdb_api.responses import make_response

MICROSECONDS = 1_000_000  # per second
PRECONDITION_HEADERS = ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH", "HTTP_IF_UNMODIFIED_SINCE")  # of writes
JSON_TYPE = ("Content-Type", "application/json")


class LastModified:
    """The time of a body's last change, as an HTTP date, which has a resolution of seconds.

    It is created from the stamps of a read (`readcache.validators.times`): microseconds since 1970, each
    followed by its previous value or None. The second pair is for stamps that are updated late: as long as
    it is not None, the body may have changed after the date, so dates alone decide nothing.
    """

    def __init__(self, stamps: tuple):
        self._stamps = stamps[:2] + stamps[4:]
        self._is_late = stamps[2] is not None
        self._latest = max(now for now in self._stamps[::2] if now is not None)
        self.second = self._latest // MICROSECONDS

    @property
    def header(self) -> tuple[str, str]:
        """The header Last-Modified."""
        return "Last-Modified", _http_date(self.second)

    def unchanged_since(self, seconds: int) -> bool:
        """Whether a body that was sent with this date, or a later one, is still up to date."""
        if self._is_late:
            return False
        return seconds > self.second or (seconds == self.second and not self._ambiguous)

    @property
    def _ambiguous(self) -> bool:
        """Whether there was another change in the same second as the last one.

        Then an older body may have been sent with the same date.
        """
        pairs = list(zip(self._stamps[::2], self._stamps[1::2], strict=True))
        last = pairs.pop(next(n for n, (now, _) in enumerate(pairs) if now == self._latest))
        earlier = (last[1], *(now for now, _ in pairs))
        return any(each is not None and each // MICROSECONDS == self.second for each in earlier)


def response_by_date(request, dates: LastModified | None, route: str | None = None):
    """304 or 412 if dates decide without the body, else None."""
    if dates is None or not any(header in request.environ for header in DATE_HEADERS):
        return None
    status = _conditional_status(request.environ, dates, None)
    return make_response(request, b"", status, (dates.header,), route) if status else None


def conditional_response(
    request,
    entry: bytes,
    headers=(),
    *,
    dates: LastModified | None = None,
    route: str | None = None,
    content_type=JSON_TYPE,
):
    """The response to a read (200, 304 or 412); `entry` is the body, preceded by its tag.

    `headers` are only for 200.
    """
    tag = entry[:TAG_LENGTH].decode()
    validators = (("ETag", f'"{tag}"'), *((dates.header,) if dates else ()))
    status = _conditional_status(request.environ, dates, tag)
    if status:
        return make_response(request, b"", status, validators, route)
    return make_response(request, entry[TAG_LENGTH:], 200, (content_type, *validators, *headers), route)


def _conditional_status(environ, dates: LastModified | None, tag: str | None) -> int | None:
    """304 or 412 if the conditions of a request require it, in the order of RFC 9110 (13.2.2); else None.

    Without `tag`, the body is not known yet, and conditions on tags are left undecided. Without `dates`,
    conditions on dates are ignored.
    """
    if tag is None and "HTTP_IF_MATCH" in environ:
        return None
    if _has_changed(environ, dates, tag):
        return 412
    known = environ.get("HTTP_IF_NONE_MATCH")
    if known is not None:
        return 304 if tag is not None and matches(known, tag) else None
    if dates is not None:
        since = _seconds(environ.get("HTTP_IF_MODIFIED_SINCE"))
        if since is not None and dates.unchanged_since(since):
            return 304
    return None


def write_precondition_fails(environ, dates: LastModified | None, tag: str | None) -> bool:
    """Whether the conditions of a write fail, compared with the object as GET returns it.

    `dates` and `tag` are None if there is nothing to compare with; then only `*` matches.
    """
    known = environ.get("HTTP_IF_NONE_MATCH")
    return _has_changed(environ, dates, tag) or (known is not None and matches(known, tag))


def has_tag_condition(environ) -> bool:
    """Whether a write has a condition on tags other than `*`."""
    return any(environ.get(name, "*").strip() != "*" for name in ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH"))


def _has_changed(environ, dates: LastModified | None, tag: str | None) -> bool:
    """Whether the object has changed, by tags if there are any, else by date."""
    wanted = environ.get("HTTP_IF_MATCH")
    if wanted is not None:
        return not matches(wanted, tag)
    until = _seconds(environ.get("HTTP_IF_UNMODIFIED_SINCE")) if dates is not None else None
    return until is not None and not dates.unchanged_since(until)


def _seconds(date: str | None) -> int | None:
    """An HTTP date as seconds since 1970; None for a missing or invalid one."""
    moment = http_date(date) if date else None
    return int(moment.timestamp()) if moment else None


@lru_cache(maxsize=4096)
def _http_date(seconds: int) -> str:
    return formatdate(seconds, usegmt=True)

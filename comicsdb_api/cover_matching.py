"""`/match_cover_hash`: finds issues by the hashes of their covers, for ComicTagger's quick tag.

It is served at the root of the host, where the program expects it, and requires no account. Responses have
the keys that its published versions read (`ID`, `EquivalentIDs`), and those of earlier ones (`IDs`; with
`simple`, `IDList`). They reveal nothing but ids, hashes and distances.
"""

from urllib.parse import urlsplit

from pyramid.response import Response
from sqlalchemy import select

from comicsdb.catalog import covers, crosswalk
from comicsdb.http.client_address import client_ip
from comicsdb.models import Issue
from comicsdb.ratelimit import Limit
from comicsdb.values import flag, whole_number
from comicsdb_api.negotiation import parameters
from comicsdb_api.responses import CROSS_ORIGIN, to_json

PATH = "/match_cover_hash"
RESULTS_MAX = 300  # covers in one response, the nearest
LIMITS = (Limit("covers", 60, 60), Limit("covers_a_day", 20_000, 86_400))  # of one address
# The domains by which the program identifies sources of ids.
DOMAINS = {"comicvine": "comicvine.gamespot.com", "gcd": "comics.org", "metron": "metron.cloud"}
NONE_FOUND = "No hashes found"
NO_HASH = f"Send at least one of {', '.join(covers.HASH_COLUMNS)}."
TOO_FAR = f"max has to be a whole number from 0 to {covers.DISTANCE_MAX}."


class InvalidQueryError(ValueError):
    """A parameter is invalid; the text says which."""


def match(request) -> Response:
    """The response to a request, within the rate limits of its client address."""
    if request.registry.settings["comicsdb_api.throttle"]:
        wait = _seconds_to_wait(request)
        if wait:
            message = f"Too many requests; please wait {wait} seconds."
            return _answer({"msg": message}, 429, ("Retry-After", str(wait)))
    try:
        wanted, max_distance, flags = _parse_query(request)
    except InvalidQueryError as error:
        return _answer({"msg": str(error)}, 400)
    found = _find_covers(request, wanted, max_distance)
    if flags["exactOnly"] and any(row.distance == 0 for row in found):
        found = [row for row in found if row.distance == 0]
    if not found:
        return _answer({"msg": NONE_FOUND}, 404)
    host = urlsplit(request.application_url).hostname
    known = crosswalk.external_ids_of(request.dbsession, {("issue", row.id) for row in found})
    ids = {row.id: _ids_by_domain(known.get(("issue", row.id), ()), row.id, host) for row in found}
    return _answer({"results": (_simple_results if flags["simple"] else _results)(found, ids)})


def _seconds_to_wait(request) -> int:
    """Count the request; returns the seconds to wait after too many, else 0."""
    who = f"covers ip:{client_ip(request)}"
    return request.registry["comicsdb.limiter"].take([(limit, who) for limit in LIMITS]).wait


def _parse_query(request) -> tuple[dict[str, str], int, dict[str, bool]]:
    sent = {name: value.strip() for name, value in parameters(request)}
    wanted = {kind: sent[kind] for kind in covers.HASH_COLUMNS if sent.get(kind)}
    if not wanted:
        raise InvalidQueryError(NO_HASH)
    for kind, digits in wanted.items():
        try:
            covers.signed(digits)
        except ValueError as error:
            raise InvalidQueryError(f"{kind}: {error}") from error
    max_distance = (
        whole_number(sent["max"], 0, covers.DISTANCE_MAX) if sent.get("max") else covers.DEFAULT_DISTANCE
    )
    if max_distance is None:
        raise InvalidQueryError(TOO_FAR)
    flags = {"simple": False, "exactOnly": True}
    for name, usual in flags.items():
        flags[name] = flag(sent[name]) if sent.get(name) else usual
        if flags[name] is None:
            raise InvalidQueryError(f"{name} has to be True or False.")
    return wanted, max_distance, flags


def _find_covers(request, wanted: dict[str, str], max_distance: int) -> list:
    """The issues whose cover or variant cover is that similar, by distance; each once per hash."""
    matches = covers.near_covers(wanted, max_distance)
    rows = (
        select(Issue.id, matches.c.kind, matches.c.hash, matches.c.distance)
        .distinct()
        .join(matches, matches.c.issue_id == Issue.id)
        .order_by(matches.c.distance, Issue.id, matches.c.kind, matches.c.hash)
        .limit(RESULTS_MAX)
    )
    return request.dbsession.execute(rows).all()


def _ids_by_domain(known, issue_id: int, host: str) -> list[tuple[str, str]]:
    """The ids of an issue with their domains; ours is last, as the program prefers the others."""
    found = [(DOMAINS[source], external_id) for source, external_id, _scope in known if source in DOMAINS]
    return [*dict.fromkeys(found), (host, str(issue_id))]


def _add_ids(ids: list[tuple[str, str]], listed: dict[str, list[str]]) -> dict[str, list[str]]:
    for domain, number in ids:
        numbers = listed.setdefault(domain, [])
        if number not in numbers:
            numbers.append(number)
    return listed


def _results(found: list, ids: dict[int, list[tuple[str, str]]]) -> list[dict]:
    results = []
    for row in found:
        named = [{"Domain": domain, "ID": number} for domain, number in ids[row.id]]
        results.append(
            {
                "ID": named[0],
                "EquivalentIDs": named[1:],
                "IDs": _add_ids(ids[row.id], {}),
                "Distance": row.distance,
                "Hash": {"Hash": row.hash % 2**64, "Kind": row.kind},
            }
        )
    return results


def _simple_results(found: list, ids: dict[int, list[tuple[str, str]]]) -> list[dict]:
    """The ids for each distance, without the hashes."""
    by_distance: dict[int, dict[str, list[str]]] = {}
    for row in found:
        _add_ids(ids[row.id], by_distance.setdefault(row.distance, {}))
    return [{"IDList": listed, "Distance": distance} for distance, listed in by_distance.items()]


def _answer(body: dict, status: int = 200, *headers: tuple[str, str]) -> Response:
    common = (("Content-Type", "application/json"), ("Cache-Control", "no-store"), *CROSS_ORIGIN)
    return Response(to_json(body), status, headerlist=[*common, *headers])


def includeme(config):
    """Add the route and the view."""
    config.add_route("match_cover_hash", PATH, request_method=("GET", "HEAD"))
    config.add_view(match, route_name="match_cover_hash")

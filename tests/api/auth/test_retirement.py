"""The end of HTTP Basic in four phases: what responses say about it, and the final refusal."""

import logging
import re
from contextlib import ExitStack
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime

import pytest
from argon2 import PasswordHasher

from comicsdb.accounts.passwords import digest
from comicsdb.config import SettingsError, parse_settings
from comicsdb.models import ApiToken
from comicsdb_api.retirement import BasicRetirement
from tests.api.conftest import PASSWORD, SCHEMA, Client, basic_auth
from tests.api.descriptions import Contract, specification_errors
from tests.api.retrying_app import ATTEMPTS
from tests.conftest import SETTINGS, build_app, client_on, forget_limits, record_statements
from tests.page import parse
from tests.web.conftest import log_in

TOKEN = "cdb_" + "4d" * 32
BEARER = {"Authorization": f"Bearer {TOKEN}"}
DEPRECATED, SUNSET = date(2026, 12, 1), date(2027, 5, 31)
DAYS = {"comicsdb.basic_deprecated": "2026-12-01", "comicsdb.basic_sunset": "2027-05-31"}
PAGE = "http://localhost/docs/http-basic/"
LINK = f'<{PAGE}>; type="text/html"; rel="deprecation", <{PAGE}>; type="text/html"; rel="sunset"'
NAMES = ("Deprecation", "Sunset", "Link", "X-Deprecation-Notice")
FIRST = {"Deprecation": "@1796083200", "Sunset": "Mon, 31 May 2027 00:00:00 GMT", "Link": LINK}
NOTICE = "Passwords end on 2027-05-31. Create a token now: http://localhost/accounts/tokens/"
TOLD = {0: {}, 1: FIRST, 2: FIRST | {"X-Deprecation-Notice": NOTICE}, 3: {}}
GONE = (
    "Passwords have not been accepted since 2027-05-31. Create a token at http://localhost/accounts/tokens/"
    " and send it as Authorization: Bearer TOKEN."
)
WITH_LIMITS = {"comicsdb_api.throttle": "on"}


@pytest.fixture(scope="module")
def apps(shared_database, media_folder):
    """`apps(phase)`: the application in a phase, built once."""
    made = {}

    def app(phase):
        if phase not in made:
            more = {"comicsdb.basic_phase": str(phase), **DAYS, **WITH_LIMITS}
            includes = f"{SETTINGS['pyramid.includes']} tests.api.retrying_app"
            made[phase] = build_app(shared_database, media_folder, **more, **{"pyramid.includes": includes})
        return made[phase]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("comicsdb.ratelimit.api.BASIC_MAX", (20, 1000))  # some tests send more than ten
        yield app
    for each in made.values():
        each.registry["comicsdb.engine"].dispose()


@pytest.fixture
def site(apps, connection):
    """`site(phase)`: a client of the application in a phase, whose limits nobody has used yet."""
    with ExitStack() as stack:

        def site(phase):
            forget_limits(apps(phase).registry["comicsdb.limiter"])
            return stack.enter_context(client_on(apps(phase), connection))

        yield site


@pytest.fixture
def arc(make, reader, session):
    """The path of an arc; also makes a reader with a token."""
    session.add(ApiToken(digest=digest(TOKEN), token_key=TOKEN[:8], user_id=reader.id))
    session.commit()
    return f"/api/arc/{make.arc().id}/"


def told(answer) -> dict:
    """The response headers about the end of HTTP Basic, each at most once, without the link to the data."""
    found = {name: answer.headers.getall(name) for name in NAMES}
    found["Link"] = [each for each in found["Link"] if not each.endswith('/data/>; rel="alternate"')]
    assert all(len(values) < 2 for values in found.values())
    return {name: values[0] for name, values in found.items() if values}


# While passwords are accepted.


@pytest.mark.parametrize("phase", [0, 1, 2])
def test_every_answer_to_a_password_that_is_right_tells_of_its_end(site, arc, phase):
    client = Client(site(phase), basic_auth("reader", PASSWORD))
    unchanged, by_date = {"If-None-Match": "*"}, {"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    for method, path, status, headers in (
        ("GET", arc, 200, {}),  # by the view
        ("GET", arc, 200, {}),  # by the policy for cached reads, as are the next four
        ("HEAD", arc, 200, {}),
        ("GET", arc, 304, unchanged),
        ("GET", arc, 304, by_date),
        ("GET", arc, 412, {"If-Match": '"x"'}),
        ("GET", "/api/role/", 304, unchanged),  # the lists also by the policy, the rest by the view
        ("GET", "/api/arc/", 200, {}),
        ("GET", "/api/arc/999999/", 404, {}),
        ("GET", "/api/arc/?cv_id=x", 400, {}),
        ("OPTIONS", arc, 200, {}),
        ("POST", "/api/", 405, {}),
        ("DELETE", arc, 403, {}),
        ("GET", SCHEMA, 200, {}),
    ):
        assert told(client.call(method, path, status, headers)) == TOLD[phase], (method, path, status)


@pytest.mark.parametrize("phase", [0, 1, 2])
def test_so_do_a_refusal_by_the_limits_and_an_answer_at_the_third_attempt(site, arc, phase):
    client = Client(site(phase), basic_auth("reader", PASSWORD))
    answer = client.get("/api/fickle/")
    assert answer.json == {"attempt": ATTEMPTS}
    assert told(answer) == TOLD[phase]
    for _ in range(19):
        client.get(arc)
    for path in (arc, "/api/"):
        assert told(client.get(path, 429)) == TOLD[phase]


@pytest.mark.parametrize("phase", [0, 1, 2])
def test_whoever_comes_in_otherwise_or_not_at_all_is_not_told(site, arc, phase):
    app = site(phase)
    nobody = Client(app, {})
    for _ in range(2):
        nobody.get(arc, 200, basic_auth("reader", PASSWORD))
        assert nobody.get(arc, 200, BEARER).headers["X-Cache"] == "HIT"
    answers = [
        nobody.get(arc, 200, BEARER),
        nobody.get("/api/", 200, BEARER),
        nobody.get(arc, 304, BEARER | {"If-None-Match": "*"}),
        nobody.get(arc, 401, basic_auth("reader", "wrong")),
        nobody.get("/api/", 401, basic_auth("reader", "wrong")),
        nobody.get("/api/", 401, {"Authorization": "Basic !"}),
        nobody.get(arc),
        nobody.get("/api/collection/", 401),
        nobody.get(SCHEMA),
        nobody.get("/api/nothing/", 404, basic_auth("reader", PASSWORD)),
        nobody.get("/api/", 406, basic_auth("reader", PASSWORD) | {"Accept": "image/png"}),
    ]
    log_in(app, "reader")
    answers += [nobody.get(arc), nobody.get("/api/"), nobody.get(arc, 200, BEARER)]
    assert [told(answer) for answer in answers] == [{}] * len(answers)
    # A right password takes precedence over the session, and its response has the notice.
    assert told(nobody.get(arc, 200, basic_auth("reader", PASSWORD))) == TOLD[phase]
    for answer in answers:
        if answer.status_int == 401:
            assert answer.headers["WWW-Authenticate"] == 'Basic realm="api"'


@pytest.mark.parametrize("phase", [1, 2])
def test_made_and_kept_bodies_are_the_same_for_everybody(site, arc, phase):
    client = Client(site(phase), {})
    answers = [client.get(arc, 200, sent) for sent in (basic_auth("reader", PASSWORD), BEARER) * 2]
    assert [answer.headers["X-Cache"] for answer in answers] == ["MISS", "HIT", "HIT", "HIT"]
    assert [told(answer) for answer in answers] == [TOLD[phase], {}] * 2
    assert len({(answer.body, answer.headers["ETag"]) for answer in answers}) == 1


def test_the_headers_are_as_their_standards_say(site, arc):
    found = Client(site(1), basic_auth("reader", PASSWORD)).get(arc).headers
    (seconds,) = re.fullmatch(r"@(-?[0-9]{1,15})", found["Deprecation"]).groups()  # RFC 9651, 3.3.7
    assert datetime.fromtimestamp(int(seconds), UTC) == datetime.combine(DEPRECATED, time(), UTC)
    assert parsedate_to_datetime(found["Sunset"]) == datetime.combine(SUNSET, time(), UTC)
    links = re.findall(r'<([^>]+)>; type="([^"]+)"; rel="([^"]+)"', found["Link"])
    assert links == [(PAGE, "text/html", rel) for rel in ("deprecation", "sunset")]


def retirement(**more) -> BasicRetirement:
    return BasicRetirement(parse_settings({"sqlalchemy.url": "postgresql://x/y", **SETTINGS, **more}))


def test_a_day_that_is_not_set_is_not_told():
    first = {"comicsdb.basic_phase": "1", "comicsdb.basic_deprecated": "2026-12-01"}
    assert retirement(**first).header_names == ["Deprecation", "Link"]


def test_an_address_that_is_not_set_is_the_one_that_was_asked():
    unknown = retirement(**DAYS, **{"comicsdb.basic_phase": "2", "comicsdb.base_url": ""})
    headers = dict(unknown.headers("https://comics.example/db"))
    assert headers["Link"].startswith("<https://comics.example/db/docs/http-basic/>; ")
    assert headers["X-Deprecation-Notice"].endswith(" https://comics.example/db/accounts/tokens/")


# After the end.


def test_a_password_is_refused_without_a_look_at_it(site, arc, connection, monkeypatch):
    client = Client(site(3), {})
    client.get(arc, 200, BEARER)  # now the body is cached
    hashed = []
    monkeypatch.setattr(PasswordHasher, "verify", lambda *sent: hashed.append(sent))
    with record_statements(connection) as statements:
        for sent in (
            basic_auth("reader", PASSWORD),
            basic_auth("reader", "wrong"),
            basic_auth("nobody", "x"),
        ):
            for path in (arc, "/api/", "/api/arc/", "/api/schema/"):
                assert client.get(path, 401, sent).json == {"detail": GONE}
        for header in ("Basic", "basic !!!", "BASIC a b"):
            assert client.get(arc, 401, {"Authorization": header}).json == {"detail": GONE}
        for method in ("HEAD", "OPTIONS", "POST", "DELETE"):
            client.call(method, arc, 401, basic_auth("reader", PASSWORD))
    assert (statements, hashed) == ([], [])


def test_no_number_of_refusals_makes_it_too_many(site, arc):
    client = Client(site(3), {})
    for _ in range(25):
        client.get(arc, 401, basic_auth("reader", "wrong"))
    client.get(arc, 200, BEARER)


def test_a_session_beside_it_does_not_help_and_alone_is_good(site, arc):
    app = site(3)
    log_in(app, "reader")
    assert app.get(arc, headers=basic_auth("reader", PASSWORD), status=401).json == {"detail": GONE}
    for sent in ({}, BEARER):
        for path in (arc, arc, "/api/"):
            assert told(app.get(path, headers=sent, status=200)) == {}


def test_every_challenge_is_for_tokens_then(site, arc):
    client = Client(site(3), {})
    for sent in ({}, {"Authorization": "Bearer nonsense"}, basic_auth("reader", PASSWORD)):
        answer = client.get(arc if sent else "/api/collection/", 401, sent)
        (challenge,) = answer.headers.getall("WWW-Authenticate")
        assert challenge.split(", ")[0] == 'Bearer realm="api"'
        assert ('error="invalid_token"' in challenge) is ("nonsense" in str(sent))
        assert told(answer) == {}
    assert client.get("/api/collection/", 401).json == {
        "detail": "Authentication credentials were not provided."
    }


def test_who_still_tries_is_logged(site, arc, caplog):
    caplog.set_level(logging.INFO, "comicsdb_api")
    client = Client(site(3), {})
    client.get(arc, 401, basic_auth("reader", PASSWORD))
    client.get("/api/", 401, {"Authorization": "Basic !"})
    assert caplog.messages == [
        "API credentials refused by basic (user=reader, ip=unknown)",
        "API credentials refused by basic (user=-, ip=unknown)",
    ]


# What the documentation page and the description say about it.

WORDS = {
    0: ["instead of a token", "HTTP Basic will end"],
    1: [
        "deprecated since 2026-12-01 and ends on 2027-05-31.",
        "announce this in `Deprecation`, `Sunset`, `Link`.",
    ],
    2: [
        "ends on 2027-05-31.",
        "`Link`, `X-Deprecation-Notice`.",
        "10 requests in any minute and 1,000 in any",
    ],
    3: ["ended on 2027-05-31", "always gets 401", "`/accounts/tokens/`"],
}


@pytest.mark.parametrize("phase", [0, 1, 2, 3])
def test_the_page_that_the_links_lead_to_explains_the_phase(site, phase):
    app = site(phase)
    page = parse(app.get(PAGE).text)
    section = page.find("main")
    for words in WORDS[phase]:
        assert words.replace("`", "") in section.get_text(), words
    assert "{" not in section.get_text()
    assert app.get("/accounts/tokens/", status=303).location.startswith("http://localhost/accounts/login/")


@pytest.mark.parametrize("phase", [0, 1, 2, 3])
def test_the_description_has_the_schemes_of_the_phase(site, arc, phase):
    document = Client(site(phase), BEARER).json(SCHEMA)
    paths = document["paths"]
    if phase < 3:  # they are those of an application without an end of HTTP Basic: not validated again
        assert paths == Client(site(0), BEARER).json(SCHEMA)["paths"]
        paths = {"/api/arc/": paths["/api/arc/"]}
    assert specification_errors(document | {"paths": paths}) == []
    schemes = document["components"]["securitySchemes"]
    names = ["cookieAuth", "knoxApiToken"] if phase == 3 else ["basicAuth", "cookieAuth", "knoxApiToken"]
    assert list(schemes) == [name for each in document["security"] for name in each] == names
    ends = phase in {1, 2}
    assert schemes.get("basicAuth", {}).get("x-deprecated", False) is ends
    assert ("Deprecated since 2026-12-01" in schemes.get("basicAuth", {}).get("description", "")) is ends
    challenge = document["components"]["headers"]["WWW-Authenticate"]["schema"]
    assert challenge == {"const": f'{"Bearer" if phase == 3 else "Basic"} realm="api"'}
    assert all(words in document["info"]["description"] for words in WORDS[phase])


@pytest.mark.parametrize("phase", [1, 2, 3])
def test_answers_are_as_described(site, arc, phase):
    client = Client(site(phase), basic_auth("reader", PASSWORD))
    contract = Contract(Client(client.testapp, BEARER).json(SCHEMA))
    operation = next(each for each in contract.operations if each.path == "/api/arc/{id}/")
    status = 401 if phase == 3 else 200
    asked = [(status, {}), (status, {}), (401, basic_auth("reader", "wrong"))]
    if phase < 3:
        asked += [(304, {"If-None-Match": "*"}), (412, {"If-Match": '"x"'})]
    for expected, headers in asked:
        contract.check_response(operation, client.get(arc, expected, headers))


# Settings.


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"comicsdb.basic_phase": "1"}, "comicsdb.basic_deprecated"),
        ({"comicsdb.basic_phase": "2", **DAYS, "comicsdb.basic_deprecated": ""}, "comicsdb.basic_deprecated"),
        ({"comicsdb.basic_phase": "2", **DAYS, "comicsdb.basic_sunset": ""}, "comicsdb.basic_sunset"),
        ({"comicsdb.basic_phase": "3", **DAYS, "comicsdb.basic_sunset": ""}, "comicsdb.basic_sunset"),
        ({**DAYS, "comicsdb.basic_sunset": "2026-11-30"}, "comicsdb.basic_sunset"),
        ({**DAYS, "comicsdb.basic_phase": "4"}, "comicsdb.basic_phase"),
        ({**DAYS, "comicsdb.basic_sunset": "soon"}, "comicsdb.basic_sunset"),
    ],
)
def test_days_that_a_phase_needs_stop_the_start_when_they_are_missing_or_wrong(given, named):
    with pytest.raises(SettingsError) as caught:
        retirement(**given)
    assert str(caught.value).startswith(f"The setting {named} ")


def test_the_variable_of_a_missing_day_is_named():
    with pytest.raises(SettingsError, match="COMICSDB_BASIC_SUNSET"):
        retirement(**{"comicsdb.basic_phase": "2", "comicsdb.basic_deprecated": "2026-12-01"})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"comicsdb.basic_phase": "1", "comicsdb.basic_deprecated": "2026-12-01"},
        DAYS,
        {"comicsdb.basic_deprecated": "2027-05-31", "comicsdb.basic_sunset": "2027-05-31"},
    ],
)
def test_days_that_no_phase_needs_may_be_missing(given):
    retirement(**given)

"""What an answer costs of the day's requests: what is told, what is counted, and what is refused."""

import pytest

from tests.api.conftest import PASSWORD, Client, basic
from tests.api.throttle.standing import left

COST = "X-RateLimit-Cost"


@pytest.fixture
def few(site, reader, clock):
    """A client of a site where accounts have 25 requests a day."""
    return Client(site(**{".sustained": "25"}), basic(reader.username, PASSWORD))


def test_most_answers_cost_one_and_304_and_429_nothing(client, make, clock):
    path = f"/api/arc/{make.arc().id}/"
    first = client.get(path)
    assert first.headers[COST] == "1"
    unchanged = client.get(path, 304, {"If-None-Match": first.headers["ETag"]})
    assert (unchanged.headers[COST], left(unchanged)) == ("0", (18, 4999))
    for _ in range(18):
        client.get(path)
    assert client.get(path, 429).headers[COST] == "0"


def test_an_archive_costs_ten_and_is_refused_whole(few, make):
    path = f"/api/series/{make.series().id}/comicinfo/"
    first = few.get(path)
    assert (first.headers[COST], left(first)) == ("10", (19, 15))
    unchanged = few.get(path, 304, {"If-None-Match": first.headers["ETag"]})
    assert (unchanged.headers[COST], left(unchanged)) == ("0", (18, 15))
    dated = few.get(path, 304, {"If-Modified-Since": first.headers["Last-Modified"]})
    assert (dated.headers[COST], left(dated)) == ("0", (17, 15))
    head = few.call("HEAD", path)
    assert (head.headers[COST], left(head)) == ("10", (16, 5))
    refused = few.get(path, 429)
    assert refused.headers[COST] == "0"
    assert left(refused) == (16, 5)
    assert "It costs 10 of the day's requests, of which 5 are left. Expected" in refused.json["detail"]
    assert int(refused.headers["Retry-After"]) > 0
    assert left(few.get("/api/role/")) == (15, 4)


def test_a_match_costs_ten(few, reader):
    sent = few.headers | {"Content-Type": "application/json"}
    body = '{"descriptors": [{"series": "Harbor", "number": "1"}]}'
    answer = few.testapp.post("/api/match/", body, sent)
    assert (answer.headers[COST], left(answer)) == ("10", (19, 15))


def test_the_limits_of_a_token_and_of_its_account_both_count_it(site, bearer, session, reader, make, clock):
    from comicsdb.models import ApiToken

    session.add(ApiToken(digest="0" * 64, token_key="other", user_id=reader.id))
    session.commit()
    client = Client(site(), bearer)
    answer = client.get(f"/api/series/{make.series().id}/metroninfo/")
    assert left(answer) == (14, 3740)


def test_the_reference_tells_what_is_dear(client, make):
    paths = client.json("/api/schema/?format=json")["paths"]
    assert "It costs 10 of" in paths["/api/match/"]["post"]["description"]
    assert "It costs 10 of" in paths["/api/series/{id}/comicinfo/"]["get"]["description"]
    assert "It costs" not in paths["/api/arc/"]["get"]["description"]

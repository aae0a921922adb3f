"""How many of the day's requests a response costs: the header, the count, and refusals."""

import pytest

from tests.api.conftest import PASSWORD, SCHEMA, Client, basic_auth
from tests.api.throttle.rate_limit_headers import STANDARD_HEADERS, X_HEADERS, remaining_requests

COST = "X-RateLimit-Cost"


@pytest.fixture
def few(site, reader, clock):
    """A client of a site where accounts have 25 requests a day."""
    return Client(site(**{".sustained": "25"}), basic_auth(reader.username, PASSWORD))


def test_most_answers_cost_one_and_304_and_429_nothing(client, make, clock):
    path = f"/api/arc/{make.arc().id}/"
    first = client.get(path)
    assert first.headers[COST] == "1"
    unchanged = client.get(path, 304, {"If-None-Match": first.headers["ETag"]})
    assert (unchanged.headers[COST], remaining_requests(unchanged)) == ("0", (18, 4999))
    for _ in range(18):
        client.get(path)
    assert client.get(path, 429).headers[COST] == "0"


def test_an_archive_costs_ten_and_is_refused_whole(few, make):
    path = f"/api/series/{make.series().id}/comicinfo/"
    first = few.get(path)
    assert (first.headers[COST], remaining_requests(first)) == ("10", (19, 15))
    unchanged = few.get(path, 304, {"If-None-Match": first.headers["ETag"]})
    assert (unchanged.headers[COST], remaining_requests(unchanged)) == ("0", (18, 15))
    dated = few.get(path, 304, {"If-Modified-Since": first.headers["Last-Modified"]})
    assert (dated.headers[COST], remaining_requests(dated)) == ("0", (17, 15))
    head = few.call("HEAD", path)
    assert (head.headers[COST], remaining_requests(head)) == ("10", (16, 5))
    refused = few.get(path, 429)
    assert refused.headers[COST] == "0"
    assert remaining_requests(refused) == (16, 5)
    assert "It costs 10 of the day's requests, of which 5 are left. Expected" in refused.json["detail"]
    assert int(refused.headers["Retry-After"]) > 0
    assert remaining_requests(few.get("/api/role/")) == (15, 4)


def test_the_change_feed_costs_nothing_and_states_both_limits(few, make):
    def told(left):
        answer = few.get("/api/change/")
        assert (answer.headers[COST], remaining_requests(answer)) == ("0", left)
        assert {*X_HEADERS, *STANDARD_HEADERS} <= set(answer.headers)
        assert '"burst";q=20;w=60, "sustained";q=25;w=86400' in answer.headers["RateLimit-Policy"]
        return answer

    first = told((19, 25))
    unchanged = few.get("/api/change/", 304, {"If-None-Match": first.headers["ETag"]})
    assert (unchanged.headers[COST], remaining_requests(unchanged)) == ("0", (18, 25))
    for _ in range(5):
        few.get("/api/arc/?page_size=500")
    answer = told((12, 0))
    assert '"sustained";r=0;t=86400' in answer.headers["RateLimit"]
    few.get("/api/arc/", 429)
    for left in reversed(range(12)):
        told((left, 0))
    refused = few.get("/api/change/", 429)
    assert (refused.headers[COST], remaining_requests(refused)) == ("0", (0, 0))
    assert int(refused.headers["Retry-After"]) <= 60


def test_a_match_costs_ten(few, reader):
    sent = few.headers | {"Content-Type": "application/json"}
    body = '{"descriptors": [{"series": "Harbor", "number": "1"}]}'
    answer = few.testapp.post("/api/match/", body, sent)
    assert (answer.headers[COST], remaining_requests(answer)) == ("10", (19, 15))


def test_lists_cost_by_what_they_are_asked_for(few, make):
    arc = make.arc()
    ids = ",".join(map(str, range(1, 100)))
    costs = {
        "": 1,
        "?page_size=100": 1,
        "?page_size=101": 2,
        "?page_size=500&cursor=*&fields=id": 5,
        "?ids=1,2,3&include=all": 1,
        f"?ids={ids},{arc.id}": 10,
        "?page_size=20&include=all": 2,
    }
    day = 25
    for asked, cost in costs.items():
        answer = few.call("GET", f"/api/arc/{asked}")
        day -= cost
        assert (answer.headers[COST], remaining_requests(answer)[1]) == (str(cost), day), asked
    wrong = few.get("/api/arc/?page_size=501", 400)
    assert (wrong.headers[COST], remaining_requests(wrong)[1]) == ("1", 2)
    plain = few.get("/api/arc/?page_size=200")
    assert (plain.headers[COST], plain.headers["X-Cache"]) == ("2", "MISS")
    again = few.get("/api/arc/?page_size=200", 429)
    assert (again.headers[COST], remaining_requests(again)[1]) == ("0", 0)
    assert "It costs 2 of the day's requests, of which 0 are left." in again.json["detail"]


def test_a_page_from_the_cache_costs_the_same_and_304_nothing(few, make):
    make.arc()
    for path in ("/api/arc/?page_size=300", "/api/arc/?ids=1,2,3,4,5,6,7,8,9,10,11"):
        first, hit = few.get(path), few.get(path)
        assert first.headers[COST] == hit.headers[COST] != "1"
        unchanged = few.get(path, 304, {"If-None-Match": hit.headers["ETag"]})
        assert (unchanged.headers[COST], remaining_requests(unchanged)[1]) == (
            "0",
            remaining_requests(hit)[1],
        )


def test_the_limits_of_a_token_and_of_its_account_both_count_it(site, bearer, session, reader, make, clock):
    from comicsdb.models import ApiToken

    session.add(ApiToken(digest="0" * 64, token_key="other", user_id=reader.id))
    session.commit()
    client = Client(site(), bearer)
    answer = client.get(f"/api/series/{make.series().id}/metroninfo/")
    assert remaining_requests(answer) == (14, 3740)


def test_the_reference_tells_what_is_dear(client, make):
    paths = client.json(SCHEMA)["paths"]
    assert "It costs 10 of" in paths["/api/match/"]["post"]["description"]
    assert "It costs 10 of" in paths["/api/series/{id}/comicinfo/"]["get"]["description"]
    assert "one for each 10 ids" in paths["/api/arc/"]["get"]["description"]
    assert "for each 100 rows" in paths["/api/arc/{id}/issue_list/"]["get"]["description"]
    assert "costs" not in paths["/api/role/"]["get"]["description"]

"""The cache of rendered cards, which is shared by all readers who see the same card."""

from datetime import timedelta

import time_machine

from tests.web.conftest import soup, start_session


def cards(testapp, path, **headers):
    """The cards on a page, as HTML."""
    return [str(each) for each in soup(testapp.get(path, headers=headers)).select("li.card")]


def kept(wsgi):
    """The number of cached cards."""
    lru = wsgi.registry["comicsdb.cache"].lru
    return sum(key[0] == "card" for key in lru._entries)


def test_members_and_visitors_of_another_page_get_the_same_cards(wsgi, testapp, make, member):
    series = make.series(name="Lantern")
    make.issue(series=series, image="a.jpg", image_width=2, image_height=3)
    (seen,) = cards(testapp, "/issue/")
    assert kept(wsgi) == 1
    start_session(testapp, member)
    assert cards(testapp, "/issue/") == cards(testapp, "/issue/search?q=lantern") == [seen]
    assert kept(wsgi) == 1


def test_a_card_shows_a_change_of_what_it_is_made_of_at_once(testapp, make, catalog):
    house = make.publisher(name="Harbor House")
    make.issue(series=make.series(publisher=house))
    assert "Lantern House" not in cards(testapp, "/issue/")[0]
    catalog.update(house, {"name": "Lantern House"})
    make.session.commit()
    assert "Lantern House" in cards(testapp, "/issue/")[0]


def test_each_host_and_language_gets_its_own(testapp, make):
    make.issue(image="a.jpg", image_width=2, image_height=3)
    (here,) = cards(testapp, "/issue/")
    (there,) = cards(testapp, "/issue/", Host="other.example")
    assert "http://localhost/" in here
    assert there == here.replace("http://localhost/", "http://other.example/")
    (italian,) = cards(testapp, "/issue/", **{"Accept-Language": "it"})
    assert "Copertina" in italian
    assert "Copertina" not in here


def test_a_card_that_is_cached_as_new_is_so_for_two_days(testapp, make):
    added = make.issue().created_on
    for days, new in ((0, True), (1, True), (2, False)):
        with time_machine.travel(added + timedelta(days=days)):
            assert ("tag-new" in cards(testapp, "/issue/")[0]) == new, days

"""Following readers on the site."""

import pytest

from comicsdb.community import profiles, reviews
from tests.web.addresses import keep_library, publish
from tests.web.conftest import form_to, soup, start_session


@pytest.fixture
def bob(testapp, session, member, make, world):
    """Another reader, logged in; Nora has a library."""
    keep_library(session, member, world)
    bob = make.user("Bob")
    start_session(testapp, bob)
    return bob


def test_a_reader_is_followed_from_their_profile_and_blocks_who_follows(testapp, session, member, world, bob):
    publish(session, member)
    reviews.write(session, member.id, world.first.id, "It was *fine*.", spoils=False)
    session.commit()
    form = form_to(testapp.get("/readers/Nora/"), "/readers/Nora/follow/")
    assert "You now follow Nora." in form.submit("on", value="1").follow().text
    page = soup(testapp.get("/following/"))
    entries = [each.h2.get_text(" ", strip=True) for each in page.select(".feed-entry")]
    assert len(entries) == 2  # the review and the issue that was read
    assert any("reviewed" in each for each in entries)
    assert page.select_one(".review-text em").get_text() == "fine"
    profiles.save_settings(session, member.id, public=False, parts=profiles.PARTS)
    session.commit()
    for address in ("/following/", "/following/readers/"):
        assert "Nora" not in testapp.get(address).text
    publish(session, member)
    testapp.reset()
    start_session(testapp, member)
    page = form_to(testapp.get("/following/readers/"), "/following/readers/").submit("block").follow()
    assert "Unblock" in page.text
    testapp.reset()
    start_session(testapp, bob)
    form = form_to(testapp.get("/readers/Nora/"), "/readers/Nora/follow/")
    assert "You cannot follow this reader." in form.submit("on", value="1").follow().text
    assert soup(testapp.get("/following/")).select(".feed-entry") == []


def test_whose_profile_is_not_public_cannot_be_followed(testapp, session, member, bob):
    publish(session, member)
    form = form_to(testapp.get("/readers/Nora/"), "/readers/Nora/follow/")
    profiles.save_settings(session, member.id, public=False, parts=())
    session.commit()
    form.submit("on", value="1", status=404)
    publish(session, bob)
    own = testapp.post(
        "/readers/Bob/follow/", {"csrf_token": form["csrf_token"].value, "on": "1"}, status=404
    )
    assert "Bob" not in soup(own).h1.get_text()

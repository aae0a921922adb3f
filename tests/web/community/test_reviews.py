"""Reviews on the site: visibility of texts and names, the form, reports, and moderation by the staff."""

import pytest

from comicsdb import admin
from comicsdb.accounts.deletion import remove_account
from comicsdb.community import profiles, reviews
from comicsdb.library.ratings import rate
from comicsdb.models import Review
from comicsdb_web.rendering.review_text import passages
from tests.web.addresses import addresses_of, keep_library, publish
from tests.web.conftest import form_to, soup, start_session
from tests.web.test_privacy import asked


@pytest.fixture
def bob(make):
    """Another reader."""
    return make.user("Bob")


@pytest.fixture
def review(session, member, world):
    """Nora's review of the first issue."""
    made = reviews.write(session, member.id, world.first.id, "It was *fine*.\n>! He dies.", spoils=False)
    session.commit()
    return made


def test_spoilers_are_hidden_and_nothing_dangerous_comes_through():
    text = "# Big\n**fine** <script>x</script> [l](javascript:x) [m](https://a.example)"
    text += "\n>! He dies.\n>! All do.\nEnd"
    first, hidden, last = passages(text)
    assert str(first.html) == (
        "Big\n<p><strong>fine</strong> &lt;script&gt;x&lt;/script&gt; [l](javascript:x)"
        ' <a href="https://a.example" rel="nofollow ugc noopener">m</a></p>\n'
    )
    assert (hidden.spoils, str(hidden.html)) == (True, "<p>He dies.\nAll do.</p>\n")
    assert str(last.html) == "<p>End</p>\n"
    for hostile in ("[" * 10_000, "*a " * 3_300, "> " * 5_000, "`" * 10_000, ">!\n" * 3_000):
        passages(hostile)


def test_visitors_see_reviews_and_names_of_public_profiles_alone(testapp, session, member, world, review):
    path = f"/issue/{world.first.slug}/"
    shown = soup(testapp.get(path)).select_one(".review")
    assert shown.b.get_text() == "A reader"
    assert shown.select_one("details.spoiler p").get_text() == "He dies."
    assert not shown.details.has_attr("open")
    assert "Nora" not in testapp.get(path).text
    publish(session, member)
    rate(session, world.first, member.id, 4, today=world.first.cover_date)
    session.commit()
    for address in (path, f"{path}reviews/"):
        shown = soup(testapp.get(address)).select_one(".review")
        assert shown.b.a["href"] == "/readers/Nora/"
        assert shown.select_one(".review-stars")["aria-label"] == "4 stars"


def test_cached_pages_follow_every_change(testapp, session, member, world, make):
    """After each change, the page of the issue shows it, and the second request is a cache hit."""
    path = f"/issue/{world.second.slug}/"
    staff = make.user("Boss", is_staff=True)

    def page():
        first, again = testapp.get(path), testapp.get(path)
        assert again.headers["X-Cache"] == "HIT"
        assert again.body == first.body
        shown = soup(again).select_one(".review")
        return shown and (shown.b.get_text(), shown.select_one(".review-text").get_text(strip=True))

    assert page() is None
    review = reviews.write(session, member.id, world.second.id, "Good.", spoils=False)
    session.commit()
    assert page() == ("A reader", "Good.")
    publish(session, member)
    assert page() == ("Nora", "Good.")
    member.username = "Nina"
    session.commit()
    assert page() == ("Nina", "Good.")
    reviews.write(session, member.id, world.second.id, "Better.", spoils=False)
    session.commit()
    assert page() == ("Nina", "Better.")
    admin.hide_review(session, staff, review.id, "Why not")
    session.commit()
    assert page() is None
    admin.restore_review(session, staff, review.id, "Why")
    session.commit()
    assert page() == ("Nina", "Better.")
    member.is_active = False
    session.commit()
    assert page() is None
    member.is_active = True
    session.commit()
    assert page() == ("Nina", "Better.")
    profiles.save_settings(session, member.id, public=False, parts=())
    session.commit()
    assert page() == ("A reader", "Better.")
    remove_account(session, member)
    session.commit()
    assert page() is None


def test_no_page_tells_who_wrote_it(testapp, wsgi, session, member, world, make, review):
    """If the author's profile is not public, no page would differ if somebody else were the author."""
    kept = keep_library(session, make.user("Carl"), world)
    kept.review_id = review.id
    addresses = addresses_of(wsgi, session, world, kept, kept.list)
    pages = [each for each in addresses if not each.startswith(("/accounts/", "/admin/"))]
    hers = asked(testapp, pages, {})
    session.get_one(Review, review.id).user_id = make.user("Dora").id
    session.commit()
    theirs = asked(testapp, pages, {})
    assert [each for each in pages if hers[each] != theirs[each]] == []
    assert any(b"He dies." in body for _status, body, _location in hers.values())


def test_a_review_is_written_changed_and_deleted(testapp, session, member, world):
    path = f"/issue/{world.first.slug}/"
    assert testapp.get(f"{path}review/").location.endswith(f"next=%2Fissue%2F{world.first.slug}%2Freview%2F")
    start_session(testapp, member)
    form = form_to(testapp.get(f"{path}review/"), f"{path}review/")
    form["text"] = " "
    answer = form.submit(status=422)
    assert "Write something first." in answer.text
    form["text"], form["spoils"] = "Good.", True
    page = form.submit().follow()
    shown = soup(page).select_one(".review")
    assert shown.details.summary.get_text() == "The whole review contains spoilers"
    assert "Edit or delete" in shown.get_text()
    assert "Report" not in shown.get_text()
    form = form_to(testapp.get(f"{path}review/"), f"{path}review/")
    assert (form["text"].value.strip(), form["spoils"].checked) == ("Good.", True)
    page = form_to(testapp.get(f"{path}review/"), f"{path}review/delete/").submit().follow()
    assert "Your review was deleted." in page.text
    assert soup(page).select(".review") == []


def test_a_review_is_reported_hidden_and_restored(testapp, session, member, world, bob, review):
    start_session(testapp, bob)
    page = testapp.get(f"/issue/{world.first.slug}/")
    path = soup(page).select_one(".review-foot a")["href"]
    form = form_to(testapp.get(path), path)
    assert form.submit(status=422)
    form["reason"] = "He dies!"
    assert "Thank you." in form.submit().follow().text
    testapp.get("/admin/review/", status=404)
    bob.is_staff = True
    session.commit()
    assert (
        soup(testapp.get("/admin/")).select_one('[href="/admin/review/?state=reported"] strong').get_text()
        == "1"
    )
    listed = testapp.get("/admin/review/?state=reported")
    own = soup(listed).select_one("tbody a")["href"]
    page = testapp.get(own)
    assert "He dies!" in page.text
    form = form_to(page, own)
    assert form.submit("decision", value="hide", status=422)
    form["reason"] = "Spoilers"
    assert "Choose one." in form.submit(status=422).text  # without a button
    form.submit("decision", value="hide")
    assert "Spoilers" in testapp.get("/admin/action/").text
    assert soup(testapp.get(f"/issue/{world.first.slug}/")).select(".review") == []
    testapp.get(path, status=404)
    testapp.reset()
    start_session(testapp, member)
    mine = f"/issue/{world.first.slug}/review/"
    page = testapp.get(mine)
    assert "The staff have hidden this review: Spoilers" in page.text
    assert "Everybody can read it" not in page.text
    form_to(testapp.get(mine), f"{mine}delete/").submit()
    page = testapp.get(mine)
    assert "The staff have hidden this review: Spoilers" in page.text
    assert "Delete the review" not in page.text
    testapp.reset()
    start_session(testapp, bob)
    page = testapp.get(own)
    assert "The author has deleted the text." in page.text
    assert not soup(page).select('button[name="decision"]')
    testapp.reset()
    start_session(testapp, member)
    form = form_to(testapp.get(mine), mine)
    form["text"] = "It was fine."
    form.submit()
    testapp.reset()
    start_session(testapp, bob)
    form = form_to(testapp.get(own), own)
    form["reason"] = "After all"
    form.submit("decision", value="restore")
    assert len(soup(testapp.get(f"/issue/{world.first.slug}/")).select(".review")) == 1


def test_many_reviews_have_pages(testapp, session, world, make):
    for number in range(22):
        reviews.write(session, make.user().id, world.first.id, f"Number {number}", spoils=False)
    session.commit()
    page = soup(testapp.get(f"/issue/{world.first.slug}/"))
    assert len(page.select(".review")) == 5
    assert page.select_one("#reviews-title .block-count").get_text() == "22"
    listed = [
        len(soup(testapp.get(f"/issue/{world.first.slug}/reviews/?page={n}")).select(".review"))
        for n in (1, 2)
    ]
    assert listed == [20, 2]

"""Recent activity: the page describes each act of a member, with a button that undoes it."""

from sqlalchemy import func, select

from comicsdb.catalog.maintenance.merge import merge
from comicsdb.catalog.references import References
from comicsdb.library import collection, wish_list
from comicsdb.models import CollectionItem, LibraryAct, WishListItem
from tests.conftest import record_statements
from tests.web.conftest import form_with, start_session

ADDRESS = "/collection/activity/"


def test_acts_are_told_and_undone(testapp, session, connection, member, world):
    start_session(testapp, member)
    empty = testapp.get(ADDRESS)
    assert "You have changed nothing" in empty.text
    page = testapp.get(f"/issue/{world.first.slug}/")
    token = form_with(page, "csrf_token")["csrf_token"].value
    track = {"own": "1", "csrf_token": token, "next": page.request.path}
    added = testapp.post(f"/track/{world.first.slug}/", track).follow()
    form = added.html.select_one(".message form")  # the message itself has a button
    assert form["action"].endswith("/undo/")
    collection.add_many(session, member.id, [(world.second.id, {"is_read": True}), (world.third.id, {})])
    session.commit()
    wish_list.add(session, member.id, world.third.id, {})
    session.commit()
    with record_statements(connection) as statements:
        page = testapp.get(ADDRESS)
    assert len(statements) <= 9, statements
    rows = [" ".join(row.get_text(" ").split()) for row in page.html.select(".activity .row")]
    assert [row.split(" Nov")[0].split(world.series.name)[0].strip() for row in rows] == [
        "1 issue added to the wish list",
        "2 issues added to the collection · 1 issue marked as read",
        "1 issue added to the collection",
    ]
    assert f"#{world.third.number}" in rows[0]
    assert f"#{world.second.number}" in rows[1]
    assert f"#{world.third.number}" in rows[1]
    token = form_with(page, "csrf_token")["csrf_token"].value
    oldest = page.html.select(".activity form")[-1]["action"]
    done = testapp.post(oldest, {"csrf_token": token}).follow()
    assert "It was undone." in done.text
    assert session.scalar(select(func.count()).select_from(CollectionItem)) == 2
    first, second = (row.get_text(" ") for row in done.html.select(".activity .row")[:2])
    assert "Undo : 1 item removed from the collection" in " ".join(first.split())
    assert "1 issue added to the wish list" in second
    assert "Undone" in done.html.select(".activity .row")[-1].text
    act = session.scalar(select(func.min(LibraryAct.id)))
    testapp.post(f"{ADDRESS}{act}/undo/", {"csrf_token": token}, status=404)  # only once
    removed = session.scalar(select(WishListItem.id))
    wish_list.remove(session, member.id, removed)
    session.commit()
    wished = session.scalar(select(LibraryAct.id).where(LibraryAct.counts.has_key("wish_list_item.insert")))
    gone = testapp.post(f"{ADDRESS}{wished}/undo/", {"csrf_token": token, "next": "/wish-list/"})
    assert gone.location.endswith("/wish-list/")
    testapp.reset()
    testapp.get(ADDRESS, status=303)


def test_issues_that_were_merged_or_deleted_since_are_still_named(testapp, session, make, member):
    start_session(testapp, member)
    kept, other, lost = make.issue(), make.issue(), make.issue()
    for each in (other, lost):
        collection.add(session, member.id, each.id, {})
        session.commit()
    named = References(session, {"issue": [other.id, lost.id]})
    labels = [named.to("issue", each.id).label for each in (other, lost)]
    merge(make.catalog, kept, other)
    session.commit()
    make.catalog.delete(lost, "Never published")
    session.commit()
    deleted, merged = testapp.get(ADDRESS).html.select(".activity .row p a")
    assert [merged.text, deleted.text] == labels
    assert testapp.get(merged["href"], status=301).location == f"http://localhost/issue/{kept.slug}/"
    testapp.get(deleted["href"], status=410)

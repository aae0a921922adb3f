"""Drafts on the server: unfinished forms, which their owner can continue or discard."""

from datetime import timedelta

from comicsdb import accounts, clock
from comicsdb.accounts import drafts
from comicsdb.accounts.data_export import account_data
from comicsdb.models import FormDraft, FormerSlug, ReadingList
from tests.web.conftest import field_errors, form_with, notice, soup, start_session
from tests.web.forms.form_helpers import Form, checkbox_labels, log_in_as, open_form, submit_form, value


def offered(page) -> list[str]:
    """The addresses of the drafts that a form offers."""
    return [each["href"] for each in soup(page).select(".drafts a")]


def stored(session):
    """All drafts whose form has not been saved."""
    session.expire_all()
    return (
        session.query(FormDraft).filter(FormDraft.form != drafts.USED_KEY).order_by(FormDraft.created).all()
    )


def forms(world):
    """Three different forms: the address, a field, and what is typed into it."""
    return (
        (f"/issue/{world.first.slug}/update/", "desc", "typed"),
        ("/collection/add/", "notes", "typed"),
        ("/reading-lists/create/", "name", "typed"),
    )


def test_a_draft_survives_log_out_and_goes_with_the_saved_form(testapp, nora, world, make, session):
    for address, field, text in forms(world):
        page = submit_form(open_form(testapp, address), {field: text}, press=("save_draft", "1")).follow()
        assert value(page, field) == text
        assert "It is not saved yet" in page
        # A button that only changes the form leaves the draft alone; our script stores the draft again.
        submit_form(page, {field: "later"}, press=("find", "nothing"), status=200)
        sent = dict(Form(page).submit_fields()) | {field: "later", "save_draft": "1"}
        testapp.post(address, sent, headers={"X-Fragment": "1"}, status=204)
        testapp.reset()
        start_session(testapp, nora)
        (path,) = offered(testapp.get(address))
        page = testapp.get(path)
        assert value(page, field) == "later"
        assert offered(page) == []
        assert len(stored(session)) == 1
        if address.startswith("/reading"):
            submit_form(page)
            assert session.query(ReadingList).filter_by(name="later").count() == 1
        elif address.startswith("/issue"):
            submit_form(page)
            session.refresh(world.first)
            assert world.first.desc == "later"
        else:
            submit_form(page, {"issue_id": [world.first.id]})
        # A request of the script that arrives after the form was saved stores no draft.
        sent["csrf_token"] = value(testapp.get(address), "csrf_token")
        late = testapp.post(address, sent, headers={"X-Fragment": "1"}, status=409)
        assert drafts.KEY.fullmatch(late.headers["X-Draft-Key"])
        assert stored(session) == []
        assert offered(testapp.get(address)) == []
        # The browser's Back shows the form with its used key; the button stores it as another draft.
        page = testapp.post(address, sent, status=303).follow()
        assert value(page, field) == "later"
        submit_form(page, press=("discard_draft", stored(session)[0].digest))


def test_a_form_whose_object_has_moved_says_so(testapp, nora, world, session):
    sent = dict(open_form(testapp, f"/issue/{world.first.slug}/update/").submit_fields())
    session.add(FormerSlug(kind="issue", slug="lantern-1", object_id=world.first.id))
    session.commit()
    fragment = {"X-Fragment": "1"}
    answer = testapp.post(
        "/issue/lantern-1/update/", sent | {"save_draft": "1"}, headers=fragment, status=409
    )
    assert "X-Draft-Key" not in answer.headers  # the script does not try again
    assert "It was merged with another entry or has a new address. Nothing was changed." in answer


def test_drafts_are_their_owner_s_alone_and_can_be_discarded(testapp, nora, world, make, session):
    (address, field, text), *_more = forms(world)
    page = submit_form(open_form(testapp, address), {field: text}, press=("save_draft", "1")).follow()
    (draft,) = stored(session)
    key = draft.digest
    assert [row["action"] for row in account_data(session, nora.id)["drafts"]] == [address]
    # A second form of this object and the form of another object have drafts of their own.
    submit_form(open_form(testapp, address), {field: "second"}, press=("save_draft", "1"))
    assert len(offered(testapp.get(address))) == 2
    assert offered(testapp.get(f"/issue/{world.second.slug}/update/")) == []
    bob = log_in_as(testapp, make, "Bob")
    assert offered(testapp.get(address)) == []
    page = testapp.get(f"{address}?draft={key}")
    assert "This draft no longer exists" in page
    assert value(page, field) == "It begins."
    submit_form(page, {field: "stolen", "draft_key": key}, press=("save_draft", "1"))  # under another key
    submit_form(page, press=("discard_draft", key))
    assert drafts.find_draft(session, bob.id, key) is None
    assert dict(drafts.find_draft(session, nora.id, key).texts)[field] == text
    start_session(testapp, nora)
    page = submit_form(open_form(testapp, address), press=("discard_draft", key)).follow()
    assert notice(page) == "Draft discarded."
    assert len(offered(page)) == 1


def test_discarding_a_draft_keeps_what_the_address_fills_in(testapp, nora, world):
    submit_form(open_form(testapp, "/issue/create/"), {"number": "9"}, press=("save_draft", "1"))
    page = testapp.get(f"/issue/create/?series={world.series.id}")
    proposed = value(page, "number")
    form = form_with(page, "discard_draft")
    page = form.submit("discard_draft", status=303).follow()
    assert notice(page) == "Draft discarded."
    assert checkbox_labels(page, "series", ticked=True) == ["Lamplight (2019) Harbor House"]
    assert value(page, "number") == proposed != "9"


def test_drafts_of_others_changes_show_the_conflict(testapp, nora, world, make, session):
    (address, field, text), *_more = forms(world)
    submit_form(open_form(testapp, address), {field: text}, press=("save_draft", "1"))
    make.catalog.update(world.first, {field: "By Otto.", "page": 48})
    session.commit()
    page = testapp.get(offered(testapp.get(address))[0])
    assert "Somebody else saved in the meantime" in page
    assert (value(page, field), value(page, "page")) == (text, "48")


def test_drafts_are_limited_in_size_number_and_time(testapp, nora, world, session, monkeypatch):
    (address, field, _text), *_more = forms(world)
    form = open_form(testapp, address)
    with monkeypatch.context() as small:
        small.setattr(drafts, "SIZE_MAX", 3000)
        page = submit_form(form, {field: "long " * 600}, press=("save_draft", "1"), status=200)
    assert field_errors(page)[""] == "This form is too large to be kept as a draft."
    assert value(page, field) == "long " * 600
    place = accounts.FormTarget("issue.create issue", 0)
    for number in range(drafts.DRAFTS_MAX + 3):
        saved = accounts.SavedForm("/issue/create/", [("number", str(number))], {})
        assert drafts.store_draft(session, nora.id, f"{number:064x}", place, saved)
    assert len(stored(session)) == drafts.DRAFTS_MAX
    assert not drafts.store_draft(session, nora.id, "not a key", place, saved)
    assert "This draft no longer exists" in testapp.get("/issue/create/?draft=%00")
    month = clock.now() + drafts.SAVED_LIFETIME + timedelta(seconds=1)
    monkeypatch.setattr(drafts.clock, "now", lambda: month)
    assert drafts.drafts_of(session, nora.id, place) == []
    assert drafts.remove_old_form_drafts(session) == drafts.DRAFTS_MAX

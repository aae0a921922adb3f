"""The pages of an account's webhooks: created, changed, tested and deleted; those of others return 404."""

import pytest
from sqlalchemy import func, select

from comicsdb.models import Webhook, WebhookDelivery
from comicsdb.webhooks import delivery
from tests.conftest import record_statements
from tests.web.conftest import field_errors, form_to, notice, soup, start_session, submit

PAGE = "/accounts/webhooks/"
URL = "https://tagger.example/hook"


@pytest.fixture
def hook(testapp, nora, session):
    """A webhook of the member."""
    submit(testapp, PAGE, status=200, url=URL)
    return session.scalars(select(Webhook)).one()


def page_of(hook):
    return f"{PAGE}{hook.id}/"


def press(testapp, hook, name):
    """Press a button on the page of a webhook."""
    return form_to(testapp.get(page_of(hook)), f"{page_of(hook)}{name}/").submit()


def test_a_secret_is_shown_once_and_stored_encrypted(testapp, nora, session):
    response = submit(testapp, PAGE, status=200, url=URL, description="Tagger", kind_issue="1")
    secret = soup(response).find(id="new-token")["value"]
    assert secret.startswith("whsec_")
    assert response.headers["Cache-Control"] == "no-store"
    row = session.scalars(select(Webhook)).one()
    assert (row.url, row.description, row.kinds, row.user_id) == (URL, "Tagger", ["issue"], nora.id)
    assert secret not in testapp.get(page_of(row)).text
    assert secret.removeprefix("whsec_") not in " ".join(str(value) for value in vars(row).values())
    [link] = soup(testapp.get(PAGE)).select("tbody th a")
    assert (link["href"], link.get_text()) == (page_of(row), URL)
    assert soup(testapp.get("/accounts/")).select_one(f'a[href="{PAGE}"]')


def test_the_same_form_creates_one(testapp, nora, session):
    form = form_to(testapp.get(PAGE), PAGE)
    form["url"] = URL
    form.submit(status=200)
    assert "submitted" in notice(form.submit(status=303).follow())
    assert session.scalar(select(func.count()).select_from(Webhook)) == 1


def test_what_is_wrong_is_told_at_its_field(testapp, nora, session):
    response = submit(testapp, PAGE, status=422, url="http://10.0.0.1/", description="x", kind_issue="1")
    assert "https://" in field_errors(response)["url"]
    assert soup(response).find(id="description")["value"] == "x"
    assert soup(response).find(id="kind_issue").has_attr("checked")
    assert session.scalars(select(Webhook)).all() == []


def test_a_webhook_is_changed_paused_resumed_and_deleted(testapp, hook, session):
    submit(testapp, page_of(hook), status=303, url=f"{URL}2", kind_arc="1")
    session.refresh(hook)
    assert (hook.url, hook.kinds) == (f"{URL}2", ["arc"])
    assert "https" in field_errors(submit(testapp, page_of(hook), status=422, url="x"))["url"]
    press(testapp, hook, "pause")
    session.refresh(hook)
    assert hook.state == "paused"
    assert "active" in notice(press(testapp, hook, "resume").follow())
    old = hook.secret
    secret = soup(press(testapp, hook, "secret")).find(id="new-token")["value"]
    session.refresh(hook)
    assert secret.startswith("whsec_")
    assert hook.old_secret == old
    press(testapp, hook, "delete")
    assert session.scalars(select(Webhook)).all() == []
    page = testapp.get(PAGE)
    assert "No webhooks yet." in page.text
    assert "webhook-signature" in page.click("What is sent").text


def test_deliveries_are_listed_with_their_answers_and_sent_again(testapp, hook, session):
    assert "Nothing has been sent yet." in testapp.get(page_of(hook)).text
    press(testapp, hook, "test")
    assert "still on its way" in notice(press(testapp, hook, "test").follow())
    row = delivery.claim(session)
    said = {"sent": row_time(session), "status": 500, "problem": "", "answer": "<b>No</b>", "milliseconds": 7}
    delivery.store(session, {}, row, said | {"retry_after": 0})
    session.commit()
    [line] = soup(testapp.get(page_of(hook))).select("tbody tr")
    assert "failed" in line.get_text()
    assert "<b>No</b>" in line.get_text()
    assert "500" in line.get_text()
    form_to(testapp.get(page_of(hook)), f"{page_of(hook)}deliveries/{row.id}/").submit(status=303)
    assert session.scalars(select(WebhookDelivery.next_attempt)).one() is not None
    italian = testapp.get(page_of(hook), headers={"Accept-Language": "it"})
    assert "Ultime consegne" in italian.text


def row_time(session):
    return session.scalar(select(func.now()))


def test_those_of_others_do_not_exist(testapp, hook, session, make):
    hook.user_id = make.user("Bob").id
    session.commit()
    token = form_to(testapp.get(PAGE), PAGE)["csrf_token"].value
    testapp.get(page_of(hook), status=404)
    for name in ("", "secret/", "pause/", "resume/", "test/", "delete/", "deliveries/1/"):
        testapp.post(page_of(hook) + name, {"csrf_token": token, "url": URL}, status=404)
    assert session.scalars(select(Webhook.state)).all() == ["active"]


def test_what_a_page_costs(testapp, hook, connection):
    testapp.get(page_of(hook))
    for path in (PAGE, page_of(hook)):
        with record_statements(connection) as statements:
            testapp.get(path)
        assert len(statements) <= 4, statements


def test_a_site_may_offer_none(other_site, member):
    start_session(other_site, member)
    assert PAGE not in other_site.get("/accounts/").text
    other_site.get(PAGE, status=404)

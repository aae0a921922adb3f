"""Profiles: their fields, the picture, and a new mail address, which must be confirmed."""

from datetime import date

import pytest
from PIL import Image
from sqlalchemy import select

from comicsdb import accounts
from comicsdb.models import AccountLink, DailyCount, User
from tests.cases import for_each
from tests.conftest import record_statements
from tests.core.accounts.conftest import PASSWORD
from tests.pictures import encoded
from tests.refused import refused


@pytest.fixture
def bob(make):
    return make.user("bob")


def refused_fields(context, user, form):
    return refused(accounts.update_profile, context, user.id, form)


def test_fields_are_saved_and_those_that_lack_stay(context, session, ann):
    form = {"first_name": " Anna ", "bio": "I read\r\ncomics.", "language": "it"}
    assert accounts.update_profile(context, ann.id, form) == (ann, "")
    accounts.update_profile(context, ann.id, {"last_name": "Moth"})
    session.commit()
    session.refresh(ann)
    assert (ann.first_name, ann.last_name, ann.bio, ann.language) == (
        "Anna",
        "Moth",
        "I read\r\ncomics.",
        "it",
    )
    assert (ann.username, ann.email, ann.email_confirmed) == ("Ann", "Ann@example.org", True)


@for_each(
    "field,value",
    [
        ("username", "a b"),
        ("username", ""),
        ("username", "login"),
        ("username", "Metron"),
        ("username", "BOB"),
        ("first_name", "x" * 151),
        ("last_name", "a\nb"),
        ("bio", "x" * 5001),
        ("bio", "a\0b"),
        ("language", "fr"),
        ("email", "nowhere"),
        ("email", "ann@mailinator.com"),
        ("image", b"no picture"),
    ],
)
def test_what_is_wrong_is_said_by_field_and_changes_nothing(context, session, ann, bob, field, value):
    assert refused_fields(context, ann, {"first_name": "Anna", "password": PASSWORD, field: value}) == {field}
    session.commit()
    session.refresh(ann)
    assert (ann.username, ann.first_name, ann.email, ann.image) == ("Ann", "", "Ann@example.org", "")


def test_the_case_of_ones_own_name_may_change_even_if_it_is_reserved(context, make):
    official = make.user("metron")
    accounts.update_profile(context, official.id, {"username": "Metron"})
    assert official.username == "Metron"


def test_counts_follow_a_new_name_and_nobody_inherits_any(context, session, ann):
    for identity, count in (("user:Ann", 3), ("user:moth", 99), ("user:bob", 7)):
        session.add(
            DailyCount(day=date(2026, 11, 21), counter="throttled:burst", identity=identity, count=count)
        )
    session.commit()
    accounts.update_profile(context, ann.id, {"username": "moth"})
    found = session.execute(select(DailyCount.identity, DailyCount.count).order_by(DailyCount.identity)).all()
    assert found == [("user:bob", 7), ("user:moth", 3)]


# The picture.


def picture(colour="red"):
    exif = Image.Exif()
    exif[0x010F] = "Camera"
    return encoded(Image.new("RGB", (30, 20), colour), "JPEG", exif=exif)


def stored_pictures(context):
    """The keys of all pictures of which a file or a thumbnail is stored."""
    return {entry.key for entry in context.storage.entries()}


@pytest.fixture
def storing(context):
    """The context, with the storage of pictures in its session as in a request."""
    context.session.info["media"] = context.storage
    return context


def test_a_picture_is_stored_without_its_secrets_and_replaced(storing, session, ann):
    accounts.update_profile(storing, ann.id, {"image": picture()})
    session.commit()
    first = ann.image
    assert first.startswith("user/")
    assert (ann.image_width, ann.image_height) == (30, 20)
    assert b"Camera" not in storing.storage.path(first).read_bytes()
    accounts.update_profile(storing, ann.id, {"image": picture("blue")})
    session.commit()
    assert stored_pictures(storing) == {ann.image}
    assert ann.image != first
    accounts.update_profile(storing, ann.id, {"image_clear": "1"})
    session.commit()
    assert (ann.image, ann.image_width, ann.image_height) == ("", None, None)
    assert stored_pictures(storing) == set()


def test_a_request_that_comes_to_nothing_leaves_no_file(storing, session, ann):
    accounts.update_profile(storing, ann.id, {"image": picture()})
    assert len(stored_pictures(storing)) == 1
    session.rollback()
    assert stored_pictures(storing) == set()
    accounts.update_profile(storing, ann.id, {"image": picture()})
    session.commit()
    session.execute(select(User.id))
    session.rollback()  # the rollback of a later transaction deletes no file
    assert stored_pictures(storing) == {ann.image}


# The mail address.


def opened(mailbox):
    (mail,) = [mail for mail in mailbox() if mail.kind == "confirm_email"][-1:]
    return mail.link("/s/email/").rstrip("/").rpartition("/")[2]


def test_a_new_address_counts_when_its_link_is_opened(context, session, ann, mailbox):
    form = {"email": "Moth@Example.org", "password": PASSWORD}
    assert accounts.update_profile(context, ann.id, form) == (ann, "Moth@example.org")
    assert (ann.email, ann.email_confirmed) == ("Ann@example.org", True)
    confirm, notice = mailbox()
    assert (confirm.kind, confirm.to) == ("confirm_email", "Moth@example.org")
    assert (notice.kind, notice.to) == ("email_changing", "Ann@example.org")
    assert "New address: Moth@example.org" in notice.text
    assert "Ann" not in confirm.text.replace("Somebody", "")
    secret = opened(mailbox)
    assert accounts.confirm_email(context, secret) is ann
    assert (ann.email, ann.email_confirmed) == ("Moth@example.org", True)
    with pytest.raises(accounts.LinkUsedError):
        accounts.confirm_email(context, secret)


def test_it_asks_for_the_password(context, ann, mailbox):
    assert refused_fields(context, ann, {"email": "moth@example.org"}) == {"password"}
    assert refused_fields(context, ann, {"email": "moth@example.org", "password": "wrong"}) == {"password"}
    assert mailbox() == []
    assert accounts.update_profile(context, ann.id, {"email": ann.email, "bio": "x"}).confirm == ""


def test_an_address_that_was_never_confirmed_can_be(context, session, ann, mailbox):
    ann.email_confirmed = False
    session.commit()
    assert accounts.update_profile(context, ann.id, {"email": ann.email, "bio": "x"}).confirm == ""
    assert (
        accounts.update_profile(context, ann.id, {"email": ann.email, "password": PASSWORD}).confirm
        == ann.email
    )
    assert [mail.kind for mail in mailbox()] == ["confirm_email"]
    accounts.confirm_email(context, opened(mailbox))
    assert ann.email_confirmed


def test_only_the_newest_link_counts_and_links_for_passwords_end_with_it(context, session, ann, mailbox):
    accounts.request_reset(context, ann.email)
    accounts.update_profile(context, ann.id, {"email": "one@example.org", "password": PASSWORD})
    first = opened(mailbox)
    accounts.update_profile(context, ann.id, {"email": "two@example.org", "password": PASSWORD})
    with pytest.raises(accounts.BadLinkError):
        accounts.confirm_email(context, first)
    accounts.confirm_email(context, opened(mailbox))
    assert ann.email == "two@example.org"
    assert {link.purpose for link in session.scalars(select(AccountLink))} == {"email", "not_me"}


def test_an_address_of_another_account_gets_the_same_answer_for_the_same_work(
    context, session, connection, ann, make, mailbox
):
    bob = make.user("bob", email="bob@example.org", email_confirmed=True)
    asked = {}
    for email in ("bob@example.org", "nobody@example.org"):
        with record_statements(connection) as statements:
            answer = accounts.update_profile(context, ann.id, {"email": email, "password": PASSWORD})
            session.commit()
        assert answer == (ann, email)
        asked[email] = [statement.split(" VALUES")[0] for statement in statements]
    assert asked["bob@example.org"] == asked["nobody@example.org"]
    known, notice, confirm, _notice = mailbox()
    assert (known.kind, known.to, known.user_id) == ("known_address", "bob@example.org", bob.id)
    assert notice.kind == "email_changing"
    assert (confirm.kind, confirm.to) == ("confirm_email", "nobody@example.org")
    assert bob.email == "bob@example.org"


def test_an_address_that_somebody_proves_first_is_lost(context, session, ann, make, mailbox):
    accounts.update_profile(context, ann.id, {"email": "moth@example.org", "password": PASSWORD})
    make.user("bob", email="MOTH@example.org", email_confirmed=True)
    with pytest.raises(accounts.BadLinkError):
        accounts.confirm_email(context, opened(mailbox))
    assert ann.email == "Ann@example.org"


def test_an_address_that_was_only_claimed_is_not(context, session, ann, form, mailbox):
    accounts.update_profile(context, ann.id, {"email": "bob@example.org", "password": PASSWORD})
    accounts.sign_up(context, form())  # claims the address, but never confirms it
    accounts.confirm_email(context, opened(mailbox))
    session.expire_all()
    assert ann.email == "bob@example.org"
    assert session.scalar(select(User.email).where(User.username == "bob")).endswith("@held.invalid")


def test_a_language_is_remembered_if_there_is_such_a_one(session, ann):
    accounts.set_language(session, ann.id, "it")
    accounts.set_language(session, ann.id, "fr")
    session.refresh(ann)
    assert ann.language == "it"

"""Deletion of an account: its own data go, its contributions to the catalogue stay without its name."""

from datetime import UTC, date, datetime

import pyotp
import pytest
from sqlalchemy import String, cast, func, inspect, literal_column, select, text

from comicsdb import accounts, admin
from comicsdb.catalog import Catalog, InvalidError
from comicsdb.library.ratings import rate
from comicsdb.library.reading_lists import ratings
from comicsdb.media.uploads import picture_values
from comicsdb.models import (
    AccountLink,
    ApiToken,
    Change,
    CollectionItem,
    DailyCount,
    Donation,
    FeedAddress,
    FormerSlug,
    History,
    IssueRating,
    LoginSession,
    OutgoingMail,
    Passkey,
    PullList,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    ReadingListRating,
    RecoveryCode,
    SecurityEvent,
    Series,
    StaffAction,
    ThrottleNotice,
    Totp,
    User,
    WishList,
    WishListItem,
    metadata,
)
from comicsdb.models.base import SYSTEM_USER_ID
from tests.core.accounts.conftest import PASSWORD
from tests.core.accounts.test_data_export import keep
from tests.core.accounts.test_profile import files, picture
from tests.lists import OFFICIAL, identity_of, make_list
from tests.passkey_device import Device

TODAY = date(2026, 11, 21)
OWN = (
    AccountLink, ApiToken, IssueRating, LoginSession, OutgoingMail, Passkey, RecoveryCode, SecurityEvent,
    ThrottleNotice, Totp,
)  # fmt: skip
KEPT = (CollectionItem, FeedAddress, PullList, ReadingList, WishList)


@pytest.fixture
def lived_in(context, session, ann, make):
    """An account with rows in many tables that refer to accounts; returns an issue and its series."""
    session.info["media"] = context.storage
    accounts.begin_session(context, ann)
    new = accounts.new_totp(context.settings, ann)
    accounts.add_totp(context, ann, new, pyotp.TOTP(new.secret).now())
    options = accounts.registration_options(context, ann, "token")
    accounts.add_passkey(context, ann, Device().make(options), "Phone", "token")
    accounts.make_recovery_codes(context, ann)
    accounts.generate_token(context, ann.id, "Tagger", accounts.new_form_key())
    accounts.request_reset(context, ann.email)
    accounts.update_profile(context, ann.id, {"image": picture(), "first_name": "Annabella"})
    catalog = Catalog(session, actor_id=ann.id)
    issue = make.issue()
    catalog.update(issue, {"title": "By Annabella"})
    session.commit()
    series = session.get_one(Series, issue.series_id)
    rate(session, issue, ann.id, 5, today=TODAY)
    bob = make.user("bob")
    rate(session, issue, bob.id, 2, today=TODAY)
    keep(session, ann, issue)
    banner = picture_values(session, context.storage, "reading_list", picture(), hashed=False)
    second = make_list(session, ann, is_private=True, **banner)
    public = session.scalar(select(ReadingList.id).where(~ReadingList.is_private).order_by(ReadingList.id))
    theirs = make_list(session, bob, name="Theirs", next=public)
    for user, rated in ((ann, theirs), (bob, session.get_one(ReadingList, theirs.next_id))):
        ratings.rate(session, identity_of(user), OFFICIAL, rated, 5)
    session.add(FormerSlug(kind="reading_list", slug="annabellas", object_id=second.id))
    session.add_all(
        [
            DailyCount(day=TODAY, counter="throttled:burst", identity="user:Ann", count=3),
            ThrottleNotice(user_id=ann.id, days_throttled=1, total_count=1, worst_day_count=1),
            Donation(transaction_id="t1", user_id=ann.id, email="ANN@example.org", amount=500,
                     donated_at=datetime(2026, 11, 1, tzinfo=UTC)),
            Donation(transaction_id="t2", email="ann@example.org", amount=500,
                     donated_at=datetime(2026, 11, 1, tzinfo=UTC)),
            Donation(transaction_id="t3", email="ann_example.org", amount=500,
                     donated_at=datetime(2026, 11, 1, tzinfo=UTC)),
        ]
    )  # fmt: skip
    admin.record(session, ann, "revoke", "token", 1, "bob")
    admin.change_account(context, None, ann, {"last_name": "Mothwing"})
    session.commit()
    return issue, series


def test_everything_that_is_its_own_goes(context, session, ann, lived_in):
    number = ann.id
    accounts.delete_account(context, number, PASSWORD)
    session.commit()
    for model in (
        AccountLink,
        ApiToken,
        LoginSession,
        OutgoingMail,
        SecurityEvent,
        ThrottleNotice,
        IssueRating,
        *KEPT,
    ):
        assert session.scalar(select(func.count()).where(model.user_id == number)) == 0, model
    for model in (ReadDate, PullListSeries, WishListItem, ReadingListItem, ReadingListRating, FormerSlug):
        assert session.scalar(select(func.count()).select_from(model)) == 0, model
    theirs = session.scalars(select(ReadingList).execution_options(populate_existing=True)).one()
    assert (theirs.name, theirs.next_id, theirs.rating_count, theirs.rating_sum) == ("Theirs", None, 0, 0)
    assert session.get(User, number) is None
    assert files(context) == set()
    with pytest.raises(accounts.LogInFailedError):
        accounts.log_in(context, "Ann", PASSWORD)


def test_what_it_gave_stays_with_account_1(context, session, ann, lived_in):
    issue, _series = lived_in
    number = ann.id
    accounts.delete_account(context, number, PASSWORD)
    session.commit()
    session.expire_all()
    assert (issue.title, issue.edited_by_id) == ("By Annabella", SYSTEM_USER_ID)
    for log in (History, Change):
        assert session.scalar(select(func.count()).where(log.user_id == number)) == 0
        assert session.scalar(select(func.count()).select_from(log)) > 0


def test_the_figures_of_what_it_rated_follow(context, session, ann, lived_in):
    issue, series = lived_in
    session.refresh(issue)
    session.refresh(series)
    assert (issue.rating_count, series.rating_sum) == (2, 7)
    before = issue.rated, series.rated, issue.modified, series.modified
    accounts.delete_account(context, ann.id, PASSWORD)
    session.commit()
    session.expire_all()
    assert (issue.rating_count, issue.rating_sum) == (1, 2)
    assert (series.rating_count, series.rating_sum) == (1, 2)
    assert issue.rated > before[0]
    assert series.rated > before[1]
    assert (issue.modified, series.modified) == before[2:]


def test_no_row_names_it_any_more(context, session, ann, lived_in):
    number = ann.id
    accounts.delete_account(context, number, PASSWORD)
    session.commit()
    traces = 'ann@example[.]org|user:ann|mothwing|"ann"'
    for table in metadata.sorted_tables:
        row = func.lower(cast(literal_column(f"to_jsonb({table.name})"), String))
        found = select(literal_column("1")).select_from(table).where(row.regexp_match(traces))
        assert session.execute(found).all() == [], table.name
    kept = session.execute(select(StaffAction.actor_id, StaffAction.actor_name, StaffAction.target)).all()
    assert (None, f"account {number}", "bob") in kept
    assert (None, "", f"account {number}") in kept
    donations = session.execute(select(Donation.user_id, Donation.email).order_by(Donation.id)).all()
    assert donations == [(None, ""), (None, ""), (None, "ann_example.org")]


def test_the_password_is_asked_for(context, session, ann):
    for password in ("", "wrong"):
        with pytest.raises(InvalidError) as caught:
            accounts.delete_account(context, ann.id, password)
        assert set(caught.value.errors) == {"password"}
    assert session.get(User, ann.id) is ann


def test_account_1_stays(context, session):
    with pytest.raises(InvalidError) as caught:
        accounts.delete_account(context, SYSTEM_USER_ID, "")
    assert set(caught.value.errors) == {"__all__"}
    assert session.get_one(User, SYSTEM_USER_ID).is_active


def test_the_name_and_the_address_are_free_again(context, session, ann, form, mailbox):
    accounts.delete_account(context, ann.id, PASSWORD)
    session.commit()
    accounts.sign_up(context, form(username="Ann", email="ann@example.org"))
    assert [mail.kind for mail in mailbox()] == ["activation"]


def test_every_reference_to_an_account_says_what_becomes_of_it(engine):
    """A foreign key of a new table without ON DELETE would make deletions fail."""
    found = {
        (table, key["constrained_columns"][0]): key["options"].get("ondelete")
        for table in inspect(engine).get_table_names()
        for key in inspect(engine).get_foreign_keys(table)
        if key["referred_table"] == "user_account"
    }
    assert len(found) > 20
    assert set(found.values()) == {"CASCADE", "SET NULL", "SET DEFAULT"}
    with engine.connect() as connection:
        unindexed = [
            column
            for column in found
            if not any(
                index["column_names"][0] == column[1] for index in inspect(connection).get_indexes(column[0])
            )
            # The primary keys of these tables begin with the column.
            and column[0] not in {"user_group_member", "idempotency_key", "public_profile", "totp"}
        ]
        assert connection.scalar(text("SELECT 1")) == 1
    assert unindexed == []

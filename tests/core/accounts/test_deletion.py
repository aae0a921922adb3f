"""Deletion of an account: its own data go, its contributions to the catalog stay without its name."""

from datetime import UTC, date, datetime, timedelta

import pyotp
import pytest
from sqlalchemy import String, cast, func, inspect, literal_column, select

from comicsdb import accounts, admin
from comicsdb.catalog import Catalog
from comicsdb.catalog.maintenance import pieces
from comicsdb.community import follows, polls, profiles, reviews
from comicsdb.exchange import tagged_files
from comicsdb.library.ratings import rate
from comicsdb.library.reading_lists import assign_to_official, likes, ratings
from comicsdb.library.transfer import imports
from comicsdb.media.uploads import picture_values
from comicsdb.models import (
    Change,
    DailyCount,
    Donation,
    FormerSlug,
    History,
    IdempotencyKey,
    PullListSeries,
    ReadDate,
    ReadingList,
    ReadingListItem,
    ReadingListRating,
    Series,
    StaffAction,
    ThrottleNotice,
    User,
    WishListItem,
    metadata,
)
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.webhooks import endpoints
from tests.core.accounts.conftest import PASSWORD
from tests.core.accounts.test_data_export import keep
from tests.core.accounts.test_profile import picture, stored_pictures
from tests.factories import Factories
from tests.lists import OFFICIAL, identity_of, make_list
from tests.passkey_device import Device
from tests.refused import refused

TODAY = date(2026, 11, 21)
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
NAME = "Mothwing"  # of the account, and the text of everything that it writes
REFERENCES = [
    key.parent
    for table in metadata.sorted_tables
    for key in table.foreign_keys
    if key.references(User.__table__)
]
# Tables that lose rows with an account; the others keep theirs, without it.
OWN = set(
    "account_link api_token collection_item daily_count favourite feed_address follow form_draft former_slug"
    " idempotency_key import_mapping issue_rating library_act library_change library_import"
    " library_import_row login_session outgoing_mail"
    " passkey picture_draft poll_vote public_profile pull_list pull_list_series read_date"
    " reading_list reading_list_item reading_list_like reading_list_rating recovery_code review review_report"
    " security_event tagged_file throttle_notice totp user_account user_group_member webhook webhook_delivery"
    " wish_list wish_list_item".split()
)


def rows_of(session, number) -> dict[str, int]:
    """The number of rows that refer to an account, by column."""
    counts = [select(func.count()).where(column == number).scalar_subquery() for column in REFERENCES]
    return dict(zip(map(str, REFERENCES), session.execute(select(*counts)).one(), strict=True))


def sizes(session) -> dict[str, int]:
    """The number of rows of every table."""
    tables = metadata.sorted_tables
    counts = [select(func.count()).select_from(table).scalar_subquery() for table in tables]
    return dict(zip((table.name for table in tables), session.execute(select(*counts)).one(), strict=True))


def contribute(session, ann):
    """Create objects of all kinds for an account, delete one, and ask for a deletion; returns an issue."""
    catalog = Catalog(session, actor_id=ann.id)
    mine = Factories(catalog)
    with mine.single_commit():
        publisher = mine.publisher()
        for made in (mine.imprint, mine.universe):
            made(publisher=publisher)
        known = [{"source": "metron", "external_id": "1", "scope": ""}]
        issue = mine.issue(series=mine.series(publisher=publisher), external_ids=known)
        *_others, arc, gone = (made() for made in (mine.character, mine.creator, mine.team, *[mine.arc] * 2))
    catalog.update(issue, {"title": "By Annabella"})
    catalog.delete(gone)
    pieces.postpone(catalog, "delete", "arc", [arc.id])
    return issue


def take_part(session, ann, bob, issue):
    """Let two accounts follow, review, report and vote."""
    asked = {"title": "Which?", "description": "", "choices": ["The red one", "The blue one"]}
    dates = {"start_date": NOON, "end_date": NOON + timedelta(days=1)}
    poll = admin.create_poll(session, ann, asked | dates)
    choice, *_others = polls.choices(session, poll.id)
    for user, other, text in ((ann, bob, NAME), (bob, ann, "Theirs")):
        profiles.save_settings(session, user.id, public=True, parts=())
        review = reviews.write(session, user.id, issue.id, text, spoils=False)
        reviews.report(session, review.id, other.id, NAME)
        follows.follow(session, user.id, other)
        polls.vote(session, poll.id, choice.id, user.id, NOON)
    profiles.add_favourite(session, ann.id, "issue", issue.id)


def leave_unfinished(context, session, ann):
    """Store forms, pictures, files and webhooks of an account."""
    form = accounts.SavedForm("/arc/create/", [("desc", NAME)], {})
    accounts.save_form_draft(session, ann.id, form)
    accounts.save_picture_draft(context, ann.id, "arc", picture(), f"{NAME}.jpg")
    tags = {"known": {"series": NAME, "number": "1"}, "fields": [["desc", NAME]]}
    tagged_files.store(session, ann.id, "0" * 64, file=f"{NAME}.cbz", label=NAME, **tags)
    file = f"Series,Number\n{NAME},1\n".encode()
    imports.upload(session, ann.id, f"{NAME}.csv", file, currency="USD", rows=1, megabytes=1)
    made = {"url": "https://comics.example/", "kinds": (), "description": NAME, "form_key": "k"}
    endpoints.send_test(session, endpoints.make(session, context.settings, ann.id, **made).webhook)
    session.add(IdempotencyKey(user_id=ann.id, key="k", request="0" * 64, status=201, body=NAME.encode()))


@pytest.fixture
def lived_in(context, session, ann, make):
    """An account with rows in all tables that refer to accounts; returns an issue and its series."""
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
    issue = contribute(session, ann)
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
        likes.like(session, identity_of(user), OFFICIAL, rated, liked=True)
    take_part(session, ann, bob, issue)
    leave_unfinished(context, session, ann)
    session.add(FormerSlug(kind="reading_list", slug="annabellas", object_id=second.id))
    session.add_all(
        [
            DailyCount(day=TODAY, counter="throttled:burst", identity="user:Ann", count=3),
            ThrottleNotice(user_id=ann.id, days_throttled=1, total_count=1, worst_day_count=1),
            Donation(
                user_id=ann.id, email="ANN@example.org", transaction_id="t1", amount=500, donated_at=NOON
            ),
            Donation(email="ann@example.org", transaction_id="u", amount=500, donated_at=NOON),
            Donation(email="ann_example.org", transaction_id="v", amount=500, donated_at=NOON),
        ]
    )
    admin.record(session, ann, "revoke", "token", 1, "bob")
    admin.change_account(context, None, ann, {"last_name": NAME})
    session.commit()
    return issue, series


def test_everything_that_is_its_own_goes(context, session, ann, lived_in):
    number, before = ann.id, sizes(session)
    assert [column for column, rows in rows_of(session, number).items() if rows == 0] == []
    accounts.delete_account(context, number, PASSWORD)
    session.commit()
    after = sizes(session)
    assert {table for table, rows in before.items() if after[table] < rows} == OWN
    assert not any(rows_of(session, number).values())
    for model in (ReadDate, PullListSeries, WishListItem, ReadingListItem, ReadingListRating, FormerSlug):
        assert session.scalar(select(func.count()).select_from(model)) == 0, model
    theirs = session.scalars(select(ReadingList).execution_options(populate_existing=True)).one()
    assert (theirs.name, theirs.next_id, theirs.rating_count, theirs.rating_sum) == ("Theirs", None, 0, 0)
    assert theirs.like_count == 0
    assert session.get(User, number) is None
    assert stored_pictures(context) == set()
    with pytest.raises(accounts.LogInFailedError):
        accounts.log_in(context, "Ann", PASSWORD)


def test_what_it_gave_stays_with_account_1_and_without_its_name(context, session, ann, lived_in, make):
    issue, _series = lived_in
    number = ann.id
    given = make_list(session, ann, name="Given away")
    make.user(OFFICIAL)
    assign_to_official(session, identity_of(make.user(is_staff=True)), OFFICIAL, given)
    accounts.delete_account(context, number, PASSWORD)
    session.commit()
    session.expire_all()
    assert (issue.title, issue.created_by_id, issue.edited_by_id) == ("By Annabella", *[SYSTEM_USER_ID] * 2)
    for log in (History, Change):
        assert session.scalar(select(func.count()).where(log.user_id == number)) == 0
        assert session.scalar(select(func.count()).select_from(log)) > 0
    traces = f'ann@example[.]org|user:ann|{NAME.lower()}|"ann"'
    for table in metadata.sorted_tables:
        row = func.lower(cast(literal_column(f"to_jsonb({table.name})"), String))
        found = select(literal_column("1")).select_from(table).where(row.regexp_match(traces))
        assert session.execute(found).all() == [], table.name
    kept = session.execute(select(StaffAction.actor_id, StaffAction.actor_name, StaffAction.target)).all()
    assert (None, f"account {number}", "bob") in kept
    assert (None, "", f"account {number}") in kept
    assigned = session.scalars(select(StaffAction.change).where(StaffAction.action == "assign")).one()
    assert assigned == {"user": [f"account {number}", OFFICIAL]}
    donations = session.execute(select(Donation.user_id, Donation.email).order_by(Donation.id)).all()
    assert donations == [(None, ""), (None, ""), (None, "ann_example.org")]


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


def test_the_password_is_asked_for(context, session, ann):
    for password in ("", "wrong"):
        assert refused(accounts.delete_account, context, ann.id, password) == {"password"}
    assert session.get(User, ann.id) is ann


def test_account_1_stays(context, session):
    assert refused(accounts.delete_account, context, SYSTEM_USER_ID, "") == {"__all__"}
    assert session.get_one(User, SYSTEM_USER_ID).is_active


def test_the_name_and_the_address_are_free_again(context, session, ann, form, mailbox):
    accounts.delete_account(context, ann.id, PASSWORD)
    session.commit()
    accounts.sign_up(context, form(username="Ann", email="ann@example.org"))
    assert [mail.kind for mail in mailbox()] == ["activation"]


def test_every_reference_to_an_account_says_what_becomes_of_it(engine):
    """A foreign key of a new table without ON DELETE would make deletions fail."""
    inspector = inspect(engine)
    found = {
        (table, key["constrained_columns"][0]): key["options"].get("ondelete")
        for table in inspector.get_table_names()
        for key in inspector.get_foreign_keys(table)
        if key["referred_table"] == "user_account"
    }
    assert len(found) > 20
    assert set(found.values()) == {"CASCADE", "SET NULL", "SET DEFAULT"}
    unindexed = [
        column
        for column in found
        if not any(index["column_names"][0] == column[1] for index in inspector.get_indexes(column[0]))
        # The primary keys of these tables begin with the column.
        and column[0]
        not in {"user_group_member", "idempotency_key", "import_mapping", "public_profile", "totp"}
    ]
    assert unindexed == []

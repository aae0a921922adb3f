"""A state machine of one reader's writes, compared with a model after each of them."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select

from comicsdb import clock
from comicsdb.catalog import Catalog, InvalidError, NotFoundError
from comicsdb.db import session_factory
from comicsdb.library import collection, ratings, reads
from comicsdb.library.collection import figures
from comicsdb.models import CollectionItem, Issue, IssueRating
from tests.factories import Factories
from tests.soak import sequences

TODAY = date(2026, 3, 4)
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ISSUES = 4
NO_ITEM = 2**40
places = st.integers(0, ISSUES - 1)
stars = st.sampled_from([None, 1, 3, 5])
kept_or = st.sampled_from([collection.KEEP_RATING, None, 1, 4])
moments = st.integers(0, 5).map(lambda days: BEGIN + timedelta(days=days))
NOW, UNKNOWN = "now", "unknown"  # reads at the time of the write, and without a date


class Library(RuleBasedStateMachine):
    """The library of an account, with a model that knows each issue by its place in the series.

    `owned` maps the place to the variants of the issue's items by item id, None for the main cover; `read`
    maps it to the times of its reads, and `given` to the account's rating.
    """

    def __init__(self, connection):
        super().__init__()
        self.outer = connection.begin_nested()
        factory = session_factory(connection)
        factory.configure(join_transaction_mode="create_savepoint")
        self.session = factory()
        self.owned: dict[int, dict[int, int | None]] = {place: {} for place in range(ISSUES)}
        self.read: dict[int, list] = {place: [] for place in range(ISSUES)}
        self.given: dict[int, int | None] = {}
        self.stamps: dict[int, datetime] = {}

    @initialize()
    def begin(self):
        make = Factories(Catalog(self.session))
        series = make.series()
        self.user, self.series = make.user().id, series.id
        issues = [
            make.issue(series=series, number=str(place), cover_date=date(2020, place + 1, 1))
            for place in range(ISSUES)
        ]
        self.issues = [issue.id for issue in issues]
        self.variants = [make.variant(issue).id for issue in issues]

    def teardown(self):
        self.session.close()
        self.outer.rollback()

    def item(self, place) -> int:
        return min(self.owned[place], default=NO_ITEM)

    def refused(self, place, write) -> bool:
        """Write to an item; returns whether the write raised NotFoundError, as it must if there is none."""
        if self.owned[place]:
            write()
            return False
        with pytest.raises(NotFoundError):
            write()
        return True

    def is_read_now(self, place):
        self.read[place] = self.read[place] or [NOW]

    @rule(place=places, read=st.booleans(), of_variant=st.booleans(), another=st.booleans())
    def add(self, place, read, of_variant, another):
        variant = self.variants[place] if of_variant else None
        values = {"is_read": read, "variant_id": variant}
        found, created = collection.add(
            self.session, self.user, self.issues[place], values, another_copy=another
        )
        known = [each for each, its in self.owned[place].items() if variant in (None, its)]
        assert created is (another or not known)
        if not created:
            assert found.id == min(known)
            return
        self.owned[place][found.id] = variant
        if read:
            self.is_read_now(place)

    @precondition(lambda self: any(self.variants))
    @rule(data=st.data())
    def add_a_variant_of_another_issue(self, data):
        other = data.draw(st.sampled_from([each for each in range(ISSUES) if self.variants[each]]))
        place, values = other - 1, {"variant_id": self.variants[other]}
        with pytest.raises(InvalidError, match="variant_id"):
            collection.add(self.session, self.user, self.issues[place], values)

    @rule(place=places)
    def delete_variant(self, place):
        variant, self.variants[place] = self.variants[place], None
        Catalog(self.session).update(self.session.get(Issue, self.issues[place]), {"variants": []})
        for item_id, its in self.owned[place].items():
            self.owned[place][item_id] = None if its == variant else its

    @rule(first=places, last=places, read=st.booleans())
    def add_series(self, first, last, read):
        if first > last:
            first, last = last, first
        stretch = range(first, last + 1)
        new = [place for place in stretch if not self.owned[place]]
        found = collection.add_series(
            self.session, self.user, self.series, first=str(first), last=str(last), read=read
        )
        assert found == (len(new), len(stretch) - len(new))
        for place in new:
            rows = select(CollectionItem.id).where(CollectionItem.issue_id == self.issues[place])
            self.owned[place] = {self.session.scalars(rows).one(): None}
            if read:
                self.is_read_now(place)

    @rule(place=places, moment=moments, given=kept_or)
    def scrobble(self, place, moment, given):
        item_id, created = collection.scrobble(
            self.session, self.user, self.issues[place], moment, given, today=TODAY
        )
        assert created is (not self.owned[place])
        self.owned[place].setdefault(item_id, None)
        assert item_id == self.item(place)
        self.read[place].append(moment)
        if given is not collection.KEEP_RATING:
            self.given[place] = given

    @rule(place=places, moment=moments | st.just(UNKNOWN))
    def read_issue(self, place, moment):
        reads.add(self.session, self.user, self.issues[place], None if moment == UNKNOWN else moment)
        self.read[place].append(moment)

    @rule(place=places, moment=moments)
    def read_item(self, place, moment):
        if not self.refused(
            place, lambda: collection.add_read(self.session, self.user, self.item(place), moment)
        ):
            self.read[place].append(moment)

    @precondition(lambda self: any(self.read.values()))
    @rule(data=st.data())
    def unread(self, data):
        place = data.draw(st.sampled_from(sorted(place for place, dates in self.read.items() if dates)))
        noted = data.draw(
            st.sampled_from(reads.of_issue(self.session, self.user, self.issues[place])).map(
                lambda each: (each.id, each.read_on)
            )
        )
        if self.owned[place]:
            collection.remove_read(self.session, self.user, self.item(place), noted[0])
        else:
            reads.remove(self.session, self.user, noted[0])
        moment = UNKNOWN if noted[1] is None else noted[1]
        self.read[place].remove(moment if moment in self.read[place] else NOW)

    @rule(chosen=st.sets(places), moment=moments | st.just(UNKNOWN))
    def mark_issues(self, chosen, moment):
        unread = {self.issues[place] for place in chosen if not self.read[place]}
        ids = [self.issues[place] for place in chosen]
        marked = reads.mark_read(self.session, self.user, ids, None if moment == UNKNOWN else moment)
        assert set(marked) == unread
        for place in chosen:
            self.read[place] = self.read[place] or [moment]

    @rule(chosen=st.sets(places))
    def mark_read(self, chosen):
        unread = [place for place in chosen if self.owned[place] and not self.read[place]]
        ids = [item_id for place in chosen for item_id in self.owned[place]]
        assert collection.mark_read(self.session, self.user, ids, clock.now()) == len(unread)
        for place in unread:
            self.is_read_now(place)

    @rule(place=places, read=st.booleans())
    def update(self, place, read):
        values = {"is_read": read, "quantity": 2}
        if self.refused(
            place,
            lambda: collection.update(self.session, self.user, self.item(place), values),
        ):
            return
        if read:
            self.is_read_now(place)
        else:
            self.read[place] = []

    @rule(place=places, given=stars)
    def rate(self, place, given):
        if not self.refused(
            place, lambda: collection.rate(self.session, self.user, self.item(place), given, today=TODAY)
        ):
            self.given[place] = given

    @rule(place=places, given=stars)
    def rate_issue(self, place, given):
        ratings.rate(self.session, self.session.get(Issue, self.issues[place]), self.user, given, today=TODAY)
        self.given[place] = given

    @rule(place=places)
    def remove(self, place):
        item_id = self.item(place)
        if not self.refused(place, lambda: collection.remove(self.session, self.user, item_id)):
            del self.owned[place][item_id]

    @invariant()
    def all_is_as_the_rules_say(self):
        if not hasattr(self, "issues"):
            return
        self.session.commit()
        rows = select(CollectionItem).where(CollectionItem.user_id == self.user)
        items = self.session.scalars(rows.execution_options(populate_existing=True)).all()
        assert {each.id: each.variant_id for each in items} == {
            item_id: variant for each in self.owned.values() for item_id, variant in each.items()
        }
        totals = figures.stats(self.session, self.user)
        owned = [place for place, each in self.owned.items() if each]
        assert (totals.issues, totals.copies) == (len(owned), sum(each.quantity for each in items))
        assert totals.read == sum(bool(self.read[place]) for place in owned)
        assert figures.series_progress(self.session, self.user, self.series, TODAY) == (len(owned), ISSUES)
        for place, told in self.read.items():
            dates = [each.read_on for each in reads.of_issue(self.session, self.user, self.issues[place])]
            known = sorted((each for each in told if each not in (NOW, UNKNOWN)), reverse=True)
            assert [each for each in dates if each in known] == known
            assert (len(dates), dates.count(None)) == (len(told), told.count(UNKNOWN))
            latest = dates[0] if dates else None  # reads without a date come last
            for item in (each for each in items if each.issue_id == self.issues[place]):
                assert (item.is_read, item.date_read) == (bool(dates), latest)
                assert item.rating == self.given.get(place)
                assert item.modified >= self.stamps.get(item.id, item.modified)
                self.stamps[item.id] = item.modified
        rows = select(IssueRating.issue_id, IssueRating.rating).where(IssueRating.user_id == self.user)
        community = {self.issues.index(issue_id): rating for issue_id, rating in self.session.execute(rows)}
        assert community == {place: given for place, given in self.given.items() if given}


def test_whatever_is_written_items_dates_and_stars_agree(connection):
    run_state_machine_as_test(lambda: Library(connection), settings=sequences(5, 12))

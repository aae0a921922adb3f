"""Random sequences of one reader's writes, compared with a model of what the rules say after each of them."""

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

from comicsdb.catalog import Catalog, NotFoundError
from comicsdb.db import session_factory
from comicsdb.library import collection, ratings
from comicsdb.models import CollectionItem, Issue, IssueRating, ReadDate
from tests.factories import Make
from tests.soak import sequences

TODAY = date(2026, 3, 4)
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ISSUES = 4
NO_ITEM = 2**40
places = st.integers(0, ISSUES - 1)
stars = st.sampled_from([None, 1, 3, 5])
kept_or = st.sampled_from([collection.KEEP, None, 1, 4])
moments = st.integers(0, 5).map(lambda days: BEGIN + timedelta(days=days))


class Library(RuleBasedStateMachine):
    """`owned` maps the place of an issue to the number of its dates, `given` to the stars of the account."""

    def __init__(self, connection):
        super().__init__()
        self.outer = connection.begin_nested()
        factory = session_factory(connection)
        factory.configure(join_transaction_mode="create_savepoint")
        self.session = factory()
        self.owned: dict[int, list] = {}
        self.given: dict[int, int | None] = {}
        self.stamps: dict[int, datetime] = {}

    @initialize()
    def begin(self):
        make = Make(Catalog(self.session))
        series = make.series()
        self.user, self.series = make.user().id, series.id
        self.issues = [
            make.issue(series=series, number=str(place), cover_date=date(2020, place + 1, 1)).id
            for place in range(ISSUES)
        ]

    def teardown(self):
        self.session.close()
        self.outer.rollback()

    def item(self, place) -> int:
        rows = select(CollectionItem.id).where(
            CollectionItem.user_id == self.user, CollectionItem.issue_id == self.issues[place]
        )
        return self.session.scalar(rows) or NO_ITEM

    def refused(self, place, write) -> bool:
        """Do a write to an item; whether there is none, which the write has to say."""
        if place in self.owned:
            write()
            return False
        with pytest.raises(NotFoundError):
            write()
        return True

    @rule(place=places, given=stars, read=st.booleans())
    def add(self, place, given, read):
        values = {"is_read": read} | ({"rating": given} if given else {})
        _, created = collection.add(self.session, self.user, self.issues[place], values, today=TODAY)
        assert created is (place not in self.owned)
        if created:
            self.owned[place] = [None] if read else []
            if given:
                self.given[place] = given

    @rule(first=places, last=places, read=st.booleans())
    def add_series(self, first, last, read):
        if first > last:
            first, last = last, first
        stretch = range(first, last + 1)
        new = [place for place in stretch if place not in self.owned]
        found = collection.add_series(
            self.session, self.user, self.series, first=str(first), last=str(last), read=read, today=TODAY
        )
        assert found == (len(new), len(stretch) - len(new))
        for place in new:
            self.owned[place] = [None] if read else []

    @rule(place=places, moment=moments, given=kept_or)
    def scrobble(self, place, moment, given):
        _, created = collection.scrobble(
            self.session, self.user, self.issues[place], moment, given, today=TODAY
        )
        assert created is (place not in self.owned)
        self.owned.setdefault(place, []).append(moment)
        if given is not collection.KEEP:
            self.given[place] = given

    @rule(place=places, moment=moments)
    def read_on(self, place, moment):
        if not self.refused(
            place, lambda: collection.read_on(self.session, self.user, self.item(place), moment)
        ):
            self.owned[place].append(moment)

    @precondition(lambda self: any(self.owned.values()))
    @rule(data=st.data())
    def unread(self, data):
        place = data.draw(st.sampled_from(sorted(place for place, dates in self.owned.items() if dates)))
        rows = select(ReadDate.id, ReadDate.read_date).where(ReadDate.collection_item_id == self.item(place))
        date_id, moment = data.draw(st.sampled_from(self.session.execute(rows.order_by(ReadDate.id)).all()))
        collection.unread(self.session, self.user, self.item(place), date_id)
        self.owned[place].remove(moment if moment in self.owned[place] else None)

    @rule(chosen=st.sets(places))
    def mark_read(self, chosen):
        unread = [place for place in chosen if self.owned.get(place) == []]
        ids = [self.item(place) for place in chosen if place in self.owned]
        assert collection.mark_read(self.session, self.user, ids) == len(unread)
        for place in unread:
            self.owned[place] = [None]

    @rule(place=places, given=stars, read=st.booleans())
    def update(self, place, given, read):
        values = {"rating": given, "is_read": read, "quantity": 2}
        if self.refused(
            place,
            lambda: collection.update(self.session, self.user, self.item(place), values, today=TODAY),
        ):
            return
        self.given[place] = given
        if not read:
            self.owned[place] = []
        elif not self.owned[place]:
            self.owned[place] = [None]

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
        if not self.refused(place, lambda: collection.remove(self.session, self.user, self.item(place))):
            del self.owned[place]

    @invariant()
    def all_is_as_the_rules_say(self):
        if not hasattr(self, "issues"):
            return
        self.session.commit()
        rows = select(CollectionItem).where(CollectionItem.user_id == self.user)
        found = {
            self.issues.index(each.issue_id): each
            for each in self.session.scalars(rows.execution_options(populate_existing=True))
        }
        assert set(found) == set(self.owned)
        for place, item in found.items():
            read = select(ReadDate.read_date).where(ReadDate.collection_item_id == item.id)
            dates = self.session.scalars(read.order_by(ReadDate.read_date)).all()
            known = sorted(each for each in self.owned[place] if each)
            assert [each for each in dates if each in known] == known
            assert len(dates) == len(self.owned[place])
            assert (item.is_read, item.date_read) == (bool(dates), dates[-1] if dates else None)
            assert item.rating == self.given.get(place)
            assert item.modified >= self.stamps.get(item.id, item.modified)
            self.stamps[item.id] = item.modified
        rows = select(IssueRating.issue_id, IssueRating.rating).where(IssueRating.user_id == self.user)
        community = {self.issues.index(issue_id): rating for issue_id, rating in self.session.execute(rows)}
        assert community == {place: given for place, given in self.given.items() if given}


def test_whatever_is_written_items_dates_and_stars_agree(connection):
    run_state_machine_as_test(lambda: Library(connection), settings=sequences(5, 12))

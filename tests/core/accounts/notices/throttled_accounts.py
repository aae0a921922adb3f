"""Accounts whose requests exceeded the API's limits, and the notices sent to them."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from comicsdb.accounts.passwords import digest
from comicsdb.admin.notices import NoticeRules, candidates
from comicsdb.models import ApiToken, DailyCount, ThrottleNotice, User

NOW = datetime(2027, 5, 20, 15, tzinfo=UTC)
TODAY = NOW.date()


class ThrottledAccounts:
    """Creates throttled accounts in the database of a test."""

    def __init__(self, factory):
        self.factory = factory
        self.session = factory()

    def add_account(self, name: str, refusals: dict[int, int], **values) -> int:
        """Add an account with refusals (days ago → number); returns its id."""
        given = {"email": f"{name}@example.org", "email_confirmed": True, "password": "!"} | values
        user = User(username=name, **given)
        self.session.add(user)
        for ago, count in refusals.items():
            self.add_refusals(name, ago, count)
        self.session.commit()
        return user.id

    def add_refusals(self, name: str, ago: int, count: int, limit: str = "burst") -> None:
        """Add refusals on the day `ago` days before today."""
        day, counter = TODAY - timedelta(days=ago), f"throttled:{limit}"
        row = DailyCount(day=day, counter=counter, identity=f"user:{name}", count=count)
        self.session.merge(row)
        self.session.commit()

    def add_notice(self, user: int, ago: timedelta) -> None:
        """Add a notice that was sent `ago` before now."""
        self.session.add(
            ThrottleNotice(
                user_id=user, days_throttled=3, total_count=9, worst_day_count=3, sent_at=NOW - ago
            )
        )
        self.session.commit()

    def add_token(self, user: int, text: str = "x") -> None:
        """Add an API token of an account."""
        self.session.add(ApiToken(digest=digest(text), token_key="x", user_id=user))
        self.session.commit()

    def find_candidates(self, rules=None) -> dict:
        """The candidates for a notice under the rules: their figures by name."""
        return {
            each.username: tuple(each.figures) for each in candidates(self.session, rules or NoticeRules())
        }

    def rows(self, model) -> list:
        """All rows of a table, as they are now."""
        self.session.expire_all()
        return list(self.session.scalars(select(model)))


def create_account_warned_twice(world, name="ann", **values) -> int:
    """Create an account that had two notices and is still throttled; returns its id."""
    user = world.add_account(name, {0: 120}, **values)
    for weeks in (2, 4):
        world.add_notice(user, timedelta(weeks=weeks))
    return user

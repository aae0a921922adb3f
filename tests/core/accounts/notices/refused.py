"""Accounts that were refused by the API's limits, and notices that they had."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from comicsdb.accounts.notices import NoticeRules, candidates
from comicsdb.accounts.passwords import digest
from comicsdb.models import ApiToken, DailyCount, ThrottleNotice, User

NOW = datetime(2027, 5, 20, 15, tzinfo=UTC)
TODAY = NOW.date()


class World:
    """Accounts that were refused, in a database of the test's own."""

    def __init__(self, factory):
        self.factory = factory
        self.session = factory()

    def account(self, name: str, refusals: dict[int, int], **values) -> int:
        """An account with so many refusals by how many days ago; gives its id."""
        given = {"email": f"{name}@example.org", "email_confirmed": True, "password": "!"} | values
        user = User(username=name, **given)
        self.session.add(user)
        for ago, count in refusals.items():
            self.refused(name, ago, count)
        self.session.commit()
        return user.id

    def refused(self, name: str, ago: int, count: int, limit: str = "burst") -> None:
        """So many refusals more, so many days ago."""
        day, counter = TODAY - timedelta(days=ago), f"throttled:{limit}"
        row = DailyCount(day=day, counter=counter, identity=f"user:{name}", count=count)
        self.session.merge(row)
        self.session.commit()

    def noticed(self, user: int, ago: timedelta) -> None:
        """A notice so long ago."""
        self.session.add(
            ThrottleNotice(
                user_id=user, days_throttled=3, total_count=9, worst_day_count=3, sent_at=NOW - ago
            )
        )
        self.session.commit()

    def token(self, user: int, text: str = "x") -> None:
        """A token of an account."""
        self.session.add(ApiToken(digest=digest(text), token_key="x", user_id=user))
        self.session.commit()

    def found(self, rules=None) -> dict:
        """Whom the rules find: figures by name."""
        return {
            each.username: tuple(each.figures) for each in candidates(self.session, rules or NoticeRules())
        }

    def rows(self, model) -> list:
        """All rows of a table, as they are now."""
        self.session.expire_all()
        return list(self.session.scalars(select(model)))


def warned_twice(world, name="ann", **values) -> int:
    """An account that had two notices and goes on."""
    user = world.account(name, {0: 120}, **values)
    for weeks in (2, 4):
        world.noticed(user, timedelta(weeks=weeks))
    return user

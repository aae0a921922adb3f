"""Supporters: contributions fetched from Open Collective, and the support periods and tiers they grant."""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from http.client import HTTPException
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.log_lines import printable
from comicsdb.models import Donation, User
from comicsdb.models.choices import SupporterTier

log = logging.getLogger(__name__)

MONTHLY, YEARLY, ONCE = "monthly", "yearly", "onetime"
FREQUENCIES = (MONTHLY, YEARLY, ONCE)
PERIOD, YEAR = timedelta(days=31), timedelta(days=366)
RANKS = {tier: rank for rank, tier in enumerate(SupporterTier)}
OVERLAP = timedelta(days=1)  # fetched again for contributions that arrive late; known ones are skipped
FIRST_FETCH_SPAN = timedelta(days=60)

PAGE = 1000  # contributions per request
TIMEOUT = 30  # seconds
RESPONSE_BYTES_MAX = 50_000_000  # bytes of a response
CURRENCY = "USD"
LONGEST_ID, LONGEST_EMAIL = 64, 254
QUERY = """
query Contributions($collective: String!, $since: DateTime, $limit: Int!, $offset: Int!) {
  transactions(
    account: [{slug: $collective}]
    type: CREDIT
    kind: [CONTRIBUTION]
    dateFrom: $since
    orderBy: {field: CREATED_AT, direction: ASC}
    limit: $limit
    offset: $offset
  ) {
    totalCount
    nodes {
      id
      createdAt
      isRefund
      isRefunded
      amount { valueInCents currency }
      amountInHostCurrency { valueInCents currency }
      order { frequency }
      fromAccount { emails }
    }
  }
}
"""


class Gift(NamedTuple):
    """A contribution: time, transaction, mail address, amount in US cents, and frequency."""

    given: datetime
    transaction_id: str
    email: str
    amount: int
    frequency: str = ""


class Grant(NamedTuple):
    """The result of contributions: an account's tier, and the time until which it is a supporter."""

    until: datetime
    tier: SupporterTier


@dataclass(frozen=True)
class Period:
    """Contributions that count together as one period."""

    gifts: tuple[Gift, ...]
    by_year: bool = False  # a yearly contribution that counts for a year, with a twelfth of its amount

    @property
    def start(self) -> datetime:
        """The time of the first contribution."""
        return self.gifts[0].given

    @property
    def end(self) -> datetime:
        """The end of the period."""
        return self.start + (YEAR if self.by_year else PERIOD)

    @property
    def total(self) -> int:
        """The US cents that determine the tier."""
        first, *others = (gift.amount for gift in self.gifts)
        return (first // 12 if self.by_year else first) + sum(others)

    def may_join(self, gift: Gift) -> bool:
        """Whether a contribution joins this period; recurring ones never do."""
        return gift.frequency not in {MONTHLY, YEARLY} and gift.given < self.start + PERIOD


@dataclass(frozen=True)
class Terms:
    """The minimum total of each tier in US cents, and whether yearly contributions count for a year."""

    tiers: dict[SupporterTier, int]
    yearly: bool = False  # whether a yearly contribution counts for a year

    def tier(self, total: int) -> SupporterTier | None:
        """The highest tier that a period's total reaches."""
        reached = [tier for tier, least in self.tiers.items() if total >= least]
        return max(reached, key=RANKS.get, default=None)

    def periods(self, gifts: Iterable[Gift]) -> list[Period]:
        """Group contributions into periods, regardless of the order in which they became known."""
        periods: list[Period] = []
        for gift in sorted(gifts):
            if periods and periods[-1].may_join(gift):
                periods[-1] = Period((*periods[-1].gifts, gift), periods[-1].by_year)
            else:
                periods.append(Period((gift,), self.yearly and gift.frequency == YEARLY))
        return periods

    def grant(self, gifts: Iterable[Gift]) -> Grant | None:
        """The combined grant of all periods that reach a tier; None if none does."""
        granted = None
        for period in self.periods(gifts):
            tier = self.tier(period.total)
            if tier is not None:
                granted = combine_grants(granted, Grant(period.end, tier))
        return granted


def combine_grants(one: Grant | None, other: Grant) -> Grant:
    """The grant that lasts longer; one that ends earlier or at the same time can only raise the tier."""
    if one is None or other.until > one.until:
        return other
    return Grant(one.until, max(one.tier, other.tier, key=RANKS.get))


class Outcome(StrEnum):
    """The result for a contribution."""

    MATCHED = "matched"
    REMATCHED = "rematched"
    BELOW = "below minimum"
    UNMATCHED = "unmatched"
    AMBIGUOUS = "ambiguous"
    KNOWN = "already processed"


def fetch_start(session: Session) -> datetime:
    """The time from which contributions are fetched."""
    newest = session.scalar(select(func.max(Donation.donated_at)))
    return newest - OVERLAP if newest is not None else clock.now() - FIRST_FETCH_SPAN


def record_contributions(
    session: Session, gifts: Iterable[Gift], terms: Terms, *, dry_run: bool = False
) -> Counter[Outcome]:
    """Record contributions and their grants, in chronological order.

    Recorded contributions that matched no account are tried again. Each contribution is committed together
    with its grant; with `dry_run`, everything is rolled back at the end.
    """
    waiting = select(Donation).where(Donation.user_id.is_(None), Donation.email != "")
    recorded = {row.transaction_id: _gift_of_row(row) for row in session.scalars(waiting)}
    queue = sorted([(gift, False) for gift in gifts] + [(gift, True) for gift in recorded.values()])
    outcomes = Counter(dict.fromkeys(Outcome, 0))
    for gift, again in queue:
        outcome = _try_again(session, gift, terms) if again else _record(session, gift, terms)
        if outcome is not None:
            outcomes[outcome] += 1
        if not dry_run:
            session.commit()
    session.rollback()
    return outcomes


def _gift_of_row(row: Donation) -> Gift:
    return Gift(row.donated_at, row.transaction_id, row.email, row.amount, row.frequency)


def _recorded(session: Session, gift: Gift) -> Donation | None:
    return session.scalar(select(Donation).where(Donation.transaction_id == gift.transaction_id))


def _record(session: Session, gift: Gift, terms: Terms) -> Outcome:
    """Record a fetched contribution."""
    if _recorded(session, gift) is not None:
        return Outcome.KNOWN
    row = Donation(
        transaction_id=gift.transaction_id,
        email=gift.email,
        amount=gift.amount,
        donated_at=gift.given,
        frequency=gift.frequency,
    )
    session.add(row)
    users = _donors(session, gift)
    if len(users) == 1:
        return Outcome.MATCHED if _match_account(session, row, users[0], terms) else Outcome.BELOW
    session.flush()
    outcome = Outcome.AMBIGUOUS if users else Outcome.UNMATCHED
    log.warning("Contribution %s is %s.", gift.transaction_id, outcome)
    return outcome


def _try_again(session: Session, gift: Gift, terms: Terms) -> Outcome | None:
    """Match a recorded contribution again; returns None if it still matches no account."""
    users = _donors(session, gift)
    if len(users) != 1:
        return None
    return (
        Outcome.REMATCHED
        if _match_account(session, _recorded(session, gift), users[0], terms)
        else Outcome.BELOW
    )


def _donors(session: Session, gift: Gift) -> list[User]:
    """The accounts whose confirmed address is that of a contribution, locked."""
    same = func.lower(User.email) == func.lower(gift.email)
    return list(
        session.scalars(
            select(User)
            .where(same, User.email_confirmed)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
    )


def _match_account(session: Session, row: Donation, user: User, terms: Terms) -> bool:
    """Apply the grant of all contributions of an account; returns whether this one counts for a tier."""
    row.user_id = user.id
    session.flush()
    gifts = [
        _gift_of_row(each) for each in session.scalars(select(Donation).where(Donation.user_id == user.id))
    ]
    (period,) = (each for each in terms.periods(gifts) if _gift_of_row(row) in each.gifts)
    grant = terms.grant(gifts)
    if grant is not None:
        _extend(user, grant)
        session.flush()
    log.info("Contribution %s counts (user=%s)", row.transaction_id, user.username)
    return terms.tier(period.total) is not None


def _extend(user: User, grant: Grant) -> None:
    """Set a grant, but never reduce the one that the account has."""
    present = user.supporter_until
    if present is not None and present >= grant.until:
        if grant.until <= clock.now():
            return  # expired
        has = SupporterTier(user.supporter_tier) if user.supporter_tier in RANKS else SupporterTier.FRIEND
        grant = combine_grants(Grant(present, has), grant)
    user.supporter_until, user.supporter_tier = grant.until, grant.tier


class FetchError(Exception):
    """The platform failed or sent an unexpected response; the text has the reason."""


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirects, as the token is for one address only."""

    def redirect_request(self, *_):
        """Return None, so that the redirect remains an HTTPError."""


_opener = build_opener(_NoRedirects)


def fetch_contributions(settings: Mapping, since: datetime) -> list[Gift]:
    """All contributions since a time, without refunds. Raises FetchError."""
    gifts, offset, total = [], 0, 1
    while offset < total:
        answer = _query(settings, {"since": since.isoformat(), "limit": PAGE, "offset": offset})
        try:
            found = answer["data"]["transactions"]
            total, nodes = found["totalCount"], found["nodes"]
            gifts += [gift for node in nodes if (gift := _gift_of_node(node)) is not None]
        except (KeyError, TypeError, ValueError) as error:
            raise FetchError(f"its answer is not understood ({error!r})") from error
        if not nodes:
            break  # fewer than `totalCount`
        offset += len(nodes)
    return gifts


def _query(settings: Mapping, variables: dict) -> dict:
    variables["collective"] = settings["comicsdb.donations.collective"]
    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "comicsdb"}
    if settings["comicsdb.donations.token"]:
        headers["Personal-Token"] = settings["comicsdb.donations.token"]
    body = json.dumps({"query": QUERY, "variables": variables}).encode()
    request = Request(settings["comicsdb.donations.url"], body, headers)  # noqa: S310  (http only, see settings)
    try:
        with _opener.open(request, timeout=TIMEOUT) as response:
            answer = json.loads(response.read(RESPONSE_BYTES_MAX))
    except HTTPError as error:
        with error:
            raise FetchError(str(error)) from error
    except (OSError, HTTPException) as error:
        raise FetchError(str(error)) from error
    except ValueError as error:
        raise FetchError("its answer is no JSON") from error
    if not isinstance(answer, dict) or answer.get("errors"):
        raise FetchError(f"it refuses: {json.dumps(answer)[:500]}")
    return answer


def _gift_of_node(node: Mapping) -> Gift | None:
    """A transaction as a contribution; None for refunds and other currencies."""
    if node["isRefund"] or node["isRefunded"]:
        return None
    given, number = datetime.fromisoformat(node["createdAt"]), str(node["id"])
    if given.tzinfo is None or len(number) > LONGEST_ID:
        raise ValueError(number)
    amounts = [each for each in (node["amount"], node["amountInHostCurrency"]) if each is not None]
    cents = next((each["valueInCents"] for each in amounts if each["currency"] == CURRENCY), None)
    if cents is None:
        log.warning("Contribution %s is not in %s: ignored.", number, CURRENCY)
        return None
    frequency = ((node["order"] or {}).get("frequency") or "").lower()
    emails = (node["fromAccount"] or {}).get("emails") or [""]
    return Gift(
        given=given,
        transaction_id=number,
        email=printable(emails[0]).strip()[:LONGEST_EMAIL],
        amount=round(cents),
        frequency=frequency if frequency in FREQUENCIES else "",
    )

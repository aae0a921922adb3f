"""Notices to accounts about their API clients: the end of HTTP Basic, and requests after 429."""

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, sessionmaker

from comicsdb import admin, clock
from comicsdb.accounts import letters
from comicsdb.accounts.context import command_context
from comicsdb.accounts.letters import ThrottleFigures, throttle_restriction, throttle_warning
from comicsdb.mail import queue
from comicsdb.models import ApiToken, DailyCount, ThrottleNotice, User
from comicsdb.ratelimit.api import BURST, SUSTAINED
from comicsdb.ratelimit.counters import REFUSED

log = logging.getLogger(__name__)

FIRST, FINAL = 1, 2  # phases in which reminders are sent
REMINDER_PAUSE = timedelta(days=30)  # at least, between two reminders to one account
RECENT_USE = timedelta(days=30)  # accounts whose last use is longer ago have probably stopped

COUNTERS = (REFUSED + BURST, REFUSED + SUSTAINED)
ACCOUNT = "user:"  # prefix of the identities of accounts; the others are IP addresses


def remind_basic_users(factory: sessionmaker[Session], settings: Mapping, *, dry_run: bool) -> list[str]:
    """Remind accounts that used HTTP Basic recently and since the last reminder; returns their names.

    An account is reminded at most once every 30 days. Each mail is stored in a
    transaction of its own together with the time of the reminder. In phases 0 and 3, none is sent.
    """
    if settings["comicsdb.basic_phase"] not in (FIRST, FINAL):
        return []
    with factory() as session:
        found = session.execute(_due().order_by(User.username)).all()
    if dry_run:
        return [username for _user_id, username in found]
    return [username for user_id, username in found if _remind(factory, settings, user_id)]


def _due():
    now = clock.now()
    long_ago = now - REMINDER_PAUSE
    return select(User.id, User.username).where(
        User.is_active,
        User.email_confirmed,
        User.basic_used >= (now - RECENT_USE).date(),
        or_(
            User.basic_reminded.is_(None),
            User.basic_reminded > clock.latest(),
            (User.basic_reminded <= long_ago)
            & (User.basic_used > func.date(func.timezone("UTC", User.basic_reminded))),
        ),
    )


def _remind(factory: sessionmaker[Session], settings: Mapping, user_id: int) -> bool:
    """Remind one account, unless another process is doing or did so."""
    with factory() as session:
        due = _due().where(User.id == user_id).with_for_update(skip_locked=True)
        if session.execute(due).first() is None:
            return False
        user = session.get_one(User, user_id)
        letter = letters.basic_reminder(
            user, settings["comicsdb.basic_phase"], user.basic_used, settings["comicsdb.basic_sunset"]
        )
        queue(session, settings, letter, user=user, kind="basic_reminder")
        user.basic_reminded = clock.now()
        session.commit()
    log.info("Reminded of the end of HTTP Basic (user=%s, ip=-)", user.username)
    return True


@dataclass(frozen=True)
class NoticeRules:
    """Thresholds for offenders, and the action taken against them; days are UTC days."""

    lookback_days: int = 7  # days before today whose counts are read
    min_days: int = 3  # bad days that make an offender
    single_day_threshold: int = 50  # refusals that make a bad day
    extreme_day_threshold: int = 100  # refusals on one day that make an offender
    cooldown_days: int = 7  # minimum time between notices
    enforce: bool = False  # whether accounts with enough notices are restricted
    enforce_after: int = 2  # notices before a restriction

    def judge(self, counts: Mapping[date, int]) -> ThrottleFigures | None:
        """An offender's figures, from the refusals of each day since the last notice; None for others."""
        figures = ThrottleFigures(
            days=sum(count >= self.single_day_threshold for count in counts.values()),
            total=sum(counts.values()),
            worst=max(counts.values(), default=0),
        )
        many = figures.days >= self.min_days
        return figures if counts and (many or figures.worst >= self.extreme_day_threshold) else None


@dataclass(frozen=True)
class Candidate:
    """An account due for a notice: its figures, earlier notices, and whether it will be restricted."""

    user_id: int
    username: str
    email: str
    figures: ThrottleFigures
    prior: int
    escalates: bool
    has_tokens: bool

    def line(self, *, done: bool) -> str:
        """One line of the report: the action taken, or the one that would be taken."""
        if not self.escalates:
            verb = "Warned" if done else "Would warn"
        elif self.has_tokens:
            verb = "Revoked the tokens of" if done else "Would revoke the tokens of"
        else:
            verb = "Disabled" if done else "Would disable"
        days, total, worst = self.figures
        return (
            f"{verb} {self.username} <{self.email}>: {days} {'day' if days == 1 else 'days'} throttled,"
            f" {total:,} in total, {worst:,} on the worst day,"
            f" {self.prior or 'no'} prior {'notice' if self.prior == 1 else 'notices'}"
        )


def candidates(session: Session, rules: NoticeRules, user_id: int | None = None) -> list[Candidate]:
    """The accounts that are due for a notice, by name; with `user_id` only that one."""
    now = clock.now()
    counts = _counts(session, now.date() - timedelta(days=rules.lookback_days))
    asked = select(User).where(User.is_active, User.email_confirmed, User.email != "").order_by(User.username)
    asked = asked.where(User.username.in_(list(counts)) if user_id is None else User.id == user_id)
    notices = _notices(session)
    holders = set(session.scalars(select(ApiToken.user_id).distinct()))
    found = []
    for user in session.scalars(asked):
        latest, prior = notices.get(user.id, (None, 0))
        if latest is not None and latest > now - timedelta(days=rules.cooldown_days):
            continue
        last_day = latest.astimezone(UTC).date() if latest is not None else date.min
        figures = rules.judge({day: count for day, count in counts[user.username].items() if day > last_day})
        if figures is not None:
            found.append(
                Candidate(
                    user_id=user.id,
                    username=user.username,
                    email=user.email,
                    figures=figures,
                    prior=prior,
                    escalates=rules.enforce and prior >= rules.enforce_after,
                    has_tokens=user.id in holders,
                )
            )
    return found


def _counts(session: Session, since: date) -> dict[str, dict[date, int]]:
    """The refusals on each day by account name, for both limits together."""
    rows = session.execute(
        select(DailyCount.identity, DailyCount.day, func.sum(DailyCount.count))
        .where(
            DailyCount.counter.in_(COUNTERS),
            DailyCount.identity.startswith(ACCOUNT, autoescape=True),
            DailyCount.day.between(since, clock.now().date()),
        )
        .group_by(DailyCount.identity, DailyCount.day)
    )
    counts: dict[str, dict[date, int]] = defaultdict(dict)
    for identity, day, count in rows:
        counts[identity.removeprefix(ACCOUNT)][day] = int(count)
    return counts


def _notices(session: Session) -> dict[int, tuple[datetime, int]]:
    """The time of the latest notice and the number of notices of each account.

    Those of a clock that was ahead only count: they would keep notices away until then.
    """
    latest = func.max(ThrottleNotice.sent_at).filter(ThrottleNotice.sent_at <= clock.latest())
    rows = session.execute(
        select(ThrottleNotice.user_id, latest, func.count()).group_by(ThrottleNotice.user_id)
    )
    return {user_id: (latest, number) for user_id, latest, number in rows}


class NotSentError(Exception):
    """A notice could not be queued; the text has the reason."""


def send_notice(
    factory: sessionmaker[Session], settings: Mapping, rules: NoticeRules, user_id: int
) -> Candidate | None:
    """Notify an account, and restrict it if that is due, in one transaction.

    Returns None if no notice is due any more. Raises NotSentError, having changed nothing, if the mail cannot
    be queued. The mail itself is sent after the commit, with retries.
    """
    with factory() as session:
        user = session.get(User, user_id, with_for_update=True)
        found = candidates(session, rules, user_id) if user is not None else []
        if not found:
            return None
        (candidate,) = found
        if candidate.escalates:
            letter = throttle_restriction(user.username, candidate.figures, tokens=candidate.has_tokens)
            _restrict(session, settings, user)
        else:
            letter = throttle_warning(user.username, candidate.figures)
        kind = "throttle_restriction" if candidate.escalates else "throttle_warning"
        if not queue(session, settings, letter, user=user, kind=kind):
            raise NotSentError(f"no mail can have the address {user.email}")
        days, total, worst = candidate.figures
        session.add(
            ThrottleNotice(
                user_id=user.id,
                days_throttled=days,
                total_count=total,
                worst_day_count=worst,
                sent_at=clock.now(),
            )
        )
        session.commit()
    log.info("%s", candidate.line(done=True))
    return candidate


def _restrict(session: Session, settings: Mapping, user: User) -> None:
    """Revoke all tokens of an account; if it has none, deactivate it."""
    tokens = session.scalars(select(ApiToken).where(ApiToken.user_id == user.id)).all()
    for token in tokens:
        admin.drop_token(session, None, user, token)
    if not tokens:
        admin.change_account(command_context(session, settings), None, user, {"is_active": False})

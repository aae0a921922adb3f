"""Read-only lists of the administration: donations, throttling, notices and the audit log."""

from datetime import timedelta

from sqlalchemy import and_, func, select
from sqlalchemy.orm import aliased

from comicsdb import clock
from comicsdb.models import DailyCount, Donation, StaffAction, ThrottleNotice, User
from comicsdb.ratelimit.api import BURST, SUSTAINED
from comicsdb.ratelimit.counters import REFUSED
from comicsdb_web.pages.admin import ACTIONS, KIND_NAMES, dollars, log_names
from comicsdb_web.pages.admin.listing import ConditionChoice, folded_columns, listing, yes_no_filter
from comicsdb_web.rendering.locales import _

FREQUENCIES = {"monthly": _("Monthly"), "yearly": _("Yearly"), "onetime": _("Once")}


def donations(request):
    """All donations, latest first."""
    filters = (
        yes_no_filter("matched", _("Account exists"), Donation.user_id.is_not(None)),
        ConditionChoice(
            "frequency",
            _("How often"),
            {value: (label, Donation.frequency == value) for value, label in FREQUENCIES.items()},
        ),
    )
    rows = select(Donation, User.username).outerjoin(User, User.id == Donation.user_id)
    order = (Donation.donated_at.desc(), Donation.id.desc())
    searched = folded_columns(Donation.email, Donation.transaction_id, func.coalesce(User.username, ""))
    found = listing(
        request, rows, (Donation.id,), order, searched=searched, filters=filters, of=Donation.user_id
    )
    return found | {"frequencies": FREQUENCIES, "dollars": dollars}


def throttle(request):
    """Requests that were refused by limits: counts by day, client and limit."""
    burst = func.sum(DailyCount.count).filter(DailyCount.counter == REFUSED + BURST)
    sustained = func.sum(DailyCount.count).filter(DailyCount.counter == REFUSED + SUSTAINED)
    rows = (
        select(
            DailyCount.day,
            DailyCount.identity,
            func.coalesce(burst, 0).label("burst"),
            func.coalesce(sustained, 0).label("sustained"),
            User.id.label("user_id"),
            User.username,
        )
        .outerjoin(User, DailyCount.identity == func.concat("user:", User.username))
        .where(DailyCount.counter.startswith(REFUSED))
        .group_by(DailyCount.day, DailyCount.identity, User.id)
    )
    today = clock.now().date()
    filters = (
        ConditionChoice(
            "who",
            _("Who"),
            {
                "account": (_("Accounts"), DailyCount.identity.startswith("user:")),
                "address": (_("Addresses"), DailyCount.identity.startswith("ip:")),
            },
        ),
        ConditionChoice(
            "when",
            _("When"),
            {
                "today": (_("Today"), DailyCount.day == today),
                "week": (_("Last 7 days"), DailyCount.day > today - timedelta(days=7)),
            },
        ),
    )
    key = (DailyCount.day, DailyCount.identity)
    order = (DailyCount.day.desc(), DailyCount.identity)
    return listing(
        request, rows, key, order, searched=folded_columns(DailyCount.identity), filters=filters, of=User.id
    )


def notices(request):
    """The throttle notices, latest first, each with its number among those to its account."""
    earlier = aliased(ThrottleNotice)
    number = (
        select(func.count())
        .where(
            earlier.user_id == ThrottleNotice.user_id,
            (earlier.sent_at < ThrottleNotice.sent_at)
            | and_(earlier.sent_at == ThrottleNotice.sent_at, earlier.id <= ThrottleNotice.id),
        )
        .correlate(ThrottleNotice)
        .scalar_subquery()
        .label("number")
    )
    now = clock.now()
    periods = {
        name: (label, ThrottleNotice.sent_at > now - timedelta(days=days))
        for name, label, days in (("week", _("Last 7 days"), 7), ("month", _("Last 30 days"), 30))
    }
    filters = (
        ConditionChoice("when", _("When"), periods),
        yes_no_filter("active", _("Account active"), User.is_active),
    )
    rows = select(ThrottleNotice, number, User.username).join(User, User.id == ThrottleNotice.user_id)
    order = (ThrottleNotice.sent_at.desc(), ThrottleNotice.id.desc())
    return listing(
        request,
        rows,
        (ThrottleNotice.id,),
        order,
        searched=folded_columns(User.username, User.email),
        filters=filters,
        of=ThrottleNotice.user_id,
    )


def actions(request):
    """The audit log, latest entry first."""
    filters = (
        ConditionChoice(
            "action",
            _("Action"),
            {name: (label, StaffAction.action == name) for name, label in ACTIONS.items()},
        ),
        ConditionChoice(
            "kind",
            _("Target"),
            {name: (label, StaffAction.kind == name) for name, label in KIND_NAMES.items()},
        ),
        ConditionChoice(
            "by",
            _("By"),
            {
                "staff": (_("People"), StaffAction.actor_name != ""),
                "command": (_("Commands"), StaffAction.actor_name == ""),
            },
        ),
    )
    about = and_(StaffAction.kind == "user", StaffAction.target_id == User.id)
    rows = select(StaffAction, User.id.label("user_id")).outerjoin(User, about)
    order = (StaffAction.at.desc(), StaffAction.id.desc())
    searched = folded_columns(StaffAction.actor_name, StaffAction.target)
    return listing(
        request, rows, (StaffAction.id,), order, searched=searched, filters=filters, of=User.id
    ) | log_names(request)


def includeme(config):
    """Add the lists."""
    config.add_admin_page(".donation", "donation/", donations, renderer="admin/donations.jinja2")
    config.add_admin_page(".throttle", "throttle/", throttle, renderer="admin/throttle.jinja2")
    config.add_admin_page(".notice", "notice/", notices, renderer="admin/notices.jinja2")
    config.add_admin_page(".action", "action/", actions, renderer="admin/actions.jinja2")

"""Private feed addresses as keys of an account: making and revoking them is a security event."""

from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.security_events import record_security_event
from comicsdb.library import feeds
from comicsdb.models import SecurityEventKind, User


def make_feed_address(context: AccountContext, user_id: int, name: str, form_key: str) -> "feeds.NewAddress":
    """Make a private feed address, as `feeds.make_address`, whose errors it raises."""
    made = feeds.make_address(context.session, user_id, name, form_key)
    user = context.session.get_one(User, user_id)
    record_security_event(context, user, SecurityEventKind.FEED_MADE, name=made.address.name)
    return made


def revoke_all_feeds(context: AccountContext, user: User) -> None:
    """Revoke all private feed addresses of an account."""
    number = feeds.revoke_all(context.session, user.id)
    if number:
        record_security_event(context, user, SecurityEventKind.FEEDS_REVOKED, number=number)

"""The webhooks of an account: creating, changing, testing and deleting them."""

import base64
import secrets
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import NamedTuple

import orjson
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts.constraints import add_once
from comicsdb.accounts.encryption import decrypt, encrypt
from comicsdb.catalog.errors import InvalidError, raise_errors
from comicsdb.catalog.history.change_log import EPOCH
from comicsdb.catalog.kinds import reference_last
from comicsdb.http import outgoing
from comicsdb.i18n import _, formatted
from comicsdb.library.locks import lock_account
from comicsdb.models import Change, Webhook, WebhookDelivery
from comicsdb.models.choices import WebhookState
from comicsdb.models.webhook import DESCRIPTION_MAX, URL_MAX
from comicsdb.values import one_line

KINDS = tuple(kind.name for kind in reference_last())
PREFIX = "whsec_"  # of secrets
SECRET_BYTES = 32
OVERLAP = timedelta(hours=24)  # how long an old secret is still used for signing as well
TEST = "webhook.test"
SHOWN = 50  # deliveries shown

# The end of the feed: its epoch and its last line.
FEED_END = select(EPOCH, select(func.coalesce(func.max(Change.seq), 0)).scalar_subquery())

INVALID_URL = _(
    "Enter an address that begins with https://, in ASCII characters and without a user name. Its port can be"
    " 443 or 8443."
)
PRIVATE_URL = _("Enter a public internet address.")
TOO_MANY = _("You have reached the maximum number of webhooks: delete one first.")
UNKNOWN_KIND = _("Choose kinds from the list.")


class NewWebhook(NamedTuple):
    """A new webhook: its secret, which is shown once, and its row."""

    secret: str
    webhook: Webhook


def make(
    session: Session,
    settings: Mapping,
    user_id: int,
    *,
    url: str,
    kinds: Iterable[str],
    description: str,
    form_key: str,
) -> NewWebhook:
    """Create a webhook, which is notified of changes from now on; no `kinds` means all of them.

    Raises InvalidError for the fields `url`, `kinds` and `description`, and FormAlreadySubmittedError if this
    form has already created one.
    """
    lock_account(session, user_id)
    mine = select(func.count()).select_from(Webhook).where(Webhook.user_id == user_id)
    values = _read(settings, url, kinds, description)
    if session.scalar(mine) >= settings["comicsdb.webhooks.most"]:
        raise InvalidError({"url": [TOO_MANY]})
    secret = _new_secret()
    epoch, after = session.execute(FEED_END).one()
    webhook = Webhook(
        user_id=user_id,
        **values,
        state=WebhookState.ACTIVE,
        secret=encrypt(settings, "webhook", secret),
        epoch=epoch,
        after=after,
    )
    add_once(session, webhook, form_key)
    return NewWebhook(secret, webhook)


def change(settings: Mapping, webhook: Webhook, *, url: str, kinds: Iterable[str], description: str) -> None:
    """Change the fields of its form; raises InvalidError for `url`, `kinds` and `description`."""
    for name, value in _read(settings, url, kinds, description).items():
        setattr(webhook, name, value)


def _read(settings: Mapping, url: str, kinds: Iterable[str], description: str) -> dict:
    """Validate the fields; returns the columns or raises InvalidError."""
    url, chosen = url.strip(), set(kinds)
    description = one_line(description)
    problems = {}
    problem = _url_problem(url, settings["comicsdb.webhooks.networks"])
    if problem is not None:
        problems["url"] = [problem]
    if not chosen <= set(KINDS):
        problems["kinds"] = [UNKNOWN_KIND]
    if len(description) > DESCRIPTION_MAX:
        problems["description"] = [formatted("Use at most ${most} characters.", most=DESCRIPTION_MAX)]
    raise_errors(problems)
    # All kinds are stored as an empty list, so that it includes kinds added later.
    ordered = [] if chosen == set(KINDS) else [kind for kind in KINDS if kind in chosen]
    return {"url": url, "kinds": ordered, "description": description}


def _url_problem(url: str, networks):
    """The error in a URL as far as its text shows; other errors appear when something is sent."""
    parts = outgoing.parse_url(url)
    if parts is None or len(url) > URL_MAX:
        return INVALID_URL
    if not networks and (parts.scheme != "https" or (parts.port or 443) not in outgoing.PORTS):
        return INVALID_URL
    try:
        is_allowed = outgoing.is_allowed(parts, parts.hostname, networks)
    except ValueError:  # it is a name
        is_allowed = True
    return None if is_allowed else PRIVATE_URL


def _new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signing_keys(settings: Mapping, webhook) -> list[bytes]:
    """The current signing keys, newest first; none if the site's secret has changed."""
    found = [webhook.secret]
    if webhook.old_secret_until is not None and webhook.old_secret_until > clock.now():
        found.append(webhook.old_secret)
    texts = [decrypt(settings, "webhook", each) for each in found]
    return [base64.b64decode(each.removeprefix(PREFIX)) for each in texts if each is not None]


def rotate(settings: Mapping, webhook: Webhook) -> str:
    """Create a new secret and return it; the old one is also used for another day."""
    secret = _new_secret()
    webhook.old_secret, webhook.old_secret_until = webhook.secret, clock.now() + OVERLAP
    webhook.secret = encrypt(settings, "webhook", secret)
    return secret


def pause(webhook: Webhook) -> None:
    """Send nothing until it is resumed; it will then get the changes as far as the feed reaches back."""
    webhook.state = WebhookState.PAUSED


def resume(session: Session, webhook: Webhook) -> None:
    """Send again, starting with the messages that could not be delivered."""
    webhook.state = WebhookState.ACTIVE
    waiting = (WebhookDelivery.webhook_id == webhook.id, WebhookDelivery.next_attempt.is_not(None))
    session.execute(
        update(WebhookDelivery).where(*waiting).values(attempts=0, next_attempt=clock.now()),
        execution_options={"synchronize_session": False},
    )


def send_test(session: Session, webhook: Webhook) -> bool:
    """Queue a message without changes; False while another one is pending."""
    if _has_pending_resend(session, webhook):
        return False
    body = {"type": TEST, "timestamp": clock.now(), "data": {}}
    session.add(message(webhook.id, body, retries=False))
    return True


def resend(session: Session, webhook: Webhook, delivery_id: int) -> bool | None:
    """Send a message again, with the same id; None if there is none, False while another one is pending."""
    mine = (WebhookDelivery.id == delivery_id, WebhookDelivery.webhook_id == webhook.id)
    delivery = session.scalar(select(WebhookDelivery).where(*mine).with_for_update())
    if delivery is None:
        return None
    if delivery.next_attempt is not None or _has_pending_resend(session, webhook):
        return False
    delivery.retries, delivery.next_attempt = False, clock.now()
    return True


def _has_pending_resend(session: Session, webhook: Webhook) -> bool:
    waiting = select(WebhookDelivery.id).where(
        WebhookDelivery.webhook_id == webhook.id,
        WebhookDelivery.next_attempt.is_not(None),
        ~WebhookDelivery.retries,
    )
    return session.scalar(select(waiting.exists()))


def message(webhook_id: int, body: dict, *, retries: bool, changes: int = 0) -> WebhookDelivery:
    """A message that is due now."""
    return WebhookDelivery(
        webhook_id=webhook_id,
        message_id=f"msg_{secrets.token_hex(16)}",
        body=orjson.dumps(body, option=orjson.OPT_UTC_Z).decode(),
        changes=changes,
        retries=retries,
        next_attempt=clock.now(),
    )


def webhooks_of(session: Session, user_id: int) -> list[Webhook]:
    """The webhooks of an account, newest first."""
    newest = (Webhook.created_on.desc(), Webhook.id.desc())
    return list(session.scalars(select(Webhook).where(Webhook.user_id == user_id).order_by(*newest)))


def webhook_of(session: Session, user_id: int, webhook_id: int) -> Webhook | None:
    """A webhook of an account, locked; None if the account has no such webhook."""
    mine = (Webhook.user_id == user_id, Webhook.id == webhook_id)
    return session.scalar(select(Webhook).where(*mine).with_for_update())


def deliveries_of(session: Session, webhook_id: int) -> list[WebhookDelivery]:
    """The latest messages of a webhook, newest first."""
    rows = select(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id)
    return list(session.scalars(rows.order_by(WebhookDelivery.id.desc()).limit(SHOWN)))


def remove(session: Session, user_id: int, webhook_id: int) -> bool:
    """Delete a webhook of an account with its deliveries; False if the account has no such webhook."""
    gone = delete(Webhook).where(Webhook.user_id == user_id, Webhook.id == webhook_id)
    return session.execute(gone).rowcount > 0

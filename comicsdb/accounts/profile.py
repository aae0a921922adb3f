"""The profile: what an account says of itself, and its mail address, which must be confirmed (web.md 10)."""

import logging
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import letters, rules
from comicsdb.accounts.errors import BadLink
from comicsdb.accounts.links import drop_links, make_link, open_link
from comicsdb.accounts.login import confirm_password
from comicsdb.accounts.mail_domains import REFUSED
from comicsdb.accounts.signup import TAKEN, is_pending, nowhere
from comicsdb.accounts.storing import lock_email, unless_refused
from comicsdb.accounts.traces import move_counts
from comicsdb.accounts.visit import Visit
from comicsdb.catalog.errors import Invalid
from comicsdb.catalog.unit import Unit
from comicsdb.i18n import INTERFACE_LANGUAGES, _
from comicsdb.mail import queue
from comicsdb.media.images import PictureError
from comicsdb.media.storage import StorageDown
from comicsdb.media.uploads import store_upload
from comicsdb.models import User
from comicsdb.models.account import CONFIRM_EMAIL, RESET

log = logging.getLogger(__name__)

KIND = "user"  # of its picture
NOT_STORED = _("Pictures cannot be stored at the moment. Please try again in a while.")


class Updated(NamedTuple):
    """A saved profile; `confirm` is the new address to which a link was sent, "" if there is none."""

    user: User
    confirm: str


def update_profile(visit: Visit, user_id: int, form: Mapping) -> Updated:
    """Save the fields that a form has; those it lacks stay as they are.

    Fields: `username`, `first_name`, `last_name`, `bio`, `language`, `image` (bytes), `image_clear`, `email`,
    and `password` (the present one), which a new address asks for. The new address becomes the account's when
    the link that is sent to it is opened; for one that belongs to another account the answer is the same, and
    its owner gets a mail. Raises Invalid by field, TooManyFailures and TooManyMails.
    """
    user = visit.session.get_one(User, user_id, with_for_update=True, populate_existing=True)
    values = _typed(form)
    wanted = rules.normal_email(rules.text_of(form, "email")) if "email" in form else user.email
    password = rules.secret_of(form, "password")
    moving = wanted != user.email or bool(password and not user.email_confirmed)
    errors = _problems(visit, user, values)
    if wanted.lower() != user.email.lower():
        errors["email"] = _email_problems(visit, wanted)
    errors = {field: problems for field, problems in errors.items() if problems}
    if errors:
        raise Invalid(errors)
    if moving:
        confirm_password(visit, user, password)
        visit.guard.mail_asked(visit.address)
    with visit.session.begin_nested():
        _set(visit, user, values)
        _set_picture(visit, user, form)
        if moving:
            _ask_to_confirm(visit, user, wanted)
    return Updated(user, wanted if moving else "")


def _typed(form: Mapping) -> dict[str, str]:
    fields = ("username", "first_name", "last_name", "bio", "language")
    values = {field: rules.text_of(form, field) for field in fields if field in form}
    if "username" in values:
        values["username"] = rules.normal_name(values["username"])
    return values


def _problems(visit: Visit, user: User, values: Mapping[str, str]) -> dict:
    errors = {}
    if values.get("username", user.username) != user.username:
        official = visit.settings["comicsdb.official_account"]
        same = values["username"].lower() == user.username.lower()  # only its case changes
        errors["username"] = rules.username_problems(values["username"], official="" if same else official)
    for field in ("first_name", "last_name"):
        errors[field] = rules.one_line_problems(values.get(field, ""))
    errors["bio"] = rules.bio_problems(values.get("bio", ""))
    if values.get("language", "") not in ("", *INTERFACE_LANGUAGES):
        errors["language"] = [_("This language is not available.")]
    return errors


def _email_problems(visit: Visit, email: str) -> list:
    problems = rules.email_problems(email)
    if not problems and rules.is_throw_away(email, visit.settings["comicsdb.signup.blocked_domains"]):
        return [REFUSED]
    return problems


def _set(visit: Visit, user: User, values: Mapping[str, str]) -> None:
    before = user.username
    with (
        unless_refused({"uq_user_account_username": Invalid({"username": [TAKEN]})}),
        visit.session.begin_nested(),
    ):
        for field, value in values.items():
            setattr(user, field, value)
        visit.session.flush()
    if user.username != before:
        move_counts(visit.session, before, user.username)
        visit.log(log, f"User name changed, it was {before}", user.username)


def _set_picture(visit: Visit, user: User, form: Mapping) -> None:
    data, unit = form.get("image"), Unit.of(visit.session)
    if data:
        try:
            upload = store_upload(visit.session, visit.storage, KIND, data)
        except PictureError as error:
            problem = _("The file ${problem}.", mapping={"problem": error.problem})
            raise Invalid({"image": [problem]}) from error
        except StorageDown as error:
            raise Invalid({"image": [NOT_STORED]}) from error
        unit.discard([user.image])
        unit.name([upload.key])
        user.image = upload.key
        user.image_width, user.image_height = upload.picture.width, upload.picture.height
    elif form.get("image_clear"):
        unit.discard([user.image])
        user.image, user.image_width, user.image_height = "", None, None


def _ask_to_confirm(visit: Visit, user: User, wanted: str) -> None:
    """Send a link to the wanted address, or word to whom it belongs, and word to the present address."""
    session = visit.session
    drop_links(session, user.id, CONFIRM_EMAIL)
    link = make_link(session, user, CONFIRM_EMAIL, wanted)
    holder = _holder(session, wanted, user)
    if visit.guard.may_reach(wanted):
        queue(
            session,
            visit.settings,
            letters.confirm_email(link.secret) if holder is None else letters.known_address(holder),
            user=user if holder is None else holder,
            to=wanted,
            kind="confirm_email" if holder is None else "known_address",
            until=link.row.expires,
        )
    if wanted.lower() != user.email.lower():
        letter = letters.email_changing(user, wanted)
        queue(session, visit.settings, letter, user=user, kind="email_changing")
    visit.log(log, "New e-mail address asked for", user.username)


def _holder(session: Session, email: str, user: User) -> User | None:
    """The other account that an address belongs to; one that was never activated does not count."""
    found = session.scalar(
        select(User).where(func.lower(User.email) == email.lower(), User.id != user.id).with_for_update()
    )
    return None if found is None or is_pending(session, found) else found


def confirm_email(visit: Visit, secret: str) -> User:
    """Make the address to which a link was sent the account's own. Raises LinkSpent and BadLink."""
    session = visit.session
    link, user = open_link(session, CONFIRM_EMAIL, secret)
    lock_email(session, link.email)
    if not user.is_active or _holder(session, link.email, user) is not None:
        raise BadLink
    never_proved = update(User).where(func.lower(User.email) == link.email.lower(), User.id != user.id)
    session.execute(never_proved.values(email=nowhere()).execution_options(synchronize_session=False))
    with unless_refused({"uq_user_account_email": BadLink()}), session.begin_nested():
        user.email, user.email_confirmed = link.email, True
        link.used = clock.now()
        session.flush()
    drop_links(session, user.id, RESET)  # those under way went to the address before
    visit.log(log, "E-mail address confirmed", user.username)
    return user


def set_language(session: Session, user_id: int, language: str) -> None:
    """Remember the language that an account reads pages in, which its mails use; unknown ones are ignored."""
    if language in INTERFACE_LANGUAGES:
        session.execute(
            update(User).where(User.id == user_id, User.language != language).values(language=language)
        )

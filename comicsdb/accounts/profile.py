"""Profiles of accounts, and changes of their mail addresses, which must be confirmed."""

import logging
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from comicsdb import clock
from comicsdb.accounts import letters, rules
from comicsdb.accounts.constraints import constraint_errors
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.deletion import move_counts
from comicsdb.accounts.drafts import claim_picture_draft
from comicsdb.accounts.errors import BadLinkError
from comicsdb.accounts.links import drop_links, make_link, open_link
from comicsdb.accounts.login import confirm_password
from comicsdb.accounts.lookup import lock_email
from comicsdb.accounts.security_events import record_address_change
from comicsdb.accounts.signup import TAKEN, is_pending, new_email_problems, placeholder_email
from comicsdb.catalog.errors import InvalidError, raise_errors
from comicsdb.catalog.unit_of_work import UnitOfWork
from comicsdb.i18n import INTERFACE_LANGUAGES, _
from comicsdb.imaging.picture import PictureError
from comicsdb.mail import queue
from comicsdb.media.storage import StorageDownError
from comicsdb.media.uploads import picture_values
from comicsdb.models import AccountLink, User
from comicsdb.models.account import CONFIRM_EMAIL, RESET

log = logging.getLogger(__name__)

PICTURES = "user"  # the folder of profile pictures
NOT_STORED = _("Pictures cannot be stored at the moment. Please try again later.")


class ProfileUpdate(NamedTuple):
    """A saved profile; `confirm` is the new address that a link was sent to, or ""."""

    user: User
    confirm: str


def update_profile(context: AccountContext, user_id: int, form: Mapping) -> ProfileUpdate:
    """Save the submitted fields of the profile form.

    Fields: `username`, `first_name`, `last_name`, `shows_name` ("1" or ""), `bio`, `language`, `timezone`,
    `image` (bytes) or `image_kept` (the secret of a picture draft), `image_clear`, `email`, and `password`
    (the current one), required for a new address. The new address replaces the old one when the link sent to
    it is opened; if it belongs to another account, the result is the same, and the owner of that account gets
    a mail. Raises InvalidError by field, TooManyFailuresError and TooManyMailsError.
    """
    session, values = context.session, _form_values(form)
    _refuse_problems(context, session.get_one(User, user_id), form, values)
    # Before taking locks, as decoding and storing may take seconds.
    picture = _stored_picture(context, user_id, form)
    user = session.get_one(User, user_id, with_for_update=True, populate_existing=True)
    _refuse_problems(context, user, form, values)
    wanted = _wanted_email(user, form)
    password = rules.secret_of(form, "password")
    moving = wanted != user.email or bool(password and not user.email_confirmed)
    if moving:
        confirm_password(context, user, password)
        context.guard.count_mail_request(context.address)
    with session.begin_nested():
        _apply(context, user, values)
        _set_picture(session, user, picture, cleared=bool(form.get("image_clear")))
        if moving:
            _ask_to_confirm(context, user, wanted)
    return ProfileUpdate(user, wanted if moving else "")


def _wanted_email(user: User, form: Mapping) -> str:
    return rules.normal_email(rules.text_of(form, "email")) if "email" in form else user.email


def _refuse_problems(
    context: AccountContext, user: User, form: Mapping, values: Mapping[str, str | bool]
) -> None:
    """Raise InvalidError with all problems of the typed fields."""
    errors, wanted = _problems(context, user, values), _wanted_email(user, form)
    if wanted.lower() != user.email.lower():
        errors["email"] = new_email_problems(context.settings, wanted)
    raise_errors(errors)


def _form_values(form: Mapping) -> dict[str, str | bool]:
    fields = ("username", "first_name", "last_name", "bio", "language", "timezone")
    values = {field: rules.text_of(form, field) for field in fields if field in form}
    if "username" in values:
        values["username"] = rules.normal_name(values["username"])
    if "shows_name" in form:
        values["shows_name"] = rules.text_of(form, "shows_name") == "1"
    return values


def _problems(context: AccountContext, user: User, values: Mapping[str, str | bool]) -> dict:
    errors = {}
    if values.get("username", user.username) != user.username:
        official = context.settings["comicsdb.official_account"]
        same = values["username"].lower() == user.username.lower()  # only its case changes
        errors["username"] = rules.username_problems(values["username"], official="" if same else official)
    for field in ("first_name", "last_name"):
        errors[field] = rules.one_line_problems(values.get(field, ""))
    errors["bio"] = rules.bio_problems(values.get("bio", ""))
    if values.get("language", "") not in ("", *INTERFACE_LANGUAGES):
        errors["language"] = [_("This language is not available.")]
    if values.get("timezone", "") not in ("", *clock.zone_names()):
        errors["timezone"] = [_("This time zone does not exist.")]
    return errors


def _apply(context: AccountContext, user: User, values: Mapping[str, str | bool]) -> None:
    before = user.username
    with (
        constraint_errors({"uq_user_account_username": InvalidError({"username": [TAKEN]})}),
        context.session.begin_nested(),
    ):
        for field, value in values.items():
            setattr(user, field, value)
        context.session.flush()
    if user.username != before:
        move_counts(context.session, before, user.username)
        context.log(log, f"User name changed, it was {before}", user.username)


def _stored_picture(context: AccountContext, user_id: int, form: Mapping) -> dict | None:
    """The columns of the new picture; None if there is none."""
    data, secret = form.get("image"), rules.text_of(form, "image_kept")
    if secret and not data:
        kept = claim_picture_draft(context.session, user_id, secret)
        if kept is None:
            raise InvalidError(
                {"image": [_("The picture you chose is no longer stored: please choose it again.")]}
            )
        return kept
    if not data:
        return None
    try:
        return picture_values(context.session, context.storage, PICTURES, data, hashed=False, member=user_id)
    except PictureError as error:
        problem = _("The file ${problem}.", mapping={"problem": error.problem})
        raise InvalidError({"image": [problem]}) from error
    except StorageDownError as error:
        raise InvalidError({"image": [NOT_STORED]}) from error


def _set_picture(session: Session, user: User, picture: dict | None, *, cleared: bool) -> None:
    unit = UnitOfWork.of(session)
    if picture:
        unit.release_files([user.image])
        unit.retain_files([picture["image"]])
        for column, value in picture.items():
            setattr(user, column, value)
    elif cleared:
        unit.release_files([user.image])
        user.image, user.image_width, user.image_height = "", None, None


def _ask_to_confirm(context: AccountContext, user: User, wanted: str) -> None:
    """Mail the wanted address a link, or a notice if another account has it; notify the current address."""
    session = context.session
    drop_links(session, user.id, CONFIRM_EMAIL)
    link = make_link(session, user, CONFIRM_EMAIL, wanted)
    holder = other_holder(session, wanted, user)
    if context.guard.count_mail(wanted):
        queue(
            session,
            context.settings,
            letters.confirm_email(link.secret) if holder is None else letters.known_address(holder),
            user=user if holder is None else holder,
            to=wanted,
            kind="confirm_email" if holder is None else "known_address",
            until=link.row.expires,
        )
    if wanted.lower() != user.email.lower():
        letter = letters.email_changing(user, wanted)
        queue(session, context.settings, letter, user=user, kind="email_changing")
    context.log(log, "New e-mail address asked for", user.username)


def other_holder(session: Session, email: str, user: User) -> User | None:
    """The other activated account that has an address."""
    holder = select(User).where(func.lower(User.email) == email.lower(), User.id != user.id)
    found = session.scalar(holder.with_for_update().execution_options(populate_existing=True))
    return None if found is None or is_pending(session, found) else found


def free_address(session: Session, email: str, user: User) -> None:
    """Lock an address that an account has proved to own, and take it from one that was never activated.

    Raises BadLinkError if another activated account has it.
    """
    lock_email(session, email)
    if other_holder(session, email, user) is not None:
        raise BadLinkError
    never_proved = update(User).where(func.lower(User.email) == email.lower(), User.id != user.id)
    session.execute(
        never_proved.values(email=placeholder_email()).execution_options(synchronize_session=False)
    )


def check_email_link(context: AccountContext, secret: str) -> AccountLink:
    """The link of a secret, with the address that it confirms; does not use it up.

    Raises LinkUsedError and BadLinkError.
    """
    return _open_email_link(context, secret)[0]


def _open_email_link(context: AccountContext, secret: str) -> tuple[AccountLink, User]:
    link, user = open_link(context.session, CONFIRM_EMAIL, secret)
    if not user.is_active:
        raise BadLinkError
    return link, user


def confirm_email(context: AccountContext, secret: str) -> User:
    """Set the address to which a link was sent. Raises LinkUsedError and BadLinkError."""
    session = context.session
    link, user = _open_email_link(context, secret)
    free_address(session, link.email, user)
    before, was_confirmed = user.email, user.email_confirmed
    with constraint_errors({"uq_user_account_email": BadLinkError()}), session.begin_nested():
        user.email, user.email_confirmed = link.email, True
        link.used = clock.now()
        session.flush()
    drop_links(session, user.id, RESET)  # earlier links went to the old address
    if before.lower() != user.email.lower():
        record_address_change(context, user, before if was_confirmed else "")
    context.log(log, "E-mail address confirmed", user.username)
    return user


def set_language(session: Session, user_id: int, language: str) -> None:
    """Set the language of an account's pages and mails; ignores unknown languages."""
    if language in INTERFACE_LANGUAGES:
        session.execute(
            update(User).where(User.id == user_id, User.language != language).values(language=language)
        )


def set_timezone(session: Session, user_id: int, timezone: str) -> None:
    """Set the time zone of an account that has none yet; ignores unknown time zones."""
    if timezone in clock.zone_names():
        session.execute(update(User).where(User.id == user_id, User.timezone == "").values(timezone=timezone))

"""Actions of staff on accounts and groups: rights, passwords, sessions, tokens, deletion."""

from collections.abc import Iterable, Mapping

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, selectinload

from comicsdb import clock
from comicsdb.accounts import constraints, rules
from comicsdb.accounts.context import AccountContext
from comicsdb.accounts.deletion import KIND, move_counts, remove_account
from comicsdb.accounts.links import drop_links
from comicsdb.accounts.login import find_user
from comicsdb.accounts.passwords import Passwords
from comicsdb.accounts.recovery import user_attributes
from comicsdb.accounts.second_factor import remove_second_factors
from comicsdb.accounts.security_events import record_address_change, record_security_event
from comicsdb.accounts.sessions import end_all_sessions
from comicsdb.accounts.signup import TAKEN
from comicsdb.accounts.tokens import shown_key
from comicsdb.audit_log import Actor, actor_id_of, changes, record
from comicsdb.catalog.errors import InvalidError, raise_errors
from comicsdb.i18n import _
from comicsdb.models import CATALOG, ApiToken, Group, SecurityEventKind, User
from comicsdb.models.account import CONFIRM_EMAIL, LOG_IN, NOT_ME, RESET
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.models.choices import SupporterTier
from comicsdb.security import Permission, has_permission

RIGHTS = ("is_staff", "is_superuser")
SWITCHES = ("is_active", *RIGHTS, "email_confirmed")
TEXTS = ("username", "email", "first_name", "last_name", "bio", "supporter_tier")
FIELDS = (*SWITCHES, *TEXTS, "supporter_until", "groups")
OWN_FIELDS = ("is_active", *RIGHTS, "email")  # fields that staff cannot change here for their own account

SUPERUSER_ERROR = _("Only a superuser can change the account of a superuser.")
OWN_ACCOUNT_ERROR = _("You cannot change this here for your own account.")

DELETABLE = tuple(model.__tablename__ for model in CATALOG)


def create_account(
    session: Session, actor: Actor, passwords: Passwords, *, username: str, email: str, password: str
) -> User:
    """Create an active account with a confirmed address. Raises InvalidError by field."""
    username, email = rules.normal_name(username.strip()), rules.normal_email(email)
    errors = {"username": rules.username_problems(username), "email": rules.email_problems(email)}
    found = rules.password_problems(password, password, (username, email))
    raise_errors({**errors, "password": found.get("", [])})
    now = clock.now()
    user = User(
        username=username,
        email=email,
        password=passwords.hash(password),
        email_confirmed=True,
        date_joined=now,
        groups=[],
    )
    constraints.add(session, user, _conflicts())
    record(session, actor, "create", KIND, user.id, user.username)
    return user


def may_see_names(actor: Actor, user: User) -> bool:
    """Whether the actor may see the first and last name: if their owner shows them, and superusers always."""
    return actor is None or user.shows_name or has_permission(actor, Permission.RIGHTS)


def fixed_fields(actor: Actor, user: User) -> frozenset[str]:
    """The fields of an account that the actor may not change: all, some or none of FIELDS.

    Only superusers can change superusers' accounts, and rights. Nobody can change the rights or the address
    of their own account here; the account pages change the address, and require the password.
    """
    if actor is None:
        return frozenset()
    over_rights = has_permission(actor, Permission.RIGHTS)
    if user.is_superuser and not over_rights:
        return frozenset(FIELDS)
    fixed = set() if over_rights else set(RIGHTS)
    if not may_see_names(actor, user):
        fixed |= {"first_name", "last_name"}
    if actor_id_of(actor) == user.id:
        fixed |= {*OWN_FIELDS} if over_rights else {*OWN_FIELDS, "groups"}
    return frozenset(fixed)


def change_account(context: AccountContext, actor: Actor, user: User, values: Mapping) -> dict:
    """Change fields of an account; returns old and new values of changed fields.

    The fields are FIELDS, but with `add_groups` and `remove_groups`, names, instead of `groups`. Deactivating
    an account ends its sessions and links. A new address is unconfirmed unless `email_confirmed` is given,
    too, and the owner gets a mail. Raises InvalidError by field for invalid values and for `fixed_fields`.
    """
    user = _locked(context.session, user)
    before, was_confirmed = user.email, user.email_confirmed
    change = _change(context.session, actor, user, values)
    if "email" in change:
        record_address_change(context, user, before if was_confirmed else "", staff=True)
    return change


def _change(session: Session, actor: Actor, user: User, values: Mapping) -> dict:
    values = dict(values)
    if "username" in values:
        values["username"] = rules.normal_name(values["username"].strip())
    if "email" in values:
        values["email"] = rules.normal_email(values["email"])
    added, removed = (set(values.pop(f"{verb}_groups", ())) for verb in ("add", "remove"))
    if added or removed:
        values["groups"] = sorted({*_value(user, "groups")} - removed | added)
    before = {field: _value(user, field) for field in values}
    if values.get("email", user.email) != user.email and user.email_confirmed:
        before["email_confirmed"] = True
        values.setdefault("email_confirmed", False)
    change = changes(before, values)
    if not change:
        return {}
    changed = {field: values[field] for field in change}
    raise_errors(_not_allowed(actor, user, changed))
    groups = []
    if changed.get("groups"):
        groups = list(session.scalars(select(Group).where(Group.name.in_(changed["groups"]))))
    raise_errors(_problems(changed, groups))
    _apply(session, user, changed, groups)
    record(session, actor, "change", KIND, user.id, user.username, change)
    return change


def add_member(session: Session, actor: Actor, group: Group, username: str) -> User:
    """Add an account to a group. Raises InvalidError for the field `username`, and like `change_account`."""
    user = _locked(session, account_named(session, username))
    if group in user.groups:
        text = _("${name} is already a member.", mapping={"name": user.username})
        raise InvalidError({"username": [text]})
    _change(session, actor, user, {"add_groups": [group.name]})
    return user


def remove_member(session: Session, actor: Actor, group: Group, user: User) -> None:
    """Remove an account from a group. Raises InvalidError like `change_account`."""
    _change(session, actor, _locked(session, user), {"remove_groups": [group.name]})


def _locked(session: Session, user: User) -> User:
    """The account with its groups, reloaded and locked."""
    return session.scalar(
        select(User)
        .where(User.id == user.id)
        .options(selectinload(User.groups))
        .with_for_update(of=User)
        .execution_options(populate_existing=True)
    )


def _value(user: User, field: str):
    return sorted(group.name for group in user.groups) if field == "groups" else getattr(user, field)


def _not_allowed(actor: Actor, user: User, changed: Mapping) -> dict:
    if user.id == SYSTEM_USER_ID and changed.get("is_active") is False:
        return {"is_active": [_("This account is always active.")]}
    fixed = fixed_fields(actor, user)
    if fixed == frozenset(FIELDS):
        return {"__all__": [SUPERUSER_ERROR]}
    own = actor_id_of(actor) == user.id
    errors = {}
    for field in sorted(fixed & set(changed)):
        rights = field in RIGHTS and not has_permission(actor, Permission.RIGHTS)
        errors[field] = [OWN_ACCOUNT_ERROR if own and not rights else _("Only a superuser can change this.")]
    return errors


def _problems(changed: Mapping, groups: list[Group]) -> dict:
    errors = {}
    if "username" in changed:
        errors["username"] = rules.username_problems(changed["username"])
    if "email" in changed:
        errors["email"] = rules.email_problems(changed["email"])
    for field in ("first_name", "last_name"):
        errors[field] = rules.one_line_problems(changed.get(field, ""))
    errors["bio"] = rules.bio_problems(changed.get("bio", ""))
    if changed.get("supporter_tier", "") not in ("", *SupporterTier):
        errors["supporter_tier"] = [_("This tier does not exist.")]
    if len(groups) != len(changed.get("groups", ())):
        errors["groups"] = [_("This group does not exist.")]
    return errors


def _apply(session: Session, user: User, changed: Mapping, groups: list[Group]) -> None:
    name = user.username
    if "groups" in changed:
        user.groups = groups
    with constraints.constraint_errors(_conflicts()), session.begin_nested():
        for field, value in changed.items():
            if field != "groups":
                setattr(user, field, value)
        session.flush()
    if user.username != name:
        move_counts(session, name, user.username)
    if changed.get("is_active") is False:
        end_all_sessions(session, user.id)
        drop_links(session, user.id)
    elif "email" in changed:
        drop_links(session, user.id, RESET, CONFIRM_EMAIL)  # activation links hold their own address


def set_password(
    context: AccountContext, actor: Actor, passwords: Passwords, user: User, password: str
) -> None:
    """Set a new password, end the account's sessions and mail its owner.

    Raises InvalidError for the field `password`, and for the actor's own account: the account pages change
    that password, and require the current one.
    """
    _refuse_for_superusers(actor, user)
    if actor_id_of(actor) == user.id:
        raise InvalidError({"__all__": [OWN_ACCOUNT_ERROR]})
    raise_errors({"password": rules.password_problems(password, password, user_attributes(user)).get("", [])})
    user.password = passwords.hash(password)
    end_all_sessions(context.session, user.id)
    # A new account can still be activated: the link says nothing about the password.
    drop_links(context.session, user.id, RESET, CONFIRM_EMAIL, LOG_IN, NOT_ME)
    record_security_event(context, user, SecurityEventKind.PASSWORD_CHANGED, staff=True)
    record(context.session, actor, "set password", KIND, user.id, user.username)


def end_sessions(context: AccountContext, actor: Actor, user: User) -> int:
    """End all sessions of an account and mail its owner; returns their number.

    Raises InvalidError for superusers' accounts.
    """
    _refuse_for_superusers(actor, user)
    number = end_all_sessions(context.session, user.id)
    if number:
        record_security_event(context, user, SecurityEventKind.SESSIONS_ENDED, staff=True)
    record(context.session, actor, "end sessions", KIND, user.id, user.username, {"sessions": [number, 0]})
    return number


def revoke_token(context: AccountContext, actor: Actor, token_id: int) -> bool:
    """Revoke a token by its id and mail its owner; returns False if there is none.

    The audit log records it under the account. Raises InvalidError for superusers' accounts.
    """
    token = context.session.get(ApiToken, token_id)
    if token is None:
        return False
    owner = context.session.get_one(User, token.user_id)
    _refuse_for_superusers(actor, owner)
    if drop_token(context.session, actor, owner, token):
        name = token.name or shown_key(token)
        record_security_event(context, owner, SecurityEventKind.TOKEN_REVOKED, name=name, staff=True)
    return True


def drop_token(session: Session, actor: Actor, owner: User, token: ApiToken) -> bool:
    """Revoke a token without mailing its owner; returns False if it was revoked concurrently."""
    shown = f"{shown_key(token)}… {token.name}".strip()
    dropped = session.execute(delete(ApiToken).where(ApiToken.id == token.id)).rowcount == 1
    if dropped:
        record(session, actor, "revoke token", KIND, owner.id, owner.username, {"token": [shown, None]})
    return dropped


def revoke_tokens(context: AccountContext, actor: Actor, user: User) -> int:
    """Revoke all tokens of an account and mail its owner; returns their number.

    Raises InvalidError for superusers' accounts.
    """
    _refuse_for_superusers(actor, user)
    number = context.session.execute(delete(ApiToken).where(ApiToken.user_id == user.id)).rowcount
    if number:
        record_security_event(context, user, SecurityEventKind.TOKENS_REVOKED, number=number, staff=True)
    record(context.session, actor, "revoke tokens", KIND, user.id, user.username, {"tokens": [number, 0]})
    return number


def reset_second_factor(context: AccountContext, actor: Actor, user: User) -> bool:
    """Remove app, passkeys and recovery codes of an account; returns False if it has none.

    The owner gets a mail. Raises InvalidError for superusers' accounts.
    """
    _refuse_for_superusers(actor, user)
    if not user.second_factor:
        return False
    remove_second_factors(context.session, user)
    record_security_event(context, user, SecurityEventKind.SECOND_FACTOR_RESET, staff=True)
    record(context.session, actor, "reset second factor", KIND, user.id, user.username)
    return True


def delete_account(session: Session, actor: Actor, user: User) -> None:
    """Delete an account, as its owner could.

    Raises InvalidError for account 1, for superusers' accounts and for the actor's own account.
    """
    if user.id == SYSTEM_USER_ID:
        raise InvalidError({"__all__": [_("This account cannot be deleted.")]})
    _refuse_for_superusers(actor, user)
    if actor_id_of(actor) == user.id:
        raise InvalidError({"__all__": [OWN_ACCOUNT_ERROR]})
    remove_account(session, user)
    record(session, actor, "delete", KIND, user.id, f"account {user.id}")


def _refuse_for_superusers(actor: Actor, user: User) -> None:
    if fixed_fields(actor, user) == frozenset(FIELDS):
        raise InvalidError({"__all__": [SUPERUSER_ERROR]})


def account_named(session: Session, username: str) -> User:
    """The account with a name, with its groups loaded; raises InvalidError for the field `username`."""
    user = find_user(session, username)
    if user is None:
        raise InvalidError(
            {"username": [_("There is no account named ${name}.", mapping={"name": username})]}
        )
    return user


def _conflicts() -> dict[str, Exception]:
    return {
        "uq_user_account_username": InvalidError({"username": [TAKEN]}),
        "uq_user_account_email": InvalidError({"email": [_("Another account uses this address.")]}),
    }


def set_deletable(session: Session, actor: Actor, group: Group, kinds: Iterable[str]) -> dict:
    """Set the kinds that members of a group may delete; returns the old and new value if it changed.

    Raises InvalidError for the field `may_delete` if a kind is unknown, or the actor is not a superuser.
    """
    wanted = sorted(set(kinds))
    if not set(wanted) <= set(DELETABLE):
        raise InvalidError({"may_delete": [_("This kind does not exist.")]})
    if not (actor is None or has_permission(actor, Permission.RIGHTS)):
        raise InvalidError({"may_delete": [_("Only a superuser can change what a group may delete.")]})
    change = changes({"may_delete": sorted(group.may_delete)}, {"may_delete": wanted})
    if change:
        group.may_delete = wanted
        session.flush()
        record(session, actor, "change", "group", group.id, group.name, change)
    return change

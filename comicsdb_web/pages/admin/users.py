"""Accounts, groups and API tokens in the administration."""

from datetime import datetime

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select
from sqlalchemy.orm import contains_eager, selectinload

from comicsdb import admin, clock
from comicsdb.accounts import is_expired, shown_key
from comicsdb.accounts.tokens import SHOWN_CHARACTERS
from comicsdb.catalog import InvalidError
from comicsdb.models import (
    ApiToken,
    DailyCount,
    Donation,
    Group,
    LoginSession,
    ThrottleNotice,
    User,
    user_group_member,
)
from comicsdb.models.base import SYSTEM_USER_ID
from comicsdb.ratelimit.counters import REFUSED
from comicsdb.security import Permission
from comicsdb_web.forms import form_state
from comicsdb_web.forms.form_state import OLD_PREFIX
from comicsdb_web.http.routing import id_in_path
from comicsdb_web.pages.account import require_confirmed_session
from comicsdb_web.pages.account.people import SHOWN_NAMES, TIERS
from comicsdb_web.pages.account.tokens import SCOPES
from comicsdb_web.pages.admin import LATEST, SAVED, UNCHANGED, add_error, dollars, log_names, row_of
from comicsdb_web.pages.admin.listing import ConditionChoice, folded_columns, listing, yes_no_filter
from comicsdb_web.rendering.locales import _

SWITCHES = ("is_active", "email_confirmed", "is_staff", "is_superuser")
TEXTS = ("username", "email", "first_name", "last_name", "bio", "supporter_tier")
ORDER = (func.lower(User.username), User.id)
NAMES = ("first_name", "last_name")
SEARCH_COLUMNS = folded_columns(User.username, User.email)
ALL_NAMES = folded_columns(User.first_name, User.last_name)
WRONG_TIME = _("Enter it as 2026-12-31T23:59.")


def users(request):
    """All accounts."""
    groups = request.dbsession.scalars(select(Group).order_by(Group.name)).all()
    in_group = {str(group.id): (group.name, _is_in(group.id)) for group in groups}
    filters = (
        yes_no_filter("active", _("Active"), User.is_active),
        yes_no_filter("confirmed", _("Confirmed"), User.email_confirmed),
        yes_no_filter("staff", _("Staff"), User.is_staff | User.is_superuser),
        yes_no_filter("supporter", _("Supporter"), func.coalesce(User.supporter_until > clock.now(), False)),
        ConditionChoice("group", _("Group"), in_group),
    )
    rows = select(User).options(selectinload(User.groups))
    names = ALL_NAMES if request.has_permission(Permission.RIGHTS) else SHOWN_NAMES
    return listing(request, rows, (User.id,), ORDER, searched=(*SEARCH_COLUMNS, *names), filters=filters)


def _is_in(group_id: int):
    members = select(user_group_member.c.user_id).where(user_group_member.c.group_id == group_id)
    return User.id.in_(members)


def user(request):
    """An account: its form, and everything that belongs to it."""
    found = user_of(request)
    values = _values(request, found)
    return _page(request, found, form_state.Form(values), values)


def save(request):
    """Save the fields that were changed in the form; concurrent changes to other fields are kept."""
    found = user_of(request)
    typed, shown = _submitted_values(request, ""), _submitted_values(request, OLD_PREFIX)
    shown = shown if shown["username"] else _values(request, found)
    try:
        changes = _changes(request, found, typed, shown)
        changed = admin.change_account(request.account_context, request.identity, found, changes)
    except InvalidError as error:
        return _page(request, found, form_state.with_errors(request, error, typed), shown)
    request.messages.add("success" if changed else "info", SAVED if changed else UNCHANGED)
    return _redirect_to_user(request, found)


def _values(request, found: User) -> dict:
    """The form values of an account: texts, "1" or "" for switches, names of groups."""
    hidden = () if admin.may_see_names(request.identity, found) else NAMES
    values = {name: "" if name in hidden else _lines(getattr(found, name)) for name in TEXTS}
    values |= {name: "1" if getattr(found, name) else "" for name in SWITCHES}
    zone = request.zone
    until = found.supporter_until
    values["supporter_until"] = _format_time(until.astimezone(zone)) if until else ""
    values["groups"] = [group.name for group in found.groups]
    return values


def _submitted_values(request, prefix: str) -> dict:
    """The submitted values, or with the prefix OLD_PREFIX the values that the form showed."""
    fields = form_state.text_fields(request)
    sent = {name: _lines(fields.get(prefix + name, "")) for name in (*TEXTS, "supporter_until")}
    sent |= {name: "1" if fields.get(prefix + name) else "" for name in SWITCHES}
    sent["groups"] = [each for each in request.POST.getall(f"{prefix}groups") if isinstance(each, str)]
    return sent


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _changes(request, found: User, typed: dict, shown: dict) -> dict:
    """The changed fields as values of the account. Raises InvalidError for invalid times."""
    changes = {name: typed[name] for name in TEXTS if typed[name] != shown[name]}
    changes |= {name: bool(typed[name]) for name in SWITCHES if typed[name] != shown[name]}
    if typed["supporter_until"] != shown["supporter_until"]:
        changes["supporter_until"] = form_state.parse_local_time(
            request, typed, "supporter_until", WRONG_TIME
        )
    fixed = admin.fixed_fields(request.identity, found)  # browsers do not send disabled fields
    changes = {name: value for name, value in changes.items() if name not in fixed}
    if "groups" not in fixed:
        changes["add_groups"] = set(typed["groups"]) - set(shown["groups"])
        changes["remove_groups"] = set(shown["groups"]) - set(typed["groups"])
    return changes


def _format_time(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="minutes")


def _page(request, found: User, form: form_state.Form, was: dict) -> dict:
    """The values of an account's page: the form, and the latest rows of everything that belongs to it."""
    session = request.dbsession
    by_day = (
        select(DailyCount.day, func.sum(DailyCount.count).label("count"))
        .where(DailyCount.identity == f"user:{found.username}", DailyCount.counter.startswith(REFUSED))
        .group_by(DailyCount.day)
        .order_by(DailyCount.day.desc())
    )
    sessions = select(func.count()).where(
        LoginSession.user_id == found.id, LoginSession.expires > clock.now()
    )
    return {
        "user": found,
        "form": form,
        "was": was,
        "fixed": admin.fixed_fields(request.identity, found),
        "all_fixed": len(admin.fixed_fields(request.identity, found)) == len(admin.FIELDS),
        "shows_names": admin.may_see_names(request.identity, found),
        "own": request.identity.user_id == found.id,
        "may_go": found.id != SYSTEM_USER_ID,
        "groups": session.scalars(select(Group).order_by(Group.name)).all(),
        "tiers": TIERS,
        "shown_key": shown_key,
        "token_scopes": SCOPES,
        "sessions": session.scalar(sessions),
        "tokens": _latest(session, found, ApiToken, ApiToken.created),
        "dollars": dollars,
        "donations": _latest(session, found, Donation, Donation.donated_at),
        "notices": _latest(session, found, ThrottleNotice, ThrottleNotice.sent_at),
        "throttled": session.execute(by_day.limit(LATEST)).all(),
        "actions": session.scalars(admin.actions(kind="user", target_id=found.id).limit(LATEST)).all(),
    } | log_names(request)


def _latest(session, found: User, model, moment) -> list:
    newest = select(model).where(model.user_id == found.id).order_by(moment.desc(), model.id.desc())
    return session.scalars(newest.limit(LATEST)).all()


def add_form(request):  # noqa: ARG001
    """The form for a new account."""
    return {"form": form_state.Form()}


def add(request):
    """Create an active account with a confirmed address."""
    fields = form_state.text_fields(request)
    values = {name: fields.get(name, "") for name in ("username", "email", "password")}
    try:
        made = admin.create_account(request.dbsession, request.identity, request.passwords, **values)
    except InvalidError as error:
        return {"form": form_state.with_errors(request, error, values)}
    request.messages.add("success", _("The account was created. Give its owner the password."))
    return _redirect_to_user(request, made)


def password_form(request):
    """The form for a new password."""
    return {"form": form_state.Form(), "user": user_of(request)}


def set_password(request):
    """Set a new password for the account."""
    found, password = user_of(request), form_state.text_fields(request).get("password", "")
    try:
        admin.set_password(request.account_context, request.identity, request.passwords, found, password)
    except InvalidError as error:
        return {"form": form_state.with_errors(request, error, {}), "user": found}
    request.messages.add("success", _("The password was set, and all sessions have ended."))
    return _redirect_to_user(request, found)


def delete_form(request):
    """The confirmation form of the deletion."""
    return {"form": form_state.Form(), "user": user_of(request)}


def delete(request):
    """Delete the account."""
    found = user_of(request)
    try:
        admin.delete_account(request.dbsession, request.identity, found)
    except InvalidError as error:
        return {"form": form_state.with_errors(request, error, {}), "user": found}
    request.messages.add("success", _("The account was deleted."))
    return HTTPSeeOther(request.route_path("admin.user.list"))


def end_sessions(request):
    """Log the account out everywhere."""
    return _perform(request, admin.end_sessions, _("Every session has ended."))


def revoke_tokens(request):
    """Revoke all tokens of the account."""
    return _perform(request, admin.revoke_tokens, _("All tokens have been revoked."))


def _perform(request, act, text):
    found = user_of(request)
    try:
        act(request.account_context, request.identity, found)
    except InvalidError as error:
        add_error(request, error)
    else:
        request.messages.add("success", text)
    return _redirect_to_user(request, found)


def user_of(request) -> User:
    """The account with the id in the path, with its groups; raises HTTPNotFound."""
    wanted = select(User).where(User.id == id_in_path(request)).options(selectinload(User.groups))
    found = request.dbsession.scalar(wanted)
    if found is None:
        raise HTTPNotFound
    return found


def _redirect_to_user(request, found: User) -> HTTPSeeOther:
    return HTTPSeeOther(request.route_path("admin.user", id=found.id))


GROUP_SEARCH_COLUMNS = folded_columns(User.username, User.email)


def groups(request):
    """All groups with the number of their members."""
    members = (
        select(func.count())
        .where(user_group_member.c.group_id == Group.id)
        .correlate(Group)
        .scalar_subquery()
        .label("members")
    )
    rows = select(Group, members)
    return listing(request, rows, (Group.id,), (func.lower(Group.name), Group.id))


def group(request):
    """The members of a group."""
    return _group_page(request, row_of(request, Group), form_state.Form())


def add_member(request):
    """Add an account to the group."""
    found, username = row_of(request, Group), form_state.text_fields(request).get("username", "").strip()
    try:
        member = admin.add_member(request.dbsession, request.identity, found, username)
    except InvalidError as error:
        texts = [text for each in error.errors.values() for text in each]
        return _group_page(
            request,
            found,
            form_state.with_errors(request, InvalidError({"username": texts}), {"username": username}),
        )
    request.messages.add("success", _("${name} was added to the group.", mapping={"name": member.username}))
    return HTTPSeeOther(request.route_path("admin.group", id=found.id))


def remove_member(request):
    """Remove an account from the group."""
    found, member = row_of(request, Group), request.dbsession.get(User, id_in_path(request, "user"))
    if member is None:
        raise HTTPNotFound
    try:
        admin.remove_member(request.dbsession, request.identity, found, member)
    except InvalidError as error:
        add_error(request, error)
    else:
        request.messages.add(
            "success", _("${name} was removed from the group.", mapping={"name": member.username})
        )
    return HTTPSeeOther(request.route_path("admin.group", id=found.id))


def rights(request):
    """Save which kinds the members may delete."""
    found = row_of(request, Group)
    kinds = [value for value in request.POST.getall("may_delete") if isinstance(value, str)]
    try:
        changed = admin.set_deletable(request.dbsession, request.identity, found, kinds)
    except InvalidError as error:
        add_error(request, error)
    else:
        request.messages.add("success" if changed else "info", SAVED if changed else UNCHANGED)
    return HTTPSeeOther(request.route_path("admin.group", id=found.id))


def _group_page(request, found, form):
    rows = (
        select(User)
        .join(user_group_member, user_group_member.c.user_id == User.id)
        .where(user_group_member.c.group_id == found.id)
    )
    shown = {"group": found, "form": form, "kinds": admin.DELETABLE}
    return listing(request, rows, (User.id,), ORDER, searched=GROUP_SEARCH_COLUMNS) | shown


TOKENS_ORDER = (ApiToken.created.desc(), ApiToken.id.desc())
# Only the shown part of the key can be searched.
TOKEN_SEARCH_COLUMNS = folded_columns(
    User.username, ApiToken.name, func.left(ApiToken.token_key, SHOWN_CHARACTERS)
)


def tokens(request):
    """All tokens, the newest first."""
    expired = func.coalesce(ApiToken.expiry <= clock.now(), False)
    filters = (
        ConditionChoice(
            "used",
            _("Used"),
            {
                "yes": (_("Yes"), ApiToken.last_used.is_not(None)),
                "no": (_("Never"), ApiToken.last_used.is_(None)),
            },
        ),
        ConditionChoice("expired", _("Expired"), {"yes": (_("Yes"), expired), "no": (_("No"), ~expired)}),
        ConditionChoice(
            "scope", _("What it may do"), {each: (SCOPES[each][0], ApiToken.scope == each) for each in SCOPES}
        ),
    )
    rows = select(ApiToken).join(ApiToken.user).options(contains_eager(ApiToken.user))
    found = listing(
        request,
        rows,
        (ApiToken.id,),
        TOKENS_ORDER,
        searched=TOKEN_SEARCH_COLUMNS,
        filters=filters,
        of=ApiToken.user_id,
    )
    return found | {"shown_key": shown_key, "scopes": SCOPES, "is_expired": is_expired}


def revoke_token(request):
    """Revoke a token, and redirect to the referring page."""
    try:
        found = admin.revoke_token(request.account_context, request.identity, id_in_path(request))
    except InvalidError as error:
        add_error(request, error)
    else:
        if not found:
            raise HTTPNotFound(_("This token no longer exists."))
        request.messages.add("success", _("The token was revoked and no longer works."))
    return HTTPSeeOther(request.back_path or request.route_path("admin.token.list"))


def includeme(config):
    """Add the pages of accounts, groups and tokens."""
    one = "user/{id:[0-9]+}/"
    config.add_admin_page(".user.list", "user/", users, renderer="admin/users.jinja2")
    config.add_admin_page(
        ".user.add",
        "user/add/",
        add_form,
        renderer="admin/user_add.jinja2",
        post=require_confirmed_session(add),
    )
    config.add_admin_page(
        ".user", one, user, renderer="admin/user.jinja2", post=require_confirmed_session(save)
    )
    config.add_admin_page(
        ".user.password",
        f"{one}password/",
        password_form,
        renderer="admin/user_password.jinja2",
        post=require_confirmed_session(set_password),
    )
    config.add_admin_page(
        ".user.delete",
        f"{one}delete/",
        delete_form,
        renderer="admin/user_delete.jinja2",
        post=require_confirmed_session(delete),
    )
    config.add_admin_page(".user.sessions", f"{one}end-sessions/", end_sessions, methods=("POST",))
    config.add_admin_page(".user.tokens", f"{one}revoke-tokens/", revoke_tokens, methods=("POST",))
    one = "group/{id:[0-9]+}/"
    config.add_admin_page(".group.list", "group/", groups, renderer="admin/groups.jinja2")
    config.add_admin_page(
        ".group", one, group, renderer="admin/group.jinja2", post=require_confirmed_session(add_member)
    )
    config.add_admin_page(
        ".group.rights", one + "rights/", require_confirmed_session(rights), methods=("POST",)
    )
    config.add_admin_page(".group.remove", one + "remove/{user:[0-9]+}/", remove_member, methods=("POST",))
    config.add_admin_page(".token.list", "token/", tokens, renderer="admin/tokens.jinja2")
    config.add_admin_page(".token.revoke", "token/{id:[0-9]+}/revoke/", revoke_token, methods=("POST",))

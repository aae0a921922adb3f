"""Groups in the administration: who is in them, who comes or goes, and what they may delete."""

from pyramid.httpexceptions import HTTPNotFound, HTTPSeeOther
from sqlalchemy import func, select

from comicsdb import admin
from comicsdb.catalog import InvalidError
from comicsdb.models import Group, User, user_group_member
from comicsdb_web.forms import answers
from comicsdb_web.http.routing import number_in
from comicsdb_web.pages.account import confirmed
from comicsdb_web.pages.admin import SAVED, UNCHANGED, row_of, say
from comicsdb_web.pages.admin.listing import folded, listing
from comicsdb_web.pages.admin.user import ORDER
from comicsdb_web.rendering.locales import _

SEARCHED = folded(User.username, User.email)


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
    return _page(request, row_of(request, Group), answers.Form())


def add(request):
    """Put an account into the group."""
    found, username = row_of(request, Group), answers.texts(request).get("username", "").strip()
    try:
        member = admin.add_member(request.dbsession, request.identity, found, username)
    except InvalidError as error:
        texts = [text for each in error.errors.values() for text in each]
        return _page(
            request,
            found,
            answers.refused(request, InvalidError({"username": texts}), {"username": username}),
        )
    say(request, "success", _("${name} is a member now.", mapping={"name": member.username}))
    return HTTPSeeOther(request.route_path("admin.group", id=found.id))


def remove(request):
    """Take an account out of the group."""
    found, member = row_of(request, Group), request.dbsession.get(User, number_in(request, "user"))
    if member is None:
        raise HTTPNotFound
    try:
        admin.remove_member(request.dbsession, request.identity, found, member)
    except InvalidError as error:
        say(request, "error", error)
    else:
        say(request, "success", _("${name} is no member any more.", mapping={"name": member.username}))
    return HTTPSeeOther(request.route_path("admin.group", id=found.id))


def rights(request):
    """Save which kinds the members may delete."""
    found = row_of(request, Group)
    kinds = [value for value in request.POST.getall("may_delete") if isinstance(value, str)]
    try:
        changed = admin.set_deletable(request.dbsession, request.identity, found, kinds)
    except InvalidError as error:
        say(request, "error", error)
    else:
        say(request, "success" if changed else "info", SAVED if changed else UNCHANGED)
    return HTTPSeeOther(request.route_path("admin.group", id=found.id))


def _page(request, found, form):
    rows = (
        select(User)
        .join(user_group_member, user_group_member.c.user_id == User.id)
        .where(user_group_member.c.group_id == found.id)
    )
    shown = {"group": found, "form": form, "kinds": admin.DELETABLE}
    return listing(request, rows, (User.id,), ORDER, searched=SEARCHED) | shown


def includeme(config):
    """The list, and the page of one."""
    one = "group/{id:[0-9]+}/"
    config.add_admin_page(".group.list", "group/", groups, renderer="admin/groups.jinja2")
    config.add_admin_page(".group", one, group, renderer="admin/group.jinja2", post=confirmed(add))
    config.add_admin_page(".group.rights", one + "rights/", confirmed(rights), methods=("POST",))
    config.add_admin_page(".group.remove", one + "remove/{user:[0-9]+}/", remove, methods=("POST",))

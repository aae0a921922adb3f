"""Following readers with a public profile: the feed of what they did, the followed readers, the followers."""

from typing import NamedTuple

from pyramid.httpexceptions import HTTPSeeOther

from comicsdb.catalog import InvalidError, NotFoundError
from comicsdb.community import follows
from comicsdb.models import Issue
from comicsdb.security import Permission
from comicsdb.values import whole_number
from comicsdb_web.forms import form_state
from comicsdb_web.pages.community.readers import cards_by_id, find_profile
from comicsdb_web.pages.library.collection import private
from comicsdb_web.rendering.locales import _
from comicsdb_web.rendering.row_views import RowView

FOLLOWED = _("You now follow ${name}.")
UNFOLLOWED = _("You no longer follow ${name}.")


class ShownEntry(NamedTuple):
    """An entry of the feed with cards of its issues."""

    entry: follows.Entry
    issues: list[RowView]


def feed(request):
    """What the followed readers wrote and read, if it is public."""
    session = request.dbsession
    entries = follows.feed(session, request.identity.user_id, request.registry.settings["comicsdb.timezone"])
    loaded = cards_by_id(session, Issue, dict.fromkeys(each for entry in entries for each in entry.issue_ids))
    shown = (ShownEntry(each, [loaded[one] for one in each.issue_ids if one in loaded]) for each in entries)
    return {"entries": [each for each in shown if each.issues]}


def readers(request):
    """The readers that this reader follows, their followers, and the followers they have blocked."""
    session, user_id = request.dbsession, request.identity.user_id
    known = follows.followers(session, user_id)
    return {
        "followed": follows.followed(session, user_id),
        "followers": [row.User for row in known if not row.blocked],
        "blocked": [row.User for row in known if row.blocked],
    }


ACTS = {"unfollow": follows.unfollow, "block": follows.block, "unblock": follows.unblock}


def change_readers(request):
    """Unfollow a reader, block a follower, or unblock one."""
    sent = form_state.text_fields(request)
    for name, act in ACTS.items():
        if other_id := whole_number(sent.get(name, "")):
            act(request.dbsession, request.identity.user_id, other_id)
    return HTTPSeeOther(request.route_path("following.readers"))


def follow(request):
    """Follow or unfollow a reader."""
    reader = find_profile(request)
    session, user = request.dbsession, reader.user
    if reader.is_owner:
        raise NotFoundError("reader", user.username)
    on = form_state.text_fields(request).get("on") == "1"
    kind, text = "success", (FOLLOWED if on else UNFOLLOWED) % {"name": user.username}
    try:
        if on:
            follows.follow(session, request.identity.user_id, user)
        else:
            follows.unfollow(session, request.identity.user_id, user.id)
    except InvalidError as error:
        kind, text = "warning", error.errors[form_state.FORM_ERROR][0]
    request.messages.add(kind, text)
    return HTTPSeeOther(request.route_path("reader", username=user.username))


def includeme(config):
    """Add the pages, for members."""
    member = {"permission": Permission.MEMBER, "decorator": private}
    config.add_page("following", "/following/", feed, renderer="following/feed.jinja2", **member)
    config.add_page(
        "following.readers",
        "/following/readers/",
        readers,
        post=change_readers,
        renderer="following/readers.jinja2",
        **member,
    )
    config.add_reader_page(".follow", "follow/", follow, methods=("POST",), permission=Permission.MEMBER)

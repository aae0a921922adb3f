"""The pages of accounts (web.md 10): which there are, and what all of them have in common."""

from pyramid.renderers import render_to_response
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb.models import User
from comicsdb.security import Permission

# Addresses with a secret in them: what they lead to learns the site they come from and nothing more.
SECRET_REFERRER = "strict-origin"  # noqa: S105


def unkept(view):
    """View decorator: the answer is for one person at one time, so nobody keeps it."""

    def answer(context, request):
        response = view(context, request)
        response.headers["Cache-Control"] = "no-store"
        return response

    return answer


def secretive(view):
    """View decorator for addresses that hold a secret: like `unkept`, and no link tells the address on."""

    def answer(context, request):
        response = unkept(view)(context, request)
        response.headers["Referrer-Policy"] = SECRET_REFERRER
        return response

    return answer


def add_account_page(config, name, pattern, view, *, member=True, decorator=unkept, **options):
    """Directive: a page below /accounts/; those of members lead anybody else to the log-in form."""
    config.add_page(
        name,
        f"/accounts/{pattern}",
        view,
        permission=Permission.MEMBER if member else NO_PERMISSION_REQUIRED,
        decorator=decorator,
        **options,
    )


def notice(request, title, *paragraphs, links=(), icon="mail", status=200):
    """A page that says something; `links` are pairs of label and path, the first is the usual one."""
    say = request.localizer.translate
    values = {
        "title": say(title),
        "paragraphs": [say(text) for text in paragraphs],
        "links": [(say(label), path) for label, path in links],
        "picture": icon,
    }
    response = render_to_response("account/notice.jinja2", values, request=request)
    response.status = status
    return response


def account_of(request) -> User:
    """The row of the account that is logged in; it was loaded with the session."""
    return request.dbsession.get_one(User, request.identity.user_id)


def includeme(config):
    """One line per part; the profiles come last, because a user name may be any word that is left."""
    config.add_directive("add_account_page", add_account_page)
    config.include(".account_login")  # log in, log out
    config.include(".account_signup")  # a new account and its activation
    config.include(".account_password")  # a new password, known or forgotten
    config.include(".account_settings")  # overview, profile, address, data, deletion
    config.include(".account_sessions")  # where one is logged in
    config.include(".account_tokens")  # keys to the API
    config.include(".account_feeds")  # secret addresses for calendars and feed readers
    config.include(".account_people")  # the other people

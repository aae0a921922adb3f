"""The pages of accounts, and what they share."""

from pyramid.csrf import get_csrf_token
from pyramid.httpexceptions import HTTPMovedPermanently
from pyramid.renderers import render_to_response
from pyramid.security import NO_PERMISSION_REQUIRED

from comicsdb import accounts
from comicsdb.catalog import InvalidError
from comicsdb.http.session_cookie import session_identifier
from comicsdb.models import User
from comicsdb.security import Permission
from comicsdb_web.forms import form_state

CONFIRMATION_FIELDS = {*accounts.CONFIRM_FIELDS, "csrf_token"}
# For URLs that contain a secret: linked sites learn only the origin.
SECRET_REFERRER = "strict-origin"  # noqa: S105


def with_cache_control(value: str):
    """A view decorator that sets the header Cache-Control, to forbid caching of a personal response."""

    def decorate(view):
        def answer(context, request):
            response = view(context, request)
            response.headers["Cache-Control"] = value
            return response

        return answer

    return decorate


no_store = with_cache_control("no-store")


def restrict_referrer(view):
    """View decorator for URLs with a secret: like `no_store`, and restricts the Referer header."""

    def answer(context, request):
        response = no_store(view)(context, request)
        response.headers["Referrer-Policy"] = SECRET_REFERRER
        return response

    return answer


def add_account_page(config, name, pattern, view, *, member=True, decorator=no_store, **options):
    """Directive: add a page below /accounts/; anonymous visitors of members' pages must log in first."""
    config.add_page(
        name,
        f"/accounts/{pattern}",
        view,
        permission=Permission.MEMBER if member else NO_PERMISSION_REQUIRED,
        decorator=decorator,
        **options,
    )


def add_mailed_page(config, name, pattern, former, view, **options):
    """Directive: add the page of a mailed link, which has a secret in its path, and its former address."""
    config.add_page(
        name,
        pattern,
        view,
        permission=NO_PERMISSION_REQUIRED,
        decorator=restrict_referrer,
        **options,
    )
    config.add_page(f"{name}.former", former, _redirect_former, permission=NO_PERMISSION_REQUIRED)


@restrict_referrer
def _redirect_former(_context, request):
    name = request.matched_route.name.removesuffix(".former")
    return HTTPMovedPermanently(request.route_path(name, **request.matchdict))


def notice(request, title, *paragraphs, links=(), icon="mail", status=200):
    """The values of a page with a message; `links` are pairs of label and path, the primary one first."""
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


def press_values(request, title, text, label) -> dict:
    """The values of the page of a mailed link, whose button does what the link is for."""
    say = request.localizer.translate
    return {"title": say(title), "text": say(text), "label": say(label)}


def require_confirmed_session(view):
    """Decorator of form views: require a recently confirmed session.

    Others get a confirmation page first, which carries the submitted form except passwords.
    """

    def answer(request):
        identifier = session_identifier(request)
        if accounts.is_confirmed(request.dbsession, identifier):
            return view(request)
        fields, form, user = form_state.text_fields(request), form_state.Form(), account_of(request)
        if any(name in fields for name in accounts.CONFIRM_FIELDS):
            try:
                accounts.confirm(request.account_context, user, identifier, fields, get_csrf_token(request))
                return view(request)
            except InvalidError as error:
                form = form_state.with_errors(request, error, {})
            except accounts.TooManyFailuresError as error:
                form = form_state.rate_limited(request, error.retry_after, {})
            except (accounts.CodeRefusedError, accounts.PasskeyRefusedError) as error:
                form = form_state.with_form_error(request, error.text, {})
        carried = [
            (name, value)
            for name, value in request.POST.items()
            if isinstance(value, str) and name not in CONFIRMATION_FIELDS and "password" not in name
        ]
        values = {
            "form": form,
            "carried": carried,
            "has_app": accounts.has_totp(request.dbsession, user.id),
            "has_passkeys": bool(accounts.passkeys_of(request.dbsession, user.id)),
        }
        return render_to_response(
            "account/confirm.jinja2", values, request=request, response=request.response
        )

    return answer


def account_of(request) -> User:
    """The row of the logged-in account, which was loaded with the session."""
    return request.dbsession.get_one(User, request.identity.user_id)


def includeme(config):
    """Include all parts; profiles come last, because a user name may be any other word."""
    config.add_directive("add_account_page", add_account_page)
    config.add_directive("add_mailed_page", add_mailed_page)
    config.include(".login")  # log in, log out
    config.include(".setup")  # the first administrator of a new site
    config.include(".signup")  # a new account and its activation
    config.include(".password")  # a new password, known or forgotten
    config.include(".settings")  # overview, profile, address, data, deletion
    config.include(".public_profile")  # what everybody may see
    config.include(".second_factor")  # app, passkeys and recovery codes
    config.include(".security")  # sessions, tokens and events; recovering an account
    config.include(".tokens")  # keys to the API
    config.include(".webhooks")  # programs that are notified of changes
    config.include(".comic_files")  # issues described by tags in comic files
    config.include(".people")  # all members

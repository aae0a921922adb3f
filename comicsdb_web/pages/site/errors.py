"""Error pages: not found, gone, forbidden, and server errors."""

import logging
from functools import partial

from pyramid.exceptions import BadCSRFOrigin, BadCSRFToken, PredicateMismatch
from pyramid.httpexceptions import HTTPClientError, HTTPMovedPermanently, HTTPSeeOther
from pyramid.i18n import TranslationString
from pyramid.interfaces import IRoutesMapper
from pyramid.renderers import render
from pyramid.request import Request, apply_request_extensions
from pyramid.response import Response
from pyramid_retry import is_error_retryable

from comicsdb.catalog import ConflictError, GoneError, InvalidError, MovedError, NotFoundError
from comicsdb.catalog.errors import ForbiddenError
from comicsdb.db import is_unavailable
from comicsdb.http import OUTAGE_RETRY_SECONDS, READ_METHODS
from comicsdb.http.bodies import BodyError
from comicsdb.http.request_checks import Refusal
from comicsdb.http.secret_paths import without_secret
from comicsdb.media.storage import StorageDownError
from comicsdb.ops.logs import log_failure
from comicsdb.security import log_denied
from comicsdb_web.forms.expired_session import save_form
from comicsdb_web.http.csp import fixed_headers
from comicsdb_web.http.csrf import FOREIGN_FORM, log_foreign_form
from comicsdb_web.http.fragments import fragment, log_in_first
from comicsdb_web.http.routing import is_api, referring_path, safe_path, with_query
from comicsdb_web.rendering.locales import _, language_of_header, set_language, set_language_without_account

log = logging.getLogger(__name__)

LOG_IN_ROUTES = {"login", "login.second", "login.passkey"}
TITLES = {
    400: _("Bad request"),
    403: _("You don't have access"),
    404: _("Page not found"),
    405: _("Not possible here"),
    409: _("Already taken"),
    410: _("This page has been deleted"),
    413: _("That is too large"),
    429: _("Slow down"),
    500: _("Something went wrong on our side"),
    503: _("Pictures cannot be stored right now"),
}
TEXTS = {
    400: _("The address or the form contains something we cannot read. Go back and try again."),
    403: _("You don't have permission to view this page or do this."),
    404: _("It may have been moved or may never have existed. Check the address for typos."),
    405: _("The address exists but does not accept this kind of request."),
    409: _("Another entry has the same values: %(fields)s. Change one of them and try again."),
    410: _("It was deleted. Its address may be given to a new entry."),
    413: _("The form is too large. All its pictures together may have up to 20 MB."),
    429: _("Too many requests in a short time. Please wait a while and try again."),
    500: _("This is a server error, not your fault. We have been notified; please try again later."),
    503: _("Nothing was changed. Please go back and try again later."),
}
OUTDATED_FORM = _(
    "The page of this form is out of date: somebody has logged in or out in this browser since it was opened,"
    " or the browser keeps no cookies of this site. Nothing was changed. Open the page again and send the"
    " form from there."
)


def error_page(request, status: int, text: str | None = None, title: str | None = None, **values) -> Response:
    """The error page of a status, or a fragment with the message.

    Server errors are rendered without session, account and messages.
    """
    if status >= 500:
        set_language_without_account(request)
    # Translated here, because templates would treat the text as HTML and as a format string
    say = request.localizer.translate
    shown = {"title": say(title or TITLES[status]), "text": say(text or TEXTS[status])}
    values = {"label": "", "history": None, "tombstone": None} | shown | values
    values["status"] = status
    # A link to the page of a form that was sent would show it without what was typed.
    values["sent"] = request.method == "POST" and text is not OUTDATED_FORM
    if request.is_fragment:
        return fragment(request, "error", values, status=status)
    values["bare"] = status >= 500
    body = render("error.jinja2", values, request=request)
    response = Response(body, status=status, content_type="text/html", charset="utf-8")
    response.headers["Cache-Control"] = "no-store"
    return response


def refusal_page(registry, environ, refusal: Refusal) -> Response | None:
    """The page for browsers if no view can answer: a refused request, or a failure outside of views.

    It reads neither database nor session, and of a refused request neither cookies nor address.
    """
    if "text/html" not in environ.get("HTTP_ACCEPT", ""):
        return None
    status, is_failure = refusal.status, refusal.status >= 500
    request = Request(environ)
    request.registry = registry
    apply_request_extensions(request)
    if is_failure:
        set_language_without_account(request)
    else:
        set_language(request, language_of_header(environ.get("HTTP_ACCEPT_LANGUAGE")))
    say = request.localizer.translate
    values = {
        "status": status,
        "language": request.locale_name,
        "title": say(TITLES[500] if is_failure else TITLES.get(status, TITLES[400])),
        "text": say(TEXTS[500]) if is_failure else refusal.reason,
    }
    body = render("refusal.jinja2", values, request=request)
    headers = [("Cache-Control", "no-store"), *fixed_headers(registry)]
    response = Response(body, status=refusal.line, charset="utf-8", content_type="text/html")
    response.headers.update(headers)
    return response


def notfound(error, request):
    """404, unless the path with a trailing slash is a page; 405 for paths with other methods."""
    if isinstance(error, PredicateMismatch) and request.matched_route is not None:
        response = error_page(request, 405)
        response.allow = request.registry["comicsdb_web.methods"].get(
            request.matched_route.name, READ_METHODS
        )
        return response
    path = request.path_info
    if request.method in READ_METHODS and not path.endswith("/") and _page_at(request, f"{path}/"):
        return HTTPMovedPermanently(with_query(request, f"{request.path}/"))
    # Pyramid's message contains the path; only messages of our own views are meant for readers.
    message = error.detail if isinstance(error.detail, TranslationString) else None
    return error_page(request, 404, message)


def _page_at(request, path: str) -> bool:
    """Whether a path matches one of our pages."""
    ours = request.registry["comicsdb_web.methods"]
    routes = request.registry.getUtility(IRoutesMapper).get_routes()
    return any("GET" in ours.get(route.name, ()) and route.match(path) is not None for route in routes)


def unknown(_error, request):
    """404: the catalog never had such an object."""
    return error_page(request, 404)


def not_owner(_error, request):
    """403: the reader may see the object, but not change it."""
    return error_page(request, 403)


def gone(error, request):
    """410: the object was deleted."""
    left = error.tombstone
    route = f"{left.kind}.history"
    known = request.identity is not None and route in request.registry["comicsdb_web.methods"]
    history = request.route_path(route, slug=left.slug) if known else None
    return error_page(request, 410, label=left.label, history=history, tombstone=left)


def moved(error, request):
    """301 to the same page of the object that moved; a POST is not repeated.

    A POST leads to the same form of that object, filled in, or to its page. Only to its page if it confirmed
    something, since the question was about an object that may be gone.
    """
    entity, route = error.entity, request.matched_route.name
    own = route.startswith(f"{entity.__tablename__}.")
    words = request.matchdict | {"slug" if own else entity.__tablename__: entity.slug}
    path = request.route_path(route, **words)
    if request.method not in READ_METHODS:
        message = _("It was merged with another entry or has a new address. Nothing was changed.")
        if request.is_fragment:
            return error_page(request, 409, message, TITLES[405])
        request.messages.add("warning", message)
        is_page = "GET" in request.registry["comicsdb_web.methods"].get(route, ())
        is_confirmation = route.endswith((".delete", ".revert"))
        form = save_form(request, moved_to=path) if is_page and not is_confirmation else None
        return HTTPSeeOther(form or request.entity_path(entity))
    return HTTPMovedPermanently(with_query(request, path))


def forbidden(error, request):
    """403, or a redirect of anonymous readers to the log-in form."""
    if error.result is None or request.identity is not None:
        if request.identity is not None:
            log_denied(request)
        return error_page(request, 403, error.detail if error.result is None else None)
    if request.is_fragment:
        return log_in_first(request)
    if request.method in READ_METHODS:
        target = with_query(request, request.path)
    else:
        target = save_form(request) or referring_path(request)
    return HTTPSeeOther(request.route_path("login", _query={"next": target} if target else {}))


def client_error(error, request):
    """Another client error: a form without its token or of another site, or an unreadable request.

    A form of the logged-in account from an ended session is shown again with a new token. The log-in form
    of somebody who has logged in meanwhile, in another tab, leads where it would have led.
    """
    if isinstance(error, BadCSRFToken):
        is_log_in = request.matched_route.name in LOG_IN_ROUTES and request.POST.get("csrf_token")
        if is_log_in and request.identity is not None:
            return HTTPSeeOther(safe_path(request.POST.get("next")) or request.route_path("home"))
        if path := save_form(request):
            return HTTPSeeOther(path)
    if isinstance(error, BadCSRFOrigin):
        log_foreign_form(request)
        return error_page(request, 400, FOREIGN_FORM)
    status = getattr(error, "code", 400)
    message = OUTDATED_FORM if isinstance(error, BadCSRFToken) else getattr(error, "detail", None)
    return error_page(
        request,
        status if status in TITLES else 400,
        message if isinstance(message, TranslationString) else None,
    )


def conflict(error, request):
    """409: another object has the same values, if the form did not show it."""
    message = request.localizer.translate(TEXTS[409]) % {"fields": ", ".join(error.fields)}
    return error_page(request, 409, message)


def invalid(error, request):
    """400: values violate the catalog's rules, if the form did not show it."""
    return error_page(request, 400, str(error))


def storage_down(error, request):
    """503: the storage of pictures, which has logged the error, does not respond."""
    response = error_page(request, 503)
    response.retry_after = error.retry_after
    return response


def server_error(error, request):
    """500: logged with its traceback; the page depends on nothing that may be broken."""
    if not is_error_retryable(request, error):
        log_failure(log, error, "Server error at %s %s", request.method, without_secret(request.path))
    if not is_unavailable(error):
        return error_page(request, 500)
    response = error_page(request, 503, TEXTS[500], TITLES[500])
    response.retry_after = OUTAGE_RETRY_SECONDS
    return response


def last_resort_tween_factory(handler, registry):  # noqa: ARG001
    """Show the error page for errors that occur after the view, on commit."""

    def tween(request):
        try:
            return handler(request)
        except Exception as error:
            if is_api(request) or is_error_retryable(request, error):
                raise
            return server_error(error, request)

    return tween


class SitePredicate:
    """View predicate: the request does not belong to the API."""

    def __init__(self, value, _config):
        self._value = value

    def text(self):
        """The name in Pyramid's tools."""
        return f"on_site = {self._value}"

    phash = text

    def __call__(self, _context, request):
        return is_api(request) != self._value


def includeme(config):
    """Add the exception views of the site; the API has its own."""
    config.answer_refusals("/", partial(refusal_page, config.registry))
    config.add_view_predicate("on_site", SitePredicate)
    config.add_tween(
        "comicsdb_web.pages.site.errors.last_resort_tween_factory", over="pyramid_tm.tm_tween_factory"
    )
    config.add_notfound_view(notfound, on_site=True)
    config.add_forbidden_view(forbidden, on_site=True)
    config.add_exception_view(unknown, context=NotFoundError, on_site=True)
    config.add_exception_view(not_owner, context=ForbiddenError, on_site=True)
    config.add_exception_view(gone, context=GoneError, on_site=True)
    config.add_exception_view(moved, context=MovedError, on_site=True)
    config.add_exception_view(conflict, context=ConflictError, on_site=True)
    config.add_exception_view(invalid, context=InvalidError, on_site=True)
    config.add_exception_view(client_error, context=HTTPClientError, on_site=True)
    config.add_exception_view(client_error, context=BodyError, on_site=True)
    config.add_exception_view(storage_down, context=StorageDownError, on_site=True)
    config.add_exception_view(server_error, context=Exception, on_site=True)

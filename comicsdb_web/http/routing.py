"""Routes of pages, their canonical form and methods, and helpers for URLs."""

from collections.abc import Container, Iterable
from urllib.parse import unquote_plus, urlencode, urlsplit

from pyramid.httpexceptions import HTTPMovedPermanently, HTTPNotFound
from pyramid.interfaces import IRoutesMapper

from comicsdb.http import READ_METHODS
from comicsdb.values import whole_number


def add_page(
    config, name, pattern, view, *, attr=None, renderer=None, methods=READ_METHODS, post=None, **options
):
    """Directive: add a route and its view, and for a page with a form the view `post`.

    A path that differs only in the trailing slash redirects to the page. A path with an added slash could
    match the route of the detail pages, so it gets its own route; for a missing slash, the not-found view
    looks for a page with one (`pages.site.errors`).

    With `shows` (a `CachePolicy`) the page is cached for anonymous readers. `parameters` are the query
    parameters that the page reads, none by default if it is cached: all others are removed from the request.
    """
    if options.get("shows") is not None:
        options.setdefault("parameters", ())
        config.cache_page(name, options["shows"], options["parameters"])
    config.registry["comicsdb_web.methods"][name] = (*methods, "POST") if post else methods
    config.add_route(name, pattern)
    config.add_view(
        view, attr=attr, route_name=name, renderer=renderer, request_method=_without_head(methods), **options
    )
    if post:
        config.add_view(post, route_name=name, renderer=renderer, request_method="POST", **options)
    if not pattern.endswith("/") and "GET" in methods and "." not in pattern.rsplit("/", 1)[-1]:
        config.add_route(f"{name}.slash", f"{pattern}/")
        config.add_view(_without_slash, route_name=f"{name}.slash", request_method="GET")
        config.registry["comicsdb_web.methods"][f"{name}.slash"] = READ_METHODS


def known_query(query: str, names: Container[str]) -> str:
    """The parameters of a query string that have these names."""
    if not query:
        return query
    return "&".join(each for each in query.split("&") if unquote_plus(each.partition("=")[0]) in names)


def known_parameters_view(view, info):
    """View deriver: the view of a page that declares its parameters sees no others."""
    names = info.options.get("parameters")
    if names is None:
        return view

    def wrapped(context, request):
        request.environ["QUERY_STRING"] = known_query(request.query_string, names)
        return view(context, request)

    return wrapped


known_parameters_view.options = ("parameters",)


def _without_head(methods):
    """The methods without HEAD, which Pyramid adds to GET."""
    return tuple(method for method in methods if method != "HEAD")


def _without_slash(request):
    return HTTPMovedPermanently(with_query(request, request.path.rstrip("/")))


def with_query(request, path: str) -> str:
    """A path of this site with the request's query string; never a URL of another host."""
    path = "/" + path.lstrip("/\\")
    return f"{path}?{request.query_string}" if request.query_string else path


def query_with(request, **changes) -> str:
    """The request's query string with some parameters set, or removed if the value is None."""
    return query_of(request.GET.items(), **changes)


def query_of(pairs: Iterable[tuple[str, str]], **changes) -> str:
    """A query string of pairs of name and value, with some parameters set, or removed if None."""
    kept = [(name, value) for name, value in pairs if name not in changes]
    query = kept + [(name, value) for name, value in changes.items() if value is not None]
    return f"?{urlencode(query)}" if query else ""


def public_url(request, path: str | None = None) -> str:
    """The public, absolute URL of a path, by default of this page.

    Of the query, only the page number of a list is kept.
    """
    base = request.registry.settings["comicsdb.base_url"] or request.host_url
    if path is None:
        page = request.GET.get("page", "")
        path = request.path + (f"?page={page}" if page.isascii() and page.isalnum() else "")
    return f"{base}{path}"


def public_picture(request, key: str) -> str:
    """The public, absolute URL of a picture, which may be on another host."""
    address, own = request.media_url(key), f"{request.host_url}/"
    return request.public_url(address.removeprefix(request.host_url)) if address.startswith(own) else address


def id_in_path(request, name: str = "id") -> int:
    """The number in the path; raises HTTPNotFound for one that cannot be an id."""
    number = whole_number(request.matchdict[name])
    if number is None:
        raise HTTPNotFound
    return number


def path_if_served(request, name: str, /, **words) -> str | None:
    """The path of another package's page, None if that package is not included."""
    served = request.registry.getUtility(IRoutesMapper).get_route(name)
    return request.route_path(name, **words) if served else None


def is_fragment(request) -> bool:
    """Whether one of our scripts requests a fragment."""
    return request.headers.get("X-Fragment") == "1"


def is_api(request) -> bool:
    """Whether the request belongs to the API, by the name of its route.

    Without a route, for example if the path cannot be decoded, the raw path decides.
    """
    if request.matched_route is None:
        return request.environ.get("PATH_INFO", "").startswith("/api/")
    return request.matched_route.name.startswith("api.")


def safe_path(target: str | None) -> str | None:
    """`target` if browsers interpret it as a path of this site; otherwise None."""
    if not isinstance(target, str):  # missing, or a file upload
        return None
    if not target.startswith("/") or target.startswith(("//", "/\\")):
        return None
    if any(not 32 < ord(each) < 127 or each == "\\" for each in target):
        return None  # browsers drop tabs and line breaks, and treat a backslash as a slash
    return target


def referring_path(request) -> str | None:
    """The path of the referring page, if it is one of ours."""
    try:
        parts = urlsplit(request.referer or "")
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}" != request.host_url:
        return None
    return safe_path(f"{parts.path}?{parts.query}" if parts.query else parts.path)


def own_page(request) -> str | None:
    """The path and query of the request, or of the referring page if the address only takes forms."""
    name = request.matched_route.name if request.matched_route else None
    if "GET" in request.registry["comicsdb_web.methods"].get(name, ("GET",)):
        return request.path_qs
    return referring_path(request)


def page_path(request) -> str:
    """Where the page can be opened again, for forms and links that come back to it."""
    return own_page(request) or request.route_path("home")


def includeme(config):
    """Install the directive and the table of methods."""
    config.registry["comicsdb_web.methods"] = {}
    config.add_directive("add_page", add_page)
    config.add_view_deriver(known_parameters_view)
    config.add_request_method(path_if_served)
    config.add_request_method(public_url, "public_url")
    config.add_request_method(public_picture, "public_picture")
    config.add_request_method(referring_path, "back_path", property=True)
    config.add_request_method(page_path, reify=True)
    config.add_request_method(query_with, "query_with")
    config.add_request_method(is_fragment, "is_fragment", reify=True)

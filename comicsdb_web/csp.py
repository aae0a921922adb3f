"""The headers of every answer of the site, errors included (web.md 23)."""

from pyramid.tweens import INGRESS

from comicsdb_web.routing import is_api

HSTS = "max-age=15778800"
PERMISSIONS = "camera=(), geolocation=(), interest-cohort=(), microphone=(), payment=(), usb=()"


def policy(media_origin: str = "") -> str:
    """The Content-Security-Policy: only what comes from our own host, nothing inline."""
    pictures = f"'self' {media_origin}".strip()
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src {pictures}",
            "font-src 'self'",
            "connect-src 'self'",
            "manifest-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def headers_tween_factory(handler, registry):
    """Add the headers to each answer that does not bring its own; the API's are the API's."""
    fixed = {
        "Content-Security-Policy": policy(registry.settings["comicsdb_web.media_origin"]),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Permissions-Policy": PERMISSIONS,
    }

    def tween(request):
        response = handler(request)
        if is_api(request):
            return response
        for name, value in fixed.items():
            response.headers.setdefault(name, value)
        if request.scheme == "https":
            response.headers.setdefault("Strict-Transport-Security", HSTS)
        if response.content_type == "text/html":
            response.headers.setdefault("Cache-Control", "private, no-cache")
            if "locale_name" in vars(request):  # what was not written in a language says none
                response.headers.setdefault("Content-Language", request.locale_name)
            response.vary = tuple(
                dict.fromkeys((*(response.vary or ()), "Cookie", "Accept-Language", "X-Fragment"))
            )
        return response

    return tween


def includeme(config):
    """Outside of everything else, so that no answer is without them."""
    config.add_tween("comicsdb_web.csp.headers_tween_factory", under=INGRESS)

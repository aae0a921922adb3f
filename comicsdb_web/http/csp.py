"""Security headers of every response of the site, including errors."""

from pyramid.tweens import INGRESS

from comicsdb_web.http.routing import is_api

VARY = ("Cookie", "Accept-Language", "X-Fragment")
# Unused features; passkeys (publickey-credentials-*) are used by the site itself.
PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media",
        "geolocation", "gyroscope", "hid", "magnetometer", "microphone", "midi", "payment",
        "screen-wake-lock", "serial", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip


ANY_FRAME = "frame-ancestors *"


def policy(media_origin: str = "", *, wasm: bool = False, framed: bool = False) -> str:
    """The Content-Security-Policy: only our own host, nothing inline; with `wasm` also WebAssembly.

    A page that is `framed` may be shown in frames of any site, and runs no script at all.
    """
    pictures = f"'self' {media_origin}".strip()
    if framed:
        own = "style-src 'self'", f"img-src {pictures}", "base-uri 'none'", "form-action 'none'", ANY_FRAME
        return "; ".join(("default-src 'none'", *own))
    scripts = "'self' 'wasm-unsafe-eval'" if wasm else "'self'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
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


def fixed_headers(registry) -> tuple[tuple[str, str], ...]:
    """The headers that are the same for all responses."""
    return registry["comicsdb_web.headers"]


def _fixed_headers(media_origin: str) -> tuple[tuple[str, str], ...]:
    return (
        ("Content-Security-Policy", policy(media_origin)),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "strict-origin-when-cross-origin"),
        ("Permissions-Policy", PERMISSIONS),
    )


def headers_tween_factory(handler, registry):
    """Add the headers that a response does not set itself; except for the API."""

    def tween(request):
        response = handler(request)
        if is_api(request):
            return response
        is_framed = ANY_FRAME in response.headers.get("Content-Security-Policy", "")
        for name, value in fixed_headers(registry):
            if not (is_framed and name == "X-Frame-Options"):
                response.headers.setdefault(name, value)
        if response.content_type == "text/html":
            response.headers.setdefault("Cache-Control", "private, no-cache")
            if "locale_name" in vars(request):  # only if the response used the language
                response.headers.setdefault("Content-Language", request.locale_name)
            response.vary = tuple(dict.fromkeys((*(response.vary or ()), *VARY)))
        return response

    return tween


def includeme(config):
    """Add the outermost tween, so that every response has the headers."""
    fixed = _fixed_headers(config.get_settings()["comicsdb_web.media_origin"])
    config.registry["comicsdb_web.headers"] = fixed
    config.add_tween("comicsdb_web.http.csp.headers_tween_factory", under=INGRESS)

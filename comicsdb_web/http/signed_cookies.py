"""Signed cookies: values that browsers keep, and that only this site can have stored."""

from webob.cookies import SignedCookieProfile


def signed_cookie(config, name: str, salt: str, **options) -> SignedCookieProfile:
    """A cookie that scripts do not see and other sites do not send; bind it to a request to use it."""
    settings = config.get_settings()
    return SignedCookieProfile(
        settings["comicsdb.secret"],
        salt=f"comicsdb_web.{salt}",
        cookie_name=name,
        secure=settings["comicsdb.secure_cookies"],
        httponly=True,
        samesite="Lax",
        **options,
    )

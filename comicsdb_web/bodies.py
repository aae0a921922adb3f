"""What a form may be: refused before anything is made of it where it is too large or no form at all."""

from pyramid.httpexceptions import HTTPBadRequest, HTTPRequestEntityTooLarge

from comicsdb import bodies


def check_body(request) -> bool:
    """True for a form that can be read (`bodies.form`); raises HTTPRequestEntityTooLarge, HTTPBadRequest."""
    try:
        bodies.form(request)
    except bodies.TooLarge as error:
        raise HTTPRequestEntityTooLarge from error
    except bodies.BodyError as error:
        raise HTTPBadRequest from error
    return True

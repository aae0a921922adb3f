"""What a form may be: refused before anything is made of it where it is too large or no form at all."""

import re

from pyramid.httpexceptions import HTTPBadRequest, HTTPRequestEntityTooLarge

BODY_MAX = 20 * 1024 * 1024  # bytes, with a picture
TEXT_MAX = 2 * 1024 * 1024  # bytes of a form without files
FIELDS_MAX = 5000  # an issue with several hundred credits has fewer

_BOUNDARY = re.compile(r'boundary="?([^";,]+)', re.IGNORECASE)


def check_body(request) -> bool:
    """True for a form that can be read; raises HTTPRequestEntityTooLarge and HTTPBadRequest for others.

    Refused are too many bytes or fields, parts without a boundary, an unknown charset, and what is no text.
    """
    multipart = request.content_type == "multipart/form-data"
    if (request.content_length or 0) > (BODY_MAX if multipart else TEXT_MAX):
        raise HTTPRequestEntityTooLarge
    if _fields(request, multipart) > FIELDS_MAX:
        raise HTTPBadRequest
    try:
        _ = request.POST
    except (ValueError, LookupError, DeprecationWarning) as error:  # the last is WebOb's word for a charset
        raise HTTPBadRequest from error
    return True


def _fields(request, multipart: bool) -> int:
    """About how many fields the body has; counted before each of them becomes several objects."""
    if not multipart:
        return request.body.count(b"&") + 1
    boundary = _BOUNDARY.search(request.headers["Content-Type"])
    return request.body.count(b"--" + boundary[1].encode("latin-1")) if boundary else 0

"""Forms: the values a page shows again, the errors beside its fields, and the answers that carry them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

from comicsdb.catalog import InvalidError
from comicsdb.i18n import translate
from comicsdb_web.rendering.locales import ngettext

WHOLE = "__all__"  # where errors stand that belong to no field


@dataclass(frozen=True)
class Form:
    """What a page shows of a form: values as typed, and errors in the reader's language, by field."""

    values: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, list[str]] = field(default_factory=dict)


def texts(request) -> dict[str, str]:
    """The text fields that were sent, the last of each name; a file is no text, whatever it is called."""
    return {name: value for name, value in request.POST.items() if isinstance(value, str)}


def file(request, name: str) -> bytes:
    """The content of a file that was sent; empty where none was chosen."""
    sent = request.POST.get(name)
    return sent.file.read() if hasattr(sent, "file") else b""


def refused(request, error: InvalidError, values: Mapping[str, str]) -> Form:
    """The form again, with what is wrong: status 422."""
    request.response.status = 422
    errors = {
        name: [translate(request.localizer, text) for text in found] for name, found in error.errors.items()
    }
    return Form(values, errors)


def refused_whole(request, text: str, values: Mapping[str, str], *, status: int = 422) -> Form:
    """The form again, with one text about all of it."""
    request.response.status = status
    return Form(values, {WHOLE: [translate(request.localizer, text)]})


def too_many(request, seconds: float, values: Mapping[str, str]) -> Form:
    """The form again, to be sent later: status 429."""
    request.response.retry_after = ceil(seconds)
    return refused_whole(request, wait_words(request, seconds), values, status=429)


def wait_words(request, seconds: float) -> str:
    """How long to wait before the next attempt, in whole minutes."""
    minutes = max(1, ceil(seconds / 60))
    text = ngettext(
        "There were too many attempts. Please wait a minute and try again.",
        "There were too many attempts. Please wait ${n} minutes and try again.",
        minutes,
    )
    return translate(request.localizer, text)

"""The state of simple forms: values and errors to show again, and parsing of single fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil

from comicsdb.catalog import InvalidError
from comicsdb.i18n import Text, translate
from comicsdb_web.rendering.locales import ngettext

FORM_ERROR = "__all__"  # the key of errors that belong to no field
OLD_PREFIX = "was_"  # prefix of hidden fields with the values that the form showed
TIME_FORMATS = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M")  # the first two from browsers


@dataclass(frozen=True)
class Form:
    """The state of a form: the values as typed, and the errors in the reader's language, by field."""

    values: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, list[str]] = field(default_factory=dict)


def text_fields(request) -> dict[str, str]:
    """The text fields of a form, the last one of each name; files are left out."""
    return {name: value for name, value in request.POST.items() if isinstance(value, str)}


def uploaded_file(request, name: str) -> bytes:
    """The content of an uploaded file; empty if none was chosen."""
    sent = request.POST.get(name)
    return sent.file.read() if hasattr(sent, "file") else b""


def parse_local_time(
    request, typed: Mapping[str, str], name: str, problem: Text, formats: tuple[str, ...] = TIME_FORMATS
) -> datetime | None:
    """The time of a field, typed in the reader's time zone, in UTC; None for a blank field.

    Raises InvalidError with `problem` for text in none of the formats.
    """
    text = typed.get(name, "").strip()
    for form in formats if text else ():
        try:
            return datetime.strptime(text, form).replace(tzinfo=request.zone).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    if text:
        raise InvalidError({name: [problem]})
    return None


def with_errors(request, error: InvalidError, values: Mapping[str, str]) -> Form:
    """The form to show again with its errors; sets status 422."""
    request.response.status = 422
    errors = {
        name: [translate(request.localizer, text) for text in found] for name, found in error.errors.items()
    }
    return Form(values, errors)


def with_form_error(request, text: str, values: Mapping[str, str], *, status: int = 422) -> Form:
    """The form to show again with one error that belongs to no field."""
    request.response.status = status
    return Form(values, {FORM_ERROR: [translate(request.localizer, text)]})


def rate_limited(request, seconds: float, values: Mapping[str, str]) -> Form:
    """The form to show again after too many attempts; sets status 429 and Retry-After."""
    request.response.retry_after = ceil(seconds)
    return with_form_error(request, wait_message(request, seconds), values, status=429)


def wait_message(request, seconds: float) -> str:
    """How long to wait before the next attempt, in whole minutes."""
    minutes = max(1, ceil(seconds / 60))
    text = ngettext(
        "There were too many attempts. Please wait a minute and try again.",
        "There were too many attempts. Please wait ${n} minutes and try again.",
        minutes,
    )
    return translate(request.localizer, text)

"""Writes: parsing and validating the body, with all errors reported together, and the response."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import colander
import orjson
from sqlalchemy import bindparam, select

from comicsdb.catalog import ConflictError, InvalidError
from comicsdb.catalog.kinds import Kind
from comicsdb.http import idempotency
from comicsdb.imaging.picture import PictureError, TooComplexError
from comicsdb.media.uploads import check_upload, no_picture, picture_values
from comicsdb.readcache.etag import TAG_LENGTH, with_tag
from comicsdb.schemas import ObjectSchema, errors_by_field
from comicsdb.schemas.types import NULL
from comicsdb_api.errors import BadRequestError, RefusedError, conflict_messages, messages_by_field
from comicsdb_api.resource import conditional, expressions
from comicsdb_api.resource.bodies import ABSENT, File, ParsedBody
from comicsdb_api.responses import base_urls, make_response, to_json

IMAGE = "image"
NO_FILE = "No file was submitted."
NOT_A_FILE = "The submitted data was not a file. Check the encoding type on the form."
EMPTY_FILE = "The submitted file is empty."
NO_PICTURE = "Upload a valid image. The file you uploaded was either not an image or a corrupted image."

KEY_HEADER, REPLAYED_HEADER = "Idempotency-Key", ("Idempotent-Replayed", "true")
KEY_LENGTH_MAX = 255
INVALID_KEY = f"{KEY_HEADER} must have 1 to {KEY_LENGTH_MAX} visible characters."
USED_KEY = f"This {KEY_HEADER} was used for another request. Use a new one for each request."


@dataclass(frozen=True)
class PictureField:
    """The pictures of a kind: their folder, and whether rows have a hash of them.

    With `empty_text_removes`, an empty text in a form removes the picture; otherwise it means no change.
    """

    folder: str
    hashed: bool
    empty_text_removes: bool = False

    @classmethod
    def of(cls, kind: Kind) -> "PictureField | None":
        """The declaration for a kind of the catalog, or None."""
        return cls(kind.name, "cover_hash" in kind.scalars) if IMAGE in kind.scalars else None


def validated(sent: ParsedBody, schema: type[ObjectSchema]) -> dict:
    """The values in a body without pictures; raises BadRequestError with all errors."""
    judge = schema(form=sent.is_form)
    try:
        return judge.deserialize(sent.values(judge, whole=False))
    except colander.Invalid as invalid:
        raise BadRequestError(errors_by_field(invalid)) from invalid


class Draft:
    """The values in a body, and its errors so far, as messages by field.

    A picture is decoded, and stored if there are no errors, before the catalog locks out other writers. Its
    file is deleted if the transaction fails.
    """

    def __init__(
        self,
        request,
        sent: ParsedBody,
        schema: type[ObjectSchema],
        pictures: PictureField | None,
        *,
        partial: bool,
    ):
        self.errors: dict[str, list | dict] = {}
        self.values = self._validate(sent, schema, partial=partial)
        if pictures is not None:
            self._take_picture(request, sent.field(IMAGE), sent.is_form, pictures)

    def _validate(self, sent: ParsedBody, schema: type[ObjectSchema], *, partial: bool) -> dict:
        """The valid values; the errors of the others are added."""
        judge = schema(partial=partial, form=sent.is_form)
        raw = sent.values(judge, whole=not partial)
        try:
            return judge.deserialize(raw)
        except colander.Invalid as invalid:
            self.errors = errors_by_field(invalid)
        if not isinstance(raw, dict):
            raise BadRequestError(self.errors)
        sound = {name: value for name, value in raw.items() if name not in self.errors}
        return schema(partial=True, form=sent.is_form).deserialize(sound)

    def _take_picture(self, request, sent, is_form: bool, pictures: PictureField) -> None:
        if is_form and sent == "":
            if pictures.empty_text_removes:
                self.values |= no_picture(hashed=pictures.hashed)
                return
            sent = ABSENT
        if sent is ABSENT:
            return
        if not isinstance(sent, File):
            self.errors[IMAGE] = [NULL if sent is None else NOT_A_FILE]
        elif not sent.data:
            self.errors[IMAGE] = [EMPTY_FILE]
        else:
            self._store(request, sent.data, pictures)

    def _store(self, request, data: bytes, pictures: PictureField) -> None:
        session, member = request.dbsession, request.identity.user_id
        try:
            if self.errors:
                check_upload(session, data, member)
            else:
                folder, hashed = pictures.folder, pictures.hashed
                self.values |= picture_values(
                    session, request.media, folder, data, hashed=hashed, member=member
                )
        except TooComplexError as error:
            self.errors[IMAGE] = [f"The file {error}."]
        except PictureError:
            self.errors[IMAGE] = [NO_PICTURE]

    def save(
        self, write: Callable[[dict], object], faults: Callable[[dict], tuple[dict, list[ConflictError]]]
    ):
        """The result of `write` for the values; raises BadRequestError if there are errors.

        `faults` finds all further errors if there are any.
        """
        if not self.errors:
            try:
                return write(self.values)
            except InvalidError as invalid:
                self._add(messages_by_field(invalid.errors))
            except ConflictError as conflict:
                self._add(conflict_messages(conflict))
        found, conflicts = faults(self.values)
        for errors in (messages_by_field(found), *map(conflict_messages, conflicts)):
            self._add(errors)
        raise BadRequestError(self.errors)

    def _add(self, errors: dict[str, list[str]]) -> None:
        """Add messages; for a field that already has errors, only new ones about several fields."""
        for field, messages in errors.items():
            present = self.errors.setdefault(field, [])
            if not present or field == "non_field_errors":
                present += [message for message in messages if message not in present]


def is_conditional(request) -> bool:
    """Whether a write has conditions."""
    return any(name in request.environ for name in conditional.PRECONDITION_HEADERS)


def has_changed(request, detail, object_id: int) -> bool:
    """Whether the conditions of a write fail, compared with the object as GET returns it to the caller.

    `detail` is the object's Detail, None if there is no GET.
    """
    dates = tag = None
    if detail is not None:
        dates = detail.read.dates(detail.stamps(request, object_id))
        if conditional.has_tag_condition(request.environ):
            tag = with_tag(detail.body(request, object_id))[:TAG_LENGTH].decode()
    return conditional.write_precondition_fails(request.environ, dates, tag)


def precondition_failed(request):
    """The response 412 to a write."""
    return make_response(request, b"", 412)


def written_body(request, resource, object_id: int) -> bytes:
    """The body of the response to a write, with the resource's `written_fields`."""
    found = request.dbsession.scalar(_statement(resource), {"id": object_id, **base_urls(request)})
    return to_json(orjson.loads(found))


@cache
def _statement(resource):
    fields = expressions.labelled_columns(resource.written_fields())
    rows = select(*fields).select_from(resource.written_source())
    return expressions.row_as_json(rows.where(resource.model.__table__.c.id == bindparam("id")))


def encoded_json_response(request, status: int, body: bytes, *headers):
    """A response with a JSON body."""
    return make_response(request, body, status, (conditional.JSON_TYPE, *headers))


def create_idempotently(request, sent: ParsedBody, create: Callable[[], bytes]):
    """Return 201 with the result of `create`, which is called only once per Idempotency-Key."""
    return run_idempotently(request, sent, lambda: (201, create()))


def run_idempotently(request, sent: ParsedBody, act: Callable[[], tuple[int, bytes]]):
    """Return the status and body from `act`, which is called only once per Idempotency-Key."""
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return encoded_json_response(request, *act())
    key = key.strip()
    if not 0 < len(key) <= KEY_LENGTH_MAX or not all("!" <= character <= "~" for character in key):
        raise RefusedError(400, INVALID_KEY)
    session, user_id = request.dbsession, request.identity.user_id
    asked = f"{request.method} {request.path_info}?{request.query_string} {sent.digest}"
    try:
        kept = idempotency.claim(session, user_id, key, asked)
    except idempotency.OtherRequestError as error:
        raise RefusedError(422, USED_KEY) from error
    if kept is not None:
        return encoded_json_response(request, kept.status, kept.body, REPLAYED_HEADER)
    status, body = act()
    idempotency.store_answer(session, user_id, key, status, body)
    return encoded_json_response(request, status, body)

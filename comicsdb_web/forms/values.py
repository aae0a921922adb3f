"""Conversion of typed values to values for the catalog: only changed ones, validated by the schemas."""

from dataclasses import dataclass, field

import colander

from comicsdb import accounts
from comicsdb.accounts import SavedPicture
from comicsdb.catalog import InvalidError, advice
from comicsdb.http.bodies import UploadedFile
from comicsdb.imaging.picture import PictureError
from comicsdb.media.storage import StorageDownError
from comicsdb.media.uploads import no_picture
from comicsdb.schemas import errors_by_field
from comicsdb.schemas.types import REQUIRED
from comicsdb_web.forms.drafts import Draft
from comicsdb_web.forms.fields import Field
from comicsdb_web.forms.rows import ROW_KINDS, Row
from comicsdb_web.rendering.locales import _

HASHED_FOLDERS = ("issue", "variants")  # folders whose pictures have a perceptual hash
NOT_STORED = _("Pictures cannot be stored at the moment. Save without one, or try again later.")
PICTURE_EXPIRED = _("The picture you chose is no longer stored: please choose it again.")


@dataclass
class Change:
    """Values for the catalog, and their files: (input, folder, dictionary for the file's values).

    `advice` has the messages of broken advisory rules by input.
    """

    values: dict = field(default_factory=dict)
    files: list[tuple[str, str, dict]] = field(default_factory=list)
    advice: dict[str, list] = field(default_factory=dict)


def changes_of(draft: Draft) -> tuple[Change, dict]:
    """The changes of a draft, without values that the object already has, and the errors by input."""
    change, errors = Change(), {}
    fields = [each for each in draft.form.typed_fields if draft.is_changed(each)]
    change.values, found = _read(draft.form.schema, fields, draft.typed)
    errors |= found
    for name, rows in draft.rows.items():
        _read_rows(ROW_KINDS[name].part, rows, draft.state, change, errors)
    changed = {name: value for name, value in change.values.items() if name not in errors}
    advised = advice.advisory_errors(draft.request.dbsession, draft.kind, draft.state, changed)
    change.advice |= {name: texts for name, texts in advised.items() if name not in errors}
    if draft.form.picture:
        if "image" in draft.files:
            change.files.append(("image", draft.kind, change.values))
        elif draft.cleared and draft.state.get("image"):
            change.values |= no_picture(hashed=draft.kind in HASHED_FOLDERS)
    return change, errors


def valid_changes(draft: Draft) -> Change:
    """The changes of a draft; raises InvalidError by input."""
    change, errors = changes_of(draft)
    if errors:
        raise InvalidError(errors)
    return change


def store_uploads(draft: Draft) -> dict:
    """Store the uploaded files, so that the form can be shown again with them; returns errors by input."""
    errors = {}
    for name, sent in list(draft.files.items()):
        if isinstance(sent, SavedPicture):
            continue
        try:
            draft.files[name] = _store_upload(
                draft.request, name, sent, "variants" if "-" in name else draft.kind
            )
        except PictureError as error:
            errors[name] = [_("The file ${problem}.", mapping={"problem": error.problem})]
        except StorageDownError:
            errors[name] = [NOT_STORED]
            draft.files_to_choose_again[name] = sent.filename
    return errors


def _store_upload(request, name: str, sent: UploadedFile, folder: str) -> SavedPicture:
    # Stored by an earlier attempt at the request
    known = request.environ.setdefault("comicsdb_web.kept_pictures", {})
    if name not in known:
        data, hashed = sent.file.read(), folder in HASHED_FOLDERS
        known[name] = accounts.save_picture_draft(
            request.account_context, request.identity.user_id, folder, data, sent.filename, hashed=hashed
        )
    return known[name]


def store_pictures(draft: Draft, change: Change) -> None:
    """Store the pictures and add their values to the change. Raises InvalidError by input."""
    errors, request = store_uploads(draft), draft.request
    for name, folder, values in change.files:
        if name in errors:
            continue
        secret = draft.files[name].secret
        user_id = request.identity.user_id
        taken = accounts.claim_picture_draft(
            request.dbsession, user_id, secret, hashed=folder in HASHED_FOLDERS
        )
        if taken is None:
            errors[name] = [PICTURE_EXPIRED]
        else:
            values.update(taken)
    if errors:
        raise InvalidError(errors)


def _read(schema: type, fields: list[Field], typed: dict) -> tuple[dict, dict]:
    """Values by the catalog's names, and errors by field."""
    errors, sent, values = {}, {}, {}
    for each in fields:
        value = typed[each.name]
        if each.required and each.is_blank(value):
            errors[each.name] = [REQUIRED]
        elif not each.in_schema:
            values |= each.to_schema(value)
        else:
            sent |= each.to_schema(value)
    try:
        values |= schema(partial=True, form=True).deserialize(sent)
    except colander.Invalid as invalid:
        errors |= {
            name.removesuffix("_currency"): _flat_messages(found)
            for name, found in errors_by_field(invalid).items()
        }
        # Valid values are checked by further rules, so that all errors are reported together.
        sound = {name: value for name, value in sent.items() if name.removesuffix("_currency") not in errors}
        values |= schema(partial=True, form=True).deserialize(sound)
    return values, errors


def _flat_messages(found) -> list[str]:
    """The messages of a field; for lists, those of all elements without duplicates."""
    if isinstance(found, dict):
        return list(dict.fromkeys(text for texts in found.values() for text in _flat_messages(texts)))
    return found


def _read_rows(part: str, rows: list[Row], state: dict, change: Change, errors: dict) -> None:
    """Add the values of a part to the change if they differ; rows that were not sent stay."""
    sent = {row.key for row in rows if row.state}
    present = state.get(part, ())
    kept = [(None, each) for each in present if rows and rows[0].kind.key(each) not in sent]
    wanted, differs, wrong = list(kept) if rows else [], False, {}
    for row in rows:
        if row.removed or row.is_empty:
            differs |= row.removed and row.state is not None
        elif not row.is_changed:
            wanted.append((row, row.state))
        else:
            differs = True
            values, found = _read(row.kind.schema, list(row.kind.typed_fields), row.typed)
            advised = (
                advice.advisory_errors(None, "variant", {}, _changed(row, values))
                if part == "variants"
                else {}
            )
            change.advice |= {row.prefix + name: texts for name, texts in advised.items()}
            wrong |= {row.prefix + name: texts for name, texts in found.items()}
            wanted.append((row, values))
    errors |= wrong
    if differs and not wrong:
        change.values[part] = _ASSEMBLE[part](wanted, change)


def _changed(row: Row, values: dict) -> dict:
    """The values of a row that differ."""
    before = row.state or {}
    return {name: value for name, value in values.items() if value != before.get(name)}


def _credits(wanted: list, _change: Change) -> list[dict]:
    """One credit per creator; the roles of repeated creators are combined."""
    roles: dict[int, list[int]] = {}
    for _row, values in wanted:
        if "creator" in values:
            found = roles.setdefault(values["creator"], [])
            found += [each for each in values.get("roles", ()) if each not in found]
    return [{"creator": creator, "roles": found} for creator, found in roles.items()]


def _variants(wanted: list, change: Change) -> list[dict]:
    """The variants; existing ones have their id and only the values that differ."""
    variants = []
    for row, values in wanted:
        if row is None or not row.is_changed:
            variants.append({"id": values["id"]})
            continue
        variant = dict(values) | ({"id": row.state["id"]} if row.state else {})
        if row.has_file:
            change.files.append((f"{row.prefix}image", "variants", variant))
        variants.append(variant)
    return variants


def _attributions(wanted: list, _change: Change) -> list[dict]:
    found = [(values.get("source"), values.get("url")) for _row, values in wanted]
    return [{"source": source, "url": url} for source, url in dict.fromkeys(found)]


def _external_ids(wanted: list, _change: Change) -> list[dict]:
    return [values for _row, values in wanted]


_ASSEMBLE = {
    "credits": _credits,
    "variants": _variants,
    "attributions": _attributions,
    "external_ids": _external_ids,
}

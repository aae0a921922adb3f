"""Edit conflicts: showing and merging what others changed since a form was loaded."""

from dataclasses import dataclass, replace

from comicsdb_web.forms.drafts import PARTS, Draft, digest, row_name
from comicsdb_web.forms.fields import (
    NEW_PREFIX,
    Checkbox,
    CheckboxGroup,
    Choice,
    Field,
    InputValue,
    ModelSelect,
    Money,
    TranslatedText,
)
from comicsdb_web.forms.rows import ROW_KINDS, Row, canonical, next_index, rows_of
from comicsdb_web.rendering.locales import _


@dataclass
class Difference:
    """A field that somebody else changed: their value and yours, as lines of text.

    `merged`: you had not changed it, so the form has their value now. Otherwise it keeps yours; of rows
    (`mixed`) it has yours where you changed them, and theirs otherwise.
    """

    name: str
    label: str
    theirs: list[str]
    yours: list[str]
    merged: bool
    mixed: bool = False


def edit_conflicts(draft: Draft) -> list[Difference]:
    """What others have changed since the form was loaded, except stamps.

    Changes to fields that the draft's author has not changed are merged into the draft.
    """
    if draft.entity is None or draft.sent_modified == draft.modified:
        return []
    fields = _changed_fields(draft)
    present = {name: rows_of(ROW_KINDS[name], draft.state) for name in draft.rows}
    theirs = {name: rows for name, rows in present.items() if _rows_are_theirs(draft, name, rows)}
    mine = {name: list(draft.rows[name]) for name in theirs}
    _load_labels(draft, fields, mine, theirs)
    found = [_field_difference(draft, field) for field in fields]
    found += [_rows_difference(draft, name, rows) for name, rows in theirs.items()]
    if draft.form.picture and _is_theirs(draft, "image"):
        found.append(_picture_difference(draft))
    return [each for each in found if each is not None]


def _is_theirs(draft: Draft, name: str) -> bool:
    return draft.sent_digests.get(name) != draft.digests[name]


def _rows_are_theirs(draft: Draft, name: str, rows: list[Row]) -> bool:
    """Whether others changed rows of a kind, or their pictures."""
    pictures = (picture for row in rows for picture in row.stored_pictures)
    return _is_theirs(draft, f"rows-{name}") or any(_is_theirs(draft, each) for each in pictures)


def _is_mine(draft: Draft, name: str, value) -> bool:
    return draft.sent_digests.get(name) != digest(value)


def _changed_fields(draft: Draft) -> list[Field]:
    """The fields of the form that others changed."""
    return [
        field
        for field in draft.form.typed_fields
        if _is_theirs(draft, field.name) and field.name not in draft.missing
    ]


def _load_labels(draft: Draft, fields, mine, theirs) -> None:
    """Load the labels of all objects in the differences."""
    further = [(field, field.display_value(draft.state)) for field in fields]
    for rows in (*mine.values(), *theirs.values()):
        further += [(field, row.typed[field.name]) for row in rows for field in row.kind.typed_fields]
    draft.load_labels(further)


def _field_difference(draft: Draft, field: Field) -> Difference | None:
    theirs, yours = field.display_value(draft.state), draft.typed[field.name]
    merged = not _is_mine(draft, field.name, yours)
    if merged:
        draft.typed[field.name] = theirs
    elif theirs == yours:
        return None
    say = draft.request.localizer.translate
    words = [[text] if (text := display_text(draft, field, each)) else [] for each in (theirs, yours)]
    return Difference(field.name, say(field.label), words[0], words[1], merged)


def _rows_difference(draft: Draft, name: str, theirs: list[Row]) -> Difference | None:
    yours = draft.rows[name]
    _recognise_saved_rows(yours, theirs)
    merged = not _is_mine(draft, f"rows-{name}", canonical(yours))
    if not merged and sorted(canonical(yours)) == sorted(canonical(theirs)):  # new rows come last in a form
        draft.rows[name] = theirs
        return None
    part = ROW_KINDS[name].part
    words = [
        [_row_text(draft, row, pictures(draft, row)) for row in rows if not (row.removed or row.is_empty)]
        for rows, pictures in ((theirs, _replaced_pictures), (yours, _chosen_pictures))
    ]
    draft.rows[name] = theirs if merged else _merged_rows(draft, yours, theirs)
    mixed = not merged and canonical(draft.rows[name]) != canonical(yours)
    label = draft.request.localizer.translate(PARTS[part])
    return Difference(name, label, words[0], words[1], merged, mixed)


def _merged_rows(draft: Draft, yours: list[Row], theirs: list[Row]) -> list[Row]:
    """Your rows where you changed them, otherwise theirs; rows that they added come last."""
    present = {row.key: row for row in theirs}
    rows = []
    for row in yours:
        now = present.pop(row.key or row.sent_key, None)
        if _is_row_mine(draft, row):
            rows.append(row)
        elif now is not None:
            rows.append(replace(now, index=row.index))
    index = next_index(yours)
    return rows + [replace(row, index=index + place) for place, row in enumerate(present.values())]


def _is_row_mine(draft: Draft, row: Row) -> bool:
    """Whether you added, changed or removed a row."""
    changed = _is_mine(draft, row_name(row.kind, row.sent_key), sorted(row.typed.items()))
    return changed or row.removed or row.has_file


def _recognise_saved_rows(yours: list[Row], theirs: list[Row]) -> None:
    """Let new rows stand for equal ones that were saved meanwhile, perhaps by the same form sent twice."""
    sent = {row.key for row in yours}
    saved = [row for row in theirs if row.key not in sent]
    for row in yours:
        if row.state is None and not (row.removed or row.has_file):
            same = next((each for each in saved if each.typed == row.typed), None)
            if same is not None:
                saved.remove(same)
                row.state = same.state


def _picture_difference(draft: Draft) -> Difference:
    say = draft.request.localizer.translate
    merged = "image" not in draft.files and not draft.cleared
    theirs = _their_picture(draft, draft.state.get("image"))
    yours = draft.files["image"].filename if "image" in draft.files else say(_("no picture"))
    label = say(draft.form.picture.label)
    return Difference("image", label, [theirs], [] if merged else [yours], merged)


def _their_picture(draft: Draft, key: str | None) -> str:
    """What others put in place of a picture."""
    return draft.request.localizer.translate(_("another picture") if key else _("no picture"))


def _replaced_pictures(draft: Draft, row: Row) -> list[str]:
    """What others put in place of the pictures of a row that they did not add."""
    pictures = row.stored_pictures.items()
    return [
        _their_picture(draft, key)
        for name, key in pictures
        if name in draft.sent_digests and _is_theirs(draft, name)
    ]


def _chosen_pictures(draft: Draft, row: Row) -> list[str]:
    """The names of the pictures that were chosen for a row."""
    names = (row.prefix + each.name for each in row.kind.pictures)
    return [draft.files[name].filename for name in names if name in draft.files]


def display_text(draft: Draft, field: Field, typed: InputValue) -> str:
    """The value of a field as readable text."""
    request = draft.request
    if isinstance(field, ModelSelect):
        items = (draft.item(field, each) for each in typed)
        new = [each.removeprefix(NEW_PREFIX) for each in typed if each.startswith(NEW_PREFIX)]
        return ", ".join(sorted([*(item.text for item in items if item), *new]))
    if isinstance(field, Choice | CheckboxGroup):
        names = dict(field.options(request, typed))
        chosen = (typed,) if isinstance(field, Choice) else typed
        return ", ".join(names.get(each, each) for each in chosen)
    if isinstance(field, Checkbox):
        return request.localizer.translate(_("yes") if typed else _("no"))
    if isinstance(field, Money):
        return " ".join(typed) if typed[0] else ""
    if isinstance(field, TranslatedText):
        return " · ".join(filter(None, typed))
    return typed


def _row_text(draft: Draft, row: Row, pictures: list[str]) -> str:
    words = (display_text(draft, field, row.typed[field.name]) for field in row.kind.typed_fields)
    return " · ".join([*filter(None, words), *pictures])

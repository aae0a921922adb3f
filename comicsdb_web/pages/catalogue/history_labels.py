"""Words of history pages: what fields, actions and the kinds without pages are called."""

from comicsdb.models.record import CHANGED, CREATED, DELETED
from comicsdb_web.forms import catalogue_forms
from comicsdb_web.rendering.locales import _

FORMS = {
    "publisher": catalogue_forms.PUBLISHER_FORM,
    "imprint": catalogue_forms.IMPRINT_FORM,
    "universe": catalogue_forms.UNIVERSE_FORM,
    "creator": catalogue_forms.CREATOR_FORM,
    "team": catalogue_forms.TEAM_FORM,
    "character": catalogue_forms.CHARACTER_FORM,
    "arc": catalogue_forms.ARC_FORM,
    "series": catalogue_forms.SERIES_FORM,
    "issue": catalogue_forms.ISSUE_FORM,
}
# What no form has as a field of its own.
OTHERS = {
    "slug": _("Address"),
    "credits": _("Credits"),
    "variants": _("Variant covers"),
    "attributions": _("Attribution"),
    "currency": _("Currency"),
    "name": _("Name"),
    "image": _("Picture"),
    "image_width": _("Size of the picture"),
    "image_height": _("Size of the picture"),
    "cover_hash": _("Fingerprint of the cover"),
    "sku": "SKU",
    "upc": "UPC",
    "price": _("Price"),
    "notes": _("Notes"),
    "description": _("Description"),
    "short_description": _("Short description"),
    "order": _("Place in the order"),
    "code": _("Code"),
    "is_writer": _("Counts as writing"),
    "is_artist": _("Counts as drawing"),
    "is_featured": _("Makes a featured creator of reading lists"),
    "is_cover": _("Is a cover"),
}
LABELS = {kind: OTHERS | {field.name: field.label for field in form.fields} for kind, form in FORMS.items()}
LABELS |= dict.fromkeys(("genre", "role", "series_type", "age_rating"), OTHERS)

TYPES = {CREATED: _("Created"), CHANGED: _("Updated"), DELETED: _("Deleted")}
ACTIONS = {"create": _("Created"), "update": _("Updated"), "delete": _("Deleted"), "merge": _("Merged")}
# Kinds that are changed and recorded, but have no pages.
REFERENCE = {
    "genre": _("Genre"),
    "role": _("Role"),
    "series_type": _("Series type"),
    "age_rating": _("Age rating"),
}


def field_labels(request, kind: str) -> dict[str, str]:
    """The names of a kind's fields in the reader's language."""
    return {name: request.localizer.translate(label) for name, label in LABELS.get(kind, OTHERS).items()}

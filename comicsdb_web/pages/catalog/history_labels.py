"""Labels of fields and actions on history pages."""

from comicsdb.models.record import CHANGED, CREATED, DELETED
from comicsdb_web.rendering.locales import _

# Labels of fields that a kind's form may not have.
OTHERS = {
    "slug": _("Address"),
    "credits": _("Credits"),
    "variants": _("Variant covers"),
    "attributions": _("Attribution"),
    "external_ids": _("External IDs"),
    "currency": _("Currency"),
    "name": _("Name"),
    "names": _("Name in other languages"),
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
    "order": _("Position"),
    "code": _("Code"),
    "is_writer": _("Counts as writing"),
    "is_artist": _("Counts as drawing"),
    "is_featured": _("Features the credited creator on reading lists"),
    "is_cover": _("Is a cover"),
}

TYPES = {CREATED: _("Created"), CHANGED: _("Updated"), DELETED: _("Deleted")}
ACTIONS = {"create": _("Created"), "update": _("Updated"), "delete": _("Deleted"), "merge": _("Merged")}


def labels_of(request, kind: str) -> dict:
    """The labels of a kind's fields: those of its form, and those of OTHERS."""
    views = request.registry["comicsdb_web.kind_views"].get(kind)
    form = views.form if views else None
    return OTHERS | ({field.name: field.label for field in form.fields} if form else {})


def field_labels(request, kind: str) -> dict[str, str]:
    """The labels of a kind's fields in the reader's language."""
    return {name: request.localizer.translate(label) for name, label in labels_of(request, kind).items()}

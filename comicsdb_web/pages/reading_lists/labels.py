"""The words for what reading lists are, where they come from, and what issues are in them."""

from comicsdb.models.choices import LIST_SOURCE_NAMES, ItemType, ListType
from comicsdb_web.rendering.locales import _

TYPES = {
    ListType.CREATOR: _("Creator"),
    ListType.EVENT: _("Event"),
    ListType.STORY: _("Story"),
    ListType.CHARACTERS: _("Characters"),
    ListType.TEAMS: _("Teams"),
    ListType.MASTER: _("Master"),
}
ITEM_TYPES = {
    ItemType.PROLOGUE: _("Prologue"),
    ItemType.CORE: _("Core Issue"),
    ItemType.TIE_IN: _("Tie-In"),
    ItemType.EPILOGUE: _("Epilogue"),
}
SOURCES = LIST_SOURCE_NAMES  # names, the same in every language


def type_options(request, _value: str) -> list[tuple[str, str]]:
    """The types of lists, for a select."""
    return [(code.value, request.localizer.translate(text)) for code, text in TYPES.items()]


def source_options(request, _value: str) -> list[tuple[str, str]]:
    """No source, and all others, for a select."""
    return [
        ("", request.localizer.translate(_("None"))),
        *((code.value, name) for code, name in SOURCES.items()),
    ]


def item_type_options(request) -> list[tuple[str, str]]:
    """No type, and all others, for a select."""
    none = ("", request.localizer.translate(_("No type")))
    return [none, *((code.value, request.localizer.translate(text)) for code, text in ITEM_TYPES.items())]

"""The timeline of the project, from Markdown files, newest first."""

from comicsdb_web.rendering import markdown

ICON = "issue"
COLOURS = ("red", "cyan", "yellow", "magenta", "good")  # classes of the style sheet


def entries(request) -> list[markdown.Page]:
    """The entries in the language of the page, newest first."""
    found = request.registry["comicsdb_web.timeline"]
    return [markdown.in_language(each, request.locale_name) for each in found]


def page(request):
    """All entries."""
    return {"entries": entries(request), "ICON": ICON}


def includeme(config):
    """Read the files and add the page. Raises TextError for a file that cannot be used."""
    found = markdown.pages("timeline", ("title", "date"), new_tab=True)
    for languages in found.values():
        for each in languages.values():
            if each.metadata.get("icon_color", COLOURS[0]) not in COLOURS:
                raise markdown.TextError(f"{each.name}: icon_color must be one of {', '.join(COLOURS)}.")
    config.registry["comicsdb_web.timeline"] = list(found.values())[::-1]
    config.add_page("timeline", "/timeline/", page, renderer="timeline.jinja2")

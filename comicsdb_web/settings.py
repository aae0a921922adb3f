"""Settings of the site and of its template engine."""

from comicsdb.config import SettingsError

# Required by the templates; they override the ini file.
JINJA = {
    "jinja2.directories": "comicsdb_web:templates",
    "jinja2.extensions": "comicsdb_web.rendering.templating.AbsoluteTemplateNames",
    "jinja2.i18n.domain": "comicsdb_web",
    "jinja2.newstyle": "true",  # escaped, interpolated translations
    "jinja2.undefined": "strict",
    "jinja2.trim_blocks": "true",
    "jinja2.lstrip_blocks": "true",
}


def _origin_of(address: str) -> str:
    return "/".join(address.split("/")[:3])


def includeme(config):
    """Check the settings of the site and set those of the template engine.

    `comicsdb_web.media_origin` is the origin of pictures, if it is neither the site itself nor
    `comicsdb.media.url`.
    """
    settings = config.get_settings()
    if not settings["comicsdb.base_url"]:
        raise SettingsError(
            "The setting comicsdb.base_url is missing: the site's mails link to its public address."
            " Write it in the ini file or set the environment variable COMICSDB_BASE_URL."
        )
    config.add_settings(JINJA)
    pictures = settings["comicsdb_web.media_origin"] or _origin_of(settings["comicsdb.media.url"])
    config.add_settings({"comicsdb_web.media_origin": pictures})

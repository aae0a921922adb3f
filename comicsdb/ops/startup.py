"""What a site says of itself in the log when it starts: processes, what they share, and where mail goes."""

import logging
import multiprocessing
from collections.abc import Mapping

from pyramid.events import ApplicationCreated

log = logging.getLogger(__name__)


def tell(settings: Mapping, processes: int) -> None:
    """Write the one line of a start; `settings` are those of an application, resolved."""
    number = "1 process" if processes == 1 else f"{processes} processes"
    told = f"{_limits(settings)} {_cache(settings)} {_mail(settings)}"
    log.info("comicsdb starts with %s. %s", number, told)


def _limits(settings: Mapping) -> str:
    place = "Redis" if settings["comicsdb.cache.url"] else "PostgreSQL"
    off = "" if settings["comicsdb_api.throttle"] else "; the API has none"
    return f"Limits are counted in {place}, for all processes together{off}."


def _cache(settings: Mapping) -> str:
    if settings["comicsdb.cache.url"]:
        return "The cache is in Redis, for all processes together, and in the memory of each."
    return "The cache is in the memory of each process."


def _mail(settings: Mapping) -> str:
    if folder := settings["comicsdb.mail.folder"]:
        place = f"is not sent but written into {folder}"
    else:
        place = f"goes to the SMTP server {settings['mail.host']}:{settings['mail.port']}"
    by_command = settings["comicsdb.mail.sender"] == "command"
    return f"Mail {place}{', when `comicsdb mail send` is run' if by_command else ''}."


def _created(event) -> None:
    if multiprocessing.parent_process() is None:  # the server of production tells it for all its workers
        tell(event.app.registry.settings, 1)


def includeme(config):
    """Tell it of an application that is a server's only process."""
    config.add_subscriber(_created, ApplicationCreated)

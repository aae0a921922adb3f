"""Command `cache`: empties the response cache."""

import click

from comicsdb.cli.support import Site, pass_site
from comicsdb.readcache.regions import from_settings

IN_MEMORY = "There is no Redis: each server process has a cache of its own, which is empty after a restart."
CLEARED = "Redis holds nothing of ours any more. Restart the servers: each remembers what it has seen."


@click.command("cache")
@click.option("--clear", is_flag=True, required=True, help="Empty the cache.")
@pass_site
def cache_command(site: Site, clear: bool):  # noqa: ARG001  (the only option, which is required)
    """Empty the response cache in Redis."""
    clear_cache(site)


def clear_cache(site: Site) -> None:
    """Empty the cache of a site, and print the result."""
    cache = from_settings(site.settings)
    if not site.settings["comicsdb.cache.url"]:
        click.echo(IN_MEMORY)
        return
    from redis import RedisError  # noqa: PLC0415  (needs the extra `redis`, which from_settings checks)

    try:
        cache.clear()
    except RedisError as error:
        raise click.ClickException(
            f"Redis does not answer: {error}\nThe cache still has its content. Run `comicsdb cache --clear`"
            " when Redis answers, before the servers start."
        ) from error
    click.echo(CLEARED)

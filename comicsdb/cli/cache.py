"""Command `cache`: the contents of the response cache, and its hit rate."""

import click
from sqlalchemy import text

from comicsdb.cli.support import Site, pass_site
from comicsdb.readcache.regions import from_settings

IN_MEMORY = """\
There is no Redis: each server process keeps a cache of its own in memory, {:g} MB at most, and counts for
itself. It is empty after a restart."""
CLEARED = "Redis holds nothing of ours any more. Restart the servers: each remembers what it has seen."


@click.command("cache")
@click.option(
    "--sample", type=click.IntRange(1), default=300, show_default=True, help="Keys measured per category."
)
@click.option(
    "--batch", type=click.IntRange(1), default=1000, show_default=True, help="Keys read in one step."
)
@click.option("--clear", is_flag=True, help="Empty the cache instead.")
@pass_site
def cache_command(site: Site, sample: int, batch: int, clear: bool):
    """Report keys, memory, hits and evictions of the response cache."""
    if clear:
        clear_cache(site)
        return
    from_settings(site.settings)
    url = site.settings["comicsdb.cache.url"]
    if not url:
        click.echo(IN_MEMORY.format(site.settings["comicsdb.cache.memory_mb"]))
        return
    from comicsdb.readcache import usage as cache_usage  # noqa: PLC0415  (needs the extra `redis`, which from_settings checks)

    try:
        usage = cache_usage.measure(url, site.settings["comicsdb.cache.prefix"], sample=sample, batch=batch)
    except cache_usage.RedisError as error:
        raise click.ClickException(f"Redis does not answer: {error}") from error
    click.echo(f"Redis at {cache_usage.public_url(url)}\n")
    _print_categories(usage, counters=_counters(site))
    _print_use(usage)


def clear_cache(site: Site) -> None:
    """Empty the cache of a site, and print the result."""
    cache = from_settings(site.settings)
    if not site.settings["comicsdb.cache.url"]:
        click.echo(IN_MEMORY.format(site.settings["comicsdb.cache.memory_mb"]))
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


def _counters(site: Site) -> int:
    with site.session() as session:
        return session.scalar(text("SELECT count(*) FROM version"))


def _print_categories(usage, counters: int) -> None:
    rows = [(name, category.keys, category.memory) for name, category in usage.categories.items()]
    rows.append(("total", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    click.echo(f"{'category':<24}{'keys':>12}{'memory':>12}")
    for name, keys, memory in rows:
        click.echo(f"{name:<24}{keys:>12,}{_size(memory):>12}")
    click.echo(f"{'counters':<24}{counters:>12,}{'PostgreSQL':>12}\n")


def _print_use(usage) -> None:
    asked = usage.hits + usage.misses
    rate = f"{usage.hits / asked:.1%}" if asked else "none yet"
    server = usage.server
    limit = _size(server["maxmemory"]) if server["maxmemory"] else "no limit"
    click.echo(
        f"hit rate   {rate} ({usage.hits:,} hits, {usage.misses:,} misses)\n"
        f"evicted    {server['evicted_keys']:,}\n"
        f"expired    {server['expired_keys']:,}\n"
        f"memory     {_size(server['used_memory'])} of {limit}, {server['maxmemory_policy']}"
    )


def _size(size: float) -> str:
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:,.0f} {unit}" if unit == "B" else f"{size:,.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} GB"

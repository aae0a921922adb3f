"""Command `settings`: the settings of a site, and where they come from."""

import click

from comicsdb.cli.support import Site, pass_site
from comicsdb.config.reference import reference_page, setting_rows


@click.command("settings")
@click.option("--reference", is_flag=True, help="Write docs/settings.md instead: every setting there is.")
@pass_site
def settings_command(site: Site, reference: bool):
    """Show each setting, its value and where it comes from; exit code 1 if one is missing or invalid."""
    if reference:
        click.echo(reference_page(), nl=False)
        return
    for key, text, origin in setting_rows(site.raw_settings):
        click.echo(f"{key:<38} {origin:<12} {text}".rstrip())

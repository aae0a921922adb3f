"""Command `mail send`: sends the mails in the outbox."""

import click

from comicsdb.cli.support import Site, pass_site
from comicsdb.mail.delivery import clean, mailer_from_settings, send_due


@click.group("mail")
def mail_group():
    """Send queued mails."""


@mail_group.command("send")
@click.option(
    "--clean", "cleaning", is_flag=True, help="Also remove e-mails finished 30 days ago or earlier."
)
@pass_site
def send_command(site: Site, cleaning: bool):
    """Send the mails that are due; exit code 1 if one failed. Several may run at the same time."""
    with site.database() as engine:
        counted = send_due(engine, mailer_from_settings(site.settings))
        if cleaning:
            with engine.begin() as connection:
                click.echo(f"{clean(connection):,} old mails removed.")
    again, never = counted["failed"], counted["given up"]
    click.echo(f"{counted['sent']:,} sent, {again:,} to be retried, {never:,} abandoned.")
    if again or never:
        raise click.ClickException("Not everything was sent; column `error` of table outgoing_mail says why.")

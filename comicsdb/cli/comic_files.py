"""Command `import-comicinfo`: new issues from the tags in comic files, for review."""

import csv
import os
from collections import Counter
from pathlib import Path

import click
from sqlalchemy import func, select

from comicsdb.cli.support import Site, pass_site
from comicsdb.exchange.comic_files import KNOWN, WAITING, import_files
from comicsdb.log_lines import escaped
from comicsdb.models import User


@click.command("import-comicinfo")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--account", required=True, metavar="NAME", help="The account that reviews them.")
@click.option("--report", type=click.Path(path_type=Path), help="A CSV file with the outcome for each file.")
@pass_site
def import_comicinfo_command(site: Site, folder: Path, account: str, report: Path | None):
    """Read ComicInfo and MetronInfo in the CBZ files below FOLDER.

    Issues that are certainly in the catalog are counted. All others, new ones and those with several
    possible matches, are stored for the account, whose page "Comic files" lists them. It can be run again at
    any time: stored ones are updated, and dismissed ones stay dismissed.
    """
    with site.session() as session:
        named = func.lower(User.username) == account.lower()
        user_id = session.scalar(select(User.id).where(named, User.is_active))
        if user_id is None:
            raise click.ClickException(f"There is no active account with the name {account}.")
        numbers = Counter()
        # Opened before the work, so that a wrong name is told at once.
        with (report or Path(os.devnull)).open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(("file", "outcome", "detail"))
            for outcome in import_files(session, user_id, folder):
                numbers[outcome.status] += 1
                rows.writerow((outcome.file, outcome.status, outcome.detail))
                if outcome.status != KNOWN:
                    line = ": ".join(filter(None, (outcome.status, outcome.file, outcome.detail)))
                    click.echo(escaped(line))
    click.echo(", ".join(f"{number} {what}" for what, number in sorted(numbers.items())) or "No comic files.")
    if numbers[WAITING]:
        click.echo("The account has no room for more. Review some of its comic files, then run this again.")

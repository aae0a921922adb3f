"""Command `import-gcd`: import the data of the Grand Comics Database."""

import tempfile
from pathlib import Path

import click

from comicsdb import clock
from comicsdb.cli.exchange import progress_bar
from comicsdb.cli.support import Site, pass_site
from comicsdb.exchange.gcd.dump import DumpError
from comicsdb.exchange.gcd.importing import AnotherImportError, import_dump
from comicsdb.exchange.gcd.plan import ChoiceError, Choices, read_years
from comicsdb.log_lines import escaped


@click.command("import-gcd")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--language", multiple=True, metavar="CODE", help="Only series in this language, such as it.")
@click.option("--country", multiple=True, metavar="CODE", help="Only series of this country, such as us.")
@click.option(
    "--publisher", multiple=True, metavar="NAME", help="Only series of this publisher: its name or GCD ID."
)
@click.option("--years", default="", help="Only series that ran in these years, such as 1961-1970 or 2000-.")
@click.option("--non-comics", is_flag=True, help="Also series that are mostly not comics.")
@click.option("--synopses", is_flag=True, help="Also the synopses of stories, as descriptions of issues.")
@click.option("--dry-run", is_flag=True, help="Store nothing, only write the report.")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    help="The report, by default FILE with .report.csv appended.",
)
@click.option(
    "--working",
    type=click.Path(path_type=Path),
    default=Path(tempfile.gettempdir()),
    show_default=True,
    help="The folder to unpack a zip file or MySQL dump to: up to 8 GB.",
)
@click.option("--quiet", is_flag=True, help="Print nothing unless something is wrong.")
@pass_site
def import_gcd_command(site: Site, file: Path, dry_run: bool, working: Path, quiet: bool, **chosen):
    """Import FILE, a dump of the Grand Comics Database: its zip file, or the SQLite or MySQL file inside.

    An import that was stopped continues when the command is run again. A newer dump updates what nobody has
    edited since.
    """
    report = chosen["report"] or file.with_name(f"{file.name}.report.csv")
    try:
        choices = Choices(
            languages=frozenset(map(str.lower, chosen["language"])),
            countries=frozenset(map(str.lower, chosen["country"])),
            publishers=frozenset(map(str.casefold, chosen["publisher"])),
            years=read_years(chosen["years"]) if chosen["years"] else (None, None),
            non_comics=chosen["non_comics"],
            synopses=chosen["synopses"],
        )
        with site.session() as session, progress_bar(quiet) as progress:
            outcome = import_dump(
                session,
                file,
                choices,
                working=working,
                report=report,
                dry_run=dry_run,
                today=clock.business_day(site.settings["comicsdb.timezone"]),
                progress=progress,
            )
    except (DumpError, ChoiceError, AnotherImportError) as error:
        raise click.ClickException(str(error)) from error
    if not quiet:
        click.echo("\n".join(map(escaped, outcome.lines())))

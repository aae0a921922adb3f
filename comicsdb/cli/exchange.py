"""Commands `import` and `export` of data sets."""

import sys
import time
from contextlib import contextmanager
from pathlib import Path

import click

from comicsdb import clock
from comicsdb.cli.support import Site, pass_site
from comicsdb.exchange.exporting import export_set
from comicsdb.exchange.importing import import_set
from comicsdb.exchange.run import SilentProgress
from comicsdb.log_lines import escaped

LINE_SECONDS = 60


class ProgressBar(SilentProgress):
    """Progress on a terminal: a bar while files are read, then a line for each step."""

    def __init__(self):
        self._bar = None

    def start(self, size: int) -> None:
        """Show the bar."""
        self._bar = click.progressbar(length=size, label="reading", file=sys.stderr)
        self._bar.__enter__()

    def read(self, size: int) -> None:
        """Move the bar."""
        self._bar.update(size)

    def step(self, words: str) -> None:
        """Print the name of the current step."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
        click.echo(f"\r\033[K{words} ...", err=True, nl=False)

    def end(self) -> None:
        """Close the bar and clear the line."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
        click.echo("\r\033[K", err=True, nl=False)


class ProgressLines(SilentProgress):
    """Progress without a terminal, as in a log: at most one line a minute."""

    def __init__(self):
        self._size = self._done = 0
        self._next = time.monotonic() + LINE_SECONDS

    def start(self, size: int) -> None:
        """Remember the total."""
        self._size = size

    def read(self, size: int) -> None:
        """Print how much has been read, if the last line is a minute old."""
        self._done += size
        self._print(f"{self._done / (self._size or 1):.0%} read")

    def step(self, words: str) -> None:
        """Print the step, if the last line is a minute old."""
        self._print(f"{words} ...")

    def _print(self, words: str) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            click.echo(words, err=True)


@contextmanager
def progress_bar(quiet: bool = False):
    """A progress bar on a terminal, otherwise a line a minute."""
    if quiet or not sys.stderr.isatty():
        yield SilentProgress() if quiet else ProgressLines()
        return
    bar = ProgressBar()
    try:
        yield bar
    finally:
        bar.end()


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--accounts", is_flag=True, help="Also import users, their ratings and libraries.")
@click.option("--quiet", is_flag=True, help="Print nothing unless something is wrong.")
@pass_site
def import_command(site: Site, folder: Path, accounts: bool, quiet: bool):
    """Import the data set in FOLDER: all of it, or nothing if it has any errors."""
    passwords = site.passwords if accounts else None
    with site.session() as session, progress_bar(quiet) as progress:
        today = clock.business_day(site.settings["comicsdb.timezone"])
        report = import_set(session, folder, site.storage, passwords, progress=progress, today=today)
    if not quiet:
        click.echo("\n".join(map(escaped, report.lines())))


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--accounts", is_flag=True, help="Also write users (without passwords), their ratings and libraries."
)
@click.option("--quiet", is_flag=True, help="Print nothing unless something is wrong.")
@pass_site
def export_command(site: Site, folder: Path, accounts: bool, quiet: bool):
    """Write the catalog as a data set into FOLDER, which must be empty or not exist yet."""
    with site.session() as session:
        result = export_set(session, folder, site.storage, accounts=accounts)
    if not quiet:
        click.echo("\n".join(map(escaped, result.lines())))

"""Command `demo`: write the demo catalogue as a data set."""

import sys
from pathlib import Path

import click


def write_demo(folder: Path) -> None:
    """Write the demo catalogue, with progress where somebody looks."""
    from comicsdb import demo  # noqa: PLC0415  (drawing brings modules that no other command needs)

    def progress(done: int, total: int) -> None:
        click.echo(f"\rdrawing picture {done:,} of {total:,}", err=True, nl=done == total)

    demo.write(folder, progress if sys.stderr.isatty() else None)


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def demo_command(folder: Path):
    """Write the demo catalogue, pictures included, into FOLDER; `import` reads it."""
    write_demo(folder)
    click.echo(f"The demo catalogue is in {folder}.")

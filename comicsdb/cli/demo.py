"""The demo catalogue, where its distribution is installed, and the command `demo`, which copies it."""

import shutil
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import click

GROUP = "comicsdb.demo"


def installed_demo() -> ModuleType:
    """The module of the demo: `DATA`, the folder of its data set, and `add_community(session, now)`.

    Raises ClickException where it is not installed.
    """
    for found in entry_points(group=GROUP):
        return found.load()
    raise click.ClickException(
        "The demo catalogue is not installed: install comicsdb-demo, or name a data set with --data."
    )


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def demo_command(folder: Path):
    """Copy the demo catalogue, pictures included, into FOLDER; `import --accounts` reads it."""
    shutil.copytree(installed_demo().DATA, folder, dirs_exist_ok=True)
    click.echo(f"The demo catalogue is in {folder}.")

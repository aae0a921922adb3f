"""What deploy/ and examples/ name are commands, settings and files that exist, and the example starts."""

import re
import shlex
from configparser import ConfigParser
from pathlib import Path

import click
import pytest
import yaml

from comicsdb.scripts import main
from comicsdb.server import read_options
from comicsdb.settings import SETTINGS
from tests.serving import add_account, fetch, fetch_json, free_port, serving

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
VARIABLES = {setting.variable for setting in SETTINGS} | {"COMICSDB_INI", "COMICSDB_PG_BIN"}
OTHERS = {"COMICSDB_NODES", "COMICSDB_SITE"}  # of the Caddyfile alone
INSTALLED = "/opt/comicsdb/"  # where the examples have the checkout
TEXTS = sorted(
    path for folder in (DEPLOY, ROOT / "examples") for path in folder.rglob("*") if path.is_file()
) + sorted((ROOT / "docs").glob("*.md"))
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def check_command(words: list[str]) -> None:
    """Fail unless a command line of `comicsdb` would be understood, options and arguments included."""
    context = main.make_context(
        "comicsdb", ["-c", str(ROOT / "production.ini"), *words], resilient_parsing=True
    )
    command, rest = main, words
    while isinstance(command, click.Group):
        name, command, rest = command.resolve_command(context, rest)
        context = click.Context(command, info_name=name, parent=context)
    if not {"-h", "--help"} & set(rest):
        command.make_parser(context).parse_args(list(rest))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_variable_and_setting_exists(path):
    text = path.read_text("utf-8")
    named = set(re.findall(r"\bCOMICSDB_[A-Z0-9_]*[A-Z0-9]\b", text)) - OTHERS
    assert named <= VARIABLES
    keys = re.findall(r"^((?:comicsdb|comicsdb_api|comicsdb_web)\.[a-z_.0-9]+) *=", text, re.MULTILINE)
    assert set(keys) <= {setting.key for setting in SETTINGS}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_run_commands_that_exist(path):
    commands = re.findall(r"^ExecStart=(.*)$", path.read_text(), re.MULTILINE)
    assert commands
    for command in commands:
        program, *words = shlex.split(command)
        if program.endswith("/comicsdb"):
            assert words[:2] == ["-c", f"{INSTALLED}production.ini"]
            check_command(words[2:])
        else:
            assert (program, words) == (f"{INSTALLED}.venv/bin/pserve", ["-q", f"{INSTALLED}production.ini"])
    for setting in re.findall(r"^EnvironmentFile=(.*)$", path.read_text(), re.MULTILINE):
        assert (DEPLOY / Path(setting).name).is_file()


def test_timers_are_those_of_units():
    timers = {path.stem for path in (DEPLOY / "systemd").glob("*.timer")}
    assert timers == {path.stem for path in UNITS} - {"comicsdb"}
    for name in timers:
        timer = (DEPLOY / "systemd" / f"{name}.timer").read_text()
        assert "Persistent=true" in timer  # what was missed is caught up


def test_every_job_of_the_document_is_done_by_a_unit():
    document = (ROOT / "docs" / "deploy.md").read_text("utf-8").partition("## Jobs")[2].partition("\n## ")[0]
    jobs = set(re.findall(r"^\| `comicsdb ([a-z -]+?)(?: FOLDER.*?)?` \|", document, re.MULTILINE))
    units = " ".join(path.read_text() for path in UNITS)
    assert len(jobs) >= 7
    for job in jobs - {"account remind-basic"}:  # for a time only
        assert f"production.ini {job}" in units


def test_the_compose_file_names_what_there_is():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services, volumes = compose["services"], compose["volumes"]
    assert {"database", "cache", "migrate", "web", "jobs", "proxy"} == set(services)
    assert (
        DEPLOY / compose["x-site"]["build"]["context"] / compose["x-site"]["build"]["dockerfile"]
    ).is_file()
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in volumes or (DEPLOY / source).is_file()
        command = service.get("command", [])
        if command[:1] == ["comicsdb"]:
            check_command(command[1:])
    for words in re.findall(
        r"\bcomicsdb ([a-z][^;\n]*?) *(?:;|$)", services["jobs"]["command"][-1], re.MULTILINE
    ):
        check_command(shlex.split(words))


def test_the_container_file_copies_what_there_is():
    text = (DEPLOY / "Containerfile").read_text()
    copied = [
        words
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE)
        for words in line.split()[:-1]
    ]
    assert copied
    assert all((ROOT / each).exists() for each in copied)
    parts = re.findall(r"'?\./(comicsdb\w*)", text)
    assert set(parts) == {"comicsdb", "comicsdb_api", "comicsdb_web"} <= set(copied)


@pytest.mark.parametrize("name", ["production.ini", "deploy/container.ini", "examples/api-only.ini"])
def test_ini_files_know_the_server_and_let_every_part_speak(name):
    ini = ConfigParser(interpolation=None)
    ini.read(ROOT / name, "utf-8")
    parts = {"comicsdb", "comicsdb_api", *ini["app:main"]["pyramid.includes"].split()}
    named = {each.strip() for each in ini["loggers"]["keys"].split(",")}
    assert parts <= named
    assert {(ini[f"logger_{part}"]["qualname"], ini[f"logger_{part}"]["level"]) for part in parts} == {
        (part, "INFO") for part in parts
    }
    options = dict(ini["server:main"])
    assert options.pop("use") == "egg:comicsdb#granian"
    read_options(options)


def test_a_host_of_the_api_alone_starts_and_serves(database, tmp_path):
    port, basic = free_port(), add_account(database)
    ini = tmp_path / "api-only.ini"
    text = (ROOT / "examples" / "api-only.ini").read_text("utf-8")
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{port}\nworkers = 1")
    ini.write_text(text, "utf-8")
    given = {"COMICSDB_DATABASE_URL": database, "COMICSDB_SECRET": "for tests", "PYTHONWARNINGS": "ignore"}
    with serving(ini, port, **given, COMICSDB_MEDIA_FOLDER=str(tmp_path / "media")):
        base = f"http://127.0.0.1:{port}"
        assert fetch_json(f"{base}/api/publisher/", Authorization=basic)[0] == 200
        assert fetch(f"{base}/publisher/")[0] == 404  # no page of the site

"""Commands, settings and files named in deploy/, examples/ and docs/ exist, and the example starts."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from configparser import ConfigParser
from pathlib import Path

import click
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from comicsdb.cli import main
from comicsdb.config import SETTINGS
from comicsdb.config.types import hsts
from comicsdb.ops.server import read_options
from tests.serving import (
    SECRET,
    add_account,
    clean_environment,
    connected,
    fetch,
    fetch_json,
    free_port,
    serving,
)

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
VARIABLES = {setting.variable for setting in SETTINGS} | {"COMICSDB_INI", "COMICSDB_PG_BIN"}
OTHERS = {"COMICSDB_NODES", "COMICSDB_SITE", "COMICSDB_MIRROR_TOKEN"}  # of the Caddyfile, and of an option
INSTALLED = "/opt/comicsdb/"  # path of the checkout in the examples
TEXTS = sorted(
    path for folder in (DEPLOY, ROOT / "examples") for path in folder.rglob("*") if path.is_file()
) + sorted((ROOT / "docs").glob("*.md"))
DOCUMENTS = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "SECURITY.md"]
MADE = ("deploy/.env", "deploy/site.env")  # created by the deployer; /fr/ is an example of a translation
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))


def check_command(words: list[str]) -> None:
    """Fail unless `comicsdb` accepts a command line, including its options and arguments."""
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


def command_of(unit: Path) -> list[str]:
    """The words of the single command that a unit runs: after one that fails, systemd would run no other."""
    (command,) = re.findall(r"^ExecStart=((?:.*\\\n)*.*)$", unit.read_text(), re.MULTILINE)
    return shlex.split(command.replace("\\\n", " ").replace("$$", "$"))


def jobs_of(unit: Path) -> list[str]:
    """The jobs that a unit runs one after the other."""
    return re.findall(r"\brun ([a-z -]+);", unit.read_text())


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_run_commands_that_exist(path):
    program, *words = command_of(path)
    if program == "/bin/sh":
        assert f'{INSTALLED}.venv/bin/comicsdb -c {INSTALLED}production.ini "$@"' in words[1]
        assert jobs_of(path)
        for job in jobs_of(path):
            check_command(job.split())
    elif words[0] == "mirror":
        assert program == "/opt/comicsdb-mirror/bin/comicsdb"
        check_command(words)
    elif program.endswith("/comicsdb"):
        assert words[:2] == ["-c", f"{INSTALLED}production.ini"]
        check_command(words[2:])
    else:
        assert (program, words) == (f"{INSTALLED}.venv/bin/pserve", ["-q", f"{INSTALLED}production.ini"])
    for setting in re.findall(r"^EnvironmentFile=(.*)$", path.read_text(), re.MULTILINE):
        assert (DEPLOY / Path(setting).name).is_file()


def add_offender(url: str) -> None:
    """Create an account that had two notices, is still throttled, and uses HTTP Basic."""
    add_account(url)
    with connected(url) as connection:
        for statement in (
            "UPDATE user_account SET email_confirmed = true, basic_used = now() WHERE username = 'ann'",
            "INSERT INTO daily_count (day, counter, identity, count)"
            " VALUES (timezone('UTC', now()), 'throttled:burst', 'user:ann', 100)",
            "INSERT INTO throttle_notice (user_id, days_throttled, total_count, worst_day_count, sent_at)"
            " SELECT id, 1, 100, 100, now() - weeks * interval '1 week'"
            " FROM user_account, unnest(ARRAY[2, 4]) AS weeks WHERE username = 'ann'",
        ):
            connection.exec_driver_sql(statement)


def run_daily_jobs(shell: list[str], url: str, folder: Path, **more: str):
    """Run the daily jobs in phase 1 of the end of HTTP Basic; returns the process and the kinds of mails."""
    environment = clean_environment(
        COMICSDB_DATABASE_URL=url,
        COMICSDB_SECRET=SECRET,
        COMICSDB_BASE_URL="https://comics.example.org",
        COMICSDB_BASIC_PHASE="1",
        COMICSDB_BASIC_DEPRECATED="2026-11-01",
        COMICSDB_MEDIA_FOLDER=str(folder / "media"),
        COMICSDB_DUMPS_FOLDER=str(folder / "dumps"),
        **more,
    )
    done = subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)
    with connected(url) as connection:
        return done, list(connection.exec_driver_sql("SELECT kind FROM outgoing_mail ORDER BY id").scalars())


def test_a_job_that_fails_keeps_no_other_from_running(database, tmp_path):
    add_offender(database)
    shell = command_of(DEPLOY / "systemd" / "comicsdb-daily.service")
    programs = str(Path(sys.executable).parent)
    shell[2] = shell[2].replace(f"{INSTALLED}.venv/bin", programs).replace(INSTALLED, f"{ROOT}/")
    (tmp_path / "media").touch()  # not a folder, so it cannot be swept
    done, mails = run_daily_jobs(shell, database, tmp_path)
    assert "Not a directory" in done.stderr
    assert "Warned ann <ann@example.org>: 1 day throttled, 100 in total" in done.stdout
    assert "2 prior notices" in done.stdout
    assert "ann\n1 are reminded." in done.stdout
    assert mails == ["throttle_warning", "basic_reminder"]
    assert "The newest dump in " in done.stderr
    assert done.returncode == 1


def test_the_daily_jobs_of_the_containers_send_mails_and_enforce_if_that_is_set(database, tmp_path):
    add_offender(database)
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    (jobs,) = re.findall(r"^ *03:30\) (.*) & ;;$", services["jobs"]["command"][-1], re.MULTILINE)
    done, mails = run_daily_jobs(
        ["sh", "-c", jobs],
        database,
        tmp_path,
        PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin",
        COMICSDB_INI=str(DEPLOY / "container.ini"),
        COMICSDB_NOTICES_ENFORCE="true",
    )
    assert "Disabled ann <ann@example.org>: 1 day throttled, 100 in total" in done.stdout
    assert mails == ["throttle_restriction"]  # a disabled account needs no reminder


CONFINED = {
    "AmbientCapabilities": "",
    "CapabilityBoundingSet": "",
    "LimitCORE": "0",
    "LockPersonality": "true",
    "MemoryDenyWriteExecute": "true",
    "NoNewPrivileges": "true",
    "PrivateDevices": "true",
    "PrivateMounts": "true",
    "PrivateTmp": "true",
    "PrivateUsers": "true",
    "ProcSubset": "pid",
    "ProtectClock": "true",
    "ProtectControlGroups": "true",
    "ProtectHome": "true",
    "ProtectHostname": "true",
    "ProtectKernelLogs": "true",
    "ProtectKernelModules": "true",
    "ProtectKernelTunables": "true",
    "ProtectProc": "invisible",
    "ProtectSystem": "strict",
    "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
    "RestrictNamespaces": "true",
    "RestrictRealtime": "true",
    "RestrictSUIDSGID": "true",
    "StateDirectoryMode": "0750",
    "SystemCallArchitectures": "native",
    "SystemCallFilter": "@system-service ~@privileged @resources @obsolete",
    "User": "comicsdb",
}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_are_confined(path):
    given = {}
    for key, value in re.findall(r"^([A-Za-z]+)=(.*)$", path.read_text(), re.MULTILINE):
        given[key] = f"{given[key]} {value}" if key in given else value
    assert {key: given.get(key) for key in CONFINED} == CONFINED  # systemd's own verdict: fault_units.py
    assert given["UMask"] in ("0027", "0077")
    assert "ReadWritePaths" not in given
    assert "RemoveIPC" not in given


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_files_that_exist(path):
    text = path.read_text("utf-8")
    named = re.findall(r"`((?:tests|comicsdb|comicsdb_api|comicsdb_web|deploy|bench)/[^`\s]*)`", text)
    missing = [name for name in named if not (any(ROOT.glob(name)) or name in MADE or "/fr/" in name)]
    assert missing == []


def test_timers_are_those_of_units():
    timers = {path.stem for path in (DEPLOY / "systemd").glob("*.timer")}
    assert timers == {path.stem for path in UNITS} - {"comicsdb", "comicsdb-mirror"}
    for name in timers:
        timer = (DEPLOY / "systemd" / f"{name}.timer").read_text()
        assert "Persistent=true" in timer  # makes up for missed runs


def test_every_job_of_the_document_is_done_by_a_unit():
    document = (ROOT / "docs" / "deploy.md").read_text("utf-8").partition("## Jobs")[2].partition("\n## ")[0]
    jobs = set(re.findall(r"^\| `comicsdb ([a-z -]+?)(?: FOLDER.*?)?` \|", document, re.MULTILINE))
    units = " ".join(path.read_text() for path in UNITS)
    assert len(jobs) >= 7
    for job in jobs:
        assert f"production.ini {job}" in units or f"run {job};" in units


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
    shell = services["jobs"]["command"][-1]
    for words in re.findall(r"\bcomicsdb ([a-z][^;&)\n]*?) *(?:[;&)]|$)", shell, re.MULTILINE):
        check_command(shlex.split(words))
    # In the background: a job that takes longer than its minute holds up neither mails nor other jobs.
    jobs = re.findall(r"^ *[0-9:*]+\) (.*)$", shell, re.MULTILINE)
    assert len(jobs) == 4
    assert all(job.endswith(" & ;;") for job in jobs)
    assert "while true; do comicsdb mail send; sleep 60; done &\n" in shell


def test_every_container_is_closed():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    more = {
        "database": {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"},
        "proxy": {"NET_BIND_SERVICE"},
    }
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["cap_drop"] == ["ALL"], name
        assert set(service.get("cap_add", ())) == more.get(name, set()), name
        assert "privileged" not in service, name
        assert service["tmpfs"], name
        assert "healthcheck" in service or service["restart"] == "no", name
    published = {name for name, service in compose["services"].items() if "ports" in service}
    assert published == {"proxy"}
    assert compose["networks"]["inside"]["internal"] is True
    for name in ("database", "cache"):
        assert compose["services"][name]["networks"] == ["inside"]
    assert "requirepass $$REDISCLI_AUTH" in compose["services"]["cache"]["command"][-1]
    password = "${REDIS_PASSWORD:?"
    assert compose["services"]["cache"]["environment"]["REDISCLI_AUTH"].startswith(password)
    assert compose["x-site"]["environment"]["COMICSDB_CACHE_URL"].startswith(f"redis://:{password}")


def test_the_image_has_the_folders_of_its_volumes():
    """A new volume gets the owner of the folder where it is mounted; without one, root owns it."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    folders = {each.partition(":")[2] for each in compose["x-site"]["volumes"]}
    made = re.search(r"install -d -o comicsdb (.*)$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    assert folders == set(made[1].split())


def test_event_streams_are_not_buffered():
    caddy = (DEPLOY / "Caddyfile").read_text()
    stream, others = re.findall(r"\n\thandle(?: @stream)? \{\n(.*?)\n\t\}", caddy, re.DOTALL)[-2:]
    assert "reverse_proxy" in stream
    assert not {"response_buffers", "encode"} & set(stream.split())
    assert {"response_buffers", "encode"} <= set(others.split())


def test_images_are_taken_by_their_digest_alone():
    pinned = dict(re.findall(r"^pin ([A-Z]+_DIGEST) (\S+):\S+$", (DEPLOY / "pin-images").read_text(), re.M))
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    images = {service["image"] for service in compose["services"].values()} - {"localhost/comicsdb"}
    stages = re.findall(r"^FROM (\S+)", (DEPLOY / "Containerfile").read_text(), re.M)
    named = [re.fullmatch(r"(\S+)@\$\{([A-Z_]+)(?::\?[^}]*)?\}", each) for each in (*images, *stages)]
    assert all(named)
    assert {each[2]: each[1] for each in named} == pinned
    assert compose["x-site"]["build"]["args"]["PYTHON_DIGEST"].startswith("${PYTHON_DIGEST:?")


def locked() -> dict[str, str]:
    """The versions that the container installs, by name; fails if one has no hash."""
    text = (DEPLOY / "requirements.txt").read_text()
    found = {}
    for entry in re.split(r"\n(?=\S)", text.partition("make lock\n")[2].strip()):
        first, *hashes = entry.split("\\\n")
        assert hashes, entry
        assert all(re.fullmatch(r" {4}--hash=sha256:[0-9a-f]{64} ?", each) for each in hashes), entry
        name, version = first.partition(";")[0].strip().split("==")
        found[canonicalize_name(name)] = version
    return found


def test_the_lock_names_the_versions_that_were_tried_together_and_all_that_is_needed():
    constraints = [Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines()]
    tried = {canonicalize_name(each.name): each.specifier for each in constraints}
    lock = locked()
    wrong = {name: version for name, version in lock.items() if version not in tried[name]}
    assert wrong == {}, "run: make lock"
    needed = set()
    for part in ("comicsdb", "comicsdb_api", "comicsdb_web"):
        project = tomllib.loads((ROOT / part / "pyproject.toml").read_text("utf-8"))["project"]
        extras = project.get("optional-dependencies", {})
        needed |= {*project["dependencies"], *extras.get("metrics", ()), *extras.get("redis", ())}
        needed |= set(extras.get("s3", ()))
    names = {canonicalize_name(Requirement(each).name) for each in needed}
    assert names - {"comicsdb"} <= set(lock), "run: make lock"
    container = (DEPLOY / "Containerfile").read_text()
    assert "pip install --no-cache-dir --require-hashes -r requirements.txt" in container
    assert "pip install --no-cache-dir --no-index --no-deps --no-build-isolation" in container


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


def test_a_shell_reads_the_environment_file_as_systemd_and_containers_do():
    path = DEPLOY / "comicsdb.env"
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    done = subprocess.run(
        ["/bin/sh", "-c", f"set -a; . {shlex.quote(str(path))}; env"],
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert set(lines) <= set(done.stdout.splitlines())
    assert not [line for line in lines if {"'", '"', "\\"} & set(line)]


def test_make_in_a_folder_that_cannot_be_written_says_so():
    done = subprocess.run(
        ["make", "-f", "-", "serve", "VENV=none"],
        input=(ROOT / "Makefile").read_text(),
        cwd="/",
        user="nobody" if os.geteuid() == 0 else None,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "This folder (/) cannot be written" in done.stderr


def test_the_proxies_send_strict_transport_security_in_one_form():
    value = "max-age=31536000; includeSubDomains"
    assert hsts(value) == value
    for name in ("nginx.conf", "Caddyfile"):
        text = (DEPLOY / name).read_text()
        sent = re.findall(r"Strict-Transport-Security \"(.*)\"", text)
        assert len(sent) == {"nginx.conf": 3, "Caddyfile": 2}[name], name
        assert set(sent) == {value}, name
    nginx = (DEPLOY / "nginx.conf").read_text()
    for location in re.findall(r"location [^{]*\{(.*?)\n    \}", nginx, re.DOTALL):
        # Locations of nginx inherit headers only if they add none of their own.
        assert ("add_header" in location) is ("Strict-Transport-Security" in location)


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
    given = {"COMICSDB_DATABASE_URL": database, "COMICSDB_SECRET": SECRET, "PYTHONWARNINGS": "ignore"}
    with serving(ini, port, **given, COMICSDB_MEDIA_FOLDER=str(tmp_path / "media")):
        base = f"http://127.0.0.1:{port}"
        assert fetch_json(f"{base}/api/publisher/", Authorization=basic)[0] == 200
        assert fetch(f"{base}/publisher/")[0] == 404  # no page of the site

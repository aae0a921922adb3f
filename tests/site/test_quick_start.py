"""The quick start of docs/deploy.md, run as written, but for what needs systemd or changes the machine."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from sqlalchemy import make_url, text

from comicsdb.db.dev_cluster.programs import find_binaries
from tests.installed import link_libraries, needed
from tests.serving import clean_environment, connected, fetch, free_port, serving

ROOT = Path(__file__).parent.parent.parent
# Lines that begin like this change the machine.
FOR_THE_MACHINE = ("apt-get ", "useradd ", "cp deploy/systemd/", "systemctl ", "certbot ", "usermod ")
COPIED = "alembic comicsdb comicsdb_api comicsdb_web deploy production.ini".split()
LINES_MAX = 40
ROLE = "quick_start"  # the cluster of these tests already has one named comicsdb


def quick_starts() -> dict[str, str]:
    """The sections of the document whose titles begin with "Quick start"."""
    document = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    return dict(re.findall(r"^## (Quick start: .*)\n((?:.*\n)*?)(?=## )", document, re.MULTILINE))


def commands(section: str) -> list[str]:
    """The indented lines of a section."""
    return re.findall(r"^    (.*)$", section, re.MULTILINE)


def test_quick_starts_are_short():
    lengths = {title: section.count("\n") for title, section in quick_starts().items()}
    assert len(lengths) == 2
    assert max(lengths.values()) < LINES_MAX


def test_the_quick_start_with_systemd_leads_to_a_site_that_serves(cluster, tmp_path):
    checkout, etc, state = tmp_path / "opt", tmp_path / "etc", tmp_path / "state"
    checkout.mkdir()
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        ignored = {"ignore": shutil.ignore_patterns("__pycache__", "*.egg-info", "build")}
        copy(ROOT / name, checkout / name, **(ignored if copy is shutil.copytree else {}))
    (etc / "nginx" / "conf.d").mkdir(parents=True)
    environment = checkout / "deploy" / "comicsdb.env"
    url = make_url(cluster.url("postgres"))
    environment.write_text(
        environment.read_text().replace("//comicsdb:", f"//{ROLE}:").replace("@127.0.0.1/", "@/")
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", checkout / ".venv"], check=True)
    (site,) = (checkout / ".venv" / "lib").glob("python*/site-packages")
    production = needed(["comicsdb[metrics,redis,s3]", "comicsdb-api", "comicsdb-web"]) | {"pip"}
    link_libraries(production, site)  # pip checks that these are the locked versions

    lines = commands(quick_starts()["Quick start: systemd"])
    lines = [line for line in lines if not line.startswith(FOR_THE_MACHINE)]
    assert len(lines) >= 12
    script = re.sub(r"runuser -u \w+ -- ", "", "\n".join(lines))
    script = script.replace("/opt/comicsdb", str(checkout)).replace("/etc/", f"{etc}/")
    script = script.replace("python3 -m venv .venv", "true")  # made above, with the libraries
    script = script.replace(".venv/bin/pip ", ".venv/bin/python -m pip ")
    script = script.replace("ROLE comicsdb ", f"ROLE {ROLE} ").replace(
        "--owner comicsdb ", f"--owner {ROLE} "
    )
    programs = os.pathsep.join([str(find_binaries()), os.environ["PATH"]])
    database = {"PGHOST": url.query.get("host") or url.host, "PGPORT": str(url.port or 5432)}
    login = {"PGUSER": url.username, "PGDATABASE": "postgres"}
    try:
        done = subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", script],
            env=clean_environment(**database, **login, PATH=programs, COMICSDB_PASSWORD_COST="fast"),
            input="correct horse\ncorrect horse\n",
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

        port = free_port()
        ini = checkout / "production.ini"
        ini.write_text(ini.read_text().replace("127.0.0.1:8000", f"127.0.0.1:{port}\nworkers = 1"))
        settings = (etc / "comicsdb" / "comicsdb.env").read_text().replace("/var/lib/comicsdb", str(state))
        variables = dict(line.split("=", 1) for line in settings.splitlines() if not line.startswith("#"))
        python = str(checkout / ".venv" / "bin" / "python")
        with serving(ini, port, python=python, **database, **variables):
            headers = {"Host": "comics.example.org", "X-Forwarded-Proto": "https"}
            status, _, page = fetch(f"http://127.0.0.1:{port}/", **headers)
            assert (status, b"<h1" in page) == (200, True)
        assert "comics.example.org" in (etc / "nginx" / "conf.d" / "comicsdb.conf").read_text()
    finally:
        cluster.drop_database("comicsdb")
        with connected(cluster.url("postgres")) as connection:
            connection.execute(text(f"DROP ROLE IF EXISTS {ROLE}"))

"""The command line as newcomers and operators use it, with real databases and a real server."""

import os
import re
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import click
import psycopg
import pytest
from sqlalchemy import make_url, text

from comicsdb import cli
from comicsdb.cli import main
from comicsdb.cli.serve import ServePlan, database_name, make_plan, prepare
from comicsdb.cli.support import Site
from comicsdb_demo import DATA
from tests.core.cli.conftest import run
from tests.dataset import pictures, read_set, small_set, write_set
from tests.full_disk import full_disk
from tests.serving import fetch, free_port, serving, write_ini
from tests.waiting import TIMEOUT

HERE = Path(__file__).parent


def test_a_set_goes_in_and_comes_out_by_command(ini, tmp_path):
    given = write_set(tmp_path / "given", small_set())
    result = run("-c", ini, "import", str(given), "--accounts")
    assert result.exit_code == 0, result.output
    assert re.search(r"^issues +3 +3 +0 +0$", result.output, re.MULTILINE)
    assert "rows/s" in result.output
    again = run("-c", ini, "import", str(given), "--accounts")
    assert "Nothing had to be changed." in again.output
    result = run("-c", ini, "export", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert len(read_set(tmp_path / "out")["issues"]) == 3


def test_an_export_to_a_full_disk_names_the_folder(ini, tmp_path):
    with full_disk():
        result = run("-c", ini, "export", str(tmp_path / "out"))
    assert result.exit_code == 1
    assert result.output == f"Error: Nothing was exported to {tmp_path}/out: [Errno 27] File too large\n"
    assert [each.name for each in tmp_path.iterdir() if "out" in each.name] == []


def test_output_that_is_not_read_to_its_end_is_no_error(ini):
    with subprocess.Popen(
        [sys.executable, "-m", "comicsdb", "-c", ini, "settings"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()  # as `head` does
        assert process.stderr.read() == b""


def test_a_quiet_import_says_nothing(ini, tmp_path):
    result = run("-c", ini, "import", str(write_set(tmp_path / "given", small_set())), "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_a_refused_set_is_told_line_by_line_with_exit_code_1(ini, tmp_path):
    rows = small_set()
    rows["issues"][1]["price"] = "free"
    rows["arcs"][0]["slug"] = ""
    result = run("-c", ini, "import", str(write_set(tmp_path / "given", rows)))
    assert result.exit_code == 1
    assert result.output.startswith("Error: arcs.jsonl:1: slug: ")
    assert "\nissues.jsonl:2: price: takes an amount" in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-c", "/none.ini", "db", "check"), "There is no ini file /none.ini"),
        (("-c", "/none.ini", "serve"), "There is no ini file /none.ini"),
        (("import", "/none"), "/none: holds no file of a data set"),
        (("import", str(HERE)), f"{HERE}: holds no file of a data set"),
    ],
)
def test_what_is_not_there_is_one_clear_line(ini, arguments, words, monkeypatch):
    monkeypatch.setenv("COMICSDB_INI", str(ini))
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {words}")
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("backup", "folder", "--keep", "9999999"),
        ("dump", "folder", "--keep", "9999999"),
        ("media", "sweep", "--older-than", "99999999999"),
        ("throttle-notices", "--lookback-days", "9999999"),
        ("throttle-notices", "--cooldown-days", "9999999"),
    ],
)
def test_a_time_before_all_dates_is_refused_before_anything_is_done(ini, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("-c", ini, *arguments)
    assert (result.exit_code, "is not in the range" in result.output) == (2, True)
    assert not (tmp_path / "folder").exists()


def test_a_database_that_does_not_answer_is_one_clear_line(tmp_path):
    ini = write_ini(tmp_path, f"postgresql+psycopg://comicsdb@/none?host={tmp_path}")
    result = run("-c", ini, "import", str(write_set(tmp_path / "given", small_set())))
    assert result.exit_code == 1
    assert result.output.startswith("Error: The database does not answer: ")


def test_a_database_that_refuses_its_role_is_one_clear_line(cluster, tmp_path):
    cluster.ensure_database("of_others")
    with psycopg.connect(cluster.url("of_others").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE ROLE stranger LOGIN")
        try:
            url = make_url(cluster.url("of_others")).set(username="stranger")
            result = run(
                "-c", write_ini(tmp_path, url.render_as_string(hide_password=False)), "db", "upgrade"
            )
            connection.execute("ALTER DATABASE of_others SET default_transaction_read_only = on")
            replica = run("-c", write_ini(tmp_path, cluster.url("of_others")), "db", "upgrade")
        finally:
            connection.execute("DROP ROLE stranger")
    cluster.drop_database("of_others")
    refused = "Error: The database refuses this: "
    assert result.output.startswith(f"{refused}permission denied for schema public")
    assert replica.output.startswith(f"{refused}cannot execute ")
    assert (
        (result.exit_code, result.output.count("\n"))
        == (replica.exit_code, replica.output.count("\n"))
        == (1, 1)
    )


def test_statements_that_bypass_sqlalchemy_are_refused_in_one_clear_line_too(ini, tmp_path, factory):
    given = str(write_set(tmp_path / "given", small_set()))
    with factory() as session:
        name = session.scalar(text("SELECT current_database()"))
        session.execute(text(f"ALTER DATABASE {name} SET default_transaction_read_only = on"))
        session.commit()
    result = run("-c", ini, "import", given)
    assert (result.exit_code, result.output) == (
        1,
        "Error: The database refuses this: cannot execute CREATE TABLE in a read-only transaction"
        " (is it a replica?).\n",
    )


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_in_another_encoding_is_one_clear_line(cluster, tmp_path, encoding):
    admin = cluster.url("postgres").replace("+psycopg", "")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE narrow ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    try:
        result = run("-c", write_ini(tmp_path, cluster.url("narrow")), "db", "upgrade")
    finally:
        cluster.drop_database("narrow")
    assert (result.exit_code, result.output) == (
        1,
        f"Error: The database has the encoding {encoding}, but needs UTF8: create it anew with"
        " --encoding UTF8 (docs/deploy.md says how).\n",
    )


def test_a_missing_setting_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("COMICSDB_DATABASE_URL", raising=False)
    result = run("-c", write_ini(tmp_path, ""), "db", "check")
    assert result.exit_code == 1
    assert "sqlalchemy.url" in result.output


def test_every_command_there_is_goes_by_its_own_name(ini):
    names = main.list_commands(None)
    listed = [main.get_command(None, name) for name in names]
    assert [each.name for each in listed] == names == sorted(names)
    modules = [import_module(f"{cli.__name__}.{each.name}") for each in iter_modules(cli.__path__)]
    there = {each for module in modules for each in vars(module).values() if isinstance(each, click.Command)}
    below = {each for group in there if isinstance(group, click.Group) for each in group.commands.values()}
    assert there - below == set(listed)
    result = run("-c", ini, "exprot")
    assert (result.exit_code, "No such command 'exprot'" in result.output) == (2, True)


def test_the_schema_is_made_checked_and_asked_for(cluster, tmp_path):
    cluster.ensure_database("commands")
    try:
        ini = write_ini(tmp_path, cluster.url("commands"))
        check = run("-c", ini, "db", "check")
        assert (check.exit_code, "run `comicsdb db upgrade`" in check.output) == (1, True)
        early = run("-c", ini, "import", str(write_set(tmp_path / "given", small_set())))
        assert (early.exit_code, "run `comicsdb db upgrade`" in early.output) == (1, True)
        assert run("-c", ini, "db", "upgrade").output == "The schema is now current.\n"
        assert run("-c", ini, "db", "upgrade").output == "The schema was already current.\n"
        assert run("-c", ini, "db", "check").exit_code == 0
    finally:
        cluster.drop_database("commands")


def test_each_data_set_has_a_database_name_of_its_own(tmp_path):
    one, other = (write_set(tmp_path / name / "My Set!", small_set()) for name in ("a", "b"))
    assert re.fullmatch(r"data_my_set_[0-9a-f]{10}", database_name(one))
    assert database_name(one) != database_name(other)
    before = database_name(one)
    (one / "meta.json").write_text('{"format": 1, "today": "2026-01-01"}')
    assert database_name(one) != before
    long = write_set(tmp_path / ("x" * 200), small_set())
    assert len(database_name(long)) <= 63


# Serving.


def test_serve_loads_a_set_serves_it_and_ends_cleanly(ini, database, tmp_path):
    folder, port = write_set(tmp_path / "given", small_set()), free_port()
    command = ("comicsdb", "-c", ini, "serve", "--port", str(port), "--data", folder)
    with serving(ini, port, command=command) as process:
        assert fetch(f"http://127.0.0.1:{port}/media/none.png")[0] == 404
        with psycopg.connect(database.replace("+psycopg", "")) as connection:
            [key] = connection.execute("SELECT image FROM issue WHERE id = 1").fetchone()
        assert fetch(f"http://127.0.0.1:{port}/media/{key}")[2] == pictures()["covers/one.png"]
        process.send_signal(signal.SIGINT)  # Ctrl-C
        assert process.wait(TIMEOUT) == 0
    said = ini.with_suffix(".log").read_text()
    assert f"http://127.0.0.1:{port}/" in said
    accounts = re.findall(r"^ +(\w+) +(\S+-password) +(0+[1-9])$", said, re.MULTILINE)
    assert [(name, int(token)) for name, _password, token in accounts] == [
        ("admin", 1),
        ("Editor", 2),
        ("reader", 3),
    ]
    assert said.endswith("Stopped.\n")
    assert "Traceback" not in said


def test_serve_puts_the_demo_into_an_embedded_database_or_where_it_is_asked_for(
    ini, tmp_path, capsys, monkeypatch
):
    monkeypatch.delenv("MAKELEVEL", raising=False)
    site = Site(ini)
    plan = make_plan(site, None)
    assert plan.folder is None
    assert prepare(site, plan) == []
    assert run("-c", ini, "export", str(tmp_path / "out")).exit_code == 0
    assert read_set(tmp_path / "out")["publishers"] == []
    said = capsys.readouterr().out
    assert all(
        words in said for words in ("--data FOLDER", "--demo", f"comicsdb -c {ini} account create NAME")
    )
    monkeypatch.setenv("MAKELEVEL", "1")  # as by `make serve DB=...`, which sets the address and the secret
    assert prepare(site, plan) == []
    url = make_url(plan.url).render_as_string(hide_password=True)
    assert f'make run DB="{url}" COMMAND="account create NAME' in capsys.readouterr().out

    assert make_plan(site, None, demo=True) == ServePlan(plan.url, DATA, is_demo=True)
    site.settings["sqlalchemy.url"] = "embedded:var/postgres?database=comicsdb"
    assert make_plan(site, None) == ServePlan("embedded:var/postgres?database=comicsdb", DATA, is_demo=True)


def test_serve_leaves_a_filled_catalog_as_it_is(ini, database, tmp_path, capsys):
    run("-c", ini, "import", str(write_set(tmp_path / "given", small_set())))
    other = small_set()
    other["publishers"][0]["name"] = "Another"
    site = Site(ini)
    plan = make_plan(site, write_set(tmp_path / "other", other))
    assert prepare(site, plan) == []  # this database has other accounts
    assert "already has rows: it is served as it is" in capsys.readouterr().out
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT name FROM publisher WHERE name = 'Another'").fetchall() == []


def test_a_busy_port_is_told_before_anything_is_loaded(ini, database, tmp_path):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = str(busy.getsockname()[1])
        folder = write_set(tmp_path / "given", small_set())
        result = run("-c", ini, "serve", "--data", str(folder), "--port", port)
    assert result.exit_code == 1
    assert result.output == (
        f"Error: Port {port} of 127.0.0.1 is in use: stop the program there, or choose another with --port.\n"
    )
    with psycopg.connect(database.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT count(*) FROM issue").fetchone() == (0,)
    assert not os.path.exists(tmp_path / "media")


def test_serve_wants_a_folder_that_is_there(ini, tmp_path):
    result = run("-c", ini, "serve", "--data", str(tmp_path / "none"), "--port", str(free_port()))
    assert result.exit_code == 1
    assert result.output == f"Error: There is no folder {tmp_path / 'none'}.\n"


def test_a_dump_is_made_signed_and_its_absence_is_told(ini, tmp_path, monkeypatch, factory):
    folder, key = tmp_path / "dumps", tmp_path / "dumps.key"
    monkeypatch.setenv("COMICSDB_DUMPS_KEY", str(key))
    assert "comicsdb.dumps.folder" in run("-c", ini, "dump").output
    assert run("-c", ini, "dump", "--check").exit_code == 0  # the site offers no dumps
    monkeypatch.setenv("COMICSDB_DUMPS_FOLDER", str(folder))
    monkeypatch.setenv("COMICSDB_MAIL_ADMINISTRATORS", "admin@example.org")
    assert run("-c", ini, "dump", "--check").exit_code == 1
    with factory() as session:
        told = session.execute(text("SELECT recipient, kind FROM outgoing_mail")).all()
    assert told == [("admin@example.org", "admin_dump")]
    made = run("-c", ini, "dump")
    assert made.exit_code == 0, made.output
    [only] = folder.iterdir()
    assert str(only) in made.output
    assert key.stat().st_mode & 0o777 == 0o600
    assert run("-c", ini, "dump", "--check").exit_code == 0
    key.write_text("nonsense")
    assert "not a secret key" in run("-c", ini, "dump").output
    assert list(folder.iterdir()) == [only]


def test_comic_files_need_an_account(ini, tmp_path):
    arguments = ("-c", ini, "import-comicinfo", str(tmp_path), "--account")
    refused = run(*arguments, "Nora")
    message = "Error: There is no active account with the name Nora.\n"
    assert (refused.exit_code, refused.output) == (1, message)
    made = run("-c", ini, "account", "create", "Nora", "nora@example.org", "--password", "a long password 7")
    assert made.exit_code == 0, made.output
    report = tmp_path / "report.csv"
    (tmp_path / "broken.cbz").write_bytes(b"no archive")
    refused = run(*arguments, "nora", "--report", str(tmp_path / "missing" / "report.csv"))
    assert (refused.exit_code, "missing/report.csv" in refused.output) == (1, True)
    assert "broken.cbz" not in refused.output  # told before any file is read
    done = run(*arguments, "nora", "--report", str(report))
    told = "unreadable: broken.cbz: This is no ZIP archive.\n1 unreadable\n"
    assert (done.exit_code, done.output) == (0, told)
    assert report.read_text().splitlines()[1] == "broken.cbz,unreadable,This is no ZIP archive."
    (tmp_path / "broken.cbz").rename(tmp_path / "a\n0 unreadable\x1b[2J.cbz")
    told = "unreadable: a\\n0 unreadable\\x1b[2J.cbz: This is no ZIP archive.\n1 unreadable\n"
    assert run(*arguments, "nora").output == told

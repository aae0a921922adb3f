"""The command `comicsdb-client`: identifies and tags folders of comics, against the real application."""

import os
import re
import subprocess
import sys
import zipfile

import pytest

from comicsdb_client import archive, tagging, xml
from comicsdb_client.command import main
from tests.clients.conftest import BURST
from tests.tag_schemas import valid_comicinfo, valid_metroninfo

PAGES = {"1.jpg": b"one", "2.jpg": b"two"}


def comic(folder, name, **tags):
    """An archive with two pages, and with tags if given."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        for member, text in {**PAGES, **{f"{key}.xml": text for key, text in tags.items()}}.items():
            file.writestr(member, text)
    return path


@pytest.fixture
def folder(tmp_path):
    """A folder of comics: identifiable, ambiguous, unknown, tagged, and broken ones."""
    folder = tmp_path / "comics"
    folder.mkdir()
    comic(folder, "Tidewater Tales 007 (2021) (c2c).cbz")
    comic(
        folder,
        "Harbor Lights (2019)/Harbor Lights 002 (2019).CBZ",
        ComicInfo="<ComicInfo><Tags>mine</Tags></ComicInfo>",
    )
    comic(folder, "Harbor Lights 001.cbz")
    comic(folder, "Nobody Knows 12.cbz")
    comic(
        folder,
        "scan_0001.cbz",
        ComicInfo="<a><Series>Tidewater Tales</Series><Number>7</Number><Year>2021</Year></a>",
    )
    comic(folder, "Tidewater Tales 7.cbz", ComicInfo="<ComicInfo><Month>13</Month></ComicInfo>")
    comic(folder, "Tidewater Tales \udce9 008 (2021).cbz")  # a name that is not UTF-8
    (folder / "broken.cbz").write_bytes(b"nothing")
    (folder / "notes.txt").write_text("no comic")
    return folder


@pytest.fixture
def run(server, token, monkeypatch, capsys, folder):
    """Run the command; returns its status, the lines of stdout by file, and the lines of stderr."""
    monkeypatch.setenv("COMICSDB_CLIENT_TOKEN", token)

    def run(command, *arguments):
        status = main(["--url", f"{server.url}/", command, str(folder), *arguments])
        printed, told = capsys.readouterr()
        return status, dict(line.split(": ", 1) for line in printed.splitlines()), told.splitlines()

    return run


def bytes_of(folder):
    """The contents of all files in a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_are_tagged_if_they_are_certain(run, folder, server):
    before = bytes_of(folder)
    status, printed, told = run("match")
    assert status == 1  # because one file is broken
    known = f"Tidewater Tales (2021) #7 ({server.single}, "
    second = f"Harbor Lights (2019) #2 ({server.issues[1]}, "
    assert printed["Tidewater Tales 007 (2021) (c2c).cbz"].startswith(known)
    assert printed["Harbor Lights (2019)/Harbor Lights 002 (2019).CBZ"].startswith(second)
    assert printed["Tidewater Tales 7.cbz"].startswith((known, "uncertain"))
    assert re.match(r"uncertain \(.*number equal.*\): Harbor Lights \(", printed["Harbor Lights 001.cbz"])
    assert " or Harbor Lights (" in printed["Harbor Lights 001.cbz"]
    assert printed["Nobody Knows 12.cbz"] == "not found"
    assert printed["broken.cbz"].startswith("not a readable archive")
    assert printed["Tidewater Tales ? 008 (2021).cbz"]
    assert len(printed) == 8
    assert told[0] == "2 requests"  # the second for the file with the invalid month, without that
    assert run("tag", "--dry-run")[:2] == (1, printed)
    assert bytes_of(folder) == before

    status, printed, told = run("tag")
    assert (status, told[0]) == (1, "2 requests")  # their responses include everything that is written
    changed = {path.name for path, data in bytes_of(folder).items() if data != before.get(path)}
    assert {
        "Tidewater Tales 007 (2021) (c2c).cbz",
        "Harbor Lights 002 (2019).CBZ",
        "scan_0001.cbz",
    } <= changed
    assert not changed & {"Harbor Lights 001.cbz", "Nobody Knows 12.cbz", "broken.cbz", "notes.txt"}
    with zipfile.ZipFile(folder / "Tidewater Tales 007 (2021) (c2c).cbz") as file:
        assert {name: file.read(name) for name in PAGES} == PAGES
        found = valid_comicinfo(file.read("ComicInfo.xml"))
        assert [found[key] for key in ("Title", "Writer", "Summary")] == [
            "Low Water; Ebb",
            "Ada Penwell",
            "Tide & time.",
        ]
        assert xml.tagged_issue_id(found["Notes"], server.url) == server.single
        other = valid_metroninfo(file.read("MetronInfo.xml"))
        assert (other.find("IDS/ID").text, other.find("Prices/Price").text) == ("123456", "3.99")
    tags = archive.read_contents(
        folder / "Harbor Lights (2019)" / "Harbor Lights 002 (2019).CBZ", tagging.NAMES
    ).tags
    assert valid_comicinfo(tags["comicinfo.xml"])["Tags"] == "mine"

    now = bytes_of(folder)
    status, printed, told = run("tag")
    assert not changed & {name.rpartition("/")[2] for name in printed}  # tagged files are skipped
    assert bytes_of(folder) == now
    run("tag", "--again")
    assert bytes_of(folder) == now  # because the catalog has not changed


def test_rejected_values_of_old_tags_do_not_discard_the_others(run, folder, server):
    told = "<Series>Tidewater Tales</Series><Number>7</Number><Year>2021</Year>"
    rejected = {
        "month": "<Month>0</Month>",
        "count": "<Count>of six</Count><Day>?</Day>",
        "title": f"<Title>{'Low Water; ' * 30}</Title>",
        "nothing": "",
    }
    for name, elements in rejected.items():
        comic(folder, f"old/{name}.cbz", ComicInfo=f"<ComicInfo>{told}{elements}</ComicInfo>")
    comic(folder, "old/line\nbreak.cbz", ComicInfo=f"<ComicInfo>{told}</ComicInfo>")
    _, printed, _ = run("match")
    known = f"Tidewater Tales (2021) #7 ({server.single}, "
    found = {name: text for name, text in printed.items() if name.startswith("old/")}
    assert sorted(found) == sorted(f"old/{name}.cbz" for name in (*rejected, "line?break"))
    assert [name for name, text in found.items() if not text.startswith(known)] == []


def test_a_run_that_is_stopped_goes_on(run, folder, monkeypatch, server):
    for number in range(3):
        comic(folder, f"more/Harbor Lights 00{number + 2} (2019).cbz")
    written, write = [], archive.write_tags

    def stop(path, tags):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(path)
        write(path, tags)

    with monkeypatch.context() as patched:
        patched.setattr(archive, "write_tags", stop)
        status, _, told = run("tag")
    assert (status, told[0]) == (130, "Stopped. Run the same command again to continue.")
    monkeypatch.setattr(archive, "write_tags", lambda path, tags: written.append(path) or write(path, tags))
    _, _, told = run("tag")
    assert len(written) == len(set(written))
    assert "2 tagged before" in told[-1]
    assert all("MetronInfo.xml" in zipfile.ZipFile(path).namelist() for path in written)


def test_when_the_limits_are_used_up(run, folder, client, server, monkeypatch):
    for _ in range(BURST):
        client.get("issue", server.single)
    monkeypatch.setattr(
        "comicsdb_client.command.Client", lambda url, token: type(client)(url, token=token, longest_wait=0)
    )
    status, printed, told = run("match")
    assert (status, list(printed)) == (1, ["broken.cbz"])
    assert re.search("Try again in [1-6]?[0-9] seconds[.]", told[0])
    assert told[0].endswith("Run the same command again to continue.")


def test_errors_and_usage(run, folder, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("COMICSDB_CLIENT_TOKEN", "cdb_wrong")
    status, _, told = run("match")
    assert (status, told[0][:4]) == (1, "401:")
    monkeypatch.delenv("COMICSDB_CLIENT_TOKEN")
    assert run("match")[0] == 2
    monkeypatch.setenv("COMICSDB_CLIENT_TOKEN", "x")
    with pytest.raises(SystemExit):
        main(["--url", "http://127.0.0.1", "match", str(tmp_path / "none")])
    assert "no such folder" in capsys.readouterr().err.lower()
    (tmp_path / "empty").mkdir()
    assert main(["--url", "http://127.0.0.1", "tag", str(tmp_path / "empty")]) == 0
    assert capsys.readouterr().err == "0 requests\nno comics\n"


@pytest.fixture
def environment(server, token):
    """The environment of a command that runs in a process of its own."""
    return {
        "PATH": os.environ["PATH"],
        "COMICSDB_CLIENT_URL": server.url,
        "COMICSDB_CLIENT_TOKEN": token,
    }


def test_it_stops_when_nobody_reads_its_output_any_more(environment, folder):
    command = [sys.executable, "-m", "comicsdb_client", "match", str(folder)]
    reading, writing = os.pipe()
    os.close(reading)  # before the first line, so that no line may be written before it
    try:
        done = subprocess.run(
            command, check=False, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (1, "0 requests\n")


def test_progress_is_shown_on_a_terminal(environment, folder):
    parent, child = os.openpty()
    command = [
        sys.executable,
        "-m",
        "comicsdb_client",
        "match",
        str(folder / "Tidewater Tales 007 (2021) (c2c).cbz"),
    ]
    done = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=child, text=True, check=False
    )
    os.close(child)
    shown = os.read(parent, 10_000).decode()
    os.close(parent)
    assert (done.returncode, "Tidewater Tales (2021) #7" in done.stdout) == (0, True)
    assert f"[{'#' * 30}] 1/1, 0 minutes left" in shown
    assert shown.splitlines()[-1] == "1 certain"

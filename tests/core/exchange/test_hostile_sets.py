"""Hostile data sets: each is refused as a whole, with the problems, and within little memory."""

import orjson
import pytest

from comicsdb.exchange import compression
from comicsdb.exchange.format import FILES
from tests.cases import for_each
from tests.dataset import entity, small_set, write_set
from tests.importer import temporary_importer

TEXTS = (
    *("", " ", "\0", "\ufdd0", "x" * 100_000, "-1", "9" * 400, "0000-00-00", "99999-01-01T00:00:00Z", "NULL"),
    *("../../etc/passwd", "/etc/passwd", "..", "C:\\x", "a/" * 5000, "é" * 200, "%s{0}%(x)s", "\\N", "\\."),
)
VALUES = (
    *TEXTS,
    *(None, True, -1, 0, 2**31, 2**63, 2**64 - 1, 1.5, 1e308, [], {}, [[]], [{}], [None], [0], [2**63]),
    *([1] * 1000, {"a": {}}, {"\0": "x"}, {"it": None}, {"it": "\0"}, {"it": "x" * 5000}, {"": "x"}),
    *([text] for text in TEXTS),
)


@pytest.fixture(scope="module")
def importer(cluster, template, tmp_path_factory):
    """An importer into an empty catalog, shared by all tests: a refused set leaves nothing behind."""
    with temporary_importer(cluster, template, "hostile", tmp_path_factory.mktemp("hostile")) as importer:
        yield importer


def test_every_field_takes_or_refuses_every_value_with_a_short_message():
    messages = {}
    for file in FILES:
        for field in file.fields:
            for number, value in enumerate(VALUES):
                try:
                    field.read(value)
                except ValueError as error:
                    messages[file.name, field.key, number] = str(error)
    assert len(messages) > 5000
    assert [place for place, message in messages.items() if not 0 < len(message) < 300] == []


def _arc(**values) -> bytes:
    return orjson.dumps(entity(1, "Low Tide", "low-tide", image="") | values)


def _packed(folder, content: bytes) -> bytes:
    path = folder / "packed"
    with compression.create(path) as stream:
        stream.write(content)
    return path.read_bytes()


LONG = "arcs.jsonl:1: is longer than 16,777,216 bytes"
NO_RECORD = "arcs.jsonl:1: is not a JSON object on one line"


@for_each(
    "content,problem",
    [
        (b"[" * 1_000_000, NO_RECORD),
        (b'{"id":' * 1_000_000, NO_RECORD),
        (b'{"id": 1e999}', NO_RECORD),
        (b'{"name": "\\ud800"}', NO_RECORD),
        (b"\xff\xfe", NO_RECORD),
        (b"\0" * 100, NO_RECORD),
        (b"{" + b" " * (16 << 20) + b"}", LONG),
        (
            _arc(id=2**64 - 1),
            "arcs.jsonl:1: id: takes a number from 1 to 2,147,483,647, not 18446744073709551615",
        ),
        (_arc() + b"\n" + _arc(), "arcs.jsonl:2: id: 1 was used on line 1 already"),
        (
            _arc(image="é" * 200),
            "arcs.jsonl:1: image: takes a path of at most 250 bytes, not '" + "é" * 36 + "...",
        ),
        (_arc(image="loop.png"), "arcs.jsonl:1: image: there is no file images/loop.png"),
        (_arc(image="folder"), "arcs.jsonl:1: image: there is no file images/folder"),
    ],
)
def test_a_hostile_file_is_refused(importer, tmp_path, content, problem):
    folder = write_set(tmp_path / str(abs(hash(content))), {})
    (folder / "images" / "loop.png").symlink_to("loop.png")
    (folder / "images" / "folder").mkdir()
    (folder / "arcs.jsonl").write_bytes(content)
    before = importer.everything()
    assert problem in importer.problems(folder)
    assert importer.everything() == before


def test_a_compressed_file_that_is_damaged_or_a_bomb_is_refused(importer, tmp_path):
    bomb = _packed(tmp_path, b"x" * (200 << 20))
    assert len(bomb) < 100_000
    whole = _packed(tmp_path, _arc() + b"\n")
    for number, (content, problem) in enumerate(
        (
            (bomb, LONG),
            (whole[:-6], "arcs.jsonl.zst:1: cannot be read from here on: "),
            (whole[:-4] + b"\0\0\0\0", "arcs.jsonl.zst:"),
            (b"", "arcs.jsonl.zst:1: cannot be read from here on: "),
            (b"plain text", "arcs.jsonl.zst:1: cannot be read from here on: "),
        )
    ):
        folder = write_set(tmp_path / str(number), {})
        (folder / "arcs.jsonl.zst").write_bytes(content)
        problems = importer.problems(folder)
        assert any(line.startswith(problem) for line in problems), problems


@for_each(
    "manifest", [[], {"files": 7}, {"files": [7]}, {"files": [{"name": "arcs.jsonl"}]}, {"files": [{}]}, {}]
)
def test_a_manifest_of_another_form_is_refused(importer, tmp_path, manifest):
    folder = write_set(tmp_path / str(len(str(manifest))), small_set())
    described = manifest | {"data_set": 1} if isinstance(manifest, dict) else manifest
    (folder / "manifest.json").write_bytes(orjson.dumps(described))
    assert len(importer.problems(folder)) == 1

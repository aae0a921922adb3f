"""The list of common passwords: its size, lookup in any case, and hardly any false positives."""

import random

from comicsdb.accounts import common_passwords as common
from comicsdb.accounts.rules import PASSWORD_MIN


def test_the_file_holds_more_than_a_hundred_thousand_in_their_order_and_few_others_by_chance():
    known = common.common_passwords()
    assert len(common.FILE.read_bytes()) % common.WIDTH == 0
    assert len(known) > 100_000
    assert all(known[place] < known[place + 1] for place in range(len(known) - 1))
    assert len(known) / 256**common.WIDTH < 1e-6  # the share of false positives
    assert common.FILE.stat().st_size < 1_000_000
    made = random.Random(1)
    strangers = ("".join(made.choices("abcdefghijkmnpqrstuvwxyz23456789", k=16)) for _ in range(20_000))
    assert not [each for each in strangers if each in known]


def test_common_ones_are_found_in_any_case():
    known = common.common_passwords()
    for password in (
        "password",
        "PassWord1",
        "iloveyou",
        "qwertyuiop",
        "1q2w3e4r5t",
        "liverpool1",
        "metallica",
    ):
        assert password in known, password
    assert "correct horse battery staple" not in known


def test_the_file_is_made_of_lists_of_either_form_without_what_is_too_short(tmp_path, monkeypatch):
    (tmp_path / "first.json").write_text('["short", "Kettle Crow", "nachtkrabb"]')
    (tmp_path / "second.txt").write_text("kettle crow\nZimorodek\nlast of them\n")
    monkeypatch.setattr(common, "FILE", tmp_path / "made.bin")
    monkeypatch.setattr(common, "COUNT_MAX", len(common.OUR_PASSWORDS) + len(common.PUBLIC_SECRETS) + 3)
    common.main(str(tmp_path / "first.json"), str(tmp_path / "second.txt"))
    made = common.CommonPasswords((tmp_path / "made.bin").read_bytes())
    assert len(made) == common.COUNT_MAX
    assert all(each in made for each in (*common.OUR_PASSWORDS, *common.PUBLIC_SECRETS))
    assert [each in made for each in ("Kettle Crow", "nachtkrabb", "zimorodek")] == [True] * 3
    assert [each in made for each in ("short", "last of them", "", "\udc80")] == [False] * 4
    assert common.LENGTH_MIN == PASSWORD_MIN

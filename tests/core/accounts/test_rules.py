"""Rules: which user names, addresses and passwords an account may have."""

import pytest

from comicsdb.accounts import rules
from comicsdb.accounts.rules import RESERVED


@pytest.mark.parametrize("name", ["ann", "Élise_B.", "a@b.c", "007x", "漫画", "a+b-c", "x" * 150])
def test_good_user_names(name):
    assert rules.username_problems(rules.normal_name(name), official="Metron") == []


BAD_NAMES = [
    "",
    "x" * 151,
    "a b",
    "a/b",
    "a\0b",
    "a\nb",
    "<b>",
    "a:b",
    "123",
    "٣٤",
    "½",
    ".",
    "..",
    "ann\u200b",
]
BAD_NAMES += ["metron", "METRON", "Login", "API", "\u202eann", *sorted(RESERVED)]
# Names of no page that suggest one, or an official account.
BAD_NAMES += ["admin", "feeds", "password_change_done", "password_reset_complete", "password_reset_confirm"]
BAD_NAMES += ["password_reset_done", "register"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_bad_user_names(name):
    assert rules.username_problems(rules.normal_name(name), official="Metron") != []


def test_a_name_has_one_form_of_letters():
    assert rules.normal_name("ｅ\u0301lise") == "élise"


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Ann@Example.ORG", "Ann@example.org"),
        (" ann+comics@sub.example.org ", "ann+comics@sub.example.org"),
        ("ann@bücher.example", "ann@xn--bcher-kva.example"),
        ("o'neill@example.org", "o'neill@example.org"),
    ],
)
def test_good_addresses(typed, stored):
    email = rules.normal_email(typed)
    assert email == stored
    assert rules.email_problems(email) == []


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "ann",
        "@example.org",
        "ann@",
        "ann@localhost",
        "ann@192.0.2.1",
        "ann@example..org",
        "ann@-example.org",
        ".ann@example.org",
        "ann.@example.org",
        "a..n@example.org",
        "ann@example.org\nBcc: bob@example.org",
        '"ann"@example.org',
        "änn@example.org",
        "ann@exa mple.org",
        "ann@example.org, bob@example.org",
        "a" * 65 + "@example.org",
        "ann@" + "a." * 130 + "org",
        "ann@" + "\u00e9" * 70 + ".example",
        "a\0@example.org",
    ],
)
def test_bad_addresses(typed):
    assert rules.email_problems(rules.normal_email(typed)) != []


@pytest.mark.parametrize(
    ("email", "thrown_away"),
    [
        ("a@mailinator.com", True),
        ("a@deep.down.mailinator.com", True),
        ("a@mailinator.com.example.org", False),
        ("a@gmail.com", False),
        ("a@shady.example", True),
        ("a@sub.shady.example", True),
    ],
)
def test_throw_away_mail_boxes_are_known_by_their_domains(email, thrown_away):
    assert rules.is_throw_away(email, ["Shady.example"]) is thrown_away


def test_no_well_known_provider_is_thrown_away():
    assert not rules.read_list("mail_providers") & rules.read_list("throw_away_domains")


ABOUT = ("kettlecrow", "kettle.crow@example.org", "Kettle", "Crow")


@pytest.mark.parametrize(
    "password", ["correct horse", "x7!kLp2q", "пароль мой", "crow sits on 7 kettles", "a" * 1024]
)
def test_good_passwords(password):
    assert rules.password_problems(password, password, ABOUT) == {}


@pytest.mark.parametrize(
    "password",
    [
        "",
        "x7!kLp2",
        "a" * 1025,
        "83749201",
        "٣٤٥٦٧٨٩٠",
        "password1",
        "PassWord1",
        "comicsdb",
        "QwertyUiop",
        "liverpool1",
        "demo-admin-pass",
        "kettlecrow",
        "Kettlecrow1",
        "kettle.crow",
        "2kettle2crow",
        "kettle.crow@example.org",
    ],
)
def test_bad_passwords(password):
    assert list(rules.password_problems(password, password, ABOUT)) == [""]


def test_the_two_passwords_must_be_the_same():
    assert list(rules.password_problems("correct horse", "correct  horse", ABOUT)) == ["again"]


def test_short_attributes_make_nothing_similar():
    assert rules.password_problems("abracadabra!", "abracadabra!", ("ab", "", "a@b.co")) == {}


def test_data_files_are_documented_sorted_out_and_clean():
    for name in ("throw_away_domains", "mail_providers"):
        text = (rules.DATA / f"{name}.txt").read_text("utf-8")
        assert text.startswith("# ")
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        assert all(line == line.strip().lower() and line for line in lines)
        assert len(lines) == len(set(lines)) > 50


@pytest.mark.parametrize(
    ("label", "good"), [("", True), ("x" * 64, True), ("x" * 65, False), ("a\nb", False)]
)
def test_labels_of_tokens(label, good):
    assert (rules.label_problems(label) == []) is good


@pytest.mark.parametrize(
    ("bio", "good"),
    [("Two\r\nlines\tand 👩\u200d🎨", True), ("a\0b", False), ("x" * 5001, False), ("\u202e", False)],
)
def test_what_people_say_of_themselves(bio, good):
    assert (rules.bio_problems(bio) == []) is good

"""Letters: both parts have the same content, values are only text, and headers cannot be forged."""

import re
from html.parser import HTMLParser

import polib
import pytest
from pyramid.i18n import make_localizer
from repoze.sendmail.encoding import encode_message

from comicsdb.config import SettingsError, parse_settings
from comicsdb.i18n import _, ngettext, translate
from comicsdb.mail import Facts, Items, Letter, Link, queue
from comicsdb.mail.letter import LetterContext, as_html, as_text
from comicsdb.mail.outbox import compose, load
from tests.mailbox import parse, waiting_mails
from tests.serving import SECRET

SETTINGS = parse_settings(
    {
        "sqlalchemy.url": "postgresql://x/y",
        "comicsdb.secret": SECRET,
        "comicsdb.base_url": "https://comics.example",
        "comicsdb.mail.from": "comicsdb <mail@comics.example>",
    }
)
HOSTILE = '<b>"Moth" & Söhne</b>\r\nBcc: victim@example.org\n\nhttps://evil.example/ \u202e'
LONG = "https://comics.example/" + "x" * 200
LETTER = Letter(
    subject=_("News of ${name}", mapping={"name": HOSTILE}),
    blocks=(
        _("Dear ${name}, something happened. ", mapping={"name": HOSTILE}) + "Words " * 40,
        Link(_("Read on"), "/help/api/"),
        Link("Elsewhere", LONG),
        Facts((("Days", "3"), ("Name", HOSTILE))),
        Items(("one", HOSTILE)),
    ),
)


class TextAndLinks(HTMLParser):
    """The text of an HTML mail, and the targets of its links."""

    def __init__(self, html):
        super().__init__()
        self.words, self.links, self.tags = "", [], []
        self.feed(html)

    def handle_data(self, data):
        self.words += f" {data} "

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name == "href"]


@pytest.fixture
def parts():
    reader = LetterContext("en", "https://comics.example")
    return as_text(LETTER, reader), as_html(LETTER, reader)


def bare(text):
    return re.sub(r"[\s:-]+", " ", text).strip()


def test_both_parts_say_the_same_words_in_the_same_order(parts):
    text, html = parts
    page = TextAndLinks(html[html.index("<body") :])
    subject = "News of " + "".join(each if each.isprintable() else " " for each in HOSTILE)
    assert bare(page.words).startswith(bare(subject))
    assert bare(page.words).removeprefix(bare(subject)).strip() == bare(text)
    assert page.links == ["https://comics.example/help/api/", LONG]


def test_values_are_text_in_html_and_one_line_in_text(parts):
    text, html = parts
    assert "<b>" not in html
    assert "&lt;b&gt;&quot;Moth&quot; &amp; Söhne" in html
    assert "b" not in TextAndLinks(html).tags
    assert "\r" not in text
    assert "\u202e" not in text + html
    assert not re.search(r"^(Bcc|https://evil)", text, re.MULTILINE)


def test_lines_of_the_text_are_short_but_addresses_stay_whole(parts):
    text, _html = parts
    assert LONG in text.splitlines()
    assert max(len(line) for line in text.splitlines() if line != LONG) <= 72


def test_the_html_has_neither_scripts_nor_anything_from_outside(parts):
    page = TextAndLinks(parts[1])
    assert not set(page.tags) & {"script", "style", "link", "img", "iframe", "form"}
    assert not re.search(r"\son\w+=|url\(", parts[1])


def test_a_message_has_both_parts_and_the_headers_of_a_machine():
    stored = compose(LETTER, SETTINGS, "ann@example.org", "en").to_message().as_bytes()
    raw = encode_message(load(stored).to_message())
    assert raw.isascii()
    assert max(map(len, raw.splitlines())) <= 998
    message = parse(raw)
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert (message["From"], message["To"]) == ("comicsdb <mail@comics.example>", "ann@example.org")
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Content-Language"] == "en"
    assert message["Message-ID"].endswith("@comics.example>")
    assert message["Date"].datetime.tzinfo is not None
    assert "Söhne" in message.get_body(("plain",)).get_content()


def test_no_value_makes_a_header():
    message = parse(compose(LETTER, SETTINGS, "ann@example.org", "en").to_message().as_bytes())
    assert message["Bcc"] is None
    assert message["Subject"].startswith('News of <b>"Moth" & Söhne</b>  Bcc: victim@example.org')


@pytest.mark.parametrize(
    "address",
    [
        " ",
        "ann",
        "ann@example.org\r\nBcc: bob@example.org",
        "ann@example.org, bob@example.org",
        "Ann <ann@example.org>, bob@example.org",
        "änn@example.org",
        "ann@example.org\0",
    ],
)
def test_what_is_no_address_gets_no_mail_and_breaks_nothing(session, make, address, caplog):
    queue(session, SETTINGS, LETTER, user=make.user(), to=address, kind="test")
    session.commit()
    assert waiting_mails(session) == []
    assert "No mail can be sent to the address of account" in caplog.text


def test_a_path_needs_to_know_the_site():
    with pytest.raises(SettingsError, match=r"comicsdb\.base_url"):
        compose(LETTER, {**SETTINGS, "comicsdb.base_url": ""}, "ann@example.org", "en")


# Languages.


@pytest.fixture
def polish(tmp_path):
    """A localizer for a language with three plural forms."""
    catalog = polib.POFile()
    catalog.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);",
    }
    catalog.append(
        polib.POEntry(
            msgid="${n} day of ${name}",
            msgid_plural="${n} days of ${name}",
            msgstr_plural={0: "${n} dzień ${name}", 1: "${n} dni ${name}", 2: "${n} dni(2) ${name}"},
        )
    )
    catalog.append(polib.POEntry(msgid="Wait ${time}.", msgstr="Czekaj ${time}."))
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    catalog.save_as_mofile(str(folder / "comicsdb.mo"))
    return make_localizer("pl", [str(tmp_path)])


@pytest.mark.parametrize(("number", "words"), [(1, "1 dzień Ann"), (3, "3 dni Ann"), (5, "5 dni(2) Ann")])
def test_a_text_within_a_text_is_translated_and_has_its_plural(polish, number, words):
    days = ngettext("${n} day of ${name}", "${n} days of ${name}", number, name="Ann")
    assert translate(polish, _("Wait ${time}.", mapping={"time": days})) == f"Czekaj {words}."


def test_a_value_is_never_taken_for_a_placeholder(polish):
    assert translate(polish, _("Wait ${time}.", mapping={"time": "${time} ${n}"})) == "Czekaj ${time} ${n}."
    assert str(ngettext("${n} day", "${n} days", 2)) == "2 days"


def test_a_mail_is_in_the_language_of_its_account(session, make):
    queue(session, SETTINGS, LETTER, user=make.user(language="it"), kind="test")
    queue(session, SETTINGS, LETTER, user=make.user(language="xx"), kind="test")
    session.commit()
    assert ['lang="it"' in mail.html for mail in waiting_mails(session)] == [True, False]

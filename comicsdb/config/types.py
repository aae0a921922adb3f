"""Parsers of settings: each returns the value, or raises ValueError with the accepted values."""

import re
from dataclasses import dataclass
from datetime import date
from email.headerregistry import Address
from email.utils import parseaddr
from importlib import import_module
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from comicsdb.models.choices import SupporterTier
from comicsdb.values import decimal, is_web_address, iso_day, whole_number

EMBEDDED = "embedded:"
DRIVERS = {"postgresql", "postgresql+psycopg"}


def words(text: str) -> tuple[str, ...]:
    """The words of a text, separated by spaces or commas."""
    return tuple(text.replace(",", " ").split())


def boolean(text: str) -> bool:
    """`true`, `yes`, `on` or `1`, or `false`, `no`, `off` or `0`."""
    lowered = text.strip().lower()
    if lowered in {"true", "yes", "on", "1"}:
        return True
    if lowered in {"false", "no", "off", "0"}:
        return False
    raise ValueError("takes true or false")


def zone(text: str) -> ZoneInfo:
    """A time zone by its name in the IANA database."""
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: a folder, such as America
        raise ValueError("takes the name of a time zone, such as Europe/Rome") from error


def hsts(text: str) -> str:
    """The value of Strict-Transport-Security."""
    if not re.fullmatch(r"max-age=[0-9]{1,10}(; includeSubDomains)?(; preload)?", text):
        raise ValueError("takes a value such as max-age=31536000; includeSubDomains")
    return text


def megabytes(text: str) -> float:
    """A size in megabytes, possibly zero."""
    size = decimal(text)
    if size is None or not 0 <= size < 1_000_000:
        raise ValueError("takes a number of megabytes, such as 64")
    return float(size)


def cache_url(text: str) -> str:
    """A URL of Redis, or an empty text for none."""
    if not text or re.fullmatch(r"unix://([^@/]*@)?/[^?]+(\?.*)?", text):
        return text
    try:
        parts = urlsplit(text)
        number = parts.path.strip("/") or "0"
        if parts.scheme in {"redis", "rediss"} and parts.hostname and parts.port != 0 and number.isdecimal():
            return text
    except ValueError:  # invalid port or bracket
        pass
    raise ValueError("takes redis://HOST:PORT/NUMBER, rediss://... or unix:///PATH?db=NUMBER")


def cache_prefix(text: str) -> str:
    """A prefix of keys in Redis."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+", text):
        raise ValueError("takes letters, digits, dots, hyphens and underscores")
    return text


def codes(known: tuple[str, ...], what: str):
    """A parser of one or more codes."""

    def parse(text: str) -> tuple[str, ...]:
        found = words(text)
        unknown = [code for code in found if code not in known]
        if unknown or not found:
            raise ValueError(f"takes {what} codes separated by spaces (unknown: {' '.join(unknown) or '-'})")
        return found

    return parse


TITLE_MAX = 40  # characters that the header has room for
ACCENT_TEXT = "#1b171f"  # the color of text on the accent
CONTRAST_MIN = 4.5  # WCAG 2.2, AA
LOGO_SIZE_MIN = 192  # pixels, for the icon of an installed app
LOGO_BYTES_MAX = 500_000


def title(text: str) -> str:
    """The name of a site."""
    name = text.strip()
    if not name or not name.isprintable() or len(name) > TITLE_MAX:
        raise ValueError(f"takes a name of at most {TITLE_MAX} characters")
    return name


def accent(text: str) -> str:
    """A color on which dark text can be read, as `#rrggbb`."""
    color = text.strip().lower()
    if not re.fullmatch("#[0-9a-f]{6}", color):
        raise ValueError("takes a color such as #ffd23f")
    contrast = (_luminance(color) + 0.05) / (_luminance(ACCENT_TEXT) + 0.05)
    if contrast < CONTRAST_MIN:
        raise ValueError(
            f"takes a lighter color: dark text on this one has a contrast of {contrast:.1f} to 1,"
            f" and needs {CONTRAST_MIN}"
        )
    return color


def _luminance(color: str) -> float:
    """The relative luminance of a color, as WCAG defines it."""
    parts = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@dataclass(frozen=True)
class Logo:
    """The picture of a site's mark: its content, its media type, and its size as in a web manifest."""

    content: bytes
    media_type: str
    sizes: str

    @property
    def name(self) -> str:
        """The name under which it is served."""
        return "logo.svg" if self.media_type == "image/svg+xml" else "logo.png"


def logo(text: str) -> Logo | None:
    """The picture in a file; None for an empty text."""
    if not text.strip():
        return None
    try:
        with Path(text.strip()).open("rb") as file:
            content = file.read(LOGO_BYTES_MAX + 1)
    except OSError as error:
        raise ValueError(f"takes a file that can be read ({error.strerror})") from error
    if len(content) > LOGO_BYTES_MAX:
        raise ValueError(f"takes a file of at most {LOGO_BYTES_MAX:,} bytes")
    if content.startswith(b"\x89PNG\r\n\x1a\n") and content[12:16] == b"IHDR":
        width, height = (int.from_bytes(content[start : start + 4]) for start in (16, 20))
        if width == height >= LOGO_SIZE_MIN:
            return Logo(content, "image/png", f"{width}x{height}")
    elif re.search(rb"<svg[\s>]", content[:2000]):
        return Logo(content, "image/svg+xml", "any")
    raise ValueError(f"takes an SVG or a square PNG of at least {LOGO_SIZE_MIN} pixels")


def base_url(text: str) -> str:
    """`https://host` without a path, or an empty text."""
    text = text.strip().rstrip("/")
    if not text:
        return text
    if not text.isascii():  # a Host header never has other letters
        raise ValueError("takes an address such as https://host, with other letters written as xn--...")
    try:
        port = urlsplit(text).port
    except ValueError:
        port = 0
    if port == 0 or not re.fullmatch(r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?", text):
        raise ValueError("takes an address such as https://host")
    return text


def origin_of_pictures(text: str) -> str:
    """A base URL, which may be that of all subdomains (`https://*.host`), as in a content policy."""
    text = text.strip().rstrip("/")
    base_url(text.replace("://*.", "://", 1))
    return text


def hosts(text: str) -> frozenset[str]:
    """Names or addresses of hosts, without ports."""
    found = frozenset(word.strip("[]").lower() for word in words(text))
    if not all(re.fullmatch(r"[a-z0-9._-]+|[0-9a-f:.]+", each) for each in found):
        raise ValueError("takes names of hosts separated by spaces, such as www.example.org 10.0.0.11")
    return found


def networks(text: str) -> tuple:
    """Addresses and networks, such as 127.0.0.1 and fd00::/8."""
    try:
        return tuple(ip_network(word) for word in words(text))
    except ValueError as error:
        raise ValueError("takes addresses or networks separated by spaces, such as 10.0.0.0/8") from error


def sender(text: str) -> Address:
    """The sender of mail: `Name <name@host>`."""
    name, address = parseaddr(text)
    try:
        found = Address(name, addr_spec=address)
    except (ValueError, IndexError) as error:
        raise ValueError("takes a name and an address, such as comicsdb <mail@host>") from error
    if not found.domain or not text.isascii() or not text.isprintable():
        raise ValueError("takes a name and an address, such as comicsdb <mail@host>")
    return found


def mailboxes(text: str) -> tuple[str, ...]:
    """Mail addresses, separated by spaces or commas."""
    found = words(text)
    for each in found:
        sender(each)
    return found


def mail_address(text: str) -> str:
    """A mail address without a name, or an empty text."""
    if text and sender(text).addr_spec != text:
        raise ValueError("takes an address such as people@example.org")
    return text


def folder(text: str) -> Path | None:
    """A folder, or None."""
    return Path(text) if text else None


def day(text: str) -> date | None:
    """A date such as 2027-05-31, or None."""
    found = iso_day(text)
    if text and found is None:
        raise ValueError("takes a date, such as 2027-05-31")
    return found


def number(low: int, high: int):
    """A parser of whole numbers within inclusive bounds."""

    def parse(text: str) -> int:
        found = whole_number(text, low, high)
        if found is None:
            raise ValueError(f"takes a number from {low} to {high}")
        return found

    return parse


def ids(text: str) -> frozenset[int]:
    """Ids of rows, separated by spaces or commas."""
    found = frozenset(whole_number(word, 1) for word in words(text))
    if None in found:
        raise ValueError("takes ids separated by spaces, such as 1 2")
    return found


def standing_credits(text: str) -> dict[int, tuple[tuple[int, str], ...]]:
    """Creators and roles by publisher: `7: 12 Editor In Chief, 15 President; 8: 20 Publisher`."""
    found = {}
    for part in filter(str.strip, text.split(";")):
        publisher, _, rest = part.partition(":")
        pairs = [re.fullmatch(r"([1-9][0-9]{0,8}) +(\S.*)", each.strip()) for each in rest.split(",")]
        if not re.fullmatch("[1-9][0-9]{0,8}", publisher.strip()) or not all(pairs):
            raise ValueError("takes ids with roles, such as 7: 12 Editor In Chief, 15 President; 8: 20 Other")
        found[int(publisher)] = tuple((int(pair[1]), pair[2]) for pair in pairs)
    return found


def one_of(*choices: str):
    """A parser of one of a few words."""

    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"takes one of: {', '.join(choices)}")
        return text

    return parse


def by_tier(text: str) -> dict[SupporterTier, int]:
    """A number for each tier of supporters: `friend=7500 backer=10000 ...`."""
    found = dict(word.partition("=")[::2] for word in words(text))
    numbers = {tier: whole_number(found.pop(tier, ""), 1) for tier in SupporterTier}
    if found or None in numbers.values():
        raise ValueError("takes a number for each tier: friend=1 backer=2 sponsor=3 mega_sponsor=4")
    return numbers


def web_address(text: str) -> str:
    """An http or https URL."""
    if not is_web_address(text):
        raise ValueError("takes an address such as https://host/path")
    return text


@dataclass(frozen=True)
class Licence:
    """A licence: its name and its URL, both empty for none."""

    name: str
    url: str


def licence(text: str) -> Licence:
    """`CC BY-SA 4.0 https://...`: a name and a URL; or `none`."""
    if text.strip() == "none":
        return Licence("", "")
    name, _, url = text.strip().rpartition(" ")
    if not name:
        raise ValueError("takes a name and an address, such as CC BY 4.0 https://host/licence, or none")
    return Licence(name.strip(), web_address(url))


def links(text: str) -> tuple[tuple[str, str], ...]:
    """Names with URLs: `Mastodon https://...; Bluesky https://...`."""
    found = [part.strip().rpartition(" ") for part in text.split(";") if part.strip()]
    if not all(name for name, _, _url in found):
        raise ValueError("takes names and addresses, such as Mastodon https://host/@us; Forum https://host")
    return tuple((name.strip(), web_address(url)) for name, _, url in found)


def url_prefix(text: str) -> str:
    """A base URL without the trailing slash, or an empty text."""
    return web_address(text).rstrip("/") if text else ""


def domain_check(text: str) -> str:
    """The URL of a service that checks a mail domain, or an empty text."""
    try:
        if not text or ("{domain}" in text and is_web_address(text.format(domain="example.org"))):
            return text
    except (AttributeError, LookupError, ValueError):  # other braces
        pass
    raise ValueError("takes an address that contains {domain}, such as https://host/{domain}")


def prefix(text: str) -> str:
    """A prefix of names in a bucket: words separated by slashes."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", text):
        raise ValueError("takes letters, digits, dots, hyphens and underscores, and slashes between them")
    return text


def some_of(*choices: str):
    """A parser of any of a few words, separated by spaces or commas."""

    def parse(text: str) -> tuple[str, ...]:
        if not set(words(text)) <= set(choices):
            raise ValueError(f"takes any of: {', '.join(choices)}")
        return words(text)

    return parse


def database_url(text: str) -> str:
    """A URL of PostgreSQL, or a folder for an embedded server."""
    try:
        if text.startswith(EMBEDDED) or make_url(text).drivername in DRIVERS:
            return text
    except ArgumentError:  # the error is not passed on, as it quotes the URL with its password
        pass
    raise ValueError("takes postgresql://USER:PASSWORD@HOST/DATABASE, or embedded:FOLDER?database=NAME")


def replicas(text: str) -> tuple[str, ...]:
    """URLs of PostgreSQL servers, separated by spaces."""
    for word in text.split():
        try:
            url = make_url(word)
        except ArgumentError:  # not passed on either
            url = None
        if url is None or url.drivername not in DRIVERS or not url.database:
            raise ValueError(
                "takes addresses such as postgresql://USER:PASSWORD@HOST/DATABASE, separated by spaces"
            )
        host = url.query.get("host", url.host or "")
        if isinstance(host, tuple) or "," in host:
            raise ValueError("names several servers in one address: each replica needs an address of its own")
    return tuple(text.split())


def function(text: str):
    """A function, as `package.module:name`; None for an empty text."""
    if not text:
        return None
    module, _, name = text.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"takes package.module:function, and there is none: {error}") from error
    if not callable(found):
        raise ValueError("takes package.module:function, and that is none")
    return found


def token(text: str) -> str:
    """A secret of at least 16 characters, or an empty text."""
    if text and (len(text) < 16 or not text.isascii() or not text.isprintable() or " " in text):
        raise ValueError("takes 16 characters or more, without blanks")
    return text

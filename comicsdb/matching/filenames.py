"""A parser for the names of comic files.

A name is first split into words, dashes and brackets. The content of each bracket is recognised separately:
dates, counts, formats, languages, publishers, ids; everything else is noise. Each number outside of brackets
gets a score for how likely it is to be the issue's number. The best one separates the series before it from a
story title after it.

Some names are ambiguous: the number in `Batman 66` may be part of the title. `ParsedName.readings` has the
alternatives, most likely first, so that a caller with a catalog can look them up in turn.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

from stdnum import ean, isbn

from comicsdb.matching import words
from comicsdb.matching.words import CHAPTER, NUMBER, PART, TOME, VOLUME
from comicsdb.values import MONTHS

LENGTH_MAX = 1000  # characters; longer names, which must be paths, are cut at the beginning
READINGS_MAX = 6
FOLDERS_MAX = 4  # number of folders read, counted from the file
EXTENSIONS = frozenset("cbz cbr cb7 cbt cba pdf epub zip rar 7z tar mobi djvu".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to understand a name; see `ParsedName` for the fields.

    `publisher` is the text before a first dash if the series follows it. `is_literal` marks readings in which
    the series has words that usually do not belong to it: formats, brackets, the folder's name.
    """

    series: str = ""
    number: str = ""
    title: str = ""
    volume: int | None = None
    year: int | None = None
    publisher: str = ""
    is_literal: bool = False


@dataclass(frozen=True, slots=True)
class ExternalId:
    """An id in another database; `scope` is `issue`, `series`, or "" if the name does not say."""

    source: str
    id: str
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ParsedName:
    """What a file name says about a comic; "" and None stand for missing values.

    series: the name of the series, beginning with its article, and including words such as Annual.
    number: as in the catalog: `1`, `1.5`, `½`, `1A`, `1.MU`, `-1`; a range of issues is `1-6`.
    title: the title of a story or of an edition, or an alternative title of the series.
    count: the number of issues in the series.
    volume: the volume number of the series. For manga and collections, the volume is the `number`.
    year_began: the first year of the series, if it is given in addition to the issue's year, or in a folder.
    year, month, day: the date of the issue. A single year may also be the first of the series.
    is_year_early: whether the year stands before the number, as the first year of a series does in its label.
    format: the code of a series type, or another format in `words`.
    publisher: as written.
    language: the catalog's code.
    pages: the number of pages.
    isbn, upc: digits only, including a supplement.
    ids: ids in other databases.
    readings: up to six ways to understand the name, the likeliest first; the fields above are from that one.
    """

    series: str = ""
    number: str = ""
    title: str = ""
    count: int | None = None
    volume: int | None = None
    year_began: int | None = None
    year: int | None = None
    month: int | None = None
    day: int | None = None
    is_year_early: bool = False
    format: str = ""
    publisher: str = ""
    language: str = ""
    pages: int | None = None
    isbn: str = ""
    upc: str = ""
    ids: tuple[ExternalId, ...] = ()
    readings: tuple[Reading, ...] = ()


def parse(name: str) -> ParsedName:
    """Parse the name of a file, with or without a path and an extension; accepts any text."""
    *folders, last = _path_parts(_normalised(name))
    part = _NameParser(_without_extension(last))
    readings = part.readings()
    outer = _Folders(folders[-FOLDERS_MAX:])
    readings = outer.complete(readings, leading=part.leading)
    first, facts, date = readings[0], part.facts, part.date
    return ParsedName(
        series=first.series,
        number=first.number,
        title=first.title,
        count=facts.count or outer.facts.count,
        volume=first.volume,
        year_began=part.year_began or outer.year_of(first.series),
        year=first.year,
        month=date.month if first.year == date.year else None,
        day=date.day if first.year == date.year else None,
        is_year_early=part.is_year_early and first.year == date.year,
        format=facts.format or _named_format(first.series) or outer.facts.format,
        publisher=facts.publisher or outer.publisher(first.series),
        language=facts.language or outer.facts.language,
        pages=facts.pages,
        isbn=facts.isbn,
        upc=facts.upc,
        ids=(*facts.ids, *(replace(each, scope=each.scope or "series") for each in outer.facts.ids)),
        readings=tuple(readings),
    )


def _named_format(series: str) -> str:
    """The format implied by a word of a series' name, such as Annual, unless it is the first of several."""
    folded = _fold(series)
    parts = folded.split()
    for part in parts[1:] or parts:
        if part in words.NAMED_FORMATS:
            return words.NAMED_FORMATS[part]
    return words.FREE if folded.startswith(("fcbd", "free comic book day")) else ""


# Compatibility characters, such as full-width letters, are normalised, except fractions and signs.

_KEPT = frozenset("½¼¾™®©…²³ªº°№")
_REPLACED = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("‘’ʼ´`", "'"),
        **dict.fromkeys("“”„", '"'),
        **dict.fromkeys("【〔〖", "["),
        **dict.fromkeys("】〕〗", "]"),
        **dict.fromkeys("「」『』《》〈〉", " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f™®©", ""),
        "…": "...",
    }
)
_CONTROL = re.compile(r"[\0-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")


def _normalised(name: str) -> str:
    name = name[-LENGTH_MAX:]
    if "%20" in name:
        name = unquote(name)
    if not name.isascii():
        name = "".join(
            each if each in _KEPT or each.isascii() else unicodedata.normalize("NFKC", each) for each in name
        )
        name = unicodedata.normalize("NFC", name)[-LENGTH_MAX:].translate(_REPLACED)
    return _BLANKS.sub(" ", _CONTROL.sub(" ", name)).strip()


def _fold(text: str) -> str:
    """The text in lower case, without accents on Latin letters."""
    text = text.casefold()
    if text.isascii():
        return text
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not "\u0300" <= each <= "\u036f")


# A slash between two numbers is a count or a half, unless only an extension follows.
_COUNT = re.compile(r"(?<![0-9/\\.(])([0-9]{1,3}) ?/ ?([0-9]{1,3})(?![0-9/\\]|\.[A-Za-z0-9]{2,4}$)")
_SLASH_DATE = re.compile(r"(?<=[([][0-9])/(?=[0-9]{4}[)\]])|(?<=[([][0-9]{2})/(?=[0-9]{4}[)\]])")
_SLASHES = re.compile(r"[/\\]+")


def _fraction(found: re.Match[str]) -> str:
    first, last = found.groups()
    if found.start() and int(first) <= int(last) and first.startswith("0") <= last.startswith("0"):
        return f"{first}\u2044{last}"
    return found.group()


def _path_parts(path: str) -> list[str]:
    if "/" in path:
        path = _SLASH_DATE.sub("-", path)
        path = _COUNT.sub(_fraction, path)
    return [part.strip() for part in _SLASHES.split(path) if part.strip()] or [""]


def _without_extension(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    if not dot or extension.strip().lower() not in EXTENSIONS:
        return name
    return _without_extension(stem)  # .cbz.zip


# What a name contains besides series, number and title.


@dataclass(slots=True)
class _Facts:
    count: int | None = None
    format: str = ""
    publisher: str = ""
    language: str = ""
    pages: int | None = None
    isbn: str = ""
    upc: str = ""
    ids: list[ExternalId] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Date:
    year: int | None = None
    month: int | None = None
    day: int | None = None
    range: bool = False  # a range of years, whose first one is the series'


NO_DATE = _Date()


@dataclass(slots=True)
class _Token:
    """A word, a dash or a bracket; `number` is set if it may be the issue's."""

    text: str
    folded: str = ""
    number: str = ""
    mark: str = ""  # the kind of the word that precedes the number
    padded: bool = False
    digits: int = 0
    has_count: bool = False  # whether a count follows
    bracket: bool = False
    date: _Date = NO_DATE
    may_be_name: bool = False  # a format, or a bracket that says nothing else

    @property
    def dash(self) -> bool:
        return self.text == "-"

    @property
    def word(self) -> bool:
        return not (self.bracket or self.dash)

    @property
    def year(self) -> int | None:
        """The year that a plain number may stand for."""
        if self.digits == 4 and not self.mark and self.number.isdigit():
            return int(self.number) if FIRST_BARE_YEAR <= int(self.number) <= LAST_YEAR else None
        return None


FIRST_YEAR, FIRST_BARE_YEAR, LAST_YEAR = 1820, 1930, 2039  # limits for years, in brackets or not


# Codes, and Japanese, Chinese and Korean counters, are searched in the whole text.

_BARCODE = re.compile(
    r"(?<![0-9-])(?:(?:isbn|upc|ean)[ :_-]{0,2})?"
    r"(97[89](?:[ -]?[0-9]){10}|[0-9]{12,13}(?:[ -]?(?:[0-9]{5}|[0-9]{2}))?|[0-9](?:-?[0-9]){8}-?[0-9Xx])"
    r"(?![0-9]|-[0-9])",
    re.IGNORECASE,
)
_CV_ID = re.compile(r"(?<![^\W_])cv[-_ ]?(4000|4050)-([0-9]{1,9})(?![0-9])", re.IGNORECASE)
_DAY = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})([-._]?)(0[1-9]|1[0-2])\2(0[1-9]|[12][0-9]|3[01])(?![0-9])")
_MONTH = re.compile(r"(?<![0-9-])((?:19|20)[0-9]{2})-(0[1-9]|1[0-2])(?![0-9-])")
_CJK_DATE = re.compile(r"([0-9]{4})年(?: ?([0-9]{1,2})月)?(?: ?([0-9]{1,2})日)?")
_CJK_COUNT = re.compile(r"全 ?([0-9]{1,4}) ?[巻卷冊话話]")
_CJK_NUMBER = re.compile(
    r"(?:[第제] ?([0-9]{1,5}(?:\.[0-9]{1,2})?(?:[-~][0-9]{1,5})?|[一二三四五六七八九十百]{1,6})"
    r"|(?<![0-9.])([0-9]{1,5}(?:\.[0-9]{1,2})?)) ?([巻卷冊集册권話话回章화号號期호])"
)
_CJK_MARKS = {**dict.fromkeys("話话回章화", "ch."), **dict.fromkeys("号號期호", "n.")}
_CJK_DIGITS = {each: value for value, each in enumerate("一二三四五六七八九", 1)}
_AFTER_CJK = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])(?=[0-9])")
_FUSED = re.compile(r"(?<![^\W_])(v(?:ol)?\.?[0-9]{1,4})(?=ch?\.?[0-9])", re.IGNORECASE)


def _cjk_number(found: re.Match[str]) -> str:
    number = found[1] or found[2]
    if not number[0].isdigit():
        number = str(_kanji_number(number))
    return f" {_CJK_MARKS.get(found[3], 't.')}{number.replace('~', '-')} "


def _kanji_number(text: str) -> int:
    total, digit = 0, 0
    for each in text:
        if each in _CJK_DIGITS:
            digit = _CJK_DIGITS[each]
        else:
            total += (digit or 1) * (10 if each == "十" else 100)
            digit = 0
    return total + digit


# Words with digits.

_NUMBER = re.compile(
    r"(?P<mark>[#№]|[^\W\d_½¼¾]{1,10}[.°º]{0,2}[#:]?)?(?P<sign>-)?(?P<whole>[0-9]{0,9})"
    rf"(?P<rest>[½¼¾]|[.,][0-9]{{1,2}})?(?P<suffix>\.?(?:{words.SUFFIXES})|[A-Za-z])?(?:[-~]#?(?P<last>[0-9]{{1,6}}))?[.,:;]?"
)
_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_SUFFIX_WORDS = frozenset(words.SUFFIXES.split("|"))
_NO_SUFFIX = re.compile(r"3[Dd]|[0-9]+[pPxXsSkK]")  # 3D, 90s, 1080p
_OF_COUNT = re.compile(r"#?([0-9]{1,4})(?:of|\u2044|/)([0-9]{1,4})", re.IGNORECASE)


def _mark(word: str) -> str:
    """The kind of a word that precedes a number; trailing dots and similar signs are ignored."""
    return words.MARKS.get(_fold(word if len(word) < 2 else word.rstrip(".:°º#")), "")


def _number_token(word: str) -> _Token | None:
    """The token of a word that is a number, possibly with a mark before it."""
    if word.lstrip("#") == "∞":
        return _Token(word, word, number="∞", mark=_mark(word[:-1]))
    found = _NUMBER.fullmatch(word)
    if found is None or not (found["whole"] or found["rest"]):
        return None
    mark = ""
    if found["mark"]:
        mark = _mark(found["mark"])
        if not mark:
            return None
    if found["suffix"] and _NO_SUFFIX.match(word):
        return None
    whole, rest, suffix = found["whole"], found["rest"] or "", (found["suffix"] or "").upper()
    number = (whole.lstrip("0") or "0") + rest.replace(",", ".")
    if rest in _FRACTIONS:
        number = rest if number == f"0{rest}" else number.replace(rest, _FRACTIONS[rest])
    if found["last"]:
        suffix += f"-{found['last'].lstrip('0') or '0'}"
    return _Token(
        word,
        word,
        number=(found["sign"] or "") + number + suffix,
        mark=mark,
        padded=whole.startswith("0") and len(whole) > 1,
        digits=len(whole),
    )


# Brackets.

_BRACKET = re.compile(r"[()\[\]{}]")
_BETWEEN = re.compile(r"[\W_]+")
_PARTS = re.compile(r"[,;|/+]")
_SOURCE = re.compile(r"([a-z]{2,12})(?:[-_ :=]{1,2}|(?=[0-9]))([0-9a-z][0-9a-z-]{0,40})")
_OWN_ID = re.compile(r"__([0-9]{1,9})__")
_OF = re.compile(rf"(?:#?([0-9]{{1,4}}) ?)?(?:(?:{'|'.join(sorted(words.OF))}) |[/\u2044]) ?([0-9]{{1,4}})")
_PAGES = re.compile(r"([0-9]{1,4}) ?([a-z]{1,7})\.?")


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the texts inside and outside of brackets; a bracket that is not closed ends with the text."""
    depth, begun = 0, 0
    for found in _BRACKET.finditer(text):
        opening = found[0] in "([{"
        if depth == 0 or (not opening and depth == 1):
            if begun < found.start():
                yield depth == 1, text[begun : found.start()]
            begun = found.end()
        depth = max(0, depth + (1 if opening else -1))
    if begun < len(text):
        yield depth > 0, text[begun:]


def _folded_words(texts: Sequence[str]) -> list[str]:
    return [part for text in texts for part in _BETWEEN.split(_fold(text)) if part]


def _date(parts: Sequence[str]) -> _Date | None:
    """The date in words that are nothing else, as in `jan 2019`, `2019 01 16`, `16 01 2019`, `2011 2016`."""
    years, months, others = [], [], []
    for part in parts:
        if part in MONTHS:
            months.append(MONTHS[part])
        elif part.isdigit() and part.isascii() and len(part) <= 4:
            value = int(part)
            (years if FIRST_YEAR <= value <= LAST_YEAR else others).append(value)
        elif part not in words.NO_MONTHS:
            return None
    if not years or len(others) > 2 or (len(years) > 1 and (others or months)):
        return None
    if len(years) > 1:
        return _Date(years[0], range=True)
    if not months:
        # Year, month, day; or day, month, year, or only month and year.
        months = [others.pop(0 if len(others) == 1 or parts[0] == str(years[0]) else 1)] if others else []
    month = months[0] if months and 1 <= months[0] <= 12 else None
    day = others[0] if others and month and 1 <= others[0] <= 31 else None
    return None if months and month is None else _Date(years[0], month, day)


class _Brackets:
    """Interprets brackets, and stores the facts in them."""

    def __init__(self, facts: _Facts) -> None:
        self.facts = facts

    def token(self, content: str) -> _Token:
        """The token for a bracket."""
        content = content.strip()
        folded = _fold(content)
        if self.is_id(folded):
            return _Token(content, bracket=True)
        date = _date(_folded_words([folded]))
        if date:
            open_range = folded.endswith("-")
            return _Token(content, bracket=True, date=replace(date, range=date.range or open_range))
        found = _OF.fullmatch(folded)
        if found:
            self.facts.count = int(found[2])
            token = _number_token(found[1]) if found[1] else _Token(content)
            token.has_count, token.bracket = True, True
            return token
        token = _number_token(content.replace(" ", "")) if content[-1:].isdigit() else None
        if token and token.mark != PART:
            token.bracket = True
            return token
        date = self.classify(content)
        return _Token(content, folded, bracket=True, date=date, may_be_name=not date.year)

    def is_id(self, folded: str) -> bool:
        found = _OWN_ID.fullmatch(folded)
        if found:
            self.facts.ids.append(ExternalId("comicvine", found[1], "issue"))
            return True
        found = _SOURCE.fullmatch(folded)
        source = words.SOURCES.get(found[1]) if found else None
        if not source:
            return False
        value = found[2].upper() if source in {"asin", "wikidata"} else found[2]
        self.facts.ids.append(ExternalId(source, value))
        return True

    def classify(self, content: str) -> _Date:
        """Interpret the parts of a bracket, such as `(Marvel, Jan 2019)`; returns the date."""
        date = NO_DATE
        for part in _PARTS.split(content):
            kept = part.replace("_", " ").split()
            for size in range(min(3, len(kept)), 0, -1):
                at_end, at_begin = _date(_folded_words(kept[-size:])), _date(_folded_words(kept[:size]))
                if at_end or at_begin:
                    date = at_end or at_begin
                    kept = kept[:-size] if at_end else kept[size:]
                    break
            text = " ".join(word for word in kept if _fold(word) not in words.NOISE).strip(" .-")
            if _fold(text).strip():
                self.classify_words(text)
        return date

    def classify_words(self, text: str) -> None:
        facts, folded = self.facts, _fold(text)
        parts = folded.split()
        pages = _PAGES.fullmatch(folded)
        if folded in words.FORMATS or folded in words.NAMED_FORMATS:
            facts.format = facts.format or words.FORMATS.get(folded) or words.NAMED_FORMATS[folded]
        elif parts[0] in words.LANGUAGES and (len(parts) == 1 or parts[1] in words.EDITIONS):
            facts.language = facts.language or words.LANGUAGES[parts[0]]
        elif _is_publisher(folded):
            facts.publisher = facts.publisher or text
        elif pages and pages[2] in words.PAGES:
            facts.pages = int(pages[1])


def _is_publisher(folded: str) -> bool:
    main = " ".join(part for part in folded.split() if part not in words.SECONDARY)
    return folded in words.PUBLISHERS or main in words.PUBLISHERS


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isascii() and text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR


# Words outside of brackets.

_ACRONYM_DOT = re.compile(r"(?<=(?<![^\W_])[A-Z])\.(?=[A-Z](?![^\W_]))")
# A dot stays in decimals, in numbers such as 1.MU, and after a mark of one letter, as in T.01.
_SPLITTING_DOT = re.compile(
    r"(?<![0-9])\.(?![0-9])|(?<=[0-9]{4})\.|(?<=[^\W\d_tTnNvVcC])\.(?=[0-9])"
    r"|(?<=[^\W\d_]{2})\.(?=[0-9])|(?<=[vV][0-9])\.(?=[0-9])"
    rf"|(?<=[0-9])\.(?!(?:[0-9]|{words.SUFFIXES})(?![^\W_]))"
)
_SPLITTING_HYPHEN = re.compile(r"-(?=0[0-9]|[0-9]{3})")
_JOINED_NAME = re.compile(r"[^\W\d_][^\W_]*[^\W\d_](?=0[0-9]|[0-9]{3})")  # SilverLynxTales012
_JOINED_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])")
_DIGIT = re.compile("[0-9½¼¾∞]")
_DASHES = frozenset(("-", "--", "---", "~", ":", "|", "•", "·"))


def _spaced(pieces: list[str]) -> list[str]:
    """The pieces outside of brackets with spaces between words, instead of other separators."""
    bare = [piece.strip(" ._-+") for piece in pieces]
    if any(" " in piece for piece in bare):
        # Many programs replace a colon, which file names cannot have, by an underscore.
        return [re.sub(r"(?<=\w)_ ", ": ", piece).replace("_", " ") for piece in pieces]
    if any("_" in piece for piece in pieces):
        return [piece.replace("_", " ") for piece in pieces]
    if any("." in piece for piece in pieces):
        kept = (_ACRONYM_DOT.sub("\0", piece.strip(".")) for piece in pieces)
        return [_SPLITTING_DOT.sub(" ", piece).replace("\0", ".") for piece in kept]
    if any("+" in piece for piece in pieces):
        return [piece.replace("+", " ") for piece in pieces]
    if any(piece.count("-") > 1 and _DIGIT.search(piece) for piece in bare):
        return [piece.replace("-", " ") for piece in pieces]
    pieces = [_SPLITTING_HYPHEN.sub(" ", piece) for piece in pieces]
    return [_JOINED_WORDS.sub(" ", piece) if _JOINED_NAME.match(piece) else piece for piece in pieces]


def _word_tokens(piece: str) -> Iterator[_Token]:
    for word in _FUSED.sub(r"\1 ", piece).split():
        if word in _DASHES:
            yield _Token("-")
            continue
        if not _DIGIT.search(word) or word.casefold() in words.NOISE:
            yield from _dashed(word)
            continue
        count = _OF_COUNT.fullmatch(word)
        if count is None:
            yield _number_token(word) or _Token(word, _fold(word))
        elif count.groups() == ("1", "2") and "\u2044" in word:
            yield _number_token("½")
        else:
            yield from (_number_token(count[1]), _Token("of", "of"), _number_token(count[2]))


def _dashed(word: str) -> Iterator[_Token]:
    """The tokens of a word that may begin or end with a dash."""
    text = word.strip("-")
    if text and word[0] == "-":
        yield _Token("-")
    if text:
        yield _Token(text, _fold(text).rstrip(",;"))
    if not text or word[-1] == "-":
        yield _Token("-")


def _with_marks(tokens: list[_Token]) -> list[_Token]:
    """The tokens, with marks such as `Vol.`, `No.` and `Book` merged with the number that follows."""
    kept: list[_Token] = []
    for token in tokens:
        united = token
        while kept and united.word and (more := _merge_mark(kept[-1], united)):
            kept.pop()
            united = more
        kept.append(united)
    return kept


def _merge_mark(last: _Token, token: _Token) -> _Token | None:
    """Two tokens as one, if the first is a mark, such as `Vol.`, for the number in the second; else None."""
    mark = _mark(last.folded) if last.word and not last.number else ""
    if last.number.isdigit() and token.text in _SUFFIX_WORDS:  # 6 AU
        return _number_token(last.text + token.text)
    if not mark or last.folded in words.SHORT_MARKS:
        return None
    text = f"{last.text} {token.text}"
    if token.number:
        return (
            replace(token, text=text, mark=token.mark or mark) if mark == NUMBER or not token.mark else None
        )
    value = words.NUMERALS.get(token.folded) if mark != NUMBER else None
    return None if value is None else _Token(text, text, number=str(value), mark=mark)


def _with_counts(tokens: list[_Token], facts: _Facts) -> list[_Token]:
    """The tokens without counts such as in `3 of 6`, which are stored as facts."""
    kept = []
    position = 0
    while position < len(tokens):
        token, after = tokens[position], tokens[position + 1 : position + 3]
        position += 1
        if token.folded == "of" and (not kept or kept[-1].bracket) and after and after[0].number.isdigit():
            facts.count = int(after[0].number)
            position += 1
            continue
        kept.append(token)
        if token.number and len(after) == 2 and after[0].folded in words.OF and after[1].number.isdigit():
            if token.mark != PART:
                facts.count = int(after[1].number)
            token.has_count = True
            position += 2
    return kept


# Parsing a whole name.

_SHORT_BRACKET = re.compile(r"[0-9]{1,3}|[A-Za-z]")  # 1 [43], 5 [A]
_SCORES = {NUMBER: 100, CHAPTER: 90, TOME: 70, VOLUME: 40, PART: 35, "": 50}
_LIKELY, _POSSIBLE, _NEAR = 30, -15, 25  # scores of numbers, and the distance of alternatives


class _NameParser:
    """Parses the name of a file or of one folder."""

    def __init__(self, text: str) -> None:
        self.facts = _Facts()
        self.date = NO_DATE
        self.year_began: int | None = None
        self.leading = False  # whether the number precedes all words
        self.is_year_early = False
        text = self._without_codes(text)
        self.tokens = _with_counts(_with_marks(self._tokens(text)), self.facts)
        self._take_formats()
        self.bracket_years = {token.date.year for token in self.tokens if token.date.year}

    def _without_codes(self, text: str) -> str:
        text = _BARCODE.sub(self._barcode, text)
        text = _CV_ID.sub(self._cv_id, text)
        text = _DAY.sub(r" (\1 \3 \4) ", text)
        text = _MONTH.sub(r" (\1 \2) ", text)
        if not text.isascii():
            text = _CJK_COUNT.sub(self._cjk_count, text)
            text = _CJK_DATE.sub(lambda found: f" ({' '.join(filter(None, found.groups()))}) ", text)
            text = _AFTER_CJK.sub(" ", _CJK_NUMBER.sub(_cjk_number, text))
        return text

    def _barcode(self, found: re.Match[str]) -> str:
        code = "".join(each for each in found[1] if each not in " -").upper()
        whole = found[0] == found.string
        if len(code) == 10:
            if not isbn.is_valid(code) or (found[0] == found[1] and not whole):
                return found[0]
            self.facts.isbn = self.facts.isbn or code
            return "()"
        length = 13 if len(code) in {13, 15, 18} else 12
        if not ean.is_valid(code[:length]) and not whole:
            return found[0]
        if length == 13 and code[:3] in {"978", "979"}:
            self.facts.isbn = self.facts.isbn or code[:13]
        else:
            self.facts.upc = self.facts.upc or code
        return "()"

    def _cv_id(self, found: re.Match[str]) -> str:
        scope = "issue" if found[1] == words.CV_ISSUE else "series"
        self.facts.ids.append(ExternalId("comicvine", found[2], scope))
        return "()"

    def _cjk_count(self, found: re.Match[str]) -> str:
        self.facts.count = int(found[1])
        return " "

    def _tokens(self, text: str) -> list[_Token]:
        pieces = list(_pieces(text))
        spaced = iter(_spaced([piece for inside, piece in pieces if not inside]))
        brackets = _Brackets(self.facts)
        tokens: list[_Token] = []
        for inside, piece in pieces:
            if inside:
                content = _BRACKET.sub(" ", piece)
                tokens.append(brackets.token(content) if content.strip() else _Token("", bracket=True))
                continue
            text = next(spaced)
            if tokens and piece[0] == "-" and piece[1:2].isalpha():  # a release group: `(digital)-Empire`
                continue
            tokens += _word_tokens(text)
        return tokens

    def _take_formats(self) -> None:
        """Remove words for a format that are not part of a name, and languages in capitals; store both."""
        kept: list[_Token] = []
        position = 0
        while position < len(self.tokens):
            length = self._format_length(position) if kept else 0
            if length:
                text = " ".join(token.text for token in self.tokens[position : position + length])
                kept.append(_Token(text, bracket=True, may_be_name=True))
                position += length
                continue
            kept.append(self.tokens[position])
            position += 1
        self.tokens = kept

    def _format_length(self, position: int) -> int:
        """The number of words from a position on that are a format or a language."""
        token = self.tokens[position]
        if token.number or not token.word:
            return 0
        capital = token.text.isupper()
        if capital and token.folded in words.BARE_LANGUAGES:
            self.facts.language = self.facts.language or words.LANGUAGES[token.folded]
            return 1
        for length in (3, 2, 1):
            phrase = " ".join(each.folded for each in self.tokens[position : position + length])
            if phrase in words.FORMATS and (capital or phrase not in words.SHORT_FORMATS):
                self.facts.format = self.facts.format or words.FORMATS[phrase]
                return length
        return 0

    # Which number is the issue's?

    def _score(self, position: int, dashed: bool) -> float:
        """How likely a number is the issue's; with `dashed`, a padded number and a dash precede it."""
        token = self.tokens[position]
        if token.mark or token.has_count:
            return self._marked_score(position)
        score = _SCORES[""] + position / 10
        if token.bracket:
            return _LIKELY + 1
        after = self.tokens[position + 1] if position + 1 < len(self.tokens) else None
        followed = after is not None and after.word
        score += 15 if token.padded else 10 if token.digits == 3 else 0
        score += -5 if followed else 10
        if followed and after.folded in words.COUNTED:  # 2 covers
            score -= 40
        if position and self.tokens[position - 1].folded in words.SEASONS:
            score -= 40
        if position == 2 and self.tokens[1].dash and self.tokens[0].number and not token.padded:  # 012 - 300
            score -= 20
        if position == 0:  # 100 Bullets 050, but also 012 - Saga
            alone = not token.padded and not any(each.word for each in self.tokens[1:])
            score -= 50 if alone else 15 if not followed else 20 if token.padded else 40
        if token.year:
            score -= 20 if self.bracket_years - {token.year} else 45
        if token.digits > 3 and token.number != words.MILLION:
            score -= 40 if token.digits > 4 else 10
        if dashed and token.padded and self.tokens[position - 1].dash:  # Zone 100 - 01
            return score
        return score - (20 if dashed else 0)

    def _marked_score(self, position: int) -> float:
        """The score of a number with a mark, such as `No. 6`, or a count, as in `3 of 6`."""
        token = self.tokens[position]
        score = _SCORES[token.mark] + position / 10
        if token.has_count and token.mark != PART:  # Part 3 of 5 is the story's
            score += 40
        if token.mark == NUMBER and position == 0 and any(map(_is_plain_number, self.tokens[1:])):
            score -= 70  # No. 6 012: the series is "No. 6"
        return score

    def _candidates(self) -> list[tuple[float, int]]:
        """The numbers that may be the issue's, as pairs of score and position, best first."""
        found, padded, dashed = [], False, False
        for position, token in enumerate(self.tokens):
            dashed = dashed or (token.dash and padded)
            if not token.number or (token.mark == VOLUME and token.digits > 3):
                continue
            found.append((self._score(position, dashed), position))
            padded = padded or (position > 0 and (token.padded or token.digits == 3))
        return sorted(found, reverse=True)

    def readings(self) -> list[Reading]:
        """The readings, most likely first; sets `date` and `year_began` to those of the first one."""
        candidates = self._candidates()
        best = candidates[0][1] if candidates and candidates[0][0] >= _LIKELY else None
        first, self.date, self.year_began = self._reading(best)
        self.leading = best is not None and not any(token.word for token in self.tokens[:best])
        found = [first, *self.literal_readings(first, best), *_split_at_dash(first)]
        if best is None:
            others = [position for score, position in candidates if score >= _POSSIBLE]
        else:
            token = self.tokens[best]
            others = [
                each for score, each in candidates[1:] if score >= max(_LIKELY, candidates[0][0] - _NEAR)
            ]
            plain = token.number.isdigit() and not (
                token.mark or token.has_count or token.padded or token.bracket
            )
            # Titles may end with 66 or 2049, but hardly with 123.
            if (plain and token.digits != 3 and not first.title) or token.mark in {VOLUME, PART}:
                others.insert(1, None)
        found += [self._reading(position)[0] for position in others[:READINGS_MAX]]
        return list(dict.fromkeys(found))[:READINGS_MAX]

    def folder_reading(self) -> Reading:
        """The reading of a folder, which has no number."""
        reading, self.date, self.year_began = self._reading(None)
        return reading

    def literal_readings(self, reading: Reading, chosen: int | None) -> Iterator[Reading]:
        """The reading with all words of its series' name, and the one with a bracket behind its number."""
        if chosen is None:
            named = next((at for at, token in enumerate(self.tokens) if token.word), 0)
            dates = (at for at, token in enumerate(self.tokens) if at > named and token.date.year)
            end = next(dates, len(self.tokens))
        else:
            end = chosen
            behind = self.tokens[chosen + 1] if chosen + 1 < len(self.tokens) else None
            if behind and behind.bracket and _SHORT_BRACKET.fullmatch(behind.text):
                yield replace(reading, number=f"{reading.number} [{behind.text}]")
        tokens = [
            replace(token, bracket=False) if token.may_be_name else token
            for token in self.tokens[:end]
            if token.mark != VOLUME
        ]
        if chosen is not None and self.tokens[chosen].mark in {PART, TOME}:  # The Paper Book 004
            mark = self.tokens[chosen].text.rpartition(" ")[0]
            tokens.append(_Token(mark, _fold(mark)))
        series = self._tidy(tokens)
        if _fold(series) != _fold(reading.series) and any(token.word for token in tokens):
            yield replace(reading, series=series, is_literal=True)

    def _without_position(self, tokens: list[_Token], after: list[_Token]) -> list[_Token]:
        """The tokens without a year, or a position in a reading order, in front of the series' name."""
        words_behind = [token for token in tokens[1:] if token.word]
        if len(tokens) < 2 or not tokens[0].number or tokens[0].mark or not words_behind:
            return tokens
        if tokens[1].dash and (after or tokens[0].year):
            return tokens[2:]
        return tokens[1:] if tokens[0].padded and after else tokens

    def _reading(self, chosen: int | None) -> tuple[Reading, _Date, int | None]:
        tokens = list(self.tokens)
        date, began = self._dates(tokens, chosen)
        volume = None
        other = chosen is not None and tokens[chosen].mark in {CHAPTER, NUMBER}
        for position, token in enumerate(tokens):
            if position == chosen or not token.number:
                continue
            if token.mark == VOLUME or (token.mark == TOME and other):
                if token.digits > 3:
                    began = int(token.number) if _is_year(token.number) else began
                elif token.number.isdigit():
                    volume = int(token.number)
                tokens[position] = _Token("", bracket=True)
        if chosen is None:
            series, title = self._unnumbered(tokens)
            number = ""
        else:
            series, title = self._numbered(tokens, chosen)
            number = tokens[chosen].number
        if title == str(date.year):
            title = ""
        return Reading(series, number, title, volume, date.year), date, began

    def _dates(self, tokens: list[_Token], chosen: int | None) -> tuple[_Date, int | None]:
        """The date of the issue and the first year of the series; removes a year outside of brackets."""
        told = [(place, token.date) for place, token in enumerate(tokens) if token.date.year]
        began = next((date.year for _, date in told if date.range), None)
        single = [(place, date) for place, date in told if not date.range]
        if single:
            middle = max((place for place, token in enumerate(tokens) if token.word), default=0)
            middle = middle if chosen is None else chosen
            after = [date for place, date in single if place > middle]
            self.is_year_early = chosen is not None and not after
            if after and single[0][0] < middle and single[0][1].year != after[0].year:
                return after[0], began or single[0][1].year
            return next((date for _, date in single if date.month), single[0][1]), began
        place = self._bare_year(tokens, chosen)
        if place is None and chosen and len(tokens) > 2 and tokens[0].year and tokens[1].dash:
            return _Date(tokens[0].year), began  # 2020 - Name 005
        if place is None:
            return NO_DATE, began
        year, month = tokens[place].year, None
        tokens[place] = _Token("", bracket=True, date=_Date(year))
        before = tokens[place - 1]
        if place - 1 > (chosen or 0) and before.folded in MONTHS:
            month = MONTHS[before.folded]
            tokens[place - 1] = _Token("", bracket=True)
        return _Date(year, month), began

    @staticmethod
    def _bare_year(tokens: list[_Token], chosen: int | None) -> int | None:
        """The position of a year outside of brackets: after the issue's number, before it, or at the end."""
        places = [place for place, token in enumerate(tokens) if place and place != chosen and token.year]
        if chosen is not None and any(token.word for token in tokens[:chosen]):
            return next(
                (place for place in places if place > chosen), chosen - 1 if chosen - 1 in places else None
            )
        following = [*tokens[1:], _Token("", bracket=True)]
        return next(
            (place for place in places if following[place].bracket or _is_noise(following[place])), None
        )

    # Series and title.

    def _numbered(self, tokens: list[_Token], chosen: int) -> tuple[str, str]:
        before, after = tokens[:chosen], tokens[chosen + 1 :]
        if not any(token.word for token in before):
            series, title = _split_at_first_dash(_until_bracket(after)[0])
            return self._tidy(series, trim=True), self._story(title)
        before = self._without_position(before, tokens[chosen:])
        story, rest = _until_bracket(after)
        if not any(token.word for token in story):
            story = _after_dash(rest)
        return self._tidy(before), self._story(story)

    def _unnumbered(self, tokens: list[_Token]) -> tuple[str, str]:
        """Split series and title at a year in brackets; but a word such as Annual belongs to the series."""
        named = next((place for place, token in enumerate(tokens) if token.word), len(tokens))
        end = next(
            (place for place, token in enumerate(tokens) if place > named and token.date.year), len(tokens)
        )
        series, rest = tokens[:end], tokens[end + 1 :]
        if (
            len(series) > 2
            and end < len(tokens)
            and series[-1].year == tokens[end].date.year
            and any(token.folded in words.NAMED_FORMATS for token in series)
        ):
            series = series[:-1]  # Annual 2019 (2019)
        title, _ = _until_bracket(rest)
        if title and title[0].folded in words.NAMED_FORMATS:
            series, title = [*series, title[0]], title[1:]
        return self._tidy(series, trim=True), self._story(title)

    def _story(self, tokens: list[_Token]) -> str:
        first = next((token for token in tokens if token.word), None)
        return "" if first and first.folded in words.NOISE else self._tidy(tokens, trim=True)

    def _tidy(self, tokens: list[_Token], *, trim: bool = False) -> str:
        """The text of words and dashes; with `trim`, without trailing noise."""
        tokens = [token for token in tokens if not token.bracket]
        if trim:
            end = next(
                (place for place, token in enumerate(tokens) if place and token.folded in words.NOISE), None
            )
            tokens = tokens[:end]
            while len(tokens) > 1 and _is_noise(tokens[-1]):
                tokens = tokens[:-1]
        kept = [
            each
            for each, last in zip(tokens, [None, *tokens], strict=False)
            if not (last and last.dash and each.dash)
        ]
        return _tidy_text(" ".join(token.text for token in kept))


def _is_plain_number(token: _Token) -> bool:
    """Whether a token is a number as files have it, behind a `#` or with three digits."""
    return bool(token.number) and (token.padded or token.digits == 3 or token.text.startswith("#"))


def _is_noise(token: _Token) -> bool:
    return token.folded in words.NOISE or token.folded in words.WEAK_NOISE


def _until_bracket(tokens: list[_Token]) -> tuple[list[_Token], list[_Token]]:
    """The tokens up to the next bracket after a word, and the rest."""
    begun = False
    for position, token in enumerate(tokens):
        if token.bracket and begun:
            return tokens[:position], tokens[position:]
        begun = begun or token.word
    return tokens, []


def _after_dash(tokens: list[_Token]) -> list[_Token]:
    place = next((place for place, token in enumerate(tokens) if token.dash), len(tokens))
    return _until_bracket(tokens[place:])[0]


def _split_at_first_dash(tokens: list[_Token]) -> tuple[list[_Token], list[_Token]]:
    """The tokens before and after the first dash that has words before it."""
    begun = False
    for position, token in enumerate(tokens):
        if token.dash and begun:
            return tokens[:position], tokens[position + 1 :]
        begun = begun or token.word
    return tokens, []


_EDGES = " -:,;_~|+=#'\""
_LAST_ARTICLE = re.compile(r"(.{1,200}), ([^\W\d_]{1,3}'?)(?= -|:|$)(.*)")


def _tidy_text(text: str) -> str:
    """Strip signs at the ends, and move the article to the front: `Sandman, The` becomes `The Sandman`."""
    text = text.lstrip(_EDGES + ".").rstrip(_EDGES)
    found = _LAST_ARTICLE.fullmatch(text) if ", " in text else None
    if found and found[2].casefold() in words.ARTICLES:
        text = f"{found[2]}{'' if found[2].endswith(chr(39)) else ' '}{found[1].strip()}{found[3]}"
    return text


def _split_at_dash(reading: Reading) -> list[Reading]:
    """Other readings at a dash, as a text after it may be the title or the end of the series' name."""
    series, dash, title = reading.series.partition(" - ")
    if dash and not series.isdigit():
        publisher_first = replace(reading, series=title, publisher=series)
        return [replace(reading, series=series, title=reading.title or title), publisher_first]
    if reading.title and not reading.number:
        return [replace(reading, series=f"{reading.series} - {reading.title}", title="")]
    return []


# Folders.


class _Folders:
    """Information from the folders of a path: from the nearest one that names a series, and publishers."""

    def __init__(self, names: list[str]) -> None:
        self.facts, self.series, self.volume, self.year_began = _Facts(), "", None, None
        self.literal_series = ""
        self.known_publisher = self.outer = ""
        self.single = len(names) == 1
        for place in range(len(names) - 1, -1, -1):
            name, folded = names[place], _fold(names[place])
            if folded in words.GENERIC_FOLDERS or len(name) == 1:
                continue
            if _is_publisher(folded):
                self.known_publisher = self.known_publisher or name
            elif not self.series:
                self._take(name)
                self.outer = names[place - 1] if place else ""

    def _take(self, name: str) -> None:
        part = _NameParser(name)
        reading = part.folder_reading()
        self.volume = self.volume or reading.volume
        self.year_began = self.year_began or part.year_began or reading.year
        if reading.series and (reading.year or not _is_year(reading.series)):
            self.facts, self.series = part.facts, reading.series
            self.literal_series = next((each.series for each in part.literal_readings(reading, None)), "")

    def year_of(self, series: str) -> int | None:
        """The first year in the folder's name, if the file is of the folder's series, not an annual, say."""
        return self.year_began if not self.series or _fold(series) == _fold(self.series) else None

    def publisher(self, series: str) -> str:
        """The publisher: a known name, or the folder that contains the series' folder."""
        if self.known_publisher or self.facts.publisher:
            return self.facts.publisher or self.known_publisher
        if not self.series or _fold(self.outer) in words.GENERIC_FOLDERS or _DIGIT.search(self.outer):
            return ""
        return self.outer if _fold(series).startswith(_fold(self.series)) else ""

    def complete(self, readings: list[Reading], *, leading: bool) -> list[Reading]:
        """The file name's readings, completed by the folder; with `leading`, the number is in front."""
        if not self.series:
            return readings
        first = readings[0]
        if _number_token(first.series):  # 12.cbz, in the folder of a series
            readings = sorted(readings, key=lambda each: each.series != "")
            first = readings[0]
        folded = _fold(self.series)
        agreeing = next((each for each in readings if _fold(each.series) == folded), first)
        if agreeing.number != first.number:  # the folder shows which number belongs to the title
            first, readings = agreeing, [agreeing, *(each for each in readings if each != agreeing)]
        same = _fold(first.series) == folded
        if not first.series:
            found = [replace(each, series=each.series or self.series) for each in readings]
            if self.literal_series:
                found.insert(1, replace(first, series=self.literal_series, is_literal=True))
        elif _fold(first.series) in words.NAMED_FORMATS:
            named = f"{self.series} {first.series}"
            found = [replace(first, series=named), *readings]
        elif same:
            found = readings
        elif leading and (self.year_began or not first.year):  # 123 - The Story, in the folder of a series
            title = f"{first.series} - {first.title}" if first.title else first.series
            found = [replace(first, series=self.series, title=title), *readings]
        elif not _fold(first.series).startswith(f"{folded} "):
            # The folder may also be the first half of a name that contains a slash.
            series = self.series if not self.single or self.year_began else f"{self.series}/{first.series}"
            found = [*readings[: READINGS_MAX - 1], replace(first, series=series, is_literal="/" in series)]
        else:  # such as an annual in the folder of its series
            found = readings
        found = [replace(each, volume=each.volume or self.volume) for each in found]
        return list(dict.fromkeys(found))[:READINGS_MAX]

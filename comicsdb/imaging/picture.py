"""What is said of a picture without decoding it: its format, its size, and what is wrong with it."""

from dataclasses import dataclass
from string import Template

MAX_BYTES = 20 * 1024 * 1024
MAX_PIXELS = 50_000_000  # a decoded picture takes three to four bytes a pixel, several times over
MAX_SIDE = 32767  # what the columns for width and height hold
SUFFIXES = {"JPEG": "jpg", "PNG": "png", "WEBP": "webp", "GIF": "gif", "AVIF": "avif"}

_ = str  # marks texts for translation, as `comicsdb.i18n` does


class PictureError(ValueError):
    """A file is no picture we take; the text says what is wrong and what helps, as the end of a sentence.

    `mapping` has the values for the `${name}` in it.
    """

    def __init__(self, text: str, **mapping: str):
        super().__init__(Template(text).safe_substitute(mapping))
        self.text = text
        self.mapping = mapping

    @property
    def problem(self):
        """What is wrong, as a text that can be translated."""
        from comicsdb.i18n import Said  # noqa: PLC0415  (brings all tables, which a decoder does without)

        return Said(self.text, **self.mapping)


class TooComplexError(PictureError):
    """A picture may be sound, but decoding it takes more than is allowed."""


def check_length(size: int) -> None:
    """Raise PictureError for a file of so many bytes, if there are none or too many."""
    if size == 0:
        raise PictureError(_("is empty"))
    if size > MAX_BYTES:
        raise PictureError(
            _("has ${size} bytes; at most ${most} are taken"),
            size=format(size, ","),
            most=format(MAX_BYTES, ","),
        )


def damaged() -> PictureError:
    """What is said of a file that ends too early or makes no sense."""
    return PictureError(_("is damaged or cut off"))


def too_much() -> TooComplexError:
    """What is said of a file that is more than a decoder may do."""
    return TooComplexError(
        _(
            "takes too much time or memory to be decoded: please save it anew in a program,"
            " smaller or not progressive"
        )
    )


@dataclass(frozen=True)
class Picture:
    """A checked picture: its size in pixels as it is shown, and the name of its decoded format."""

    width: int
    height: int
    format: str

    @property
    def suffix(self) -> str:
        """The ending of a file of this format, without dot."""
        return SUFFIXES[self.format]

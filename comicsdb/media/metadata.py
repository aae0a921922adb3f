"""Taking out of an uploaded picture what it tells beside the picture: place, camera, names (model.md 1.3).

The coded picture itself is copied, not coded anew, so it loses nothing; colour profile, transparency,
animation and how the picture is turned stay. Only AVIF is coded anew, and only where it has metadata.
"""

import io
import re
import struct
import zlib

from PIL import ImageOps

from comicsdb.i18n import _, said
from comicsdb.media.images import (
    DECODER_ERRORS,
    ORIENTATION,
    Picture,
    PictureError,
    inspect,
    opened,
    orientation,
)

AVIF_QUALITY = 90
AVIF_SPEED = 9  # of 10; a second for five million pixels, where the usual 6 takes ten
AVIF_PIXELS = 16_000_000  # that are coded anew, in all frames together
# What makes up a picture; all else is metadata.
PNG_KEPT = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD pHYs mDCV cLLI acTL fcTL fdAT".split()
)
WEBP_KEPT = frozenset([b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"])
GIF_APPLICATIONS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")  # how often an animation runs
JPEG_APPLICATIONS = {0xE0: b"", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
_JPEG_NEXT = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")  # a marker that ends entropy-coded data
_WEBP_EXIF, _WEBP_XMP = 0x08, 0x04


def stripped(data: bytes) -> tuple[bytes, Picture]:
    """The same picture without metadata, and what it is; raises PictureError as `inspect` does."""
    picture = inspect(data)
    with opened(data) as image:
        turned = orientation(image)
    try:
        result = _STRIPPERS[picture.format](data, _exif(turned) if turned != 1 else b"")
    except PictureError:
        raise
    except (IndexError, struct.error, *DECODER_ERRORS) as error:
        raise PictureError(_("is damaged or cut off")) from error
    if inspect(result) != picture:
        raise PictureError(_("has a structure that is not understood"))
    return result, picture


def _exif(turned: int) -> bytes:
    """An Exif block that says how a picture is turned, and nothing else."""
    return b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, ORIENTATION, 3, 1, turned, 0, 0)


def _jpeg(data: bytes, exif: bytes) -> bytes:
    kept = bytearray(data[:2])
    if exif:
        kept += b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + b"Exif\0\0" + exif
    at = 2
    while data[at + 1] != 0xD9:
        marker = data[at + 1]
        if data[at] != 0xFF:
            raise PictureError(_("is damaged or cut off"))
        if marker == 0xFF:  # filling
            at += 1
            continue
        end = at + 2 + struct.unpack_from(">H", data, at + 2)[0]
        if marker == 0xDA:
            end = _JPEG_NEXT.search(data, end).start()
        if _kept_in_jpeg(marker, data[at + 4 : at + 20]):
            kept += data[at:end]
        at = end
    return bytes(kept + b"\xff\xd9")


def _kept_in_jpeg(marker: int, content: bytes) -> bool:
    if 0xE0 <= marker <= 0xEF:
        return marker in JPEG_APPLICATIONS and content.startswith(JPEG_APPLICATIONS[marker])
    return marker != 0xFE  # a comment


def _png(data: bytes, exif: bytes) -> bytes:
    kept, at = bytearray(data[:8]), 8
    while True:
        (length,) = struct.unpack_from(">I", data, at)
        name, end = data[at + 4 : at + 8], at + 12 + length
        if name in PNG_KEPT:
            kept += data[at:end]
        if name == b"IHDR" and exif:
            chunk = b"eXIf" + exif
            kept += struct.pack(">I", len(exif)) + chunk + struct.pack(">I", zlib.crc32(chunk))
        if name == b"IEND":
            return bytes(kept)
        at = end


def _webp(data: bytes, exif: bytes) -> bytes:
    kept, at = bytearray(b"WEBP"), 12
    whole = min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])
    while at + 8 <= whole:
        name, length = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        end = at + 8 + length + length % 2
        if name in WEBP_KEPT:
            chunk = bytearray(data[at:end])
            if name == b"VP8X":
                chunk[8] = chunk[8] & ~(_WEBP_EXIF | _WEBP_XMP) | (_WEBP_EXIF if exif else 0)
            kept += chunk
        at = end
    if exif:
        kept += b"EXIF" + struct.pack("<I", len(exif)) + exif + b"\0" * (len(exif) % 2)
    return b"RIFF" + struct.pack("<I", len(kept)) + bytes(kept)


def _gif(data: bytes, _exif_block: bytes) -> bytes:
    at = 13 + _gif_colours(data[10])
    kept = bytearray(data[:at])
    while data[at] != 0x3B:
        start = at
        if data[at] == 0x2C:  # a frame: its own colours, then the size of its codes
            at += 10 + _gif_colours(data[at + 9]) + 1
            wanted = True
        elif data[at] == 0x21:
            application = data[at + 3 : at + 14]
            wanted = data[at + 1] in (0xF9, 0x01) or (
                data[at + 1] == 0xFF and application in GIF_APPLICATIONS
            )
            at += 2
        else:
            raise PictureError(_("is damaged or cut off"))
        while data[at]:
            at += 1 + data[at]
        at += 1
        if wanted:
            kept += data[start:at]
    return bytes(kept + b";")


def _gif_colours(flags: int) -> int:
    """The bytes of a table of colours."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _avif(data: bytes, _exif_block: bytes) -> bytes:
    with opened(data) as image:
        image.load()
        if not (image.info.get("exif") or image.info.get("xmp")):
            return data
        frames = getattr(image, "n_frames", 1)
        if frames * image.width * image.height > AVIF_PIXELS:
            raise PictureError(
                said(
                    "has metadata, which is taken out of an AVIF picture only up to ${most} pixels;"
                    " please save it without, or in another format",
                    most=format(AVIF_PIXELS, ","),
                )
            )
        profile = image.info.get("icc_profile", b"")
        stream = io.BytesIO()
        result = image if frames > 1 else ImageOps.exif_transpose(image)
        options = {"save_all": True} if frames > 1 else {}
        result.info = {key: value for key, value in result.info.items() if key not in {"exif", "xmp"}}
        result.save(
            stream,
            "AVIF",
            quality=AVIF_QUALITY,
            speed=AVIF_SPEED,
            exif=b"",
            xmp=b"",
            icc_profile=profile,
            **options,
        )
        return stream.getvalue()


_STRIPPERS = {"JPEG": _jpeg, "PNG": _png, "WEBP": _webp, "GIF": _gif, "AVIF": _avif}

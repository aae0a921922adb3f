"""Removes metadata from uploaded pictures: location, camera, names.

The encoded image data is copied, so nothing is lost; colour profile, transparency, animation and orientation
are kept. Only AVIF is re-encoded, and only if it has metadata.
"""

import io
import struct
import zlib

from PIL import ImageOps

from comicsdb.imaging.images import (
    DECODER_ERRORS,
    ORIENTATION,
    header_facts,
    open_image,
    orientation,
)
from comicsdb.imaging.picture import Picture, PictureError, damaged_error
from comicsdb.imaging.structure import JPEG_END, gif_parts, jpeg_parts, png_parts, webp_parts

AVIF_QUALITY = 90
AVIF_SPEED = 9  # of 10; a second for five million pixels, for which the usual 6 takes ten
AVIF_PIXELS = 16_000_000  # of all re-encoded frames together
# The parts to keep; all others are metadata.
PNG_KEPT = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP sBIT bKGD pHYs mDCV cLLI acTL fcTL fdAT".split()
)
WEBP_KEPT = frozenset([b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF", b"ICCP"])
GIF_APPLICATIONS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")  # the loop count of an animation
JPEG_APPLICATIONS = {0xE0: b"", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
_WEBP_EXIF, _WEBP_XMP = 0x08, 0x04

_ = str  # marks texts for translation


def strip_metadata(data: bytes) -> tuple[bytes, Picture]:
    """The picture without metadata, and the facts in its header; the result is not decoded yet.

    Raises PictureError like `open_image`.
    """
    with open_image(data) as image:
        turned = orientation(image)
        picture = header_facts(image)
    try:
        result = _STRIPPERS[picture.format](data, _exif(turned) if turned != 1 else b"")
    except PictureError:
        raise
    except (IndexError, struct.error, *DECODER_ERRORS) as error:
        raise damaged_error() from error
    return result, picture


def unsupported_error() -> PictureError:
    """The error for a picture that changes when its metadata is removed."""
    return PictureError(_("has an unsupported structure"))


def _exif(turned: int) -> bytes:
    """An Exif block that only contains the orientation."""
    return b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, ORIENTATION, 3, 1, turned, 0, 0)


def _jpeg(data: bytes, exif: bytes) -> bytes:
    kept, marker = bytearray(data[:2]), None
    if exif:
        kept += b"\xff\xe1" + struct.pack(">H", len(exif) + 8) + b"Exif\0\0" + exif
    for marker, start, end in jpeg_parts(data):
        if _is_kept_in_jpeg(marker, data[start + 4 : start + 20]):
            kept += data[start:end]
    if marker != JPEG_END:
        raise damaged_error()
    return bytes(kept)


def _is_kept_in_jpeg(marker: int, content: bytes) -> bool:
    if 0xE0 <= marker <= 0xEF:
        return marker in JPEG_APPLICATIONS and content.startswith(JPEG_APPLICATIONS[marker])
    return marker != 0xFE  # comments are not kept


def _png(data: bytes, exif: bytes) -> bytes:
    kept, name = bytearray(data[:8]), None
    for name, start, end in png_parts(data):
        if name in PNG_KEPT:
            kept += data[start:end]
        if name == b"IHDR" and exif:
            chunk = b"eXIf" + exif
            kept += struct.pack(">I", len(exif)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    if name != b"IEND":
        raise damaged_error()
    return bytes(kept)


def _webp(data: bytes, exif: bytes) -> bytes:
    kept = bytearray(b"WEBP")
    for name, start, end in webp_parts(data):
        if name in WEBP_KEPT:
            chunk = bytearray(data[start:end])
            if name == b"VP8X":
                chunk[8] = chunk[8] & ~(_WEBP_EXIF | _WEBP_XMP) | (_WEBP_EXIF if exif else 0)
            kept += chunk
    if exif:
        kept += b"EXIF" + struct.pack("<I", len(exif)) + exif + b"\0" * (len(exif) % 2)
    return b"RIFF" + struct.pack("<I", len(kept)) + bytes(kept)


def _gif(data: bytes, _exif_block: bytes) -> bytes:
    parts = list(gif_parts(data))
    if not parts or parts[-1].kind != 0x3B:
        raise damaged_error()
    kept = bytearray(data[: parts[0].start])
    for kind, start, end in parts:
        application = kind == 0x21 and data[start + 1] == 0xFF
        if application and data[start + 3 : start + 14] not in GIF_APPLICATIONS:
            continue
        if kind != 0x21 or application or data[start + 1] in (0xF9, 0x01):
            kept += data[start:end]
    return bytes(kept)


def _avif(data: bytes, _exif_block: bytes) -> bytes:
    with open_image(data) as image:
        if not (image.info.get("exif") or image.info.get("xmp")):
            return data
        frames = getattr(image, "n_frames", 1)
        if frames * image.width * image.height > AVIF_PIXELS:
            raise PictureError(
                _(
                    "has metadata, which can be removed from AVIF pictures only up to ${most} pixels;"
                    " please save it without metadata or in another format"
                ),
                most=format(AVIF_PIXELS, ","),
            )
        image.load()
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

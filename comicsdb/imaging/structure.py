"""The parts of a picture file, found in one pass over its bytes before it is decoded.

The work of a decoder grows with the number of parts, and a small file can have many: each scan of a
progressive JPEG passes over the whole picture. So they are counted first.
"""

import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

from comicsdb.imaging.picture import TooComplexError

SCANS_MAX = 64  # of a JPEG; most files have about ten
FRAMES_MAX = 500  # of an animation
# Of a JPEG: pixels times scans; of a PNG: pixels times their bytes, doubled by interlacing. 50 million pixels
# in ten scans, or with 16 bits for each color and transparency, take two seconds.
WORK_MAX = 500_000_000
CHUNKS_MAX = 10_000  # of JPEG, PNG and WebP; a PNG of 20 MB usually has 2,500
BLOCKS_MAX = 200_000  # of a GIF; 20 MB in blocks of the usual size are 80,000
ITEMS_MAX = 500  # of an AVIF: its tiles, counted again if there is transparency
BOXES_MAX = 2_000  # of an AVIF

FILLING_MAX = 64 * 1024  # bytes between segments of a JPEG, which decoders skip one by one
JPEG_SCAN, JPEG_END = 0xDA, 0xD9
_JPEG_FRAMES = frozenset([*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)])
_PNG_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by color type
_JPEG_ALONE = frozenset([0x01, 0xD8, *range(0xD0, 0xD8)])  # markers without content
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xff]")
_JPEG_AFTER_SCAN = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_PNG = b"\x89PNG\r\n\x1a\n"
# The boxes of an AVIF that contain other boxes, and the length of their own header.
_AVIF_CONTAINERS = {b"meta": 4, b"moov": 0, b"trak": 0, b"mdia": 0, b"minf": 0, b"stbl": 0}

_ = str  # marks texts for translation


class Part(NamedTuple):
    """A part of a file: its kind, start and end."""

    kind: int | bytes
    start: int
    end: int


def check_structure(data: bytes) -> None:
    """Raise TooComplexError for a picture with more parts than common programs write.

    Other errors are left to the decoder.
    """
    parts = parts_of(data)
    if parts is not None:
        try:
            for _part in parts:
                pass
        except struct.error:  # it is truncated, which the decoder will report
            pass


def parts_of(data: bytes) -> Iterator[Part] | None:
    """The parts of a picture, whose format is detected by its first bytes; None for other formats.

    Iterating raises TooComplexError if there are too many.
    """
    if data.startswith(b"\xff\xd8\xff"):
        return jpeg_parts(data)
    if data.startswith(_PNG):
        return png_parts(data)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return gif_parts(data)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return webp_parts(data)
    if data[4:8] == b"ftyp":
        return avif_parts(data)
    return None


def jpeg_parts(data: bytes) -> Iterator[Part]:
    """Segments by marker; a scan extends to the end of its data. Bytes in between are skipped."""
    scans, pixels, at = 0, 0, 2
    for _number in range(CHUNKS_MAX):
        found = _JPEG_MARKER.search(data, at)
        if not found:
            return
        start, marker = found.start(), data[found.start() + 1]
        if start - at > FILLING_MAX:
            raise _too_many_parts()
        if marker in _JPEG_ALONE:
            at = start + 2
            continue
        if marker == JPEG_END:
            yield Part(marker, start, start + 2)
            return
        end = start + 2 + struct.unpack_from(">H", data, start + 2)[0]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, start + 5)
            pixels = max(pixels, height * width)
        if marker == JPEG_SCAN:
            scans += 1
            _check_work(pixels * scans)
            if scans > SCANS_MAX:
                raise TooComplexError(
                    _("has more than ${most} scans: please save it as an ordinary JPEG, not progressive"),
                    most=str(SCANS_MAX),
                )
            after = _JPEG_AFTER_SCAN.search(data, end)
            end = after.start() if after else len(data)
        yield Part(marker, start, end)
        at = end
    raise _too_many_parts()


def png_parts(data: bytes) -> Iterator[Part]:
    """Chunks by name."""
    frames, at = 0, len(_PNG)
    for _number in range(CHUNKS_MAX):
        if at >= len(data):
            return
        (length,) = struct.unpack_from(">I", data, at)
        name, end = data[at + 4 : at + 8], at + 12 + length
        frames = _count_frame(frames, name == b"fcTL")
        if name == b"IHDR":
            _check_work(_png_work(data, at + 8))
        yield Part(name, at, end)
        if name == b"IEND":
            return
        at = end
    raise _too_many_parts()


def _png_work(data: bytes, at: int) -> int:
    width, height, depth, color_type, _compression, _filter, interlaced = struct.unpack_from(
        ">IIBBBBB", data, at
    )
    bytes_of_pixel = max(1, _PNG_CHANNELS.get(color_type, 1) * depth // 8)
    return width * height * bytes_of_pixel * (2 if interlaced else 1)


def webp_parts(data: bytes) -> Iterator[Part]:
    """Chunks by name."""
    frames, at, whole = 0, 12, min(len(data), 8 + struct.unpack_from("<I", data, 4)[0])
    for _number in range(CHUNKS_MAX):
        if at + 8 > whole:
            return
        name, length = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        end = at + 8 + length + length % 2
        frames = _count_frame(frames, name == b"ANMF")
        yield Part(name, at, end)
        at = end
    raise _too_many_parts()


def gif_parts(data: bytes) -> Iterator[Part]:
    """Frames (0x2C), extensions (0x21) and the trailer (0x3B), by their first byte."""
    frames, blocks, at = 0, 0, 13 + (_gif_colours(data[10]) if len(data) > 10 else 0)
    while at < len(data):
        start, kind = at, data[at]
        if kind == 0x3B:
            yield Part(kind, start, start + 1)
            return
        if kind not in (0x2C, 0x21) or (kind == 0x2C and at + 10 > len(data)):
            return
        frames = _count_frame(frames, kind == 0x2C)
        # A frame has a colour table and a code size, followed by blocks of up to 255 bytes.
        at += 10 + _gif_colours(data[at + 9]) + 1 if kind == 0x2C else 2
        while at < len(data) and data[at]:
            at += 1 + data[at]
            blocks += 1
            if blocks > BLOCKS_MAX:
                raise _too_many_parts()
        at += 1
        yield Part(kind, start, at)


def _gif_colours(flags: int) -> int:
    """The length of a colour table in bytes."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def avif_parts(data: bytes) -> Iterator[Part]:
    """Boxes by name, including nested ones."""
    waiting = [(0, len(data))]
    boxes = 0
    while waiting:
        at, stop = waiting.pop()
        while at + 8 <= stop:
            boxes += 1
            if boxes > BOXES_MAX:
                raise _too_many_parts()
            size, name, content = struct.unpack_from(">I", data, at)[0], data[at + 4 : at + 8], at + 8
            if size == 1:
                size, content = struct.unpack_from(">Q", data, at + 8)[0], at + 16
            end = min(at + size, stop) if size else stop
            if end < content:  # no box can be that short
                return
            _check_items(data, name, content, end)
            yield Part(name, at, end)
            if name in _AVIF_CONTAINERS:
                waiting.append((content + _AVIF_CONTAINERS[name], end))
            at = end


def _check_items(data: bytes, name: bytes, content: int, end: int) -> None:
    """Reject too many pictures in one file: items (such as tiles), or frames of an animation."""
    if name == b"iinf" and content < end:
        (count,) = struct.unpack_from(">I" if data[content] else ">H", data, content + 4)
        if count > ITEMS_MAX:
            raise TooComplexError(
                _("has more than ${most} tiles: please save it with larger tiles or as a JPEG"),
                most=str(ITEMS_MAX),
            )
    elif name == b"stsz" and content + 12 <= end:
        _count_frame(struct.unpack_from(">I", data, content + 8)[0] - 1, True)


def _check_work(work: int) -> None:
    if work > WORK_MAX:
        raise TooComplexError(
            _("takes too long to decode: please save it smaller, or as an ordinary JPEG, not progressive")
        )


def _count_frame(frames: int, is_frame: bool) -> int:
    if frames + is_frame > FRAMES_MAX:
        raise TooComplexError(
            _("has more than ${most} frames: please save only its first frame or a shorter animation"),
            most=str(FRAMES_MAX),
        )
    return frames + is_frame


def _too_many_parts() -> TooComplexError:
    return TooComplexError(_("has too many parts: please open it in an image editor and save it again"))

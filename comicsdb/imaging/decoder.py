"""A process that decodes untrusted pictures: `python -m comicsdb.imaging.decoder SOCKET MEMORY`.

An attack on a decoder only affects this process: time and memory are limited, it cannot write files, and it
holds no secrets. `comicsdb.media.decoding` sends it jobs over a socket, each as a message with a JSON object
and one with the picture. It responds with a JSON object and bytes, and exits when the socket is closed.
"""

import io
import json
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection

from comicsdb.children import limit_cpu, limit_memory
from comicsdb.imaging.hashes import hashes
from comicsdb.imaging.images import DECODER_ERRORS, header_facts, load, open_image, thumbnail, thumbnails
from comicsdb.imaging.metadata import strip_metadata, unsupported_error
from comicsdb.imaging.picture import Picture, PictureError, TooComplexError, damaged_error, too_complex_error
from comicsdb.imaging.share import share_picture

NICENESS = 5  # the processes that serve pages come first


def clean(data: bytes, *, hashed: bool, sizes: Sequence[str] = ()) -> tuple[dict, bytes]:
    """Facts about a picture, and the picture without metadata, followed by its thumbnails of these `sizes`.

    `lengths` are those of the files; with `hashed`, the facts include its perceptual hashes. Hashes and
    thumbnails are left out if they fail.
    """
    result, expected = strip_metadata(data)
    with open_image(result) as image:
        if load(image) != expected:
            raise unsupported_error()
        answer = _facts(expected)
        if hashed:
            with suppress(MemoryError, *DECODER_ERRORS):
                answer |= {"hashes": hashes(image)}
        files = [result]
        with suppress(MemoryError, *DECODER_ERRORS):
            files += thumbnails(image, sizes)
    return answer | {"lengths": [len(each) for each in files]}, b"".join(files)


def measure(data: bytes, *, hashed: bool = False) -> tuple[dict, bytes]:
    """The facts about a picture, and with `hashed` its perceptual hashes."""
    with open_image(data) as image:
        facts = _facts(load(image))
        return facts | ({"hashes": hashes(image)} if hashed else {}), b""


def describe(data: bytes) -> tuple[dict, bytes]:
    """The facts about a picture that was decoded before: only its structure and header are checked."""
    with open_image(data) as image:
        return _facts(header_facts(image)), b""


def shrink(data: bytes, *, size: str) -> tuple[dict, bytes]:
    """A thumbnail."""
    return {}, thumbnail(data, size)


def share(
    data: bytes, *, title: str, lines: list[str], lengths: list[int], site: str, accent: str
) -> tuple[dict, bytes]:
    """The picture for a link, with covers of these `lengths` in bytes."""
    stream = io.BytesIO(data)
    covers = [stream.read(length) for length in lengths]
    return {}, share_picture(title, lines, covers, site=site, accent=accent)


JOBS = {
    "clean": clean,
    "measure": measure,
    "describe": describe,
    "thumbnail": shrink,
    "share": share,
}


def _facts(picture: Picture) -> dict:
    return {"width": picture.width, "height": picture.height, "format": picture.format}


def _answer(job: str, data: bytes, arguments: dict) -> tuple[dict, bytes]:
    try:
        return JOBS[job](data, **arguments)
    except MemoryError:
        error = too_complex_error()
    except PictureError as problem:
        error = problem
    except DECODER_ERRORS:
        error = damaged_error()
    complex_ = isinstance(error, TooComplexError)
    return {"problem": error.text, "mapping": error.mapping, "complex": complex_}, b""


def _limit_process(memory: int) -> None:
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the server, which closes the socket
    limit_memory(memory)


def serve(connection: Connection) -> None:
    """Process jobs until the other end is closed."""
    while True:
        try:
            asked, data = json.loads(connection.recv_bytes()), connection.recv_bytes()
        except EOFError:
            return
        limit_cpu(asked.pop("cpu"))
        answer, result = _answer(asked.pop("job"), data, asked)
        del data
        try:
            connection.send_bytes(json.dumps(answer).encode())
            connection.send_bytes(result)
        except BrokenPipeError:
            return


if __name__ == "__main__":
    _limit_process(int(sys.argv[2]))
    with Connection(int(sys.argv[1])) as connection:
        serve(connection)

"""Decoding in child processes: a picture that needs too much is refused and does not affect others."""

import os
import signal
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest
from PIL import Image

from comicsdb.imaging.picture import Picture, PictureError, TooComplexError
from comicsdb.imaging.structure import check_structure
from comicsdb.media import decoding, uploads, waiting
from comicsdb.media.decoding import Decoder
from comicsdb.media.waiting import BusyError
from tests.cpu import assert_cpu
from tests.dataset import picture
from tests.pictures import encoded, heavy_scans, interlaced, scans
from tests.waiting import wait_until


@pytest.fixture
def decoder():
    """A pool of decoder processes for one test."""
    decoder = Decoder(6)
    yield decoder
    decoder.close()


def pids(decoder) -> list[int]:
    return [child._process.pid for child in decoder._idle]


# Limits that are checked before anything is decoded.


def animation(form: str, frames: int) -> bytes:
    images = [Image.new("L", (8, 8), number % 256) for number in range(frames)]
    return encoded(images[0], form, save_all=True, append_images=images[1:], duration=10)


def png(chunks: int) -> bytes:
    data = picture()
    return data[:33] + b"\0\0\0\0tEXt\0\0\0\0" * chunks + data[33:]


def avif(items: int) -> bytes:
    def box(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content) + 8) + name + content

    meta = box(b"meta", bytes(4) + box(b"iinf", bytes(4) + struct.pack(">H", items)))
    return box(b"ftyp", b"avif" + bytes(4)) + meta


def webp(chunks: int, name: bytes = b"ODD ") -> bytes:
    data = picture(form="WEBP") + (name + bytes(4)) * chunks
    return data[:4] + struct.pack("<I", len(data) - 8) + data[8:]


@pytest.mark.parametrize(
    ("made", "said"),
    [  # made when the test runs, as every test process collects this file
        (lambda: scans(600, 64), "more than 64 scans: please save it as an ordinary JPEG"),
        (lambda: scans(65, 64), "more than 64 scans"),
        (lambda: heavy_scans(11), "takes too long to decode: please save it smaller"),
        (lambda: interlaced(depth=16), "takes too long to decode"),
        (lambda: b"\xff\xd8" + b"\xff\xfe\0\2" * 100_000, "too many parts"),
        (lambda: b"\xff\xd8" + b"\xff\xd0" * 100_000, "too many parts"),
        (lambda: png(100_000), "too many parts: please open it in an image editor and save it again"),
        (lambda: animation("PNG", 502), "more than 500 frames"),
        (lambda: animation("GIF", 502), "more than 500 frames: please save only its first frame"),
        (lambda: picture(form="GIF")[:-1] + b"\x21\xfe" + b"\1 " * 300_000, "too many parts"),
        (lambda: webp(501, b"ANMF"), "more than 500 frames"),
        (lambda: webp(100_000), "too many parts"),
        (lambda: avif(501), "more than 500 tiles"),
        (lambda: b"\0\0\0\x0cftypavif" + b"\0\0\0\x08free" * 100_000, "too many parts"),
    ],
)
def test_what_is_made_of_too_many_parts_is_refused_at_once(made, said):
    data = made()

    def refused():
        with pytest.raises(TooComplexError, match=said):
            check_structure(data)

    assert_cpu(refused, 0.25)
    with pytest.raises(TooComplexError, match=said), decoding.UPLOADS.acquire() as decoder:
        decoder.inspect(data)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "AVIF"])
def test_what_programs_write_is_within_the_bounds(form):
    check_structure(picture(form=form))
    if form != "JPEG":
        check_structure(animation(form, 60))


def test_looking_at_the_structure_takes_time_in_proportion():
    for data in (
        b"\xff\xd8" + b"\xff" * 20_000_000,
        b"\xff\xd8\xff\xda\0\2" + b"\xff\0" * 10_000_000,
        b"\xff\xd8" + b"\xff\0" * 10_000_000,
    ):
        assert_cpu(lambda data=data: check_structure(data), 2)  # quadratic time would be hours


# Limits on time and memory of the decoding itself.


def test_a_picture_that_takes_too_long_is_refused_and_the_next_one_is_not(decoder, monkeypatch):
    monkeypatch.setattr(decoding, "CPU_SECONDS", 1)
    with pytest.raises(TooComplexError, match="takes too much time or memory"):
        decoder.clean(interlaced(), hashed=True)
    assert pids(decoder) == []
    assert decoder.inspect(picture()) == Picture(20, 30, "PNG")


def test_a_picture_that_needs_too_much_memory_is_refused(decoder, monkeypatch):
    monkeypatch.setattr(decoding, "MEMORY_BYTES", 120 * 1024**2)
    large = picture(size=(7000, 7000), compress_level=1)
    with pytest.raises(PictureError, match="takes too much time or memory"):
        decoder.inspect(large)
    assert decoder.inspect(picture()) == Picture(20, 30, "PNG")


def test_each_picture_has_its_own_time(decoder, monkeypatch):
    monkeypatch.setattr(decoding, "CPU_SECONDS", 2)
    large = picture(size=(4000, 4000))
    decoder.inspect(large)
    (child,) = pids(decoder)
    while psutil.Process(child).cpu_times().user < 2:
        decoder.inspect(large)
    assert pids(decoder) == [child]  # one child decoded all, in more than two seconds


# Children.


def test_a_child_that_was_killed_is_replaced(decoder):
    assert decoder.inspect(picture()).width == 20
    (first,) = pids(decoder)
    os.kill(first, signal.SIGKILL)
    assert decoder.inspect(picture()).width == 20
    assert pids(decoder) != [first]


def test_a_child_that_is_killed_at_work_is_replaced_and_the_picture_decoded(decoder, monkeypatch):
    real = decoding._DecoderProcess.ask
    killed = []

    def ask(child, job, data):
        if not killed:
            killed.append(child._process.pid)
            os.kill(child._process.pid, signal.SIGKILL)
        return real(child, job, data)

    monkeypatch.setattr(decoding._DecoderProcess, "ask", ask)
    assert decoder.inspect(picture()).width == 20
    assert pids(decoder) != killed


def test_children_are_few_and_stay(decoder):
    running, most, lock = [], [], threading.Lock()

    def work(_number):
        with decoder.acquire():
            with lock:
                running.append(1)
                most.append(len(running))
            found = decoder.inspect(picture(size=(300, 300)))
            with lock:
                running.pop()
            return found.width

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(12))) == [300] * 12
    assert max(most) == 1
    assert len(pids(decoder)) <= 1


def test_acquire_while_the_child_is_busy_raises_after_the_wait(decoder, monkeypatch):
    monkeypatch.setattr(waiting, "WAIT_SECONDS", 0.01)
    with decoder.acquire(), pytest.raises(BusyError), decoder.acquire():
        pass
    with decoder.acquire():
        pass


def test_queue_without_a_place_raises_at_once(decoder):
    with ExitStack() as queued:
        for member in (1, 1, 2, 2, None, None):
            queued.enter_context(decoder.queue(member))
        for member in (3, None):
            with pytest.raises(BusyError), decoder.queue(member):
                pass
    with ExitStack() as queued:
        for member in (1, 1):
            queued.enter_context(decoder.queue(member))
        with pytest.raises(BusyError), decoder.queue(1):
            pass
        with decoder.queue(2):
            pass


def test_a_child_is_told_no_secrets(decoder, monkeypatch):
    monkeypatch.setenv("COMICSDB_SECRET", "a secret")
    decoder.inspect(picture())
    environment = Path(f"/proc/{pids(decoder)[0]}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"secret" not in environment


# A process that ends by itself, forked from one that is killed later, as importing takes longest.
PROGRAM = """
import os, sys, time
from comicsdb.media.decoding import UPLOADS
stays = os.fork()
if stays:
    os.wait()
UPLOADS.inspect(bytes.fromhex(sys.argv[1]))
print(UPLOADS._idle[0]._process.pid, flush=True)
if stays:
    time.sleep(600)
"""


def test_no_child_outlives_its_parent_however_that_ends():
    command = [sys.executable, "-c", PROGRAM, picture().hex()]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        left, killed = (int(program.stdout.readline()) for _ in range(2))
        wait_until(lambda: not Path(f"/proc/{left}").exists())
        assert Path(f"/proc/{killed}").exists()
        program.kill()
    wait_until(lambda: not Path(f"/proc/{killed}").exists())


def test_a_forked_process_has_children_of_its_own():
    with decoding.UPLOADS.acquire() as decoder:
        decoder.inspect(picture())
        ours = pids(decoder)
    pid = os.fork()
    if not pid:
        with decoding.UPLOADS.acquire() as decoder:
            decoder.inspect(picture())
            os._exit(int(bool(set(ours) & set(pids(decoder)))))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


# One upload at a time for each member.


def test_a_member_has_one_picture_decoded_at_a_time(folder, factory, monkeypatch):
    monkeypatch.setattr(uploads, "UPLOAD_LOCK_SECONDS", 0.2)
    with factory() as one, factory() as two:
        uploads.picture_values(one, folder, "user", picture(), hashed=False, member=7)
        with pytest.raises(BusyError):
            uploads.picture_values(two, folder, "user", picture(), hashed=False, member=7)
        uploads.picture_values(two, folder, "user", picture(), hashed=False, member=8)
        one.rollback()
        uploads.picture_values(two, folder, "user", picture(), hashed=False, member=7)

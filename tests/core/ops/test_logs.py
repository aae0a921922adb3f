"""Log lines as JSON, and the log of outages."""

import io
import json
import logging

from sqlalchemy import create_engine

from comicsdb import log_lines
from comicsdb.db import DATABASE_OUTAGE
from comicsdb.log_lines import OutageLog, in_one_line
from comicsdb.ops.logs import ErrorReporter, JsonFormatter
from comicsdb.ops.worker import Worker
from tests.waiting import wait_until

KEYS = {"time", "level", "logger", "message"}


def line(message, *arguments, error=None, **extra) -> str:
    """A line as the JSON formatter writes it."""
    logger = logging.getLogger("comicsdb.tests")
    exc_info = (type(error), error, error.__traceback__) if error else None
    record = logger.makeRecord(logger.name, logging.INFO, "", 0, message, arguments, exc_info, extra=extra)
    return JsonFormatter().format(record)


def test_a_record_is_one_line_with_known_keys():
    text = line("A title with a\nline break, a \0 and a lone \ud800: %s", "漫画")
    assert "\n" not in text
    told = json.loads(text)
    assert set(told) == KEYS
    assert (told["level"], told["logger"]) == ("INFO", "comicsdb.tests")
    assert told["message"].startswith("A title with a\nline break")
    assert told["message"].endswith("漫画")


def test_what_a_line_tells_besides_has_keys_of_its_own():
    told = json.loads(line("signed up", user="ann", ip="192.0.2.1", when={1: {2}}))
    assert (told["user"], told["ip"], set(told)) == ("ann", "192.0.2.1", KEYS | {"user", "ip", "when"})


def test_an_exception_is_part_of_the_line():
    try:
        raise ValueError("a\nb")
    except ValueError as error:
        told = json.loads(line("failed", error=error))
    assert told["exception"].splitlines()[0] == "Traceback (most recent call last):"
    assert told["exception"].endswith("ValueError: a\nb")


# Outages.


def test_an_outage_is_one_line_a_minute_with_the_number_of_those_left_out(monkeypatch, caplog):
    outage = OutageLog(logging.getLogger("comicsdb.tests"))
    for number in range(1000):
        outage.report(OSError("away"), "No answer to %s", number)
    assert caplog.messages == ["No answer to 0"]
    monkeypatch.setattr(log_lines.time, "monotonic", lambda before=log_lines.time.monotonic: before() + 61)
    outage.report(OSError("away"), "No answer to %s", 1000)
    outage.report(OSError("away"), "No answer to %s", 1001)
    assert caplog.messages[1:] == ["No answer to 1000 (and 999 more like it meanwhile)"]
    OutageLog(logging.getLogger("comicsdb.tests")).report(OSError("full"), "Another kind")
    assert caplog.messages[2:] == ["Another kind"]


def test_workers_without_a_database_share_one_line_a_minute(monkeypatch, caplog):
    monkeypatch.setattr("comicsdb.ops.worker.LONG_PAUSE", 0.01)
    DATABASE_OUTAGE.forget()
    engine, polls = create_engine("postgresql+psycopg://comicsdb@127.0.0.1:1/none"), []

    class Polling(Worker):
        def work(self):
            polls.append(self)
            with engine.connect():
                return 60.0

    workers = [Polling("mail"), Polling("imports")]
    for each in workers:
        each.start()
    wait_until(lambda: all(polls.count(each) > 1 for each in workers))
    for each in workers:
        each.stop()
    DATABASE_OUTAGE.forget()
    (line,) = (each for each in caplog.messages if "worker" in each)
    assert line.startswith("The database does not answer the worker for ")


def test_an_outage_has_no_trace_and_is_reported_all_the_same():
    logger, reported = logging.getLogger("comicsdb.tests.outage"), []
    lines = logging.StreamHandler(io.StringIO())
    lines.setFormatter(JsonFormatter())
    handlers = [lines, ErrorReporter(lambda error, where: reported.append((error, where)))]
    for handler in handlers:
        logger.addHandler(handler)
    error = OSError("away")
    OutageLog(logger).report(error, "No answer: %s", in_one_line(error))
    for handler in handlers:
        logger.removeHandler(handler)
    told = json.loads(lines.stream.getvalue())
    assert set(told) == KEYS
    assert told["message"] == "No answer: OSError: away"
    assert reported == [(error, {"logger": logger.name, "message": told["message"]})]

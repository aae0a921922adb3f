"""Identifies the comics in a folder and tags them: the command `comicsdb-client`."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from pathlib import Path

from comicsdb_client.archive import remove_leftovers
from comicsdb_client.clients import Client
from comicsdb_client.errors import ClientError, RateLimitedError
from comicsdb_client.tagging import Outcome, Report, find_comics, relative_name, tag_comics

URL, TOKEN = "COMICSDB_CLIENT_URL", "COMICSDB_CLIENT_TOKEN"
CONTINUE_HINT = "Run the same command again to continue."
PROGRESS_WIDTH = 30


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    token = os.environ.get(TOKEN, "")
    if not (options.url and token):
        return _say(f"Set {URL} (or --url) and {TOKEN}.", 2)
    with Client(options.url, token=token) as client:
        try:
            counts = _run(client, options)
        except BrokenPipeError:  # the reader of the output, such as `head`, has ended
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it at the end
            return 1
        except KeyboardInterrupt:
            return _say(f"Stopped. {CONTINUE_HINT}", 130)
        except RateLimitedError as error:
            wait = f"Try again in {_duration(error.seconds)}."
            return _say(f"{error.message} {wait} {CONTINUE_HINT}", 1)
        except ClientError as error:
            return _say(str(error), 1)
        finally:
            _say(f"{client.calls:,} requests", 0)
    told = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items())
    return _say(told or "no comics", 1 if counts[Outcome.FAILED] else 0)


def _run(client: Client, options: argparse.Namespace) -> Counter[Outcome]:
    """Print the outcome for each file; returns the number of files by outcome."""
    tag = options.command == "tag" and not options.dry_run
    paths = find_comics(options.folder)
    if tag:
        for folder in {path.parent for path in paths}:
            remove_leftovers(folder)
    counts: Counter[Outcome] = Counter()
    for report in _with_progress(
        tag_comics(client, options.folder, paths, tag=tag, again=options.again), len(paths)
    ):
        counts[report.outcome] += 1
        if report.outcome is not Outcome.TAGGED_BEFORE:
            print(_line(report, options.folder), flush=True)
    return counts


def _duration(seconds: float) -> str:
    """A waiting time, rounded up."""
    return f"{ceil(seconds)} seconds" if seconds <= 120 else f"{ceil(seconds / 60)} minutes"


def _say(text: str, status: int) -> int:
    print(text, file=sys.stderr)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("comicsdb-client", description=__doc__)
    parser.add_argument(
        "--url",
        default=os.environ.get(URL, ""),
        help=f"URL of the site (or {URL}); the token is read from {TOKEN}",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("match", "print the issue that each file would be tagged as"),
        ("tag", "write ComicInfo.xml and MetronInfo.xml into files with a certain match"),
    ):
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        command.add_argument("folder", type=_existing, help="folder with CBZ files, or a single file")
        command.add_argument("--again", action="store_true", help="include files that are already tagged")
        if name == "tag":
            command.add_argument("--dry-run", action="store_true", help="write nothing, like `match`")
    return parser


def _existing(text: str) -> Path:
    path = Path(text)
    if not path.exists():
        raise argparse.ArgumentTypeError("no such folder or file")
    return path


def _line(report: Report, folder: Path) -> str:
    """The line about a file: its path, and the issue or the reason why none is certain."""
    path = relative_name(report.path, folder)
    if report.outcome is Outcome.FAILED:
        return f"{path}: {report.error}"
    match = report.match
    if match is None or match.best is None:
        errors = match.errors if match else {}
        told = "; ".join(f"{name}: {' '.join(messages)}" for name, messages in errors.items())
        return f"{path}: {told or 'not found'}"
    labels = [f"{each.issue['issue']} ({each.issue['id']}, {each.score:.3f})" for each in match.candidates]
    if match.certain:
        return f"{path}: {labels[0]}"
    ties = f"; {', '.join(match.ties)} would tell them apart" if match.ties else ""
    return f"{path}: uncertain ({', '.join(match.best.reasons.values())}): {' or '.join(labels)}{ties}"


def _with_progress(found: Iterable[Report], total: int) -> Iterator[Report]:
    """Pass the reports on, with a progress bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield from found
        return
    begin = time.monotonic()
    try:
        for number, report in enumerate(found, 1):
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # clear the bar, as the caller prints
            yield report
            minutes = (time.monotonic() - begin) / number * (total - number) / 60
            bar = "#" * (PROGRESS_WIDTH * number // total)
            text = f"[{bar:.<{PROGRESS_WIDTH}}] {number:,}/{total:,}, {minutes:.0f} minutes left"
            print(text, end="", file=sys.stderr, flush=True)
    finally:
        print(file=sys.stderr)

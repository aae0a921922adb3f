"""Measures how well and how fast file names are parsed, by kind of noise.

    python -m bench.filename_parser [--each 40] [--seed 1] [--wrong KIND]

Makes names of each example (bench/noisy_names.py). Printed are the share of names whose series, number and
year are all parsed correctly, the share for which one of the readings is right, and the CPU time per name.
The library comicfn2dict is measured as well if it is installed. It has no alternative readings, so its result
also counts as right if its series and title together are the series, or if it gives no number and its volume
is the number. `--wrong KIND` prints the names that our first reading gets wrong, of one kind or of `all`.
"""

import argparse
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from bench.noisy_names import EXAMPLES, NoisyName, noisy_names
from comicsdb.matching.filenames import ParsedName, Reading, parse

try:
    from comicfn2dict import comicfn2dict
except ImportError:
    comicfn2dict = None

ARTICLES = frozenset("the la il les le die".split())


def normalized_series(series: str) -> str:
    """A series' name normalized for comparison: without signs, accents, articles and case."""
    text = unicodedata.normalize("NFKD", series.casefold().replace("&", " and "))
    parts = re.findall(
        r"[^\W_]+", "".join(each for each in text if not unicodedata.combining(each)).replace("'", "")
    )
    if len(parts) > 1 and parts[0] in ARTICLES:
        parts = parts[1:]
    if len(parts) > 1 and parts[-1] in ARTICLES:
        parts = parts[:-1]
    return "".join(parts)


def normalized_number(number: str) -> str | Fraction:
    """A number normalized for comparison: ½ is 0.5, and leading zeros do not count."""
    plain = "0.5" if number == "½" else number.replace("½", ".5")
    try:
        return Fraction(plain)
    except ValueError:
        return plain.lstrip("0").upper()


def is_right(noisy: NoisyName, series: str, number: str, year: int | None) -> bool:
    """Whether series, number and year are those in the name."""
    return (
        normalized_series(series) == normalized_series(noisy.series)
        and normalized_number(number) == normalized_number(noisy.number)
        and (noisy.year is None or year == noisy.year)
    )


def reading_is_right(noisy: NoisyName, found: ParsedName | Reading) -> bool:
    """The same for a result of our parser."""
    return is_right(noisy, found.series, found.number, found.year)


def comicfn2dict_is_right(noisy: NoisyName) -> bool:
    """The same for comicfn2dict."""
    found = comicfn2dict(noisy.name)
    number = found.get("issue", "") or ("" if not noisy.number else found.get("volume", ""))
    year = int(found["year"]) if str(found.get("year", "")).isdigit() else None
    series = found.get("series", "")
    return any(
        is_right(noisy, each, str(number), year) for each in (series, f"{series} {found.get('title', '')}")
    )


def microseconds(work: Callable[[str], object], names: list[str]) -> float:
    """The CPU time per name, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        for name in names:
            work(name)
        best = min(best, time.process_time() - begun)
    return best / len(names) * 1e6


def format_share(right: Counter, total: Counter, kind: str) -> str:
    """A share in percent."""
    return f"{right[kind] / total[kind]:8.1%}"


def main() -> None:
    """Make the names, parse them and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", default="")
    options = parser.parse_args()
    names = list(noisy_names(EXAMPLES, seed=options.seed, each=options.each))
    total, first, any_reading, theirs = Counter(), Counter(), Counter(), Counter()
    for noisy in names:
        found = parse(noisy.name)
        counted = {*noisy.kinds, "all"}
        total.update(counted)
        if reading_is_right(noisy, found):
            first.update(counted)
        elif options.wrong in counted:
            print(noisy.name, found.readings, sep="\n    ")
        if any(reading_is_right(noisy, reading) for reading in found.readings):
            any_reading.update(counted)
        if comicfn2dict and comicfn2dict_is_right(noisy):
            theirs.update(counted)
    print(f"{'noise':20}{'names':>8}{'first':>8}{'any':>8}{'comicfn2dict' if comicfn2dict else '':>14}")
    for kind, count in total.most_common():
        other = f"      {format_share(theirs, total, kind)}" if comicfn2dict else ""
        ours = format_share(first, total, kind) + format_share(any_reading, total, kind)
        print(f"{kind:20}{count:8,}{ours}{other}")
    texts = [noisy.name for noisy in names]
    print(f"{microseconds(parse, texts):.0f} µs of CPU a name", end="")
    print(f", comicfn2dict {microseconds(comicfn2dict, texts):.0f}" if comicfn2dict else "")


if __name__ == "__main__":
    main()

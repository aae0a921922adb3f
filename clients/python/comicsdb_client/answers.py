"""What calls return. Objects of the catalogue are dictionaries, with the fields of the API's reference."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Page:
    """A page of a list; `count` is None where the server does not count, `next` None on the last page."""

    results: list[Json]
    count: int | None
    next: dict[str, str] | None


@dataclass(frozen=True)
class Found:
    """Objects by their ids, and what became of the others: `merged` has the ids of survivors."""

    results: list[Json]
    missing: list[int]
    merged: dict[int, int]
    deleted: list[int]


@dataclass(frozen=True)
class Candidate:
    """An issue that a comic may be, how likely (`score`, from 0 to 1), and why, by field."""

    issue: Json
    score: float
    reasons: dict[str, str]


@dataclass(frozen=True)
class Match:
    """What was found for one descriptor: the likeliest candidates first.

    If `certain`, the first one needs no person to look at it. `ties` names what would tell the others apart,
    `errors` what is wrong with the descriptor.
    """

    certain: bool
    candidates: list[Candidate]
    ties: list[str] = field(default_factory=list)
    errors: dict[str, list[str]] = field(default_factory=dict)

    @property
    def best(self) -> Candidate | None:
        """The likeliest candidate."""
        return self.candidates[0] if self.candidates else None

    @classmethod
    def of(cls, result: Json) -> "Match":
        """The match of a result in the answer of the server."""
        candidates = [
            Candidate(
                each["issue"], each["score"], {reason["field"]: reason["text"] for reason in each["reasons"]}
            )
            for each in result["candidates"]
        ]
        ties = [each["field"] for each in result.get("ties") or ()]
        return cls(result["certain"], candidates, ties, result.get("errors") or {})

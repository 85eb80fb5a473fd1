"""Synthetic runs for the store's benchmark: 1 KB of searched text each, words by Zipf, made from a seed."""

import itertools
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import ItemRef
from kindgi_tui.domain.queries import NewJudgment
from kindgi_tui.domain.runs import RunDetail, RunStatus, Segment, Subject

AGENTS = 12
COMMON = [
    "order",
    "refund",
    "invoice",
    "address",
    "delivery",
    "parcel",
    "account",
    "password",
    "login",
    "customer",
    "please",
    "when",
    "where",
    "why",
    "change",
    "cancel",
    "return",
    "status",
    "late",
    "broken",
    "missing",
    "price",
    "coupon",
]
_HEADS = ["ba", "co", "di", "fu", "gel", "hor", "jin", "kas", "lem", "mon"]
_MIDDLES = [
    "ra",
    "te",
    "vi",
    "lo",
    "mu",
    "par",
    "den",
    "sil",
    "tor",
    "ban",
    "cle",
    "dro",
    "fis",
    "gan",
    "hul",
    "jet",
    "kin",
    "lar",
    "mot",
    "nus",
]
_TAILS = [
    "x",
    "der",
    "ly",
    "ment",
    "ness",
    "ing",
    "ed",
    "er",
    "ory",
    "al",
    "ist",
    "ous",
    "ful",
    "ive",
    "ant",
    "ity",
    "age",
    "ure",
    "dom",
    "ship",
    "hood",
    "ward",
    "wise",
    "less",
]
WORDS = COMMON + ["".join(parts) for parts in itertools.product(_HEADS, _MIDDLES, _TAILS)]
ZIPF = list(itertools.accumulate(1 / (place + 1) for place in range(len(WORDS))))
START = datetime(2025, 1, 1, tzinfo=UTC)
STEP = timedelta(seconds=20)


def run_id(number: int) -> str:
    return str(uuid.UUID(int=(number * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128))


def code(number: int) -> str:
    """A text that stands in this run alone."""
    return f"#{number * 7919 % 1_000_003:06}"


def rows(start: int, stop: int, projects: list[str]) -> Iterator[RunDetail]:
    """The runs numbered `start` to `stop`, each 20 s after the one before."""
    for number in range(start, stop):
        rng = random.Random(number)
        words = rng.choices(WORDS, cum_weights=ZIPF, k=155)
        agent = min(int(rng.expovariate(0.4)), AGENTS - 1)
        typed: dict[str, Json] = {
            "articles": [
                {"id": f"kb-{rng.randrange(500)}", "title": " ".join(words[100 + 5 * i : 105 + 5 * i])}
                for i in range(3)
            ]
        }
        message: dict[str, Json] = {"role": "agent", "content": " ".join(words[:100])}
        segments = (
            Segment(key="company", value=f"c{rng.randrange(200)}"),
            Segment(key="team", value=f"t{rng.randrange(5)}"),
        )
        status: RunStatus = "failed" if number % 11 == 0 else "completed"
        created = START + number * STEP
        yield RunDetail(
            id=run_id(number),
            project_id=projects[0 if rng.random() < 0.8 else rng.randrange(len(projects))],
            subject=Subject(kind="agent", id=f"acme.agent-{agent}", version=f"0.{number // 100_000}.0"),
            status=status,
            created_at=created,
            completed_at=created + timedelta(seconds=3),
            segments=segments if rng.random() < 0.5 else (),
            source="kindgi-jsonl" if rng.random() < 0.1 else "recorded",
            input=f"{' '.join(words[115:])} {code(number)}",
            output={"appended": [message], "output": typed} if status == "completed" else None,
        )


JUDGED_AGENT = "acme.agent-0"


def judged(run: RunDetail, project_id: str) -> bool:
    """Whether a run is judged: two of five of one agent's in one project, which is a tenth of all runs."""
    mine = (run.subject.id, run.project_id, run.status) == (JUDGED_AGENT, project_id, "completed")
    return mine and uuid.UUID(run.id).int % 1000 < 390


def verdict(run_id: str, element: int = 0) -> NewJudgment:
    """What somebody says of one article of the run's answer."""
    pointer = f"/output/articles/{element}"
    number = uuid.UUID(run_id).int
    return NewJudgment(
        run_id=run_id,
        item=ItemRef(key=pointer, pointer=pointer, rank=element),
        verdict="yes" if number % 3 else "no",
        reason="a short note on why" if number % 5 == 0 else None,
    )

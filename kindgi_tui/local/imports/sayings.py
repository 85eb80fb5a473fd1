"""What people said of a run in our JSONL (`kindgi_jsonl` documents it): judgments and corrections, read and written."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import cast

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Correction
from kindgi_tui.domain.items import Item, output_items
from kindgi_tui.domain.judgments import REASON_LIMIT, ItemRef, Judgment, Verdict
from kindgi_tui.domain.limits import LimitError, check_item
from kindgi_tui.domain.runs import RunDetail
from kindgi_tui.local.imports.identity import alias, plain, time_of
from kindgi_tui.local.imports.records import ImportedCorrection, ImportedJudgment, ImportOptions
from kindgi_tui.wire.expectations import read_expectation, written_expectation

_VERDICTS: dict[str, Verdict] = {"yes": "yes", "no": "no", "right": "yes", "wrong": "no"}
_NOBODY = "unknown"


def judgments_of(
    record: dict[str, Json], detail: RunDetail, options: ImportOptions, problems: list[str]
) -> Iterator[ImportedJudgment]:
    """The judgments of a record; why others were left out goes to `problems`."""
    told = record.get("judgments")
    if told is None or told == []:
        return
    if not isinstance(told, list):
        problems.append("The judgments were left out: they are not a list.")
        return
    items: dict[str, Item] = {}
    for item in output_items(detail.output, detail.subject.kind == "agent"):
        items.setdefault(item.key, item)
    for number, one in enumerate(told, 1):
        given = one if isinstance(one, dict) else {}
        item_ref = _item_ref(given.get("item"), items)
        word = given.get("verdict", given.get("mark"))
        verdict = _VERDICTS.get(word) if isinstance(word, str) else None
        if item_ref is None or verdict is None:
            lacks = "names no item" if item_ref is None else "has no verdict of yes or no"
            problems.append(f"Judgment {number} was left out: it {lacks}.")
            continue
        reason = given.get("reason")
        words = plain(reason) if isinstance(reason, str) and reason else None
        if words is not None and len(words.encode("utf-16-le")) > 2 * REASON_LIMIT:
            problems.append(f"The reason of judgment {number} was cut to {REASON_LIMIT} characters.")
            words = words.encode("utf-16-le")[: 2 * REASON_LIMIT].decode("utf-16-le", "ignore")
        yield ImportedJudgment(
            item=item_ref,
            verdict=verdict,
            reason=words,
            judge=_judge(given, options),
            participant=_participant(given),
            created_at=time_of(given.get("createdAt")),
        )


def corrections_of(
    record: dict[str, Json], options: ImportOptions, problems: list[str]
) -> Iterator[ImportedCorrection]:
    """The corrections of a record; why others were left out goes to `problems`."""
    told = record.get("corrections")
    if told is None or told == []:
        return
    if not isinstance(told, list):
        problems.append("The corrections were left out: they are not a list.")
        return
    for number, one in enumerate(told, 1):
        given = one if isinstance(one, dict) else {}
        try:
            expect = read_expectation(given.get("expect"))
        except LimitError as cause:
            problems.append(f"Correction {number} was left out: {cause.sentence}")
            continue
        yield ImportedCorrection(
            expect=expect,
            judge=_judge(given, options),
            participant=_participant(given),
            created_at=time_of(given.get("createdAt")),
        )


def _judge(said: dict[str, Json], options: ImportOptions) -> str:
    """Who said it, under an alias unless names are kept."""
    told = said.get("assertedBy")
    for name in (told.get("id") if isinstance(told, dict) else told, said.get("judge")):
        if isinstance(name, str) and name:
            judge = plain(name)[:200]
            return judge if options.keep_judges or judge == _NOBODY else alias(judge)
    return _NOBODY


def _participant(said: dict[str, Json]) -> str | None:
    told = said.get("participantId")
    return plain(told)[:200] if isinstance(told, str) and told else None


def _item_ref(told: Json, items: dict[str, Item]) -> ItemRef | None:
    given = {"key": told} if isinstance(told, str) else told
    if not isinstance(given, dict):
        return None
    key, pointer, rank = given.get("key"), given.get("pointer"), given.get("rank")
    try:
        check_item(key, pointer, rank)
    except LimitError:
        try:
            check_item(key)
        except LimitError:
            return None
        pointer = rank = None
    derived = items.get(cast("str", key))
    if pointer is None and derived is not None:
        pointer, rank = derived.pointer, derived.rank
    return ItemRef(
        key=cast("str", key),
        pointer=cast("str | None", pointer),
        rank=None if rank is None else int(cast("int", rank)),
    )


def judgment_record(judgment: Judgment | ImportedJudgment, keep_judges: bool) -> Json:
    """A judgment as a record has it; who said it under an alias unless `keep_judges`."""
    item: dict[str, Json] = {"key": judgment.item.key}
    if judgment.item.pointer is not None:
        item["pointer"] = judgment.item.pointer
    if judgment.item.rank is not None:
        item["rank"] = judgment.item.rank
    record: dict[str, Json] = {"item": item, "verdict": judgment.verdict}
    if judgment.reason:
        record["reason"] = judgment.reason
    return record | _who_and_when(judgment, keep_judges)


def correction_record(correction: Correction | ImportedCorrection, keep_judges: bool) -> Json:
    """A correction as a record has it; who said it under an alias unless `keep_judges`."""
    expect: Json = written_expectation(correction.expect)
    return {"expect": expect, **_who_and_when(correction, keep_judges)}


def _who_and_when(
    said: Judgment | ImportedJudgment | Correction | ImportedCorrection, keep_judges: bool
) -> dict[str, Json]:
    record: dict[str, Json] = {}
    judge = said.judge if isinstance(said, ImportedJudgment | ImportedCorrection) else said.asserter
    if judge != _NOBODY:
        record["assertedBy"] = {"kind": "user", "id": judge if keep_judges else alias(judge)}
    if said.participant is not None:
        record["participantId"] = said.participant
    if said.created_at is not None:
        record["createdAt"] = iso(said.created_at)
    return record


def iso(time: datetime) -> str:
    """A moment as a record has it: UTC, at least milliseconds, `Z`."""
    utc = time.astimezone(UTC)
    parts = "microseconds" if utc.microsecond % 1000 else "milliseconds"
    return utc.isoformat(timespec=parts).replace("+00:00", "Z")

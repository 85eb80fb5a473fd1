"""How far people agree, as a command prints it."""

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.tables import Column, short_id, table
from kindgi_tui.domain.agreement import Agreement, agreement_sentence, apart_sentence
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.correction_words import expectation_words
from kindgi_tui.text import one_line
from kindgi_tui.wire import v04
from kindgi_tui.wire.expectations import written_expectation

SENTENCE = 500
"""The longest sentence; names of people can be long."""


def print_agreement(call: Call, test_set_id: str, version: str | None, agreement: Agreement) -> None:
    """A sentence, what every two people said of the same items, and what they differ on; all of it as JSON.

    `version` None: an agent's own test set as it is now.
    """
    if call.json:
        told = v04.plain(agreement)
        assert isinstance(told, dict)
        place: dict[str, Json] = {"testSetId": test_set_id, "version": version}
        shares: dict[str, Json] = {"raw": agreement.raw, "yesRate": agreement.yes_rate}
        call.out.json(v04.without_none({**place, **told, **shares, "apart": _apart_json(agreement)}))
        return
    call.out.paragraph(one_line(f"{agreement_sentence(agreement)}.", SENTENCE))
    if agreement.apart:
        call.out.paragraph(f"{apart_sentence(agreement)}.")
    if len(agreement.people) > 2:
        call.out.line()
        call.out.lines(
            table(
                [
                    Column("FIRST", least=8), Column("SECOND", least=8), Column("ITEMS", right=True),
                    Column("AGREE", right=True), Column("BOTH YES", right=True), Column("BOTH NO", right=True),
                    Column("ONLY FIRST YES", right=True), Column("ONLY SECOND YES", right=True),
                ],
                [
                    (
                        pair.first, pair.second, f"{pair.shared:,}", f"{pair.agreed:,}", f"{pair.both_yes:,}",
                        f"{pair.both_no:,}", f"{pair.only_first:,}", f"{pair.only_second:,}",
                    )
                    for pair in agreement.pairs
                ],
                call.out.width,
            )
        )  # fmt: skip
    _print_split(call, agreement)
    _print_apart(call, agreement)
    if agreement.to_settle:
        call.out.line()
        call.out.line("They differ on these: s on the set's cases in kindgi-tui settles them one by one.")


def _apart_json(agreement: Agreement) -> Json:
    return [
        {
            "runId": one.run_id,
            "said": [
                {"person": said.person, "expect": written_expectation(said.expect)} for said in one.said
            ],
        }
        for one in agreement.apart
    ]


def _print_apart(call: Call, agreement: Agreement) -> None:
    """The runs people corrected differently, what each of them said in a row of its own."""
    if not agreement.apart:
        return
    call.out.line()
    call.out.lines(
        table(
            [Column("RUN"), Column("CORRECTED BY", least=12), Column("EXPECTS", least=20)],
            [
                (short_id(one.run_id), said.person, expectation_words(said.expect))
                for one in agreement.apart
                for said in one.said
            ],
            call.out.width,
        )
    )


def _print_split(call: Call, agreement: Agreement) -> None:
    """The items people disagree on."""
    if not agreement.split:
        return
    call.out.line()
    call.out.lines(
        table(
            [Column("RUN"), Column("ITEM"), Column("YES", least=8), Column("NO", least=8)],
            [
                (short_id(one.run_id), one.item_key, ", ".join(one.yes), ", ".join(one.no))
                for one in agreement.split
            ],
            call.out.width,
        )
    )

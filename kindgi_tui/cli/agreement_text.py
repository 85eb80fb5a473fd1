"""How far people agree, as a command prints it."""

from kindgi_tui.cli.call import Call
from kindgi_tui.cli.tables import Column, short_id, table
from kindgi_tui.domain.agreement import Agreement, agreement_sentence
from kindgi_tui.domain.base import Json
from kindgi_tui.domain.test_set_versions import TestSetVersion
from kindgi_tui.text import one_line
from kindgi_tui.wire import v04

SENTENCE = 500
"""The longest sentence; names of people can be long."""


def print_agreement(call: Call, version: TestSetVersion, agreement: Agreement) -> None:
    """A sentence, what every two people said of the same items, and the items they disagree on; all of it as JSON."""
    if call.json:
        told = v04.plain(agreement)
        assert isinstance(told, dict)
        place = {"testSetId": version.test_set_id, "version": version.version}
        shares: dict[str, Json] = {"raw": agreement.raw, "yesRate": agreement.yes_rate}
        call.out.json(v04.without_none({**place, **told, **shares}))
        return
    call.out.paragraph(one_line(f"{agreement_sentence(agreement)}.", SENTENCE))
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
    call.out.line()
    call.out.line("They differ on these: s on the set's cases in kindgi-tui settles them one by one.")

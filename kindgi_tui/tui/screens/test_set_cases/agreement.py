"""How far people agree on a set, as its page shows it: one sentence, and a pane of pairs and of what they differ on."""

from kindgi_tui.domain.agreement import (
    Agreement,
    ApartRun,
    PairAgreement,
    SplitItem,
    agreement_sentence,
    apart_sentence,
)
from kindgi_tui.domain.correction_words import expectation_words
from kindgi_tui.text import one_line
from kindgi_tui.tui.widgets.text_pane import Block, Flow, Part

LINES = 200
"""The most pairs, and the most items, that are listed."""


def agreement_words(one: Agreement) -> str:
    """The sentence, cleaned; with how many runs people corrected differently."""
    apart = apart_sentence(one)
    return one_line(agreement_sentence(one), 400) + (f"; {apart}" if apart else "")


def agreement_parts(one: Agreement) -> list[Part]:
    """All of it: the sentence, every two people, the items people differ on."""
    parts: list[Part] = [Block("Agreement", "head"), Block(f"{agreement_words(one)}.")]
    if one.coefficient is not None and one.value is not None:
        parts.append(
            Block(f"{one.coefficient.capitalize()}: 1 is full agreement, 0 no more than by chance.", "dim")
        )
    if one.pairs:
        parts += [Block(""), Block("Two by two", "head")]
        parts += [_pair(pair) for pair in one.pairs[:LINES]]
        parts += _more(len(one.pairs), "pair")
    if one.shared:
        parts += [Block(""), Block("What they differ on", "head")]
        if not one.split:
            parts.append(Block("Nothing: everybody who judged an item says the same of it.", "dim"))
        else:
            parts.append(Flow((("s ", "key"), ("judges them again, one by one, to settle them", "dim"))))
        parts += [_split(item) for item in one.split[:LINES]]
        parts += _more(len(one.split), "item")
    if one.apart:
        offer = ("opens each after the items; there c says what it should have done", "dim")
        parts += [Block(""), Block("What they corrected differently", "head"), Flow((("s ", "key"), offer))]
        for run in one.apart[:LINES]:
            parts += _apart(run)
        parts += _more(len(one.apart), "run")
    if one.alone:
        names = one_line(", ".join(one.alone), 400)
        parts += [Block(""), Block(f"Judged items that nobody else did: {names}", "dim")]
    return parts


def _pair(pair: PairAgreement) -> Part:
    first, second = one_line(pair.first, 40), one_line(pair.second, 40)
    told = (
        f": agree on {pair.agreed:,} of {pair.shared:,} (both yes {pair.both_yes:,}, both no {pair.both_no:,}"
    )
    only = f"; only {first} yes {pair.only_first:,}, only {second} yes {pair.only_second:,})"
    return Flow(((f"{first} and {second}", "key"), (told + only, "")), 2, 2)


def _split(item: SplitItem) -> Part:
    yes, no = (one_line(", ".join(names), 200) for names in (item.yes, item.no))
    return Flow(
        (
            (one_line(item.item_key, 40), "key"),
            (f" of run {one_line(item.run_id, 40)[:8]}: ", "dim"),
            (f"✓ yes {yes}", "yes"),
            ("  ", ""),
            (f"✗ no {no}", "no"),
        ),
        2,
        2,
    )


def _apart(run: ApartRun) -> list[Part]:
    rows: list[Part] = [Flow((("run ", "dim"), (one_line(run.run_id, 40)[:8], "key")), 2, 2)]
    rows += [
        Flow(
            ((f"{one_line(said.person, 40)}: ", "key"), (one_line(expectation_words(said.expect), 600), "")),
            4,
            4,
        )
        for said in run.said
    ]
    return rows


def _more(count: int, what: str) -> list[Part]:
    return [Block(f"{_count(count - LINES, what)} more", "dim", 2)] if count > LINES else []


def _count(count: int, one: str) -> str:
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"

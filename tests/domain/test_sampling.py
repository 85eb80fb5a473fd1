"""Splitting a test set (DESIGN section 8)."""

from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.domain.comparisons import Sample
from kindgi_tui.domain.sampling import held_out_count, position, sample_cases
from kindgi_tui.domain.test_sets import Case

CASES = st.lists(st.tuples(st.text(min_size=1), st.booleans()), unique_by=lambda case: case[0], max_size=30)
SHARES = st.floats(0.1, 0.9)
SUBJECT = {"kind": "agent", "id": "acme.picker", "version": "1.0.0"}


def plain(cases: list[tuple[str, bool]]) -> list[dict[str, object]]:
    return [
        {"caseId": case, "items": [{"key": "a", "yesWeight": 0 if no else 1, "totalWeight": 1}]}
        for case, no in cases
    ]


@given(CASES, st.text(min_size=1), SHARES)
def test_the_parts_are_the_whole(cases: list[tuple[str, bool]], seed: str, share: float) -> None:
    parts = {
        part: sample_cases(plain(cases), Sample(part=part, seed=seed, hold_out_share=share))
        for part in ("search", "hold-out")
    }
    assert set(parts["search"]) | set(parts["hold-out"]) == {case for case, _ in cases}
    assert not set(parts["search"]) & set(parts["hold-out"])
    for wanted in (True, False):
        stratum = {case for case, no in cases if no is wanted}
        assert len(stratum & set(parts["hold-out"])) == held_out_count(len(stratum), share)


@given(CASES, st.randoms())
def test_the_split_does_not_depend_on_the_order_of_the_cases(
    cases: list[tuple[str, bool]], random: object
) -> None:
    sample = {"part": "hold-out", "seed": "s", "holdOutShare": 0.5}
    assert set(sample_cases(plain(cases[::-1]), sample)) == set(sample_cases(plain(cases), sample))


def test_how_many_are_held_out() -> None:
    assert [held_out_count(n, 0.5) for n in range(6)] == [0, 0, 1, 2, 2, 3]
    assert [held_out_count(5, share) for share in (0.1, 0.9)] == [1, 4]


def test_positions_are_the_same_on_every_machine() -> None:
    assert position("s", "c") == 0x97A9A904
    assert position("\ud83d", "c") == position("\ufffd", "c")


def test_corrected_cases_are_a_stratum_of_their_own() -> None:
    cases = plain([(str(n), n % 2 == 0) for n in range(8)])
    cases[0]["expect"] = {"decisions": "right"}
    cases[1]["corrections"] = [{"correctionId": "c", "expect": {"answer": "right"}}]
    cases[2]["expect"] = {}
    sample = Sample(part="hold-out", seed="s", hold_out_share=0.5)
    held_out = sample_cases(cases, sample)
    read = [Case.read({"subject": SUBJECT, **case}) for case in cases]
    assert sample_cases(read, sample) == held_out
    assert len({"0", "1"} & set(held_out)) == 1
    assert len(held_out) == 1 + 2 + 2

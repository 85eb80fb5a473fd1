"""What the tests of corrections are made of."""

from hypothesis import strategies as st

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.corrections import Expectation, ExpectedCall, NewCorrection

SEARCH = "acme.search"
RIGHT = Expectation(decisions="right")
LATE = Expectation(answer="wrong", should_say="Within five days.")
SEARCHED = Expectation(
    decisions="wrong",
    should_call=(ExpectedCall(tool_id=SEARCH, arguments={"query": "refund", "n": 3}),),
    must_not_call=("acme.mail",),
)
BOTH = SEARCHED.model_copy(update={"answer": "right"})


def corrected(run_id: str, expect: Expectation = LATE, **fields: object) -> NewCorrection:
    """A correction of that run."""
    return NewCorrection.model_validate({"run_id": run_id, "expect": expect, **fields})


any_text = st.text(st.characters(exclude_categories=()), max_size=8)
some_text = any_text.map(lambda text: text + "x")
json_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def expectations(draw: st.DrawFn) -> Expectation:
    """Any expectation that can be graded."""
    wrong: dict[str, object] = {
        "decisions": "wrong",
        "should_call": draw(
            st.lists(
                st.tuples(
                    st.sampled_from([SEARCH, "acme.mail"]),
                    st.none() | st.dictionaries(any_text, json_values, max_size=3),
                ).map(lambda call: ExpectedCall(tool_id=call[0], arguments=call[1])),
                min_size=1,
                max_size=3,
            ).map(tuple)
        ),
        "must_not_call": draw(st.sampled_from([(), ("acme.pay",), ("acme.pay", "acme.log")])),
    }
    why = draw(st.none() | some_text)
    bad: dict[str, object] = {
        "answer": "wrong",
        "should_say": draw(some_text if why is None else st.none() | some_text),
        "why": why,
    }
    nothing: dict[str, object] = {}
    right: dict[str, object] = {"decisions": "right"}
    decisions = draw(st.sampled_from([nothing, right, wrong]))
    answers: list[dict[str, object]] = [{"answer": "right"}, bad]
    answer = draw(st.sampled_from([*answers, nothing] if decisions else answers))
    return Expectation.model_validate(decisions | answer)

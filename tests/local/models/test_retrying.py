"""Reading Retry-After, and how long is waited."""

import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kindgi_tui.local.models.failures import ModelUnavailable
from kindgi_tui.local.models.retrying import ONE_TRY, Fault, Patience, TryFailed, retry_after

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": " 1.5 "}, 1.5),
        ({"Retry-After": "-3"}, 0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": email.utils.formatdate(NOW + 60, usegmt=True)}, 60),
        ({"Retry-After": email.utils.formatdate(NOW - 60, usegmt=True)}, 0),
        ({"Retry-After": "Wed, 99 Foo 2026 99:99:99 GMT"}, None),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=30))
def test_any_header_is_read_or_not(text: str) -> None:
    found = retry_after({"Retry-After": text}, NOW)
    assert found is None or found >= 0


@given(
    st.sampled_from(Fault),
    st.integers(1, 200),
    st.floats(0, 1000),
    st.floats(0, 0.999),
    st.none() | st.floats(0, 1e9),
)
def test_waits_are_bounded(
    fault: Fault, tries: int, waited: float, chance: float, told: float | None
) -> None:
    failed = TryFailed(ModelUnavailable("x", retry_after=told), fault)
    patience = Patience()
    pause = patience.wait(failed, tries, waited, chance)
    if pause is not None:
        assert 0 <= pause <= patience.limited_s + 1
        assert tries < 100
        if fault is Fault.LIMITED and told is not None:
            assert pause >= told
    assert fault is not Fault.FINAL or pause is None
    assert ONE_TRY.wait(failed, tries, waited, chance) is None

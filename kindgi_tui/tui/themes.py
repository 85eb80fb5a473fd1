"""The themes: dark, light, high contrast, and the terminal's own colours. Verdicts never rest on colour alone."""

from textual.theme import Theme

THEMES: tuple[Theme, ...] = (
    Theme(
        "kindgi-dark", primary="#5fa8e6", secondary="#8aa4c8", warning="#e0a458", error="#e07a6a",
        success="#5fa8e6", accent="#e0a458", background="#14171c", surface="#1a1e25", panel="#232933",
        foreground="#d7dce3", dark=True,
    ),
    Theme(
        "kindgi-light", primary="#1f5f9f", secondary="#4a5f7a", warning="#9a5b00", error="#a83224",
        success="#1f5f9f", accent="#9a5b00", background="#fafafa", surface="#f0f1f3", panel="#e2e5ea",
        foreground="#1c222b", dark=False,
    ),
    Theme(
        "kindgi-contrast", primary="#ffff00", secondary="#ffffff", warning="#ffaf00", error="#ff8787",
        success="#00d7ff", accent="#ffff00", background="#000000", surface="#000000", panel="#1c1c1c",
        foreground="#ffffff", dark=True,
    ),
)  # fmt: skip
"""Ours, beside Textual's `ansi-dark` and `ansi-light`."""

CYCLE = ("kindgi-dark", "kindgi-light", "kindgi-contrast", "ansi-dark")
"""The order the theme key goes through."""

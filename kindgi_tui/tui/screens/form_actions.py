"""What can be done in every form."""

from kindgi_tui.tui.actions import Row

FORM_ROWS: tuple[Row, ...] = (
    ("edit", "enter", "Change", "Types the field's value, or goes on to its next choice."),
    ("more", "l right space", "More", "Goes on to the next choice, or counts up."),
    ("less", "h left", "Less", "Goes back to the choice before, or counts down."),
    ("clear", "backspace", "Clear", "Empties the field: its suggestion or default holds."),
    ("reset", "X", "Reset", "Empties the whole form.", False),
    ("down", "j down tab", "Next", "Goes to the next field.", False),
    ("up", "k up shift+tab", "Previous", "Goes to the field before.", False),
    ("first", "home", "First", "Goes to the first field.", False),
    ("last", "end G", "Last", "Goes to the last field.", False),
    ("page-down", "d pagedown", "Scroll", "Scrolls what stands beside or below the form."),
    ("page-up", "u pageup", "Scroll back", "Scrolls it back.", False),
)
"""What every form has; a screen puts its own actions before them."""

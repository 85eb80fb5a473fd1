"""Fields of a form, without a screen: what stands in each, what could, and what is wrong with it.

Values are text, as a person types it; empty means the hint, which is the suggestion or the default.
"""

from decimal import Decimal

from kindgi_tui.domain.base import Frozen


class Choice(Frozen):
    """Something a field may be set to."""

    value: str
    """The field's value."""
    words: str = ""
    """What is shown; empty: the value."""


class Numbers(Frozen):
    """A field's numbers, so that a key can count up and down."""

    least: Decimal = Decimal(1)
    """The smallest."""
    most: Decimal | None = None
    """The largest; None: no limit."""
    step: Decimal = Decimal(1)
    """How far a key goes."""


class FormField(Frozen):
    """One line of a form."""

    name: str
    """Its name in the draft."""
    label: str
    """What stands before it, a word or two."""
    help: str
    """What it is, and what may stand there, in a sentence."""
    value: str = ""
    """What stands there."""
    hint: str = ""
    """What holds while nothing stands there: the suggestion or the default."""
    choices: tuple[Choice, ...] = ()
    """What it may be set to, in order; with `typed` these are suggestions."""
    numbers: Numbers | None = None
    """How it counts; None: it doesn't."""
    typed: bool = True
    """Whether any text may be typed."""
    note: str = ""
    """Something about the value, such as how many there are."""
    problem: str | None = None
    """What is wrong with it, in a sentence."""

    @property
    def words(self) -> str:
        """The value as it is shown; empty while nothing stands there."""
        return self._said(self.value)

    @property
    def hint_words(self) -> str:
        """The hint as it is shown."""
        return self._said(self.hint)

    def _said(self, value: str) -> str:
        return next((choice.words or value for choice in self.choices if choice.value == value), value)

    @property
    def turns(self) -> bool:
        """Whether a key can go on to another value."""
        return self.numbers is not None or len(self.choices) > 1 or (bool(self.choices) and self.typed)


def turned(field: FormField, steps: int) -> str:
    """The value after `steps` to the right; choices go round, numbers stop at their ends."""
    if field.numbers is not None:
        return _counted(field, field.numbers, steps)
    values = [choice.value for choice in field.choices]
    if not values:
        return field.value
    standing = field.value if field.value in values else field.hint
    if standing not in values:
        return values[0] if steps > 0 else values[-1]
    return values[(values.index(standing) + steps) % len(values)]


def _counted(field: FormField, numbers: Numbers, steps: int) -> str:
    now = _number(field.value) if field.value else _number(field.hint)
    # From nothing, the first step up gives the smallest number.
    after = numbers.least if now is None else now + steps * numbers.step
    if now is None and steps < 0:
        return field.value
    after = max(numbers.least, after)
    if numbers.most is not None:
        after = min(numbers.most, after)
    return f"{after.normalize():f}"


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except ArithmeticError:
        return None
    return number if number.is_finite() and abs(number) < 10**12 else None


def whole_number(text: str) -> int | str:
    """The whole number a text is, else the text as it came, for a limit to refuse."""
    number = _number(text)
    return int(number) if number is not None and number == number.to_integral_value() else text


def decimal_number(text: str) -> float | str:
    """The number a text is, else the text as it came, for a limit to refuse."""
    number = _number(text)
    return text if number is None else float(number)

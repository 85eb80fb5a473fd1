"""Which group a judge speaks as: of those they may speak as, and only where it covers the run."""

from kindgi_tui.domain.groups import group_applies, why_not
from kindgi_tui.domain.judgments import Group
from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.runs import Run


class SpeakingAs:
    """The chosen group; none to begin with."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self._groups: tuple[Group, ...] = ()
        self.chosen: str | None = None
        """The id of the chosen group; None: no group."""

    def set(self, groups: tuple[Group, ...]) -> None:
        """The groups there are; those this person may not speak as are left out."""
        self._groups = tuple(
            sorted(
                (
                    each
                    for each in groups
                    if each.retired_at is None and why_not(each.restriction, self._person) is None
                ),
                key=lambda each: each.name,
            )
        )

    def covering(self, run: Run) -> tuple[Group, ...]:
        """The groups that may be spoken as of a run."""
        return tuple(each for each in self._groups if group_applies(each, run.project_id, run.subject))

    def group_for(self, run: Run) -> Group | None:
        """The chosen group, where it covers the run."""
        return next((each for each in self.covering(run) if each.id == self.chosen), None)

    def id_for(self, run: Run) -> str | None:
        """Its id."""
        group = self.group_for(run)
        return None if group is None else group.id

    def next(self, run: Run) -> Group | None:
        """Goes on to the next group that covers the run, and after the last one to none."""
        choices: list[Group | None] = [None, *self.covering(run)]
        now = self.group_for(run)
        chosen = choices[(choices.index(now) + 1) % len(choices)]
        self.chosen = None if chosen is None else chosen.id
        return chosen

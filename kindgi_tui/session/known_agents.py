"""Whether anybody knows an agent: a name with a typo in it would make an empty list, or a group of nobody."""

from typing import TYPE_CHECKING

from kindgi_tui.domain.queries import RunFilter

if TYPE_CHECKING:
    from kindgi_tui.workbench import Workbench

_NAMED = 10
"""The most agents that are named to whom named none of them."""


async def check_agent(workbench: "Workbench", agent_id: str) -> None:
    """Does nothing for an agent that is published, or that a run here is of. Raises NotFound, naming the others."""
    from kindgi_tui.workbench import Denied, NotFound, Unsupported

    try:
        known = [one.id for one in await workbench.agents.list()]
    except (Unsupported, Denied):
        # Who can't ask which agents there are goes on as before: it is the list, or the group, that tells.
        return
    if agent_id in known:
        return
    runs = RunFilter(subject_kind="agent", subject_id=agent_id, replays="include")
    if agent_id and (await workbench.runs.list(runs, 1)).data:
        return
    more = f" and {len(known) - _NAMED:,} more (kindgi-tui agents list)" if len(known) > _NAMED else ""
    told = f"There are {', '.join(known[:_NAMED])}{more}." if known else "No agents are published here yet."
    raise NotFound(f'No agent is called "{agent_id}". {told}', code="agent-not-found")

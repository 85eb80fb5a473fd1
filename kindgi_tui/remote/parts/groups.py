"""Groups of a runtime: its judge classes."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.judgments import Group, Restriction
from kindgi_tui.domain.limits import LimitError, check_group_name, check_weight
from kindgi_tui.remote import v01
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.runtime import given
from kindgi_tui.workbench import Invalid, NotFound, Unsupported


class RemoteGroups:
    """Who judges speak as."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._runtime = context.runtime

    async def list(self, project_id: str | None = None, retired: bool = False) -> tuple[Group, ...]:
        """Live groups of the workspace (and of the project), newest first; a runtime doesn't list retired ones."""
        groups = await self._context.groups(fresh=True)
        return tuple(one for one in groups if project_id is None or one.project_id in (None, project_id))

    async def get(self, reference: str) -> Group:
        """The group with that id or name; a retired one by its id alone. Raises Invalid: several have that name."""
        for fresh in (False, True):
            found = self._context.one_group(reference, await self._context.groups(fresh=fresh))
            if found is not None:
                return found
        try:
            return v01.group(await self._runtime.get("groups.get", reference))
        except NotFound as cause:
            raise NotFound(
                f'No group here is called "{reference}". `kindgi-tui groups list` shows them.',
                code=cause.code,
            ) from None

    async def add(
        self,
        name: str,
        weight: float,
        *,
        description: str | None = None,
        project_id: str | None = None,
        agent_id: str | None = None,
        restriction: Restriction | None = None,
    ) -> Group:
        """Makes a group."""
        _checked(name, weight)
        where: dict[str, Json] = {"kind": "tenant"}
        if project_id is not None:
            where = {"kind": "project", "projectId": project_id}
        if agent_id is not None:
            where = {"kind": "agent", "projectId": project_id, "agentId": agent_id}
        body = given(
            {
                "scope": where,
                "name": name,
                "weight": weight,
                "description": description,
                "assertableBy": None if restriction is None else v01.restriction_body(restriction),
            }
        )
        made = v01.group(await self._runtime.write("groups.create", body=body))
        self._context.forget_groups()
        return made

    async def change(
        self,
        reference: str,
        *,
        weight: float | None = None,
        description: str | None = None,
        restriction: Restriction | None = None,
        unrestricted: bool = False,
    ) -> Group:
        """Changes what is given."""
        if weight is not None:
            _checked("name", weight)
        body = given({"weight": weight, "description": description})
        if unrestricted:
            body["assertableBy"] = None
        elif restriction is not None:
            body["assertableBy"] = v01.restriction_body(restriction)
        known = await self.get(reference)
        changed = v01.group(await self._runtime.write("groups.change", known.id, body=body))
        self._context.forget_groups()
        return changed

    async def retire(self, reference: str) -> Group:
        """Retires a group."""
        known = await self.get(reference)
        await self._runtime.write("groups.retire", known.id, body={})
        self._context.forget_groups()
        return v01.group(await self._runtime.get("groups.get", known.id))

    async def bring_back(self, reference: str) -> Group:
        """Not offered."""
        raise Unsupported("A runtime brings no retired group back: make one of the same name.")


def _checked(name: str, weight: float) -> None:
    try:
        check_group_name(name)
        check_weight(weight)
    except LimitError as cause:
        raise Invalid(cause.sentence, field=cause.field) from None

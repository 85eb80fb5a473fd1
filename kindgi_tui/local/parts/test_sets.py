"""Test sets of the local workbench."""

import re

from kindgi_tui.domain.agreement import Agreement
from kindgi_tui.domain.limits import check_min_judgments, check_segments, check_version
from kindgi_tui.domain.own_test_sets import parse_own_test_set_id
from kindgi_tui.domain.test_set_versions import BuildPreview, BuildRequest, TestSetVersion
from kindgi_tui.domain.test_sets import Case
from kindgi_tui.local.access import Access, limits_told
from kindgi_tui.local.store import agreement, test_sets
from kindgi_tui.workbench import Invalid, Page

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


class LocalTestSets:
    """Versioned test sets built from judged runs."""

    def __init__(self, access: Access) -> None:
        self._access = access

    async def preview(self, request: BuildRequest) -> BuildPreview:
        """What a build would take."""
        _check(request)
        return await self._access.read(lambda c: test_sets.preview_build(c, request))

    async def build(self, request: BuildRequest, empty: bool = False) -> TestSetVersion:
        """Builds a version; with `empty` one without cases too."""
        _check(request)
        self._access.require("editor")
        person = self._access.person.id
        # What takes long only reads, so that people judge on meanwhile.
        gathered = await self._access.read(lambda c: test_sets.gather_cases(c, request, empty))
        return await self._access.write(
            "editor",
            "test-sets.build",
            lambda c: test_sets.store_test_set(c, request, gathered, person),
            f"{request.test_set_id}@{request.version}",
        )

    async def list(self, project_id: str | None = None) -> tuple[TestSetVersion, ...]:
        """The newest version of each set, by id."""
        return await self._access.read(lambda c: test_sets.list_test_sets(c, project_id))

    async def versions(self, test_set_id: str) -> tuple[TestSetVersion, ...]:
        """The versions of a set, newest first."""
        return await self._access.read(lambda c: test_sets.test_set_versions(c, test_set_id))

    async def get(self, test_set_id: str, version: str | None = None) -> TestSetVersion:
        """One version, the newest when none is named."""
        return await self._access.read(lambda c: test_sets.get_test_set(c, test_set_id, version))

    async def cases(
        self, test_set_id: str, version: str | None = None, limit: int = 25, cursor: str | None = None
    ) -> Page[Case]:
        """A version's cases, in the order they were taken."""
        return await self._access.read(lambda c: test_sets.list_cases(c, test_set_id, version, limit, cursor))

    async def case(self, test_set_id: str, version: str, case_id: str) -> Case:
        """One of a version's cases."""
        return await self._access.read(lambda c: test_sets.get_case(c, test_set_id, version, case_id))

    async def agreement(self, test_set_id: str, version: str | None = None) -> Agreement:
        """How far people agree who judged the runs of a version's cases."""
        return await self._access.read(lambda c: agreement.agreement_on(c, test_set_id, version))


def _check(request: BuildRequest) -> None:
    if not _ID.fullmatch(request.test_set_id):
        raise Invalid(
            "A test set's id has letters, digits, dots, - and _, such as acme.article-picks.", field="id"
        )
    own = parse_own_test_set_id(request.test_set_id)
    if own is not None:
        raise Invalid(
            f"{request.test_set_id} is the own test set of {own[0]}: it isn't built, starting a comparison on it "
            "freezes its cases. Give the set another id.",
            code="bad-input",
            field="id",
        )
    with limits_told():
        check_version(request.version)
        check_segments([(segment.key, segment.value) for segment in request.segments])
        if request.min_judgments is not None:
            check_min_judgments(request.min_judgments)

"""A real server in a process of its own on a copy of the demo, and asking it over HTTP."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from kindgi_tui.domain.projects import Right
from kindgi_tui.local.workbench import LocalWorkbench, open_local
from tests.cli.driving import PROGRAM
from tests.workspaces import copy_workspace

AGENT = "acme-ops.article-picker"
SUITE = "acme.article-picks"
PASSWORD = "240c0a0b-542b-4cb1-9156-fe7153a4377a"
REFUND = "5b0c7f1e-9a34-4d0e-8a55-0f3f3f1f2a02"
PACKAGE = "c9d3a6c4-21d7-4a43-9b8e-6f6f5d4b3a03"


class Asked:
    """A server to ask, as whoever has the token."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self.token = token
        headers = {"Authorization": f"Bearer {token}"}
        self.client = httpx.Client(base_url=url, headers=headers, timeout=60)

    def send(self, method: str, path: str, body: Any = None, **more: Any) -> httpx.Response:
        """Sends a request; a body that isn't bytes or text goes as JSON."""
        if isinstance(body, str | bytes):
            more["content"] = body
        elif body is not None:
            more["json"] = body
        return self.client.request(method, path, **more)

    def good(self, method: str, path: str, body: Any = None, status: int = 200, **more: Any) -> Any:
        """What it answers, which must be good."""
        response = self.send(method, path, body, **more)
        assert response.status_code == status, response.text
        return response.json()

    def refused(self, status: int, code: str, method: str, path: str, body: Any = None, **more: Any) -> str:
        """The sentence of a refusal with that status and code."""
        response = self.send(method, path, body, **more)
        assert response.status_code == status, response.text
        error = response.json()["error"]
        assert error["code"] == code
        assert error["requestId"] == response.headers["x-request-id"]
        return str(error["message"])


class Served(Asked):
    """Our server, in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", workspace: Path, url: str, token: str) -> None:
        super().__init__(url, token)
        self.process = process
        self.workspace = workspace

    def project(self, slug: str = "docs") -> str:
        """The id of a project."""
        rows = self.good("GET", "/v1/projects")["data"]
        return str(next(row["id"] for row in rows if row["slug"] == slug))

    def token_of(self, name: str, person: str, role: Right) -> str:
        """A token of somebody else."""
        return new_token(self.workspace, name, person, role)

    def as_somebody(self, name: str, person: str, role: Right) -> Asked:
        """The same server, asked by somebody else."""
        return Asked(self.url, self.token_of(name, person, role))

    def wait(self, run_id: str) -> Any:
        """An eval run once it ended, by its events."""
        self.send("GET", f"/v1/eval-runs/{run_id}/events")
        return self.good("GET", f"/v1/eval-runs/{run_id}")


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of this process without what would lead a command astray."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("KINDGI_") and not name.endswith("_API_KEY")
    }
    return {**kept, **(more or {})}


def new_token(workspace: Path, name: str, person: str, right: Right) -> str:
    """Makes a token beside the running server."""

    async def made() -> str:
        workbench, _ = await open_local(workspace)
        try:
            return (await workbench.tokens.add(name, person, right))[1]
        finally:
            await workbench.close()

    return asyncio.run(made())


@contextlib.contextmanager
def serving(workspace: Path, *options: str, token: str | None = None) -> Iterator[Served]:
    """Serves a workspace until the end, which must be a clean one."""
    process = subprocess.Popen(
        [*PROGRAM, "--workspace", str(workspace), "serve", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), (url, process.stderr.read())
        if token is None:
            said = process.stdout.readline()
            token = said.removeprefix("Token, shown this once: ").strip()
        yield Served(process, workspace, url, token)
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, ""), errors


async def make_three_runs(folder: Path, demo: Path) -> None:
    """A workspace with the documents' three runs in its default project, nothing said of them, and a second one."""
    from kindgi_tui.demo import said

    source, _ = await open_local(demo)
    try:
        runs = [await source.runs.get(run_id) for run_id in (PASSWORD, REFUND, PACKAGE)]
    finally:
        await source.close()
    with contextlib.closing(sqlite3.connect(demo / "workspace.db")) as connection:
        replies = dict(connection.execute("SELECT key, reply FROM replies").fetchall())
    workbench, _ = await open_local(folder)
    try:
        with said.pack_folder() as pack:
            await workbench.packs.publish(pack)
        project = await workbench.projects.get()
        await workbench.projects.add("Other", "other")
        await workbench.runs.add([run.model_copy(update={"project_id": project.id}) for run in runs])
        await _remember(workbench, replies)
    finally:
        await workbench.close()


async def _remember(workbench: LocalWorkbench, replies: dict[str, str]) -> None:
    import json

    await workbench.models.remember({key: json.loads(reply) for key, reply in replies.items()})


def copied(workspace: Path, folder: Path) -> Path:
    """A copy of a workspace."""
    copy_workspace(workspace, folder)
    return folder

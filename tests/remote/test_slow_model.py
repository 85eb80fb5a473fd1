"""A turn started at a runtime whose model takes longer than any request may: it is followed by asking."""

import asyncio
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from kindgi_tui.domain.runs import RunDetail, TurnGiven
from kindgi_tui.remote.transport import Limits
from kindgi_tui.remote.workbench import open_remote
from tests.cli.serving import serving
from tests.local.models.server import ModelServer, typed
from tests.remote.targets import make_ours, start_ours

AGENT = "acme-ops.article-picker"


async def test_a_model_slower_than_a_request_may_be(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    token = await asyncio.to_thread(make_ours, folder)
    model = ModelServer()
    model.script(typed({"articles": []}, delay=6.0))
    limits = Limits(connect=4.0, silence=4.0, whole=4.0)
    begun: list[RunDetail] = []
    with serving(model, folder):
        target = start_ours(folder, token, "0.4")
        try:
            bench = await open_remote(target.address, SecretStr(token), tmp_path / "outbox", limits=limits)
            project = await bench.projects.get("docs")
            given = TurnGiven(participant_id="u-1")
            made = await bench.runs.start(
                project.id, AGENT, "0.2.0", "Slowly, please.", given=given, begun=begun.append
            )
            await bench.close()
        finally:
            target.stop()
    output: Any = made.output
    assert (made.status, made.input, output["output"]) == ("completed", "Slowly, please.", {"articles": []})
    assert [(one.id, one.status) for one in begun] == [(made.id, "running")]

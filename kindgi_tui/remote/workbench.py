"""The remote workbench: one Kindgi runtime over HTTP, worked at as whoever the token is (DESIGN section 10)."""

import asyncio
from pathlib import Path

from pydantic import SecretStr

from kindgi_tui.domain.projects import Person
from kindgi_tui.domain.serving import KeyedRequest
from kindgi_tui.remote.agreeing import Saying
from kindgi_tui.remote.context import Context
from kindgi_tui.remote.identity import Identity
from kindgi_tui.remote.keys import KeptKeys
from kindgi_tui.remote.outbox import open_outbox
from kindgi_tui.remote.parts.absent import (
    RemoteAnswers,
    RemoteAudit,
    RemoteBlocks,
    RemoteGuidelines,
    RemoteModels,
    RemotePacks,
    RemoteTokens,
)
from kindgi_tui.remote.parts.cases import RemoteCases
from kindgi_tui.remote.parts.catalog import RemoteCatalog
from kindgi_tui.remote.parts.comparisons import RemoteComparisons
from kindgi_tui.remote.parts.conversations import RemoteConversations
from kindgi_tui.remote.parts.corrections import RemoteCorrections
from kindgi_tui.remote.parts.groups import RemoteGroups
from kindgi_tui.remote.parts.judgments import RemoteJudgments
from kindgi_tui.remote.parts.projects import RemotePeople, RemoteProjects
from kindgi_tui.remote.parts.queue import RemoteQueue
from kindgi_tui.remote.parts.runs import RemoteRuns
from kindgi_tui.remote.parts.test_sets import RemoteTestSets
from kindgi_tui.remote.runtime import Runtime
from kindgi_tui.remote.transport import Limits, Transport
from kindgi_tui.workbench import Unsupported, Workbench


class RemoteWorkbench:
    """The workbench on one runtime."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.projects = RemoteProjects(context)
        """Projects."""
        self.people = RemotePeople(context)
        """People."""
        self.runs = RemoteRuns(context)
        """Runs."""
        self.conversations = RemoteConversations(context)
        """Conversations."""
        self.judgments = RemoteJudgments(context)
        """Judgments."""
        self.corrections = RemoteCorrections(context, self.runs)
        """Corrections."""
        self.groups = RemoteGroups(context)
        """Groups."""
        self.queue = RemoteQueue(context)
        """The runs that owe a verdict."""
        self.guidelines = RemoteGuidelines()
        """What judges go by."""
        saying = Saying(self.judgments, self.corrections)
        self.test_sets = RemoteTestSets(context, saying)
        """Test sets."""
        self.cases = RemoteCases(context, self.runs, saying)
        """The cases of agents' own test sets."""
        self.comparisons = RemoteComparisons(context, self.test_sets)
        """Comparisons."""
        self.agents = RemoteCatalog(context, "agent")
        """Agents."""
        self.flows = RemoteCatalog(context, "flow")
        """Flows."""
        self.tools = RemoteCatalog(context, "tool")
        """Tools."""
        self.packs = RemotePacks()
        """Packs."""
        self.blocks = RemoteBlocks()
        """Blocks."""
        self.models = RemoteModels()
        """Models."""
        self.audit = RemoteAudit()
        """The audit log."""
        self.outbox = context.outbox
        """What waits to be sent."""
        self.tokens = RemoteTokens()
        """Bearer tokens."""
        self.answers = RemoteAnswers()
        """Answers kept for retries."""

    @property
    def where(self) -> str:
        """The runtime's address."""
        return self._context.runtime.address

    @property
    def context(self) -> Context:
        """What it stands on, for what belongs to this kind of workbench alone."""
        return self._context

    async def dialect(self) -> str:
        """The dialect it speaks: 0.1 or 0.4. Raises Unsupported, Unavailable."""
        return (await self._context.runtime.dialect()).version

    def acting_as(self, person: Person, request: KeyedRequest | None = None) -> Workbench:
        """Who acts at a runtime is who the token is."""
        raise Unsupported("Who acts at a runtime is who the token is: use that person's token.")

    async def backup(self, path: Path) -> None:
        """A runtime is backed up where it runs."""
        raise Unsupported("A runtime is backed up where it runs. `kindgi-tui runs pull` copies runs here.")

    async def close(self) -> None:
        """Ends the sending and the connections; what waits goes on waiting on disk."""
        await self._context.sender.close()
        await self._context.runtime.transport.close()
        await asyncio.to_thread(self._context.database.close)


async def open_remote(
    address: str,
    token: SecretStr | None,
    outbox_folder: Path,
    *,
    patient: bool = False,
    limits: Limits | None = None,
) -> RemoteWorkbench:
    """Opens the workbench on a runtime; nothing is asked of it yet, and nothing sent before `outbox.begin`.

    `address` is normal, and `token` belongs to it. `patient`: a verdict waits for the runtime's answer.
    Raises Trouble.
    """
    database = await asyncio.to_thread(open_outbox, outbox_folder)
    transport = Transport(address, token, limits)
    runtime = Runtime(transport)
    identity = Identity(runtime, database, token)
    runtime.keep_keys(KeptKeys(identity))
    context = Context(runtime, database, identity, patient=patient)
    return RemoteWorkbench(context)

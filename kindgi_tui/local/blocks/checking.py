"""Who reads templates and schemas for the rules of blocks: imported only where a block is checked."""

from kindgi_tui.domain.base import Json
from kindgi_tui.domain.block_rules import Checkers, Misfit, TemplateReading


def checkers() -> Checkers:
    """The checkers of this machine; each loads its library when it is first asked."""
    return Checkers(misfits=_misfits, read_template=_read_template)


def _misfits(values: Json, schema: Json) -> tuple[Misfit, ...]:
    from kindgi_tui.local.blocks.schemas import misfits

    return misfits(values, schema)


def _read_template(template: str) -> TemplateReading:
    from kindgi_tui.local.blocks.templates import read_template

    return read_template(template)

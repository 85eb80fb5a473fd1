"""What every command shares: --workspace, --as and --json anywhere on the line, and how a command is written."""

import dataclasses
import functools
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import click

WORKSPACE = "kindgi-tui.workspace"
PERSON = "kindgi-tui.person"
JSON = "kindgi-tui.json"
URL = "kindgi-tui.url"
PROFILE = "kindgi-tui.profile"


@dataclasses.dataclass(frozen=True)
class Asked:
    """What the shared options say, wherever on the line they stood; the innermost wins."""

    workspace: Path | None
    """The workspace's folder; None: the default one."""
    person: str | None
    """Who acts; None: the login name."""
    json: bool
    """Whether to print JSON for programs."""
    url: str | None = None
    """The runtime's address; None: none is named here."""
    profile: str | None = None
    """The profile that has the runtime's address; None: none is named here."""


def asked(ctx: click.Context) -> Asked:
    """The shared options of the command being run."""
    return Asked(
        ctx.meta.get(WORKSPACE),
        ctx.meta.get(PERSON),
        bool(ctx.meta.get(JSON)),
        ctx.meta.get(URL),
        ctx.meta.get(PROFILE),
    )


def place_asked(ctx: click.Context, *, both: bool = False) -> Asked:
    """The shared options, which name one place to work at; with `both`, a workspace beside a runtime.

    Raises UsageError when they name two, NotFound for a profile that isn't there: no option is passed over in silence.
    """
    said = asked(ctx)
    if said.url is not None and said.profile is not None:
        raise click.UsageError("--url and --profile each name a runtime: leave one of them out.", ctx)
    runtime = "--url" if said.url is not None else "--profile" if said.profile is not None else None
    if said.workspace is not None and runtime is not None and not both:
        raise click.UsageError(
            f"--workspace names a workspace on this machine, and {runtime} a runtime: leave one of them out.",
            ctx,
        )
    if said.profile is not None:
        from kindgi_tui.config.profiles import load_profiles

        load_profiles().get(said.profile)
    return said


def _keep(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value is not None and value is not False:
            ctx.meta[name] = value

    return keep


def shared_options() -> list[click.Option]:
    """New instances of the options every command takes."""
    return [
        click.Option(
            ["--workspace"],
            type=click.Path(path_type=Path, file_okay=False),
            metavar="DIR",
            help="The workspace's folder (else KINDGI_TUI_WORKSPACE, else the default one).",
            expose_value=False,
            callback=_keep(WORKSPACE),
        ),
        click.Option(
            ["--url", "at_url"],
            metavar="URL",
            help="Work at the runtime there; `dev`: the one of the nearest .kindgirc.json.",
            expose_value=False,
            callback=_keep(URL),
        ),
        click.Option(
            ["--profile", "at_profile"],
            metavar="NAME",
            help="Work at the runtime of that profile.",
            expose_value=False,
            callback=_keep(PROFILE),
        ),
        click.Option(
            ["--as"],
            metavar="PERSON",
            help="Who acts: a person's id (else your login name).",
            expose_value=False,
            callback=_keep(PERSON),
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            default=None,
            help="Print JSON for programs.",
            expose_value=False,
            callback=_keep(JSON),
        ),
    ]


def check_texts(command: click.Command, ctx: click.Context, args: list[str]) -> None:
    """Raises BadParameter for the first option or argument of the line whose text isn't UTF-8."""
    given, _, order = command.make_parser(ctx).parse_args(list(args))
    for param in dict.fromkeys(order):
        if isinstance(param.type, click.Path):
            continue
        if not all(map(_is_text, _texts(given.get(param.name or "")))):
            raise click.BadParameter(
                "it holds bytes that are not UTF-8: write it as UTF-8 text.", ctx=ctx, param=param
            )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _is_text(word: str) -> bool:
    # What the system's bytes don't say in UTF-8 comes as lone surrogates.
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


class WithExample:
    """Adds the shared options and, to the help, examples; mixed into commands and groups."""

    def __init__(self, *arguments: Any, example: str = "", **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.example = example
        """Command lines, one a line, shown under the help."""
        parameters: list[click.Parameter] = self.params  # type: ignore[attr-defined]
        parameters.extend(shared_options())

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuses a text that isn't UTF-8 before anything is made of it; a path may be any bytes."""
        if not all(map(_is_text, args)):
            check_texts(self, ctx, args)  # type: ignore[arg-type]
        left: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return left

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first sentence of the help, whole."""
        text: str = self.help or ""  # type: ignore[attr-defined]
        return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".") + "."

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples, not rewrapped so that they can be pasted."""
        if self.example:
            with formatter.section("Example" if "\n" not in self.example else "Examples"):
                for line in self.example.splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class Verb(WithExample, click.Command):
    """One command of a noun."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Lets an option whose value may be left out stand before an argument without taking it."""
        optional = {
            name: option.flag_value
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag and isinstance(option.flag_value, str)
            for name in option.opts
        }
        if optional:
            end = args.index("--") if "--" in args else len(args)
            args = [f"{word}={optional[word]}" if word in optional else word for word in args[:end]] + args[
                end:
            ]
        return super().parse_args(ctx, args)


AsyncCommand = Callable[..., Awaitable[int | None]]
"""A command's function: takes the call and its options, returns an exit code or None for 0."""


class Noun(WithExample, click.Group):
    """A group of verbs on one thing."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._other_names: dict[str, str] = {}

    def verb(
        self, name: str, *, example: str, also: str | None = None, opens: bool = True, both: bool = False
    ) -> Callable[[AsyncCommand], Verb]:
        """Makes an async function a verb of this noun.

        `also` is another spelling that works and is not listed. With `opens` False the workspace is not
        opened, and never made. With `both` it works with a workspace and a runtime at once.
        """

        def make(function: AsyncCommand) -> Verb:
            made = as_verb(name, example=example, opens=opens, both=both)(function)
            self.add_command(made)
            if also is not None:
                self._other_names[also] = name
            return made

        return make

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb with that name, or another spelling of it."""
        return super().get_command(ctx, self._other_names.get(cmd_name, cmd_name))


def as_verb(
    name: str, *, example: str, opens: bool = True, both: bool = False
) -> Callable[[AsyncCommand], Verb]:
    """Makes an async function a command of its own; `opens` and `both` as for `Noun.verb`."""

    def make(function: AsyncCommand) -> Verb:
        @functools.wraps(function)
        def run(**options: Any) -> None:
            from kindgi_tui.cli.call import run_call

            ctx = click.get_current_context()
            code = run_call(place_asked(ctx, both=both), function, options, opens=opens)
            if code:
                ctx.exit(code)

        made: Verb = click.command(name, cls=Verb, example=example)(run)
        return made

    return make

"""`pipecat-memory ...`: JSON on stdout only, messages on stderr; 0 done, 1 failed, 2 used wrongly."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncGenerator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from .config import Settings
from .errors import PipecatMemoryError, UsedWrongly
from .memory import Memory
from .records.caller import Caller
from .stores.url import must_be_there


def main() -> None:
    """The console entry."""
    cli(prog_name="pipecat-memory")


class _Commands(click.Group):
    """Our own errors become one line on stderr: exit 2 where a command is used wrongly, else 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UsedWrongly as error:
            click.echo(f"pipecat-memory: {error}", err=True)
            sys.exit(2)
        except BrokenPipeError:
            raise  # whoever read our output has gone: that is no news, and click ends quietly
        except (PipecatMemoryError, OSError) as error:
            click.echo(f"pipecat-memory: {error}", err=True)
            sys.exit(1)


@click.group(cls=_Commands)
@click.version_option(package_name="pipecat-memory")
def cli() -> None:
    """Look into, measure and mend the memory of voice agents."""


def _options(store: str) -> Any:
    def add(command: Any) -> Any:
        for option in (
            click.option("--json", "as_json", is_flag=True, help="Print JSON on one line."),
            click.option("--tenant", default="default", show_default=True),
            click.option("--store", default=store, show_default=True, metavar="URL"),
        ):
            command = option(command)
        return command

    return add


async def _caller(memory: Memory, text: str) -> Caller:
    """`id` or `id#person`; where ids of the app's hold a # themselves, whoever of these is known."""
    ends = [len(text), *(at for at in range(len(text) - 1, -1, -1) if text[at] == "#")]
    meant = [Caller.phone(text[:at], how="verified", person=text[at + 1 :] or None) for at in ends]
    if not meant[-1].known:
        raise click.UsageError("CALLER: a number or id; hidden numbers are nobody and keep nothing")
    for caller in meant[:-1]:
        if await memory.holdings.file(caller) is not None:
            return caller
    return meant[-1]


def _print(result: Any, as_json: bool) -> None:
    click.echo(json.dumps(result, ensure_ascii=False, indent=None if as_json else 2, default=str))


@contextlib.asynccontextmanager
async def _memory(store: str, tenant: str, **options: Any) -> AsyncGenerator[Memory]:
    """A memory on a store that is there already."""
    must_be_there(store)
    defaults: dict[str, Any] = {"embedder": None, "extraction": "off"}
    memory = await Memory.open(store, tenant=tenant, **(defaults | options))
    try:
        yield memory
    finally:
        await memory.close()


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--no-embedder", is_flag=True, help="Recall by keywords alone.")
@_options("memory://")
def replay(file: Path, no_embedder: bool, store: str, tenant: str, as_json: bool) -> None:
    """Feed recorded events through the engine and print what it ended up believing."""
    from .replay import replay as run

    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None
    embedder = None if no_embedder else "auto"
    _print(asyncio.run(run(lines, store, tenant=tenant, embedder=embedder)), as_json)


@cli.command()
@click.argument("caller")
@click.option("--call", "call_id", help="Only this call.")
@click.option(
    "--recent", type=click.IntRange(min=0), default=5, show_default=True, help="How many last calls."
)
@_options("sqlite:///calls.db")
def show(caller: str, call_id: str | None, recent: int, store: str, tenant: str, as_json: bool) -> None:
    """Show what is remembered of CALLER."""

    async def work() -> dict[str, Any]:
        async with _memory(store, tenant) as memory:
            export = await memory.show(await _caller(memory, caller), by="cli")
        calls = [c for c in export["calls"] if call_id is None or c["call"] == call_id]
        return {"profiles": export["profiles"], "calls": calls[-recent:] if recent > 0 else []}

    _print(asyncio.run(work()), as_json)


@cli.command()
@click.argument("caller")
@_options("sqlite:///calls.db")
def export(caller: str, store: str, tenant: str, as_json: bool) -> None:
    """Print everything kept of CALLER as one JSON document."""

    async def work() -> dict[str, Any]:
        async with _memory(store, tenant) as memory:
            return await memory.export(await _caller(memory, caller), by="cli")

    _print(asyncio.run(work()), as_json)


@cli.command()
@click.argument("caller")
@click.option("--yes", is_flag=True, help="Do not ask.")
@_options("sqlite:///calls.db")
def forget(caller: str, yes: bool, store: str, tenant: str, as_json: bool) -> None:
    """Erase CALLER for good and print a receipt."""
    if not yes and not sys.stdin.isatty():
        raise click.UsageError("forget: there is no terminal to ask; say --yes")
    must_be_there(store)
    if not yes and not click.confirm("Erase this caller for good?", err=True):
        sys.exit(1)

    async def work() -> dict[str, Any]:
        async with _memory(store, tenant) as memory:
            return await memory.forget(await _caller(memory, caller), by="cli")

    _print(asyncio.run(work()), as_json)


@cli.command()
@click.argument("caller", required=False)
@click.option("--all", "everybody", is_flag=True, help="Every unfinished call that a worker may take.")
@_options("sqlite:///calls.db")
def reprocess(caller: str | None, everybody: bool, store: str, tenant: str, as_json: bool) -> None:
    """Finish calls whose extraction or summary was left undone."""
    if (caller is None) == (not everybody):
        raise click.UsageError("reprocess: give CALLER, or --all")

    async def work() -> dict[str, int]:
        async with _memory(store, tenant, embedder="auto", extraction="per_call") as memory:
            return await memory.reprocess(None if caller is None else await _caller(memory, caller))

    _print(asyncio.run(work()), as_json)


@cli.command()
@click.argument("caller")
@click.argument("text")
@_options("sqlite:///calls.db")
def why(caller: str, text: str, store: str, tenant: str, as_json: bool) -> None:
    """Walk from a claim or a reply of the agent back to the words it came from."""
    if not text.strip():
        raise click.UsageError("why: TEXT is some words of what you ask about")
    from .reading.why import trace

    async def work() -> dict[str, Any]:
        async with _memory(store, tenant) as memory:
            return await trace(memory, await _caller(memory, caller), text, by="cli")

    _print(asyncio.run(work()), as_json)


@cli.command(name="eval")
@click.argument("kind", type=click.Choice(["recall", "values", "state", "slots", "repair"]))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--predictions", type=click.Path(dir_okay=False, path_type=Path), help="One JSON line a case.")
@click.option("--no-embedder", is_flag=True, help="recall: keywords alone.")
@click.option(
    "--schema", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="state: slots and values."
)
@click.option("--transcript", is_flag=True, help="state: read the transcript in place of the n-best.")
@click.option(
    "--kb", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="values: the customer table."
)
@_options("memory://")
def evaluate(
    kind: str,
    file: Path,
    predictions: Path | None,
    no_embedder: bool,
    schema: Path | None,
    transcript: bool,
    kb: Path | None,
    store: str,
    tenant: str,
    as_json: bool,
) -> None:
    """Measure the product on labelled data of your own."""
    del store, tenant
    from .evals import recall, repair, slots, state, values

    if kind == "state" and schema is None:
        raise click.UsageError("eval state: give --schema")
    match kind:
        case "recall":
            result = recall.run(file, embedder=not no_embedder, predictions=predictions)
        case "values":
            result = values.run(file, kb=kb, predictions=predictions)
        case "state":
            assert schema is not None
            result = state.run(file, schema, transcript=transcript, predictions=predictions)
        case "slots":
            result = slots.run(file, predictions=predictions)
        case _:
            result = repair.run(file, predictions=predictions)
    _print(result, as_json)


def _numbers(text: str) -> list[float]:
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or not all(0 <= number < 1e9 for number in found):
        raise click.UsageError(f"{text}: numbers with commas between them, none of them negative")
    return found


def _counts(text: str) -> list[int]:
    found = _numbers(text)
    if not all(number >= 1 and number.is_integer() for number in found):
        raise click.UsageError(f"{text}: whole numbers from 1 on")
    return [int(number) for number in found]


def _only_warnings_of_pipecat() -> None:
    """Said before Pipecat is loaded, which says hello and then tells of each frame."""
    if find_spec("pipecat") is None:
        raise UsedWrongly("bench measures inside Pipecat: pip install 'pipecat-memory[pipecat]'")
    from loguru import logger

    logger.remove()
    logger.add(sys.stderr, level="WARNING", format="{message}")


@cli.command()
@click.option("--memories", default="1000", show_default=True, help="Comma list of sizes.")
@click.option("--past-calls", type=click.IntRange(min=0), default=0, help="Of the caller who is preloaded.")
@click.option("--calls", default="1", show_default=True, help="Comma list of calls at once.")
@click.option("--pace", default="0,2", show_default=True, help="Comma list of seconds a turn.")
@click.option("--turns", type=click.IntRange(min=1), help="Turns a run; 2,000 at pace 0, else 60.")
@click.option("--no-embedder", is_flag=True)
@click.option("--peer", type=click.Choice(["mem0"]))
@_options("memory://")
def bench(
    memories: str,
    past_calls: int,
    calls: str,
    pace: str,
    turns: int | None,
    no_embedder: bool,
    peer: str | None,
    store: str,
    tenant: str,
    as_json: bool,
) -> None:
    """Measure the reply path: no memory, a floor, and this memory, turn by turn in one run."""
    del tenant
    sizes, at_once, paces = _counts(memories), _counts(calls), _numbers(pace)
    _only_warnings_of_pipecat()
    from .bench.run import bench as run

    result = asyncio.run(
        run(
            memories=sizes,
            past_calls=past_calls,
            calls=at_once,
            paces=paces,
            turns=turns,
            embedder=not no_embedder,
            peer=peer,
            store=store,
            settings=Settings(),
        )
    )
    _print(result, as_json)


@cli.command()
@click.option("--calls", type=int, default=50, show_default=True)
@click.option("--seconds", type=float, default=30.0, show_default=True)
@click.option("--chaos", is_flag=True, help="Kill servers and clients, cut and stall connections.")
@_options("sqlite:///calls.db")
def soak(calls: int, seconds: float, chaos: bool, store: str, tenant: str, as_json: bool) -> None:
    """Run many simulated calls against a store on this machine while things break."""
    del tenant
    from .bench.soak import soak as run

    result = run(store, calls=calls, seconds=seconds, chaos=chaos)
    _print(result, as_json)
    sys.exit(0 if result["ok"] else 1)

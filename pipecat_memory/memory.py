"""Memory: opens the store, the model and the embedder once, and hands out calls."""

from __future__ import annotations

import asyncio
from typing import Any, Literal, get_args

from . import arguments
from .call import CallMemory
from .calls.fitting import fitted
from .clients.base import Embedder, LanguageModel, Warmable
from .clients.choice import model_of
from .clients.counted import CountedEmbedder
from .clients.embedders import resolve_embedder
from .clients.function import ModelFunction
from .clients.openai import OpenAIModel
from .clock import Clock, SystemClock
from .config import Settings
from .errors import UsedWrongly
from .events import CallStarted
from .holdings import Holdings
from .notes import fusion
from .notes.evidence import Candidates
from .opened import Opened
from .reading.look_up import Resolve
from .reading.tokens import default_counter, sure_of_tokens
from .records.caller import Caller
from .records.schema import MemorySchema
from .spending import Spending
from .stores.keys import Encryption
from .stores.masking import Masker
from .stores.url import open_vault
from .stores.vault import Vault
from .tasks import Tasks, called
from .writing.archive import Archive
from .writing.aside import Aside
from .writing.audit import Audit
from .writing.keeper import Keeper
from .writing.speakers import SpeakerLabels

Extraction = Literal["per_turn", "window", "per_call", "off"]

_opened: Opened[Memory] = Opened()


class Memory:
    """The memory of one tenant in one store. Use `Memory.open`.

    Example::

        memory = await Memory.open("sqlite:///calls.db")
        call = memory.call(Caller.phone("+15551230001"), call_id="CA1")
    """

    def __init__(
        self,
        vault: Vault,
        *,
        tenant: str,
        model: LanguageModel | None,
        embedder: Embedder | None,
        extraction: Extraction,
        resolve: Resolve | None,
        candidates: Candidates | None,
        speaker_labels: SpeakerLabels | None,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self.counters: dict[str, int] = dict.fromkeys(
            ("preload_failed", "preload_empty", "index_failed", "resolve_failed", "store_retries"), 0
        )
        self.settings = sure_of_tokens(settings, self.counters)
        self.tenant = tenant
        self.model = None if extraction == "off" else model
        self.extraction: Extraction = extraction
        self.spending = Spending(self.model, settings.prices)
        self.candidates = candidates
        self.speaker_labels = speaker_labels
        self.clock = clock
        self.tasks = Tasks()
        self.masker = Masker(cards=settings.mask_cards, patterns=settings.redact)
        self.archive = Archive(self, vault)
        self.aside = Aside(self.archive.gauge)
        self.embedder = CountedEmbedder(embedder, self.archive.gauge) if embedder else None
        self.resolve = resolve
        self.keeper = Keeper(self)
        self.audit_trail = Audit(self)
        self.holdings = Holdings(self, self.audit_trail)
        self._own: OpenAIModel | None = None
        self._cold = True
        self._key: tuple[Any, ...] = ()
        self._closed = False

    @classmethod
    async def open(
        cls,
        url: str = "sqlite:///calls.db",
        *,
        tenant: str = "default",
        model: str | LanguageModel | ModelFunction | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        embedder: Any = "auto",
        extraction: Extraction = "per_turn",
        resolve: Resolve | None = None,
        encryption: Encryption = None,
        settings: Settings = Settings(),  # noqa: B008 - frozen
        candidates: Candidates | None = None,
        speaker_labels: SpeakerLabels | None = None,
        clock: Clock | None = None,
    ) -> Memory:
        """Open a memory; the same arguments on the same loop give the same one, counted.

        Args:
            url: `sqlite:///file` (four slashes for an absolute path), `redis://...`, `memory://`.
            tenant: whose callers these are; tenants never see each other.
            model: name at an OpenAI-compatible endpoint, a `LanguageModel`, or a callable. None:
                `OPENAI_MODEL` where set, else a small default where a key or endpoint is there,
                else no model, and only the fast path runs.
            base_url: endpoint; None reads `OPENAI_BASE_URL`.
            api_key: key; None reads `OPENAI_API_KEY`.
            embedder: `"auto"`, None, or a callable `list[str] -> list[list[float]]`.
            extraction: `per_turn`, `window`, `per_call` or `off`.
            resolve: the app's look-up, number to `Caller` or None; bounded.
            encryption: 32-byte key, or a callable giving it, that wraps the callers' data keys.
            settings: see `Settings`.
            candidates: the app's table: slot name to possible values.
            speaker_labels: corrects the recogniser's labels after a call; facts move with them.
            clock: for tests and replay.

        Raises:
            UsedWrongly: an argument does not fit.
            StoreUnavailable: the store can't be opened.
        """
        arguments.opening(url=url, tenant=tenant, settings=settings)
        arguments.one_of("Memory.open(extraction=)", extraction, get_args(Extraction))
        key = (id(asyncio.get_running_loop()), url, tenant, settings, model, base_url, extraction, id(clock))

        async def opened() -> Memory:
            vault = await open_vault(url, encryption, command_timeout=settings.store_timeout)
            if settings.count_tokens is None:
                await asyncio.to_thread(default_counter)
            await asyncio.to_thread(fusion.prewarm)
            asked = model_of(model, base_url, api_key, settings)
            memory = cls(
                vault,
                tenant=tenant,
                model=asked,
                embedder=resolve_embedder(embedder),
                extraction=extraction,
                resolve=resolve,
                candidates=candidates,
                speaker_labels=speaker_labels,
                settings=settings,
                clock=clock or SystemClock(),
            )
            memory._key = key
            memory._own = asked if isinstance(asked, OpenAIModel) and asked is not model else None
            return memory

        return await _opened.take(key, opened())

    def call(
        self,
        caller: Caller | str | None,
        *,
        call_id: str,
        direction: Literal["inbound", "outbound"] = "inbound",
        schema: MemorySchema | dict[str, Any] | None = None,
        timezone: str = "UTC",
        tenant: str | None = None,
        remember: bool = True,
    ) -> CallMemory:
        """Begin a call. Needs the running loop; does no I/O itself.

        Args:
            caller: who calls; a number or id, or None for nobody.
            call_id: the carrier's or the app's id, unique in the tenant.
            direction: on outbound calls whoever answers is `claimed` only.
            schema: what to note; None takes the default schema.
            timezone: IANA zone in which the caller's "tomorrow" is meant.
            tenant: another tenant of the same store.
            remember: False: nothing of this call is kept.

        Raises:
            UsedWrongly: an argument does not fit or the memory is closed; the message says what to do.
            SchemaError: the schema is wrong; the message says where.
        """
        if self._closed:
            raise UsedWrongly("memory.call(): this memory is closed; take a new one from Memory.open(...)")
        arguments.call(
            caller=caller,
            call_id=call_id,
            direction=direction,
            schema=schema,
            timezone=timezone,
            tenant=tenant,
            remember=remember,
        )
        who = caller if isinstance(caller, Caller) else Caller.phone(caller)
        who = who.answering() if direction == "outbound" else who
        started = CallStarted(
            call=call_id,
            at=self.clock.now(),
            caller=who.id,
            how=who.how,
            person=who.person,
            timezone=timezone,
            direction=direction,
            tenant=tenant,
            remember=remember,
        )
        schema = MemorySchema.from_dict(schema) if isinstance(schema, dict) else schema
        if self._cold and isinstance(self.model, Warmable):
            self._cold = False
            self.tasks.spawn(called(self.model.warm), "warming the model")
        return CallMemory(self, fitted(started)[0], who, schema=schema)

    async def profile(
        self, caller: Caller, *, tenant: str | None = None, by: str = "app"
    ) -> list[dict[str, Any]]:
        """All facts of a caller, current and past, in the report's form; `by` is the id of who asks."""
        return await self.holdings.profile(caller, by, tenant)

    async def show(self, caller: Caller, *, by: str = "app") -> dict[str, Any]:
        """As `export`, to look at: the audit trail has it as read."""
        return await self.holdings.everything(caller, "read", by)

    async def export(self, caller: Caller, *, by: str = "app") -> dict[str, Any]:
        """Everything kept of a caller: `{"calls":[...],"profiles":{...}}`; `by` as in `profile`."""
        return await self.holdings.everything(caller, "exported", by)

    async def forget(self, caller: Caller, *, by: str = "app") -> dict[str, Any]:
        """Erase a caller (and, for a bare number, every person at it) for good; `by` as in `profile`.

        Returns:
            A receipt: what was removed, in counts, and when. It holds nothing of the caller.
        """
        return await self.holdings.forget(caller, by)

    async def audit(self, caller: Caller | None = None, *, tenant: str | None = None) -> list[dict[str, Any]]:
        """Who read, corrected, exported or erased records, oldest first, for `Settings.audit_days`.

        Args:
            caller: only what was done with this one's records, also before they were erased.
            tenant: another tenant of the same store.

        Returns:
            `{"what","at","by","caller"}` each: `read`, `corrected`, `exported` or `erased`; ISO 8601; the id
            that was given, or the process of a call that loaded the caller; the keyed hash of the caller.

        Raises:
            StoreError: the store can't be read.
        """
        return await self.holdings.audit(caller, tenant)

    async def reprocess(self, caller: Caller | None = None) -> dict[str, int]:
        """Finish calls that were left unfinished: of one caller, or whatever a worker may take.

        Returns:
            Counts: `settled`, `held` (another worker has them), `parked` turns.
        """
        if caller is None:
            return await self.keeper.left.settle_all()
        return await self.keeper.left.settle_these(await self.holdings.files(caller))

    def usage(self, tenant: str | None = None) -> dict[str, Any]:
        """Model requests and tokens of a tenant (None: its own) since this process opened the memory.

        Returns:
            `{"by_purpose", "tokens", "cost"}`; no cost where `Settings.prices` has no row for the model.
        """
        arguments.tenant("memory.usage(tenant=)", tenant)
        return self.spending.bill(self.spending.of(tenant or self.tenant))

    @property
    def busy(self) -> bool:
        """Whether background work is under way."""
        return self.tasks.busy > 0 or any(call.writer.busy for call in self.keeper.live)

    async def close(self, deadline: float = 3.0) -> int:
        """Give it back. The last user's close drains and closes the store.

        Returns:
            Background tasks that were left undone; their work is in the journal.
        """
        if self._closed or not _opened.give_back(self._key):
            return 0
        self._closed = True
        left = await self.keeper.close(deadline)
        await self.archive.vault.aclose()
        if self._own is not None:
            await self._own.aclose()
        return left

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<Memory calls={len(self.keeper.live)}>"

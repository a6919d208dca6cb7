"""A small restaurant, in memory: what the bot can do for a caller, and what it notes down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.services.llm_service import FunctionCallParams

from pipecat_memory import MemorySchema
from pipecat_memory.call import CallMemory
from pipecat_memory.processors import requires_confirmed

NEEDED = ("party_size", "date", "time")
SCHEMA = MemorySchema.from_dict(
    {
        "version": 1,
        "slots": [
            {"name": "name", "type": "name", "description": "the caller's name"},
            {"name": "party_size", "type": "quantity", "required": True, "description": "how many people"},
            {"name": "date", "type": "date", "required": True, "description": "day of the visit"},
            {"name": "time", "type": "time", "required": True, "description": "time of the visit"},
            {"name": "allergies", "type": "list", "description": "what the caller can't eat"},
        ],
    }
)
Handler = Callable[[FunctionCallParams], Awaitable[None]]


@dataclass(slots=True)
class Business:
    """Tables booked, by the caller's id. One a process; a real one has a database."""

    tables: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def book(self, caller: str, **table: Any) -> dict[str, Any]:
        """Book, or change the caller's booking."""
        self.tables[caller] = table
        return {"booked": table}

    def cancel(self, caller: str) -> dict[str, Any]:
        """Cancel the caller's booking, if there is one."""
        return {"cancelled": self.tables.pop(caller, None)}


RESTAURANT = Business()


def tools(call: CallMemory, hang_up: Callable[[str], Awaitable[None]]) -> ToolsSchema:
    """The tools of one call.

    Args:
        call: whose notes guard the booking.
        hang_up: ends the call; given the reason.
    """

    def caller() -> str:
        return call.caller.id or call.id

    @requires_confirmed(*NEEDED)
    async def book_table(params: FunctionCallParams) -> None:
        # The confirmed notes are booked, not what the model makes of them.
        slots = call.state["slots"]
        table = {name: slots[name]["value"] for name in (*NEEDED, "name") if name in slots}
        table.setdefault("name", call.greeting_name())
        await params.result_callback(RESTAURANT.book(caller(), **table))

    async def cancel_booking(params: FunctionCallParams) -> None:
        await params.result_callback(RESTAURANT.cancel(caller()))

    async def transfer(params: FunctionCallParams) -> None:
        await params.result_callback({"transferred": True})
        await hang_up("transferred")

    return ToolsSchema(
        standard_tools=[
            _schema("book_table", "Book the noted table, or change the booking.", book_table),
            _schema("cancel_booking", "Cancel the caller's booking.", cancel_booking),
            _schema("transfer", "Put the caller through to a person.", transfer),
        ]
    )


def _schema(name: str, description: str, handler: Handler) -> FunctionSchema:
    return FunctionSchema(name=name, description=description, properties={}, required=[], handler=handler)

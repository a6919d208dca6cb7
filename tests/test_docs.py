"""The Python in the guides does what they say, and what they list is all there is."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)

from pipecat_memory import MemorySchema, Settings, errors
from pipecat_memory.memory import Memory
from pipecat_memory.processors import MemoryProcessor
from pipecat_memory.processors import __all__ as public
from pipecat_memory.records.schema import FactRule, Slot

from .calls import ANA
from .processors.collector import Collector
from .processors.kit import Out, running, turns, until
from .processors.model import Call, FakeLLM
from .processors.voices import WordVoice

DOCS = Path(__file__).parents[1] / "docs"


def ran(guide: str) -> dict[str, Any]:
    """All Python blocks of a guide, run one after the other."""
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / guide).read_text(), re.DOTALL):
        exec(block, names)
    return names


async def test_the_pipeline_of_the_guide_remembers_and_guards() -> None:
    names, schema = ran("pipecat.md"), ran("schema.md")["schema"]
    assert isinstance(names["tools"], ToolsSchema)
    memory = await Memory.open("memory://", embedder=None)
    call = memory.call(ANA, call_id="guide", schema=schema)
    context = LLMContext(tools=names["tools"])
    user, assistant = LLMContextAggregatorPair(
        context, user_params=LLMUserAggregatorParams(user_turn_strategies=turns())
    )
    llm, out, tail = FakeLLM([Call("book", {"note": "none"}), "For when?"]), Out(), Collector()
    transport = SimpleNamespace(input=Collector, output=lambda: out)
    made = names["pipeline"](call, transport, Collector(), user, llm, WordVoice(), assistant)
    processor = next(part for part in made.processors if isinstance(part, MemoryProcessor))
    async with running(made, context, processor, llm=llm, out=out, tail=tail) as rig:
        await rig.says("A table for four on the terrace please.")
        await until(lambda: len(llm.prompts) == 2)
        await rig.spoken()
        await rig.ends()
    assert {slot: held["value"] for slot, held in call.state["slots"].items()} == {
        "party_size": 4,
        "area": "terrace",
    }
    assert [(tool.name, tool.status) for tool in call.course.ledger.tools] == [("book", "error")]
    assert call.course.history()[-1].text == "For when?"
    assert processor.hook_errors == 0
    await memory.close()


def test_the_guides_name_everything() -> None:
    pipecat, schema = ((DOCS / name).read_text() for name in ("pipecat.md", "schema.md"))
    assert [name for name in public if name not in pipecat] == []
    rows = {field.name for kind in (Slot, FactRule) for field in fields(kind)}
    assert [name for name in rows if f"`{name}`" not in schema and f'"{name}"' not in schema] == []
    assert isinstance(ran("schema.md")["schema"], MemorySchema)
    operations = (DOCS / "operations.md").read_text()
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    for name in [field.name for field in fields(Settings)] + [kind.__name__ for kind in kinds]:
        assert f"`{name}`" in operations, name

"""Who stands around the memory processor in a pipeline, however it is nested."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipecat.pipeline.parallel_pipeline import ParallelPipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMAssistantAggregator, LLMUserAggregator
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.processors.frameworks.rtvi import RTVIProcessor
from pipecat.services.llm_service import LLMService
from pipecat.services.stt_service import STTService
from pipecat.transports.base_output import BaseOutputTransport


@dataclass(slots=True)
class Neighbours:
    """The processors that memory listens to. Any of them may be missing."""

    user: LLMUserAggregator | None = None
    llms: list[FrameProcessor] = field(default_factory=list[FrameProcessor])
    output: FrameProcessor | None = None
    assistant: LLMAssistantAggregator | None = None
    recognisers: list[STTService] = field(default_factory=list[STTService])
    panel: bool = False
    """An RTVI client may be watching."""
    behind: list[FrameProcessor] = field(default_factory=list[FrameProcessor])
    """What follows, nearest first, as far as the assistant aggregator."""
    missed: tuple[str, ...] = ()
    """What stands on the wrong side of the memory processor: what to do about it."""

    def hold(self, context: LLMContext) -> bool:
        """Whether a context is this pipeline's. An LLM of other code's may serve other calls as well."""
        return any(half is not None and half.context is context for half in (self.user, self.assistant))


def around(me: FrameProcessor, root: FrameProcessor) -> Neighbours:
    """Look around `me` in the pipeline `root`.

    The user aggregator is the nearest one before, the assistant aggregator the nearest one after; LLMs and
    output stand between `me` and that one (behind it others may run on contexts of their own). All LLMs of
    a switcher or of parallel branches count.
    """
    found = Neighbours()
    way = _way(root, me)
    before = list(_beside(way, me, after=False))
    after = list(_beside(way, me, after=True))
    for processor in before:
        if isinstance(processor, LLMUserAggregator) and found.user is None:
            found.user = processor
        elif isinstance(processor, STTService):
            found.recognisers.append(processor)
        elif isinstance(processor, RTVIProcessor):
            found.panel = True
    for processor in after:
        found.behind.append(processor)
        if isinstance(processor, LLMAssistantAggregator):
            found.assistant = processor
            break
        if isinstance(processor, LLMService):
            found.llms.append(processor)
        elif isinstance(processor, BaseOutputTransport):
            found.output = processor
    found.missed = tuple(_missed(found, before, after))
    return found


def _missed(found: Neighbours, before: list[FrameProcessor], after: list[FrameProcessor]) -> Iterator[str]:
    if not found.llms and any(isinstance(p, LLMService) for p in before):
        yield "stands behind the LLM, which is told nothing; put it before the LLM"
    if found.user is None and any(isinstance(p, LLMUserAggregator) for p in after):
        yield "stands before the user aggregator; put it right behind that one"
    if found.assistant and not found.output and any(isinstance(p, BaseOutputTransport) for p in after):
        yield (
            "the assistant aggregator stands before the transport's output, so what was never heard counts "
            "as said; put it behind the output"
        )


def _way(root: FrameProcessor, me: FrameProcessor) -> list[FrameProcessor]:
    """The compound processors from `root` down to the one that holds `me`."""
    for child in root.processors:
        if child is me:
            return [root]
        if deeper := _way(child, me):
            return [root, *deeper]
    return []


def _beside(way: list[FrameProcessor], me: FrameProcessor, *, after: bool) -> Iterator[FrameProcessor]:
    """Leaves before or after `me`, nearest first; sibling branches of a parallel pipeline are neither."""
    inner = me
    for compound in reversed(way):
        if not isinstance(compound, ParallelPipeline):
            siblings = compound.processors
            at = next(i for i, p in enumerate(siblings) if p is inner)
            for sibling in siblings[at + 1 :] if after else reversed(siblings[:at]):
                yield from _leaves(sibling, after=after)
        inner = compound


def _leaves(processor: FrameProcessor, *, after: bool) -> Iterator[FrameProcessor]:
    children = processor.processors
    if not children:
        yield processor
    for child in children if after else reversed(children):
        yield from _leaves(child, after=after)

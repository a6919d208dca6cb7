"""What all our processors have in common: each stands in one place, with the memory it serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from loguru import logger
from pipecat.processors.frame_processor import FrameProcessor, FrameProcessorSetup

from ..errors import UsedWrongly


class Part(FrameProcessor):
    """A processor of ours.

    Args:
        memory: the memory processor that made it and that it can do nothing without; None for that itself.
        **kwargs: for `FrameProcessor`.
    """

    def __init__(self, memory: FrameProcessor | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._memory = memory

    def link(self, processor: FrameProcessor) -> None:
        """Take the next processor, as Pipecat builds a pipeline.

        Raises:
            UsedWrongly: it has one already. A processor that stands in two places sends frames in a circle.
        """
        if self.next is not None:
            raise UsedWrongly(
                f"{self} stands in a pipeline already; put it in once, or make another for another call"
            )
        super().link(processor)

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Say in the log where the memory that it serves was left out of the pipeline."""
        await super().setup(setup)
        root = setup.pipeline_worker.pipeline
        if self._memory is not None and all(part is not self._memory for part in every(root)):
            logger.error(f"{self}: its MemoryProcessor is not in the pipeline, so nothing is remembered")


def every(processor: FrameProcessor) -> Iterator[FrameProcessor]:
    """A processor and all that stand in it, in order."""
    yield processor
    for child in processor.processors:
        yield from every(child)

"""What to remember: asked of a model after the turn, off the path, and believed only with the caller's words.

`answer` reads what a model wrote, `ground` keeps what the turn supports, `extract` builds the
request, `writer` is one call's queue, `reconcile` folds claims into facts, `summary` closes a call,
`speakers` mends who said what. Nothing in here runs between the caller and the reply.
"""

from .speakers import DeepgramDiarizer, Labels, Recording, SpeakerLabels, relabel

__all__ = ["DeepgramDiarizer", "Labels", "Recording", "SpeakerLabels", "relabel"]

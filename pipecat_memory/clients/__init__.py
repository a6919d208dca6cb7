"""Models: the two protocols behind which they live, and what stands behind them here.

Public are the protocols' names below; a callable fits as well, see `Memory.open`.
"""

from .base import Embedder, LanguageModel, ModelReply, ModelRequest, Usage, Warmable

__all__ = ["Embedder", "LanguageModel", "ModelReply", "ModelRequest", "Usage", "Warmable"]

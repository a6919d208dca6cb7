"""The tools that memory itself offers a model, behind either front door.

What they do is no action of the agent's, and what they answer is in the records already.
"""

OWN_TOOLS = frozenset(("recall_memory", "remember_fact", "forget_last"))

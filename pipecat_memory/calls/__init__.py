"""One call while it goes on: its fold, who is on the line, what is told, where its records are.

`CallMemory` (`pipecat_memory.call`) is the door; everything here is of one call and does one thing of it.
"""

"""A phone bot that remembers: Pipecat, Twilio media streams, and this memory.

`bot.py` is the bot; `services.py` picks its recogniser, model and voice; `replier.py` answers where
no model is; `business.py` is what it sells; `greeting.py` its first words; `typed.py` the caller who
types. `voice/` speaks and listens on this machine; `line.py` plays Twilio; `demo.py` calls the bot.
"""

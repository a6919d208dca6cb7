"""Speech on this machine, without keys.

`parts.py` finds and checks the model files, `piper.py` speaks, `local.py` makes Pipecat services of
them. `tones.py` stands in where the model files are absent ("voice: scripted"): text sent as tones.
"""

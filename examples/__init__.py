"""Runnable examples. `phone_bot` is the main one."""

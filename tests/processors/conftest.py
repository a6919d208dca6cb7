"""What every test of this front door may ask for."""

from tests.calls import ANA, MakeCall, make_call, memory

__all__ = ["ANA", "MakeCall", "make_call", "memory"]

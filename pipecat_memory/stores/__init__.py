"""Where records lie: the contract, our three stores, and the vault that keeps callers out of them.

Public are the contract's names below; see docs/stores.md for writing your own store.
"""

from .base import Doc, Entry, Erasure, Job, KeyStore, NewEntry, PutDoc, Store

__all__ = ["Doc", "Entry", "Erasure", "Job", "KeyStore", "NewEntry", "PutDoc", "Store"]

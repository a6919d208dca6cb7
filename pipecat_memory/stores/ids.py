"""Ids as a store sees them: whatever a carrier or an app gives, as ASCII that injects nothing."""

from __future__ import annotations

from urllib.parse import quote, unquote

from .base import Job


def to_id(text: str) -> str:
    """Any text as printable ASCII without spaces or braces, one to one."""
    return quote(text, safe="!$&'()*+,/:;=?@", errors="surrogatepass")


def from_id(id: str) -> str:
    """The text of an id made by `to_id`."""
    return unquote(id, errors="surrogatepass")


def job_to_ids(job: Job) -> Job:
    """A job as a store sees it."""
    return Job(to_id(job.id), to_id(job.kind), job.owner, to_id(job.call), job.attempts)


def job_from_ids(job: Job) -> Job:
    """The job that a store gives back."""
    return Job(from_id(job.id), from_id(job.kind), job.owner, from_id(job.call), job.attempts)

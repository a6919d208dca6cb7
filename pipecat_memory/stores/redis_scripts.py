"""The Lua scripts of the Redis store: each one is atomic on the server.

`KEYS[1]` is an owner's base key `pm:{owner}` (all other keys of the owner extend it, so they lie in
one slot of a cluster). What the index of due jobs holds is told in `redis_hints`.

    <base>:m       hash   seq = last sequence number, put = token of the last put
    <base>:x       string tombstone
    <base>:c       set    calls            <base>:j:<call>  stream  journal, ids are <seq>-0
    <base>:k       set    kinds            <base>:u:<call>  set     uids of that journal
    <base>:d:<kind>  hash   name -> version:blob
    <base>:q       hash   job id -> "kind call attempts worker free_at"
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Script:
    """A script and the digest the server knows it by."""

    text: str
    sha: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha1(self.text.encode(), usedforsecurity=False)
        object.__setattr__(self, "sha", digest.hexdigest())


NOW = """
local function now()
  local t = redis.call('TIME')
  return string.format('%.0f', t[1]) .. string.format('.%06d', t[2])
end
"""
_KEEP = """
local function keep(ttl, ...)
  if tonumber(ttl) > 0 then
    for _, key in ipairs({...}) do redis.call('EXPIRE', key, ttl) end
  end
end
"""

APPEND = Script(
    _KEEP
    + """
-- ARGV: ttl, call, count of uids that go, they, then uid, kind, at, blob of each entry.
-- Returns the last seq, or nil if erased.
local base, ttl, call, entries_from = KEYS[1], ARGV[1], ARGV[2], 4 + tonumber(ARGV[3])
local journal, uids, gone = base .. ':j:' .. call, base .. ':u:' .. call, {}
if redis.call('EXISTS', base .. ':x') == 1 then return false end
for i = 4, entries_from - 1 do gone[ARGV[i]] = true end
if next(gone) then
  for _, entry in ipairs(redis.call('XRANGE', journal, '-', '+')) do
    if gone[entry[2][2]] then redis.call('XDEL', journal, entry[1]) end
  end
end
local seq = tonumber(redis.call('HGET', base .. ':m', 'seq') or 0)
for i = entries_from, #ARGV, 4 do
  -- What went stays among the uids: a command that was given up and comes late brings nothing back.
  if redis.call('SADD', uids, ARGV[i]) == 1 or gone[ARGV[i]] then
    gone[ARGV[i]] = nil
    seq = seq + 1
    redis.call('XADD', journal, string.format('%.0f-0', seq),
      'u', ARGV[i], 'k', ARGV[i + 1], 't', ARGV[i + 2], 'b', ARGV[i + 3])
  end
end
redis.call('SADD', base .. ':c', call)
redis.call('HSET', base .. ':m', 'seq', string.format('%.0f', seq))
keep(ttl, uids, journal, base .. ':c', base .. ':m')
return seq
"""
)

READ = Script(
    """
-- ARGV: first seq, call where given. Returns call, stream entries, call, ...
local base, found = KEYS[1], {}
local calls = #ARGV > 1 and {ARGV[2]} or redis.call('SMEMBERS', base .. ':c')
for _, call in ipairs(calls) do
  found[#found + 1] = call
  found[#found + 1] = redis.call('XRANGE', base .. ':j:' .. call, ARGV[1] .. '-0', '+')
end
return found
"""
)

PUT = Script(
    NOW
    + _KEEP
    + """
-- ARGV: ttl, token, number of docs, (kind, name, expected, blob)*, (id, kind, call)*.
-- Returns 'ok' and the ids of the new jobs, 'erased', or 'conflict' with kind, name, expected.
local base, ttl, token, docs = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
if redis.call('EXISTS', base .. ':x') == 1 then return {'erased'} end
local added, jobs_from = {'ok'}, 4 + docs * 4
if redis.call('HGET', base .. ':m', 'put') == token then
  -- The answer to this very put was lost and it came again.
  for i = jobs_from, #ARGV, 3 do added[#added + 1] = ARGV[i] end
  return added
end
for i = 4, jobs_from - 1, 4 do
  local held = redis.call('HGET', base .. ':d:' .. ARGV[i], ARGV[i + 1])
  local version = held and string.match(held, '^%d+') or '0'
  if version ~= ARGV[i + 2] then return {'conflict', ARGV[i], ARGV[i + 1], ARGV[i + 2]} end
end
for i = 4, jobs_from - 1, 4 do
  local version = string.format('%.0f', tonumber(ARGV[i + 2]) + 1)
  redis.call('HSET', base .. ':d:' .. ARGV[i], ARGV[i + 1], version .. ':' .. ARGV[i + 3])
  redis.call('SADD', base .. ':k', ARGV[i])
  keep(ttl, base .. ':d:' .. ARGV[i])
end
for i = jobs_from, #ARGV, 3 do
  local job = ARGV[i + 1] .. ' ' .. ARGV[i + 2] .. ' 0  ' .. now()
  if redis.call('HSETNX', base .. ':q', ARGV[i], job) == 1 then added[#added + 1] = ARGV[i] end
end
redis.call('HSET', base .. ':m', 'put', token)
keep(ttl, base .. ':k', base .. ':q', base .. ':m')
return added
"""
)

LOAD = Script(
    """
-- ARGV: number of kinds, kinds, names; of either none = all. Returns kind, (name, value)*, kind, ...
local base, found, given = KEYS[1], {}, tonumber(ARGV[1])
local kinds = {}
for i = 2, given + 1 do kinds[#kinds + 1] = ARGV[i] end
if given == 0 then kinds = redis.call('SMEMBERS', base .. ':k') end
for _, kind in ipairs(kinds) do
  local docs = base .. ':d:' .. kind
  local pairs = {}
  if #ARGV == given + 1 then pairs = redis.call('HGETALL', docs) end
  for i = given + 2, #ARGV do
    local value = redis.call('HGET', docs, ARGV[i])
    if value then
      pairs[#pairs + 1] = ARGV[i]
      pairs[#pairs + 1] = value
    end
  end
  found[#found + 1] = kind
  found[#found + 1] = pairs
end
return found
"""
)

_JOBS_OF = """
local function jobs_of(base, call, kept)
  local found, jobs = {}, redis.call('HGETALL', base .. ':q')
  for i = 1, #jobs, 2 do
    local kind, its = string.match(jobs[i + 1], '^([^ ]*) ([^ ]*) ')
    if not kept[kind] and (call == nil or its == call) then
      found[#found + 1] = jobs[i]
      found[#found + 1] = kind
    end
  end
  return found
end
"""

DROP = Script(
    _JOBS_OF
    + """
-- ARGV: call, kinds that stay. Returns the count of entries and docs, and (id, kind)* of the jobs.
local base, call, kept = KEYS[1], ARGV[1], {}
for i = 2, #ARGV do kept[ARGV[i]] = true end
local count = redis.call('XLEN', base .. ':j:' .. call)
redis.call('DEL', base .. ':j:' .. call, base .. ':u:' .. call)
redis.call('SREM', base .. ':c', call)
for _, kind in ipairs(redis.call('SMEMBERS', base .. ':k')) do
  if not kept[kind] then count = count + redis.call('HDEL', base .. ':d:' .. kind, call) end
end
local jobs = jobs_of(base, call, kept)
for i = 1, #jobs, 2 do redis.call('HDEL', base .. ':q', jobs[i]) end
return {count, jobs}
"""
)

ERASE = Script(
    _JOBS_OF
    + """
-- Returns the counts of entries and docs, and (id, kind)* of the jobs.
local base, entries, docs = KEYS[1], 0, 0
redis.call('SET', base .. ':x', '1')
for _, call in ipairs(redis.call('SMEMBERS', base .. ':c')) do
  entries = entries + redis.call('XLEN', base .. ':j:' .. call)
  redis.call('DEL', base .. ':j:' .. call, base .. ':u:' .. call)
end
for _, kind in ipairs(redis.call('SMEMBERS', base .. ':k')) do
  docs = docs + redis.call('HLEN', base .. ':d:' .. kind)
  redis.call('DEL', base .. ':d:' .. kind)
end
local jobs = jobs_of(base, nil, {})
redis.call('DEL', base .. ':q', base .. ':c', base .. ':k', base .. ':m')
return {entries, docs, jobs}
"""
)

TAKE = Script(
    NOW
    + """
-- ARGV: job id, worker, lease.
-- Returns {'gone'}, {'held', free_at} or {'taken', free_at, kind, call, attempts}.
local base, id, worker = KEYS[1], ARGV[1], ARGV[2]
local job = redis.call('HGET', base .. ':q', id)
if not job then return {'gone'} end
local kind, call, attempts, holder, free_at = string.match(job, '^([^ ]*) ([^ ]*) (%d+) ([^ ]*) ([%d.]+)$')
local time = now()
if tonumber(free_at) > tonumber(time) then
  if holder ~= worker then return {'held', free_at} end
else
  attempts = string.format('%d', tonumber(attempts) + 1)
end
free_at = string.format('%.6f', tonumber(time) + tonumber(ARGV[3]))
redis.call('HSET', base .. ':q', id, table.concat({kind, call, attempts, worker, free_at}, ' '))
return {'taken', free_at, kind, call, attempts}
"""
)

FINISH = Script(
    NOW
    + """
-- ARGV: job id, worker. Returns 1 if this worker held the job and it is removed.
local base = KEYS[1]
local job = redis.call('HGET', base .. ':q', ARGV[1])
if not job then return 0 end
local holder, free_at = string.match(job, '^[^ ]* [^ ]* %d+ ([^ ]*) ([%d.]+)$')
if holder ~= ARGV[2] or tonumber(free_at) <= tonumber(now()) then return 0 end
return redis.call('HDEL', base .. ':q', ARGV[1])
"""
)

REPLACE = Script(
    """
-- ARGV: the key as it must be, the new one. Returns 1 if it is the new one now.
local held = redis.call('GET', KEYS[1])
if held ~= ARGV[1] then return held == ARGV[2] and 1 or 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""
)

DESTROY = Script(
    """
-- ARGV: the key as it must be. Returns 1 if it was there and is gone.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""
)

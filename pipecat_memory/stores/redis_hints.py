"""The Lua scripts of the index of due jobs: each one is atomic on the server.

`KEYS[1]` is its base key, `pm:{jobs}`.

    {jobs}:k         set    kinds of jobs
    {jobs}:d:<kind>  zset   "owner id" by free_at

The index only hints: the owner's own hash decides who holds a job.
"""

from __future__ import annotations

from .redis_scripts import NOW, Script

HINT = Script(
    NOW
    + """
-- ARGV: seconds from now, 'new' to leave a hint that is there, then (kind, member)*.
local base, time = KEYS[1], tonumber(now()) + tonumber(ARGV[1])
for i = 3, #ARGV, 2 do
  redis.call('SADD', base .. ':k', ARGV[i])
  -- A microsecond apart: jobs of one put keep their order.
  local score = string.format('%.6f', time + (i - 3) / 2000000)
  if ARGV[2] == 'new' then redis.call('ZADD', base .. ':d:' .. ARGV[i], 'NX', score, ARGV[i + 1])
  else redis.call('ZADD', base .. ':d:' .. ARGV[i], score, ARGV[i + 1]) end
end
return 1
"""
)

DUE = Script(
    NOW
    + """
-- ARGV: how many of each kind, kinds; none = all. Returns (kind, member, score)* of what is due.
local base, time, found = KEYS[1], now(), {}
local kinds = {}
for i = 2, #ARGV do kinds[i - 1] = ARGV[i] end
if #kinds == 0 then kinds = redis.call('SMEMBERS', base .. ':k') end
for _, kind in ipairs(kinds) do
  local key = base .. ':d:' .. kind
  local due = redis.call('ZRANGEBYSCORE', key, '-inf', time, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
  for i = 1, #due, 2 do
    found[#found + 1] = kind; found[#found + 1] = due[i]; found[#found + 1] = due[i + 1]
  end
end
return found
"""
)

SETTLE = Script(
    """
-- ARGV: kind, member, score as seen or '', new score or '' to remove. Skips a hint that changed.
local key = KEYS[1] .. ':d:' .. ARGV[1]
if ARGV[3] ~= '' then
  local score = redis.call('ZSCORE', key, ARGV[2])
  if not score or tonumber(score) ~= tonumber(ARGV[3]) then return 0 end
end
if ARGV[4] == '' then return redis.call('ZREM', key, ARGV[2]) end
return redis.call('ZADD', key, ARGV[4], ARGV[2])
"""
)

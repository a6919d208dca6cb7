"""Every measured figure on the public data, one JSON line each: `scripts/figures.py FOLDER`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RUNS = [
    ["values", "evi_en.dev.jsonl", "--kb", "evi_en.kb.jsonl"],
    ["state", "dstc2_asr.dev.jsonl", "--schema", "dstc2.schema.json"],
    ["state", "dstc2_asr.dev.jsonl", "--schema", "dstc2.schema.json", "--transcript"],
    ["slots", "restaurant8k.dev.jsonl"],
    ["repair", "disflqa.dev.jsonl"],
    ["repair", "swbd_disfl.dev.jsonl"],
    ["recall", "locomo.dev.jsonl"],
    ["recall", "realtalk.dev.jsonl"],
    ["recall", "beam100k.dev.jsonl"],
    ["recall", "memdaily_zh.dev.jsonl"],
    ["recall", "locomo.dev.jsonl", "--no-embedder"],
    ["recall", "realtalk.dev.jsonl", "--no-embedder"],
    ["recall", "beam100k.dev.jsonl", "--no-embedder"],
]


def main(folder: Path) -> int:
    failed = 0
    for kind, *rest in RUNS:
        words = [str(folder / word) if word.endswith((".jsonl", ".json")) else word for word in rest]
        command = [str(Path(sys.executable).with_name("pipecat-memory")), "eval", kind, *words, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            print(json.dumps({"eval": kind, "file": rest[0], "failed": done.stderr[-300:]}), flush=True)
            continue
        options = [word for word in rest[1:] if word.startswith("--") and word not in ("--schema", "--kb")]
        print(
            json.dumps({"eval": kind, "file": rest[0], "options": options} | json.loads(done.stdout)),
            flush=True,
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

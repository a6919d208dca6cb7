"""`python -m examples.phone_bot`: serve the bot, or type as the caller with `--text`."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys


def main() -> None:
    """Read the command line; everything but `--text`, `--from` and `--verified` is Pipecat's runner's."""
    parser = argparse.ArgumentParser(prog="python -m examples.phone_bot", add_help=False)
    parser.add_argument("--text", action="store_true", help="type as the caller")
    parser.add_argument("--from", dest="number", help="the number to call from; none: anonymous")
    parser.add_argument("--verified", action="store_true", help="the app trusts this caller id")
    options, rest = parser.parse_known_args()
    if os.environ.get("LOCAL_LLM") == "1":
        from .local_model import serve

        serve()
    if options.text:
        from .typed import typed

        asyncio.run(typed(options.number, verified=options.verified))
        return
    if {"-h", "--help"} & set(rest):
        parser.print_help()
        print("\nserving: all options of Pipecat's runner\n")
    # In serving mode `--from` has no meaning: numbers come from the line.
    if options.verified:
        os.environ["PHONE_BOT_CALLER_ID"] = "verified"
    sys.argv[1:] = rest
    from pipecat.runner.run import main as run

    from .services import warm

    warm()
    run()


if __name__ == "__main__":
    # Pipecat's runner looks for `bot` in the module that was started.
    from .bot import bot as bot

    main()

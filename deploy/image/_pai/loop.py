# SPDX-License-Identifier: Apache-2.0
"""The event loop of cells. A notebook has one that always runs; here it runs while a
cell awaits, so that what scripts do with loops of their own works as well."""

import ast
import asyncio
import functools
import warnings

from IPython.core import async_helpers

STARTERS = {"create_task", "ensure_future", "get_running_loop"}
OWN_LOOP = {"run_until_complete", "run_forever"}


def is_wanted(text):
    """True if TEXT, outside of its functions, asks for the loop that runs."""
    if not any(word in text for word in STARTERS):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            names = set(compile(text, "<cell>", "exec", flags, True).co_names)
    except (SyntaxError, ValueError, OverflowError):
        return False
    return bool(names & STARTERS) and not names & OWN_LOOP


def is_ours(running):
    return running is not None and running is async_helpers._asyncio_event_loop


def let_run_nest():
    """asyncio.run() works beside a top-level await: our loop stands still for it."""
    run = asyncio.run

    @functools.wraps(run)
    def our_run(main, **options):
        running = asyncio._get_running_loop()
        if not is_ours(running):
            return run(main, **options)
        asyncio._set_running_loop(None)
        try:
            return run(main, **options)
        finally:
            asyncio._set_running_loop(running)
            asyncio.set_event_loop(running)

    asyncio.run = our_run


def end():
    """asyncio.run() does so, too: what still waits at the end will not go on."""
    loop = async_helpers._asyncio_event_loop
    if not loop or loop.is_closed():
        return
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()

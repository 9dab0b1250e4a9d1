# SPDX-License-Identifier: Apache-2.0
"""Magics and settings of a cell that are not as IPython has them."""

import importlib
import os
import shlex
import sys

from IPython.core import error
from traitlets import Any, Bool
from traitlets.config import Configurable


class InlineBackend(Configurable):
    """Takes what programs say with %config. Figures are PNG here."""

    figure_format = Any()
    figure_formats = Any()
    print_figure_kwargs = Any()
    rc = Any()
    close_figures = Bool(True).tag(config=True)

    def formats(self):
        """All that was asked for, as a word or as several."""
        found = set()
        for asked in (self.figure_format, self.figure_formats):
            found |= {asked} if isinstance(asked, str) else set(asked or ())
        return found


for setting in ("figure_format", "figure_formats", "print_figure_kwargs", "rc"):
    InlineBackend.class_traits()[setting].tag(config=True)


def run_command(words):
    from subprocess import DEVNULL, run

    return run(words, stdin=DEVNULL, capture_output=True, text=True, errors="replace")


def refuse_install(line):
    raise error.UsageError("there is no network here: nothing can be installed")


def add(shell):
    """Gives SHELL the line magics of this file."""

    def pip(line):
        """What lies here already can be installed: a wheel."""
        words = shlex.split(line)
        here = any(word.endswith(".whl") and os.path.exists(word) for word in words)
        if "install" in words and not here and "--no-index" not in words:
            refuse_install(line)
        shell.system(shlex.join([sys.executable, "-m", "pip", *words]))
        importlib.invalidate_caches()
        status = shell.user_ns.get("_exit_code")
        if status:
            raise error.UsageError(f"pip has failed with status {status}")

    shell.register_magic_function(pip, "line")
    for name in ("conda", "mamba", "micromamba", "uv"):
        shell.register_magic_function(refuse_install, "line", name)

# SPDX-License-Identifier: Apache-2.0
"""What a run shows: tables, figures, the value of a cell, an uncaught exception.

channel   what is shown, and errors, on their way to pai-guest
results   one thing that is shown: to the channel, or as text and a file
formats   what IPython's formatters make of an object
figures   the backend of matplotlib
charts    the data of a figure
hooks     what is put in the place of IPython's and plotly's own ways to show
cell      a program as a cell of a notebook
loop      its event loop
magics    magics and settings that are not as IPython has them
session   the life of a kernel that runs many

Nothing of this is imported before the program needs it. What the program puts in the
place of builtins, or takes from sys.modules, is no matter of ours.
"""

import sys

__builtins__ = dict(__builtins__)  # of all modules here that name it
hook = sys.modules.get("sitecustomize")
shell = None  # of this cell


def run():
    """What the start hook was told of this run; None in every other python3."""
    return getattr(hook, "this_run", None)


def is_cell():
    return bool(run()) and run().kind == "cell"

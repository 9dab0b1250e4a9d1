# SPDX-License-Identifier: Apache-2.0
"""IPython's formatters, and the data of tables and figures beside them."""

import functools
import sys

from IPython.core.formatters import DisplayFormatter

DATA_CELLS_MAX = 100_000  # of a table whose cells are given as data


def table(obj):
    """The columns of a DataFrame as {name: list}, or None."""
    pandas = sys.modules.get("pandas")
    frame = getattr(pandas, "DataFrame", None)
    if not frame or not isinstance(obj, frame) or obj.size > DATA_CELLS_MAX:
        return None
    try:
        if len({str(name) for name in obj.columns}) < len(obj.columns):
            return None  # of columns with one name only the last would be there
        return obj.to_dict(orient="list")
    except Exception:
        return None  # a subclass may do what it likes


def is_figure(obj):
    module = sys.modules.get("matplotlib.figure")
    figure = getattr(module, "Figure", None)
    return bool(figure) and isinstance(obj, figure)


class Formatter(DisplayFormatter):
    def format(self, obj, include=None, exclude=None):
        if is_figure(obj):
            from _pai import figures

            return figures.bundle(obj), {}
        bundle, metadata = super().format(obj, include, exclude)
        data = table(obj) if bundle else None
        if data is not None:
            bundle["e2b/data"] = data
        return bundle, metadata


@functools.cache
def of_script():
    return Formatter()

# SPDX-License-Identifier: Apache-2.0
"""The backend of matplotlib: a figure that is shown is a result, and a file.

A shown figure leaves pyplot, as in a notebook. pyplot.savefig() after that would
save the empty figure that pyplot.gcf() makes in its place, which nobody means: it
saves the one that was shown last.
"""

import io
import sys
import weakref

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureCanvasBase, FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

import _pai
from _pai import channel, is_cell, results

# whose functions stand between pyplot.gcf() and us
MAKERS = (__name__, "matplotlib.backend_bases", "matplotlib.pyplot")

shown = weakref.WeakSet()  # not changed since, if they are not stale
last = None  # the figure that left pyplot last


def is_blank(figure):
    return len(figure.get_children()) <= 1  # the background


def made_by_gcf():
    """True if the figure that is being made was not asked for by its name."""
    frame = sys._getframe(1)
    while frame and frame.f_globals.get("__name__") in MAKERS:
        if frame.f_code.co_name == "gcf":
            return True
        frame = frame.f_back
    return False


class FigureManager(FigureManagerBase):
    stands_in = False

    @classmethod
    def create_with_canvas(cls, canvas_class, figure, num):
        manager = super().create_with_canvas(canvas_class, figure, num)
        manager.stands_in = made_by_gcf()
        return manager

    @classmethod
    def pyplot_show(cls, *, block=None):
        show_all()

    def show(self):
        if not self.is_stand_in():
            show(self.canvas.figure)

    def is_stand_in(self):
        return self.stands_in and is_blank(self.canvas.figure)


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager

    def print_figure(self, *args, **kwargs):
        if last and self.manager and self.manager.is_stand_in():
            return last.canvas.print_figure(*args, **kwargs)
        return super().print_figure(*args, **kwargs)


def wanted_formats():
    """What %config InlineBackend.figure_formats asks for, beside PNG."""
    return _pai.shell.inline_backend.formats() if _pai.shell else set()


def draw(figure, kind, scale=1):
    """As a notebook has it. A figure that was made without pyplot has no Agg."""
    out = io.BytesIO()
    canvas = figure.canvas or FigureCanvasBase(figure)
    canvas.print_figure(
        out,
        format=kind,
        dpi=scale * figure.dpi,
        facecolor=figure.get_facecolor(),
        edgecolor=figure.get_edgecolor(),
        bbox_inches="tight",
    )
    return out.getvalue()


def bundle(figure):
    """{MIME type: value} of FIGURE, which is shown with that."""
    text = repr(figure)
    if is_blank(figure):
        return {"text/plain": text}
    from _pai import charts

    formats = wanted_formats()
    picture = draw(figure, "png", 2 if "retina" in formats else 1)
    name = results.keep(picture, "png")
    found = {"text/plain": text}
    if channel.is_ours():
        found["image/png"] = picture
        if "svg" in formats:
            found["image/svg+xml"] = draw(figure, "svg").decode()
        if "pdf" in formats:
            found["application/pdf"] = draw(figure, "pdf")
        found["e2b/chart"] = charts.describe(figure)
    elif name:
        found["text/plain"] = f"{name}: {text}"
    shown.add(figure)
    figure.stale = False
    return found


def is_shown(figure):
    """True if nothing of FIGURE has changed since it was shown."""
    return figure in shown and not figure.stale


def show(figure):
    results.publish(bundle(figure))


def show_all():
    """Shows what is open in pyplot, in order, once each, and closes it."""
    global last
    managers = [m for m in Gcf.get_all_fig_managers() if isinstance(m, FigureManager)]
    try:
        for manager in managers:
            figure = manager.canvas.figure
            if not is_shown(figure) and not manager.is_stand_in():
                show(figure)
    finally:
        for manager in managers:
            if not manager.is_stand_in():
                last = manager.canvas.figure
            Gcf.destroy(manager)


def end_of_cell():
    """Each cell begins with no figure."""
    global last
    show_all()
    if is_cell():
        last = None

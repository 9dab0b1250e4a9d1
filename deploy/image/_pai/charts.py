# SPDX-License-Identifier: Apache-2.0
"""The data of a figure, with the keys that users of E2B's charts know.

What matplotlib draws is told apart by the kinds of its artists: lines, points,
wedges, rectangles, boxes. A figure that mixes kinds is of type "unknown", one
with several axes a "superchart" of theirs.
"""

import math
import re

from matplotlib import (
    category,
    collections,
    container,
    dates,
    lines,
    patches,
    text,
    ticker,
)
from numpy.ma import masked

POINTS_MAX = 100_000  # of one figure
UNIT = re.compile(r"\s\((.*?)\)|\[(.*?)\]")
SAME = 1e-9  # relative: coordinates that were computed twice


class TooMany(Exception):
    """The figure has more points than are given as data."""


class Budget:
    def __init__(self):
        self.left = POINTS_MAX

    def take(self, n):
        self.left -= n
        if self.left < 0:
            raise TooMany


def plain(value):
    """A coordinate as a number or a text; None where there is none."""
    if value is None or value is masked:
        return None
    if hasattr(value, "dtype") and value.dtype.kind in "Mm":
        return str(value.astype("datetime64[s]")) if value.dtype.kind == "M" else None
    value = value.item() if hasattr(value, "item") else value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value if isinstance(value, (int, float, str)) else str(value)


def unit(label):
    match = UNIT.search(label or "")
    return (match.group(1) or match.group(2)) if match else None


def is_dates(axis):
    kinds = (dates.DateConverter, dates._SwitchableDateConverter)
    return isinstance(axis.get_converter(), kinds)


def is_rule(line):
    """A line straight across, as of a grid or of axhline()."""
    x, y = line.get_xdata(), line.get_ydata()
    return len(x) == 2 == len(y) and (x[0] == x[1] or y[0] == y[1])


def tick_labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def scale(axis, ticks, labels):
    if is_dates(axis):
        return "datetime"
    if axis.get_scale() != "linear":
        return axis.get_scale()
    # names stand at 0, 1, 2 …
    named = len(ticks) and all(
        tick == i and label != str(i)
        for i, (tick, label) in enumerate(zip(ticks, labels, strict=False))
    )
    return "categorical" if named else "linear"


def heading(ax, kind):
    return {"type": kind, "title": ax.get_title() or None, "elements": []}


def planar(ax, kind):
    x, y = ax.get_xlabel() or None, ax.get_ylabel() or None
    return {
        **heading(ax, kind),
        "x_label": x,
        "y_label": y,
        "x_unit": unit(x),
        "y_unit": unit(y),
    }


def turn(chart):
    """Bars that lie down: what is named stands at y."""
    for key in ("label", "unit"):
        chart[f"x_{key}"], chart[f"y_{key}"] = chart[f"y_{key}"], chart[f"x_{key}"]


def points(ax, kind, rows, budget):
    """A chart of ROWS of (label, points)."""
    chart = planar(ax, kind)
    for name, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        ticks, labels = axis.get_ticklocs(), tick_labels(axis)
        chart[f"{name}_scale"] = scale(axis, ticks, labels)
        if is_dates(axis):
            ticks = [dates.num2date(tick) for tick in ticks]
        chart[f"{name}_ticks"] = [plain(tick) for tick in ticks]
        chart[f"{name}_tick_labels"] = labels
    for label, row in rows:
        budget.take(len(row))
        pairs = [[plain(x), plain(y)] for x, y in row]
        chart["elements"].append({"label": label, "points": pairs})
    return chart


def label_of(artist, own, word):
    """The label that the program gave, not matplotlib's OWN with a number."""
    label = str(artist.get_label())
    number = label.removeprefix(own)
    return f"{word} {number}" if number != label else label


def line_chart(ax, artists, budget):
    rows = []
    for line in artists:
        row = list(zip(line.get_xdata(), line.get_ydata(), strict=False))
        rows.append((label_of(line, "_child", "Line"), row))
    return points(ax, "line", rows, budget)


def scatter_chart(ax, artists, budget):
    rows = []
    for dots in artists:
        label = label_of(dots, "_child", "Points")
        row = list(dots.get_offsets())
        if is_dates(ax.xaxis):
            row = [(x if x is masked else dates.num2date(x), y) for x, y in row]
        rows.append((label, row))
    return points(ax, "scatter", rows, budget)


def pie_chart(ax, artists, budget):
    chart = heading(ax, "pie")
    budget.take(len(artists))
    for wedge in artists:
        angle = round(float(abs(wedge.theta2 - wedge.theta1)), 6)
        chart["elements"].append(
            {"label": wedge.get_label(), "angle": angle, "radius": plain(wedge.r)}
        )
    return chart


def names_at(axis, places):
    """What stands on AXIS at each of PLACES: its own names, else the number."""
    locator = axis.get_major_locator()
    if isinstance(locator, (ticker.FixedLocator, category.StrCategoryLocator)):
        named = list(zip(axis.get_ticklocs(), tick_labels(axis), strict=False))
        # the bars of a group stand beside a tick, one for each
        if len(named) == len(places):
            return [label for _, label in named]
    else:
        named = []
    found = []
    for place in places:
        near = [label for tick, label in named if abs(tick - place) <= SAME]
        if near:
            found.append(near[0])
        elif is_dates(axis):
            found.append(dates.num2date(place).isoformat())
        else:
            found.append(f"{place:.10g}")
    return found


def bar_chart(ax, artists, budget):
    chart = planar(ax, "bar")
    groups = [c for c in ax.containers if isinstance(c, container.BarContainer)]
    lying = bool(groups) and groups[0].orientation == "horizontal"
    if lying:
        turn(chart)
    for group in groups:
        label = label_of(group, "_container", "Group")
        rectangles = list(group)
        budget.take(len(rectangles))
        if lying:
            places = [r.get_y() + r.get_height() / 2 for r in rectangles]
            values = [r.get_width() for r in rectangles]
        else:
            places = [r.get_x() + r.get_width() / 2 for r in rectangles]
            values = [r.get_height() for r in rectangles]
        names = names_at(ax.yaxis if lying else ax.xaxis, places)
        for name, value in zip(names, values, strict=False):
            chart["elements"].append(
                {"label": name, "group": label, "value": plain(value)}
            )
    return chart


class Box:
    """One box of a plot and its lines; ACROSS is the axis that names it, 0 or 1."""

    def __init__(self, vertices, across):
        along = 1 - across
        self.across, self.outliers = across, []
        self.low, self.high = vertices[:, along].min(), vertices[:, along].max()
        self.begin, self.end = vertices[:, across].min(), vertices[:, across].max()
        self.middle = (self.begin + self.end) / 2
        self.min, self.median, self.max = self.low, None, self.high

    def has(self, places):
        slack = SAME * max(1, abs(self.middle))
        return all(self.begin - slack <= p <= self.end + slack for p in places)

    def add(self, places, values, is_marks):
        """A line that lies over the box: its median, a whisker, or outliers."""
        if is_marks:
            self.outliers += [plain(v) for v in values]
        elif len(values) == 2 and values[0] == values[1]:
            wide = math.isclose(places[-1] - places[0], self.end - self.begin)
            if wide and self.low <= values[0] <= self.high:
                self.median = values[0]
        elif len(values) == 2:
            self.min, self.max = min(self.min, *values), max(self.max, *values)

    def element(self, label):
        return {
            "label": label,
            "min": plain(self.min),
            "first_quartile": plain(self.low),
            "median": None if self.median is None else plain(self.median),
            "third_quartile": plain(self.high),
            "max": plain(self.max),
            "outliers": self.outliers,
        }


def is_box(artist):
    """boxplot() draws a box as a patch, or as a closed line of five points."""
    if not isinstance(artist, lines.Line2D):
        return isinstance(artist, patches.PathPatch)
    x, y = list(artist.get_xdata()), list(artist.get_ydata())
    corners = x[:2] == x[3:1:-1] or y[:2] == y[3:1:-1]
    return len(x) == 5 and corners and (x[0], y[0]) == (x[4], y[4])


def upright(artists, corners):
    """True if the boxes stand: then their medians lie, as wide as they are."""
    for line in artists:
        if is_box(line) or len(line.get_xdata()) != 2:
            continue
        x, y = line.get_xdata(), line.get_ydata()
        for box in corners:
            wide, high = box[:, 0], box[:, 1]
            inside = y[0] == y[1] and high.min() <= y[0] <= high.max()
            if inside and math.isclose(abs(x[1] - x[0]), wide.max() - wide.min()):
                return True
    return False


def box_chart(ax, artists, budget):
    chart = planar(ax, "box_and_whisker")
    corners = [a.get_path().vertices for a in artists if is_box(a)]
    budget.take(len(corners))
    across = 0 if upright(artists, corners) else 1
    if across:
        turn(chart)
    boxes = [Box(corner, across) for corner in corners]
    for line in artists:
        if is_box(line):
            continue
        data = [line.get_xdata(), line.get_ydata()]
        places, values = data[across], data[1 - across]
        budget.take(len(values))
        is_marks = line.get_linestyle() == "None"
        for box in boxes:
            if len(places) and box.has(places):
                box.add(places, values, is_marks)
                break
    axis = ax.yaxis if across else ax.xaxis
    names = names_at(axis, [box.middle for box in boxes])
    chart["elements"] = [b.element(n) for b, n in zip(boxes, names, strict=True)]
    return chart


def all_are(artists, kinds):
    return bool(artists) and all(isinstance(a, kinds) for a in artists)


def of_axes(ax, budget):
    artists = [
        a for a in ax._children if not isinstance(a, (text.Text, patches.Shadow))
    ]
    plots = [a for a in artists if not (isinstance(a, lines.Line2D) and is_rule(a))]
    has_boxes = any(is_box(a) for a in artists) and len(plots) < len(artists)
    if has_boxes and all_are(artists, (patches.PathPatch, lines.Line2D)):
        return box_chart(ax, artists, budget)
    for kind, chart in (
        (lines.Line2D, line_chart),
        (collections.PathCollection, scatter_chart),
        (patches.Wedge, pie_chart),
        (patches.Rectangle, bar_chart),
    ):
        if all_are(plots or artists, kind):
            return chart(ax, plots or artists, budget)
    return heading(ax, "unknown")


def describe(figure):
    """The chart of FIGURE, or None. Never raises: it is an extra of a picture."""
    try:
        axes, budget = figure.get_axes(), Budget()
        if not axes:
            return None
        if len(axes) == 1:
            return of_axes(axes[0], budget)
        return {
            "type": "superchart",
            "title": figure.get_suptitle() or None,
            "elements": [of_axes(ax, budget) for ax in axes],
        }
    except Exception:
        return None

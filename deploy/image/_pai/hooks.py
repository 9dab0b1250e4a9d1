# SPDX-License-Identifier: Apache-2.0
"""What is put in the place of other libraries' own ways to show.

The start hook calls a function of this module when the module that it is about
has been imported. That may be in a template, so what is to be done is asked when
something is shown, not here.
"""

import functools

from _pai import channel, is_cell, results, run

OUR_BACKEND = "module://_pai.figures"

SCREENS = ("agg", "cairo", "macosx", "wx", "inline", "notebook", "widget", "ipympl")

PLOTLY_MIME = "application/vnd.plotly.v1+json"
PANDAS_COLUMNS = 20  # of a table that is shown, as in a notebook


def plotly(module):
    """Figures of plotly.io._renderers are results; nothing opens a browser."""
    import os

    class Renderer(module.ExternalRenderer):
        def render(self, fig_dict):
            show_plotly(fig_dict)

    for name in ("browser", "firefox", "chrome", "chromium"):
        module.renderers[name] = Renderer()
    if not os.environ.get("PLOTLY_RENDERER"):
        module.renderers.default = "browser"
    module.renderers.render_on_display = True


def show_plotly(fig_dict):
    import json

    from plotly.io import to_html
    from plotly.io.json import to_json_plotly  # it knows dates and arrays

    def html(whole):
        # 3 MB of script come from the net when somebody looks at it
        return to_html(
            fig_dict, include_plotlyjs="cdn", full_html=whole, validate=False
        )

    traces = len(fig_dict.get("data", ()))
    text = f"<plotly figure with {traces} trace{'s' if traces != 1 else ''}>"
    name = results.keep(html(True).encode("utf-8", "replace"), "html")
    if channel.is_ours():
        value = json.loads(to_json_plotly(fig_dict))
        results.publish(
            {"text/plain": text, "text/html": html(False), PLOTLY_MIME: value}
        )
    else:
        results.publish({"text/plain": f"{name}: {text}" if name else text})


def ipython(module):
    """display() of IPython.core.display_functions works in a script, too: what
    IPython itself does without a shell is print()."""
    display, publish = module.display, module.publish_display_data

    def in_script():
        from IPython.core.interactiveshell import InteractiveShell

        return channel.is_ours() and not InteractiveShell.initialized()

    @functools.wraps(display)
    def our_display(
        *objs, include=None, exclude=None, display_id=None, raw=False, **other
    ):
        if not in_script():
            return display(
                *objs,
                include=include,
                exclude=exclude,
                display_id=display_id,
                raw=raw,
                **other,
            )
        for obj in objs:
            if not raw:
                from _pai import formats

                obj, _ = formats.of_script().format(obj, include, exclude)
            results.show_bundle(obj)
        if display_id is None:
            return None
        return module.DisplayHandle(None if display_id is True else display_id)

    @functools.wraps(publish)
    def our_publish(data, *args, **other):
        if in_script():
            results.show_bundle(data)
        else:
            publish(data, *args, **other)

    module.display, module.publish_display_data = our_display, our_publish


def terminal(module):
    """IPython.terminal's parts import each other; embed, first, is their way in."""
    import IPython.terminal.embed  # noqa: F401


def matplotlib(module):
    """Programs that were written for a host without a screen ask for Agg, and mean
    that nothing opens; others ask for a window, or a notebook. Ours shows figures."""
    use = module.use

    @functools.wraps(use)
    def our_use(backend, *args, **other):
        use(OUR_BACKEND if is_screen(backend) else backend, *args, **other)

    module.use = our_use


def pyplot(module):
    switch = module.switch_backend

    @functools.wraps(switch)
    def our_switch(newbackend):
        switch(OUR_BACKEND if is_screen(newbackend) else newbackend)

    module.switch_backend = our_switch


def is_screen(backend):
    """What shows figures, or would in another place; the others only write files."""
    if not isinstance(backend, str):
        return False
    return backend.lower().endswith(SCREENS)


def spawn(module):
    """A child of multiprocessing.spawn has the functions of a script from its file, and
    of a cell from its text."""
    prepare = module.get_preparation_data

    @functools.wraps(prepare)
    def our_prepare(name):
        data = prepare(name)
        if is_cell() and not {"init_main_from_path", "init_main_from_name"} & set(data):
            data["init_main_from_path"] = run().path
        return data

    module.get_preparation_data = our_prepare


def pandas(module):
    """pandas.core.config_init takes our cell for a terminal, which it is not."""
    if is_cell():
        module.cf.set_option("display.max_columns", PANDAS_COLUMNS)


def numpy_random(module):
    """Of a session: who seeds it is followed from here on."""
    from _pai import session

    session.seeds.watch("numpy.random", "seed", "set_state")

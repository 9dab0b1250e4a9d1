class Widget:
    """A widget."""

    def turn(self, by=1):
        "Turns it."
        return by


w = Widget()
# %%
import inspect

print(inspect.getsource(Widget.turn), inspect.signature(w.turn), __name__, Widget.__module__)
# %%
import pickle

type(pickle.loads(pickle.dumps(w))) is Widget
# %%
w.spin()

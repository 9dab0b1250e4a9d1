raise ValueError("first")
# %%
import sys

repr(sys.last_value), sys.last_type.__name__
# %%
try:
    raise KeyError("caught")
except KeyError:
    pass
repr(sys.last_value)

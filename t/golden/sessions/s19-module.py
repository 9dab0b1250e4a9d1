%%writefile own.py
def f():
    return 1
# %%
import own

own.f()
# %%
%%writefile own.py
def f():
    return "two, and longer"
# %%
import importlib

importlib.reload(own)
own.f()

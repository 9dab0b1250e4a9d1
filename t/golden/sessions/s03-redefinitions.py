def f():
    return "first"


class A:
    word = f()


a = A()
# %%
f(), a.word
# %%
def f():
    return "second"


class A:
    word = f()
# %%
f(), a.word, A().word, isinstance(a, A), type(a).__name__ == A.__name__

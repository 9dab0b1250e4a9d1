def squares():
    for i in range(10):
        yield i * i


gen = squares()
next(gen), next(gen)
# %%
next(gen)
# %%
list(gen)
# %%
next(gen)
# %%
next(gen, "over")

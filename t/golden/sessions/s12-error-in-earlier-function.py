def outer(n):
    # a comment
    return inner(n) + 1


class Broken(Exception):
    pass
# %%
def inner(n):
    if n > 1:
        raise Broken(f"{n} is too much")
    return n
# %%
outer(1)
# %%
print("before")
outer(2)
# %%
try:
    outer(3)
except Broken as e:
    raise RuntimeError("wrapped") from e

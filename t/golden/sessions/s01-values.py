6 * 7
# %%
_ + 1
# %%
print(_, __, ___, Out[1], Out[2], _1, sorted(Out))
# %%
"text", _3 if "_3" in globals() else None, len(Out)

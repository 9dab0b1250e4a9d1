x = 1
# %%
x = 2
1 / 0
x = 3
# %%
x
# %%
{}["no such key"]
# %%
print("went on", x)

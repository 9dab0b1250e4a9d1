x = 1
# %%
x = 2
def f(:
    pass
# %%
x
# %%
if True:
print("no")
# %%
x + 1

import warnings


def old():
    warnings.warn("old() is old")
    return 1
# %%
old()
# %%
old()
# %%
warnings.simplefilter("error")
# %%
old()
# %%
warnings.simplefilter("ignore")
old()

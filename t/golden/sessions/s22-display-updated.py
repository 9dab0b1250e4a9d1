handle = display("first", display_id=True)
# %%
handle.update("second")
# %%
print("between")

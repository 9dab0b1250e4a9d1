x = 1
# %%
print(repr(In[1]), repr(_i), repr(_i1), len(In))
# %%
print(repr(_ii), repr(_i), _ih[1] == In[1], In[-1] == In[3])

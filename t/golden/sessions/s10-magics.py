%precision 3
# %%
3.14159265
# %%
%mkdir -p sub
%cd -q sub
# %%
import os

os.path.basename(os.getcwd())
# %%
%alias_magic --cell again capture
%env MODE=green
# %%
%env MODE

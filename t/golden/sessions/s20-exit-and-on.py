x = 1
# %%
import sys

x = 2
sys.exit("so it is")
# %%
x

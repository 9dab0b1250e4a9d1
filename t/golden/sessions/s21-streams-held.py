import logging
import sys

logging.basicConfig(format="%(levelname)s %(message)s")
out = sys.stdout
# %%
logging.warning("of the second cell")
out.write("through the first cell's\n");
# %%
logging.error("of the third")
print("by print", file=out)

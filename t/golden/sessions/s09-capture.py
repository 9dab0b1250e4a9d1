%%capture held
print("printed")
display("shown")
import sys
print("said", file=sys.stderr)
# %%
print(repr(held.stdout), repr(held.stderr), len(held.outputs))
# %%
held.show()

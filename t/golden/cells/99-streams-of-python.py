import logging
import sys

print("out", end="")
sys.stdout.write(" more\n")
print("err", file=sys.stderr)
logging.warning("logged")
display("between")
print("last", flush=True)
input("name? ")

import sys

display("kept")
sys.exit("the reason")

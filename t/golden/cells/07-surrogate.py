s = "caf\udce9.txt"
display([s])
s

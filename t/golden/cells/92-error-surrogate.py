raise ValueError("bad name: caf\udce9.txt")

values = [1, 2]
assert len(values) == 3, f"{len(values)} values, not 3"

list(range(2000))
